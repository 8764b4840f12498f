// Renders to a texture with a viewport and a scissor box for the texture, reads it, and goes back to the window;
// the viewport is set now before and now after the binding changes, by the EXT names as well.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

namespace {

constexpr int size = 128;
int width = 1, height = 1;
GLuint texture, framebuffer;

void into_texture() {
    scene::in_pixels(size, size);
    scene::cells(size, size, 12, 9, 11);
    glEnable(GL_SCISSOR_TEST);
    glScissor(20, 30, 50, 40);
    glClearColor(1, 0.5f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    GLubyte pixel[4] = {};
    glReadPixels(size - 3, size - 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel); // of the texture, not of the window
    glColor4ubv(pixel);
    glRecti(80, 10, 120, 40);
}

void quad(int x, int y, int w, int h) {
    glBindTexture(GL_TEXTURE_2D, texture);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    glTexCoord2i(0, 0);
    glVertex2i(x, y);
    glTexCoord2i(1, 0);
    glVertex2i(x + w, y);
    glTexCoord2i(1, 1);
    glVertex2i(x + w, y + h);
    glTexCoord2i(0, 1);
    glVertex2i(x, y + h);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

void display() {
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 13);

    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, size, size);
    into_texture();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    scene::in_pixels(width, height);
    quad(9, 8, size, size);

    glPushAttrib(GL_VIEWPORT_BIT);
    glViewport(0, 0, size, size); // before binding
    glBindFramebufferEXT(GL_FRAMEBUFFER_EXT, framebuffer);
    into_texture();
    glColor3f(1, 1, 1);
    glRecti(50, 50, 60, 110);
    glBindFramebufferEXT(GL_FRAMEBUFFER_EXT, 0);
    glPopAttrib(); // after binding back
    scene::in_pixels(width, height);
    quad(width - 170, height - 150, size, size);

    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glViewport(size / 2, 0, size / 2, size);
    into_texture();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glViewport(width / 2, 20, 140, 135);
    scene::in_pixels(140, 135);
    quad(5, 5, size, size);
    glutSwapBuffers();
}

void reshape(int w, int h) {
    width = w;
    height = h;
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("render to texture");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
