// walltool pattern: an ordinary GLUT program. It asks libmpiglut, if that is there, for what it shows beyond its own
// window.
#include "commands.h"
#include "pattern_draw.h"

#include <GL/freeglut.h>

#include <cstdlib>
#include <string>

namespace walltool {

namespace {

// GLUT's callbacks take no argument.
struct {
    int width = 960, height = 720;
    long frame = 0, last = 0;
} state;

void reshape(int width, int height) {
    state.width = width;
    state.height = height;
    glViewport(0, 0, width, height);
}

void display() {
    const Place place = find_place(state.width, state.height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, place.width, place.height, 0, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glClearColor(0.12f, 0.12f, 0.13f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_pattern(place, glutGet(GLUT_ELAPSED_TIME) / 1000.0, state.frame);
    glutSwapBuffers();
    if (++state.frame == state.last)
        std::exit(EXIT_SUCCESS);
}

void keyboard(unsigned char key, int, int) {
    constexpr unsigned char escape = 27;
    if (key == escape || key == 'q')
        std::exit(EXIT_SUCCESS);
}

} // namespace

int pattern(const char *program, long frames) {
    state.last = frames;
    std::string name(program);
    char *arguments[] = {name.data(), nullptr};
    int count = 1;
    glutInit(&count, arguments);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE);
    glutInitWindowSize(state.width, state.height);
    glutCreateWindow("walltool pattern");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc([] { glutPostRedisplay(); });
    glutKeyboardFunc(keyboard);
    glutMainLoop();
    return EXIT_SUCCESS;
}

} // namespace walltool
