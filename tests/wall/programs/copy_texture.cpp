// glCopyTexImage2D, glCopyTexSubImage2D and the 1D forms take pixels from all over the window into textures.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void texture_parameters(GLenum target) {
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void quad(int x, int y, int w, int h) {
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
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 4);
    GLuint textures[3];
    glGenTextures(3, textures);

    glBindTexture(GL_TEXTURE_2D, textures[0]); // the middle half, across every border
    texture_parameters(GL_TEXTURE_2D);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, width / 4, height / 4, width / 2, height / 2, 0);

    glBindTexture(GL_TEXTURE_2D, textures[1]); // pieces put together the other way round
    texture_parameters(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 128, 128, 0, GL_RGB, GL_UNSIGNED_BYTE, nullptr);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width - 64, height - 64, 64, 64);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 64, 0, 0, height - 64, 64, 64);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 64, width - 64, 0, 64, 64);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 64, 64, width / 2 - 32, height / 2 - 32, 64, 64);

    glBindTexture(GL_TEXTURE_1D, textures[2]);
    texture_parameters(GL_TEXTURE_1D);
    glCopyTexImage1D(GL_TEXTURE_1D, 0, GL_RGB, 7, height / 2 + 3, 256, 0);
    glCopyTexSubImage1D(GL_TEXTURE_1D, 0, 100, 3, 5, 60);

    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, textures[0]);
    quad(5, 5, width / 2, height / 2);
    glBindTexture(GL_TEXTURE_2D, textures[1]);
    quad(width - 150, height - 140, 128, 128);
    glDisable(GL_TEXTURE_2D);
    glEnable(GL_TEXTURE_1D);
    glBindTexture(GL_TEXTURE_1D, textures[2]);
    quad(20, height - 40, 256, 30);
    glDisable(GL_TEXTURE_1D);
    glDeleteTextures(3, textures);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("copy to textures");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
