// Direct state access: blits and copies that name their objects (OpenGL 4.5), and reads with a size.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void show(GLuint texture, int x, int y, int w, int h) {
    glBindTexture(GL_TEXTURE_2D, texture);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (const auto &c : corner) {
        glTexCoord2i(c[0], c[1]);
        glVertex2i(x + c[0] * w, y + c[1] * h);
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, 0);
}

GLuint make_texture() {
    GLuint texture = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, GL_RGBA8, 128, 96);
    glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 105);
    const GLuint copied = make_texture(), blitted = make_texture();
    GLuint framebuffer = 0;
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, blitted, 0);

    glCopyTextureSubImage2D(copied, 0, 0, 0, width / 2 - 70, height / 2 - 50, 128, 96);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer); // a copy that names the window does not look at that
    glBlitNamedFramebuffer(0, framebuffer, width - 128, 0, width, 96, 0, 0, 128, 96, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glBlitNamedFramebuffer(framebuffer, 0, 0, 0, 128, 96, width - 140, height - 110, width - 12, height - 14,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
    show(copied, 9, 7, 128, 96);
    show(blitted, 15, height - 110, 128, 96);

    // With a scissor of the window while another framebuffer is bound, and the other way round.
    const GLfloat yellow[] = {1, 1, 0, 1}, red[] = {1, 0, 0, 1};
    glEnable(GL_SCISSOR_TEST);
    glScissor(width / 2 - 60, height / 2 - 90, 120, 30);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glClearNamedFramebufferfv(0, GL_COLOR, 0, yellow);
    glScissor(width - 60, 10, 50, 90);
    glBlitNamedFramebuffer(framebuffer, 0, 0, 0, 128, 96, width - 128, 0, width, 96, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glScissor(20, 20, 60, 30);
    glClearNamedFramebufferfv(framebuffer, GL_COLOR, 0, red);
    glDisable(GL_SCISSOR_TEST);
    show(blitted, 15, 112, 128, 96);

    static GLubyte pixels[40 * 30 * 4];
    glReadnPixels(width / 2 - 20, 5, 40, 30, GL_RGBA, GL_UNSIGNED_BYTE, sizeof pixels, pixels);
    glRasterPos2i(width / 2 - 20, height / 2);
    glDrawPixels(40, 30, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &copied);
    glDeleteTextures(1, &blitted);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("direct state access");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
