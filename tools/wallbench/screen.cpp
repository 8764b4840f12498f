#include "screen.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

#include <stdexcept>

TestScreen::TestScreen(const std::string &name) : name_(name) {
    if (name_.empty()) {
        xvfb_.emplace(std::vector<std::string>{"Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"});
        std::string number = xvfb_->read_line();
        if (number.empty())
            throw std::runtime_error("Xvfb did not start; is the package xvfb there?");
        name_ = ":" + number;
    }
    display_ = XOpenDisplay(name_.c_str());
    int ignored;
    if (!display_ || !XTestQueryExtension(display_, &ignored, &ignored, &ignored, &ignored))
        throw std::runtime_error("display " + name_ + ": expected an X server with the XTEST extension");
}

TestScreen::~TestScreen() {
    if (display_)
        XCloseDisplay(display_);
}

void TestScreen::point_at_window() {
    Window root = DefaultRootWindow(display_), ignored, *children = nullptr;
    unsigned count = 0;
    XQueryTree(display_, root, &ignored, &ignored, &children, &count);
    for (unsigned i = 0; i < count; ++i) {
        XWindowAttributes a;
        if (XGetWindowAttributes(display_, children[i], &a) && a.map_state == IsViewable && a.width > 50) {
            XWarpPointer(display_, None, root, 0, 0, 0, 0, a.x + a.width / 2, a.y + a.height / 2);
            break;
        }
    }
    XFree(children);
    XSync(display_, False);
}

std::int64_t TestScreen::press() {
    KeyCode key = XKeysymToKeycode(display_, XK_a);
    std::int64_t before = now_ns();
    XTestFakeKeyEvent(display_, key, True, CurrentTime);
    XFlush(display_);
    XTestFakeKeyEvent(display_, key, False, CurrentTime);
    XSync(display_, False);
    return before;
}

std::int64_t TestScreen::click() {
    const std::int64_t before = now_ns();
    XTestFakeButtonEvent(display_, 1, True, CurrentTime);
    XFlush(display_);
    XTestFakeButtonEvent(display_, 1, False, CurrentTime);
    XSync(display_, False);
    return before;
}
