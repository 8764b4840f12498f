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
