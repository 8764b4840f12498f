// Prints every callback that input leads to, one line each. Arguments: "animate" counts frames in the idle callback and
// puts their number in front of each line; "menu" attaches one to the right button. The key q ends it.
#include <GL/freeglut.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool animated;
int frames;

template <class... Args> void say(const char *format, Args... args) {
    if (animated)
        std::printf("%d ", frames);
    std::printf(format, args...);
    std::printf("\n");
    std::fflush(stdout);
}

void display() {
    glClearColor(0.1f, 0.2f, static_cast<GLfloat>(frames % 16) / 16, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
    if (++frames == 1) {
        std::printf("ready\n");
        std::fflush(stdout);
    }
}

void keyboard(unsigned char key, int x, int y) {
    say("key %d at %d %d with %d", key, x, y, glutGetModifiers());
    if (key == 'q')
        std::exit(0);
}

void choose(int value) { say("menu %d", value); }

void menu_status(int status, int, int) { say("menu %s", status == GLUT_MENU_IN_USE ? "opened" : "closed"); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutInitWindowPosition(0, 0);
    glutCreateWindow("events");
    glutDisplayFunc(display);
    glutKeyboardFunc(keyboard);
    glutKeyboardUpFunc([](unsigned char key, int x, int y) { say("key %d up at %d %d", key, x, y); });
    glutSpecialFunc([](int key, int x, int y) { say("special %d at %d %d with %d", key, x, y, glutGetModifiers()); });
    glutSpecialUpFunc([](int key, int x, int y) { say("special %d up at %d %d", key, x, y); });
    glutMouseFunc([](int button, int state, int x, int y) {
        say("button %d %s at %d %d with %d", button, state == GLUT_DOWN ? "down" : "up", x, y, glutGetModifiers());
    });
    glutMotionFunc([](int x, int y) { say("drag to %d %d", x, y); });
    glutPassiveMotionFunc([](int x, int y) { say("move to %d %d", x, y); });
    glutMouseWheelFunc(
        [](int wheel, int direction, int x, int y) { say("wheel %d %d at %d %d", wheel, direction, x, y); });
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "animate") == 0) {
            animated = true;
            glutIdleFunc([] { glutPostRedisplay(); });
        }
        if (std::strcmp(argv[i], "menu") == 0) {
            glutMenuStatusFunc(menu_status);
            glutCreateMenu(choose);
            glutAddMenuEntry("first", 11);
            glutAddMenuEntry("second", 22);
            glutAttachMenu(GLUT_RIGHT_BUTTON);
        }
    }
    glutMainLoop();
    return 0;
}
