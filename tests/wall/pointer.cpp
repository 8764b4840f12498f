#include "pointer.h"

#include <X11/extensions/XTest.h>
#include <X11/Xlib.h>

namespace wall_test {

Hand::Hand(const std::string &display) : display_(XOpenDisplay(display.c_str())) {
    int event = 0, error = 0, major = 0, minor = 0;
    if (display_ && !XTestQueryExtension(display_, &event, &error, &major, &minor)) {
        XCloseDisplay(display_);
        display_ = nullptr;
    }
    if (display_)
        XAutoRepeatOff(display_); // a busy machine holds keys for long
}

Hand::~Hand() {
    if (display_)
        XCloseDisplay(display_);
}

void Hand::move(int x, int y) {
    XTestFakeMotionEvent(display_, -1, x, y, 0);
    XSync(display_, False);
}

void Hand::give_keyboard_away() {
    const Window other = XCreateSimpleWindow(display_, DefaultRootWindow(display_), 1000, 900, 50, 50, 0, 0, 0);
    XSelectInput(display_, other, ExposureMask);
    XMapWindow(display_, other);
    XEvent event;
    XWindowEvent(display_, other, ExposureMask, &event);
    XSetInputFocus(display_, other, RevertToParent, CurrentTime);
    XSync(display_, False);
}

int Hand::windows_left_alone(int width, int height) {
    Window root = 0, parent = 0, *children = nullptr;
    unsigned count = 0;
    int alone = 0;
    if (!XQueryTree(display_, DefaultRootWindow(display_), &root, &parent, &children, &count))
        return 0;
    for (unsigned i = 0; i < count; ++i) {
        XWindowAttributes window;
        alone += XGetWindowAttributes(display_, children[i], &window) && window.width == width &&
                 window.height == height && window.override_redirect;
    }
    if (children)
        XFree(children);
    return alone;
}

void Hand::move_by(int x, int y) {
    XTestFakeRelativeMotionEvent(display_, x, y, 0);
    XSync(display_, False);
}

bool Hand::is_at(int x, int y) {
    Window root = 0, child = 0;
    int root_x = -1, root_y = -1, window_x = 0, window_y = 0;
    unsigned buttons = 0;
    XQueryPointer(display_, DefaultRootWindow(display_), &root, &child, &root_x, &root_y, &window_x, &window_y,
                  &buttons);
    return root_x == x && root_y == y;
}

void Hand::press(int button) {
    XTestFakeButtonEvent(display_, static_cast<unsigned>(button), True, 0);
    XSync(display_, False);
}

void Hand::release(int button) {
    XTestFakeButtonEvent(display_, static_cast<unsigned>(button), False, 0);
    XSync(display_, False);
}

void Hand::key(const char *name, bool down) {
    XTestFakeKeyEvent(display_, XKeysymToKeycode(display_, XStringToKeysym(name)), down, 0);
    XSync(display_, False);
}

} // namespace wall_test
