// glBlitFramebuffer from the window to a framebuffer object, back, and within the window; scaled and mirrored too.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 11);

    GLuint texture = 0, framebuffer = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 200, 160, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glClearColor(0.4f, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glClearColor(0, 0, 0, 1);

    // Window to object: the middle, across all borders; then a corner, scaled.
    glBlitFramebuffer(width / 2 - 90, height / 2 - 70, width / 2 + 90, height / 2 + 70, 10, 10, 190, 150,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBlitFramebuffer(width - 40, height - 30, width, height, 0, 0, 80, 60, GL_COLOR_BUFFER_BIT, GL_NEAREST);

    // Object to window: cut by borders, mirrored, magnified.
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 200, 160, width - 210, 7, width - 10, 167, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBlitFramebuffer(20, 20, 80, 60, 130, height - 10, 10, height - 90, GL_COLOR_BUFFER_BIT, GL_NEAREST);

    // Within the window, from the lower left to the upper right, and under a scissor box.
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(width - 120, height - 100, 110, 95);
    glBlitFramebuffer(3, 5, 153, 125, width - 150, height - 120, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glDisable(GL_SCISSOR_TEST);

    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("blit");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
