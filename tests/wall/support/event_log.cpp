// Prints every callback that input leads to, one line each; the key q ends it. Arguments:
//   animate   counts frames in the idle callback and puts their number in front of each line
//   menu      attaches a menu to the right button;  relabel  goes on changing its entries while it is not in use
//   entry     tells of the pointer's coming and going
//   look      turns by the pointer's motion and warps it back to the middle
//   second    opens a second window, whose lines say so, and tells which windows are seen
//   wrong     makes calls that FreeGLUT warns of
//   wait=WAY  has its own main loop, which waits for the X server by select, poll, ... and asks for the pointer
#include <GL/freeglut.h>
#include <GL/glx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/epoll.h>
#include <sys/select.h>

namespace {

bool animated, menu_used;
int frames, second;

template <class... Args> void say(const char *format, Args... args) {
    if (animated)
        std::printf("%d ", frames);
    if (glutGetWindow() == second)
        std::printf("second ");
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

void menu_status(int status, int, int) {
    menu_used = status == GLUT_MENU_IN_USE;
    say("menu %s", menu_used ? "opened" : "closed");
}

void relabel() {
    if (menu_used)
        return;
    glutRemoveMenuItem(2);
    glutAddMenuEntry(frames % 2 ? "other" : "second", 22);
    glutPostRedisplay();
}

void entry(int state) { say(state == GLUT_ENTERED ? "entered" : "left"); }

void look(int x, int y) {
    const int dx = x - glutGet(GLUT_WINDOW_WIDTH) / 2, dy = y - glutGet(GLUT_WINDOW_HEIGHT) / 2;
    if (dx == 0 && dy == 0)
        return;
    say("turn %d %d", dx, dy);
    glutWarpPointer(glutGet(GLUT_WINDOW_WIDTH) / 2, glutGet(GLUT_WINDOW_HEIGHT) / 2);
}

void listen() {
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
}

void open_second() {
    glutInitWindowSize(203, 151);
    glutInitWindowPosition(450, 40);
    second = glutCreateWindow("second");
    listen();
    glutPositionFunc([](int x, int y) { say("at %d %d", x, y); });
    glutReshapeFunc([](int width, int height) { say("has %d %d", width, height); });
    const int both[] = {second, 1};
    for (const int window : both) {
        glutSetWindow(window);
        glutVisibilityFunc([](int state) { say(state == GLUT_VISIBLE ? "seen" : "unseen"); });
    }
}

void call_wrongly() {
    glutGameModeString("no mode");
    const int window = glutGetWindow();
    glutCreateSubWindow(window, 5, 5, 9, 9);
    glutDisplayFunc(display);
    glutFullScreen();
    glutSetWindow(window);
}

void ask_for_pointer() {
    Display *const display = glXGetCurrentDisplay();
    const Window window = glXGetCurrentDrawable();
    Window root = 0, child = 0;
    int screen_x = 0, screen_y = 0, x = 0, y = 0;
    unsigned mask = 0;
    XQueryPointer(display, window, &root, &child, &screen_x, &screen_y, &x, &y, &mask);
    say("pointer at %d %d with %u", x, y, mask & (Button1Mask | Button2Mask | Button3Mask));
    XTranslateCoordinates(display, window, DefaultRootWindow(display), 300, 200, &screen_x, &screen_y, &child);
    XTranslateCoordinates(display, DefaultRootWindow(display), window, screen_x + 1, screen_y + 2, &x, &y, &child);
    say("translated to %d %d", x, y);
}

/// Until something has come from the X server; again if it takes too long.
void wait_once(const std::string &way, int connection) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(connection, &set);
    timespec time{5, 0};
    pollfd one{connection, POLLIN, 0};
    static const int epoll = [connection] {
        const int made = epoll_create1(0);
        epoll_event event{EPOLLIN, {.u32 = 77}};
        epoll_ctl(made, EPOLL_CTL_ADD, connection, &event);
        return made;
    }();
    epoll_event event{};
    bool come = false;
    if (way == "select")
        come = select(connection + 1, &set, nullptr, nullptr, nullptr) == 1 && FD_ISSET(connection, &set);
    else if (way == "pselect")
        come = pselect(connection + 1, &set, nullptr, nullptr, &time, nullptr) == 1 && FD_ISSET(connection, &set);
    else if (way == "poll")
        come = poll(&one, 1, -1) == 1 && one.revents == POLLIN;
    else if (way == "ppoll")
        come = ppoll(&one, 1, nullptr, nullptr) == 1 && one.revents == POLLIN;
    else if (way == "epoll_wait")
        come = epoll_wait(epoll, &event, 1, -1) == 1 && event.data.u32 == 77;
    else if (way == "epoll_pwait")
        come = epoll_pwait(epoll, &event, 1, 5000, nullptr) == 1 && event.data.u32 == 77;
    if (!come)
        say("nothing has come by %s", way.c_str());
}

void loop(const std::string &way) {
    glutMouseFunc([](int button, int state, int x, int y) {
        say("button %d %s at %d %d", button, state == GLUT_DOWN ? "down" : "up", x, y);
        ask_for_pointer();
    });
    const int connection = ConnectionNumber(glXGetCurrentDisplay());
    for (;;) {
        wait_once(way, connection);
        glutMainLoopEvent();
    }
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutInitWindowPosition(0, 0);
    glutCreateWindow("events");
    listen();
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "wait=", 5) == 0)
            loop(argv[i] + 5);
        if (std::strcmp(argv[i], "animate") == 0) {
            animated = true;
            glutIdleFunc([] { glutPostRedisplay(); });
        }
        if (std::strcmp(argv[i], "wrong") == 0)
            call_wrongly();
        if (std::strcmp(argv[i], "relabel") == 0)
            glutIdleFunc(relabel);
        if (std::strcmp(argv[i], "entry") == 0)
            glutEntryFunc(entry);
        if (std::strcmp(argv[i], "look") == 0)
            glutPassiveMotionFunc(look);
        if (std::strcmp(argv[i], "second") == 0)
            open_second();
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
