// The other half of foreign_file: a renderer that knows OpenGL alone.
#include "scene.h"

void render(int width, int height);
void resize(int width, int height);

void render(int width, int height) {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 96);
    GLubyte centre[4] = {};
    glReadPixels(width / 2, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, centre);
    GLubyte corner[4] = {};
    glReadPixels(width - 2, height - 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, corner);
    glColor3ubv(centre);
    glRecti(10, 10, width / 3, height / 3);
    glColor3ubv(corner);
    glRecti(width / 2, height / 2 + 10, width - 20, height - 20);
}

void resize(int width, int height) { glViewport(0, 0, width, height); }
