// Writes down what glutGet says of the window, as numbers and as bars of that length.
#include "scene.h"
#include <GL/glut.h>

#include <cstdio>

namespace {

struct Entry {
    const char *name;
    GLenum what;
};
const Entry entries[] = {
    {"width", GLUT_WINDOW_WIDTH},
    {"height", GLUT_WINDOW_HEIGHT},
    {"parent", GLUT_WINDOW_PARENT},
    {"children", GLUT_WINDOW_NUM_CHILDREN},
    {"doublebuffer", GLUT_WINDOW_DOUBLEBUFFER},
    {"rgba", GLUT_WINDOW_RGBA},
    {"depth", GLUT_WINDOW_DEPTH_SIZE},
    {"red", GLUT_WINDOW_RED_SIZE},
    {"stereo", GLUT_WINDOW_STEREO},
    {"init x", GLUT_INIT_WINDOW_X},
    {"init y", GLUT_INIT_WINDOW_Y},
    {"init width", GLUT_INIT_WINDOW_WIDTH},
    {"init height", GLUT_INIT_WINDOW_HEIGHT},
    {"mode", GLUT_INIT_DISPLAY_MODE},
    {"menu items", GLUT_MENU_NUM_ITEMS},
};

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    scene::backdrop(width, height, 26);
    int line = 0;
    for (const Entry &entry : entries) {
        const int value = glutGet(entry.what);
        char text[60];
        std::snprintf(text, sizeof text, "%s %d", entry.name, value);
        glColor3f(0, 0, 0);
        glRecti(6, height - 19 * (line + 1) - 3, 150, height - 19 * line - 4);
        glColor3f(1, 1, 1);
        glRasterPos2i(9, height - 19 * (line + 1));
        for (const char *c = text; *c; ++c)
            glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *c);
        glRecti(150, height - 19 * (line + 1), 150 + value / 2, height - 19 * (line + 1) + 8);
        ++line;
    }
    // The screen is at least as large as the window on it.
    if (glutGet(GLUT_SCREEN_WIDTH) >= width && glutGet(GLUT_SCREEN_HEIGHT) >= height) {
        glColor3f(0, 1, 0);
        glRecti(width - 30, 5, width - 5, 30);
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowPosition(0, 0);
    glutInitWindowSize(367, 307);
    glutCreateWindow("metrics");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
