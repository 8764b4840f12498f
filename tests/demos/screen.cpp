#include "screen.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>

ScreenView::ScreenView(const std::string &display) : display_(XOpenDisplay(display.c_str())) {
    // A window may go between two requests; the answer says so, and Xlib's own handler would end the test.
    XSetErrorHandler([](Display *, XErrorEvent *) { return 0; });
}

ScreenView::~ScreenView() {
    if (display_)
        XCloseDisplay(display_);
}

int ScreenView::lit(int x, int y, int width, int height) const {
    XImage *const image = XGetImage(display_, DefaultRootWindow(display_), x, y, static_cast<unsigned>(width),
                                    static_cast<unsigned>(height), AllPlanes, ZPixmap);
    int count = 0;
    for (int i = 0; image && i < width * height; ++i)
        count += (XGetPixel(image, i % width, i / width) & 0xffffff) != 0;
    if (image)
        XDestroyImage(image);
    return count;
}

unsigned long ScreenView::window() const {
    Window root = 0, parent = 0, *children = nullptr, found = None;
    unsigned count = 0;
    XQueryTree(display_, DefaultRootWindow(display_), &root, &parent, &children, &count);
    for (unsigned i = 0; i < count && found == None; ++i) {
        XWindowAttributes attributes;
        if (XGetWindowAttributes(display_, children[i], &attributes) && attributes.map_state == IsViewable)
            found = children[i];
    }
    if (children)
        XFree(children);
    return found;
}

void ScreenView::resize_window(int width, int height) {
    if (const Window found = window())
        XMoveResizeWindow(display_, found, 0, 0, static_cast<unsigned>(width), static_cast<unsigned>(height));
    XSync(display_, False);
}

void ScreenView::type(char key) {
    for (const int type : {KeyPress, KeyRelease}) {
        XEvent event{};
        event.xkey = {.type = type,
                      .display = display_,
                      .window = window(),
                      .root = DefaultRootWindow(display_),
                      .time = CurrentTime,
                      .keycode = XKeysymToKeycode(display_, static_cast<KeySym>(key)),
                      .same_screen = True};
        if (event.xkey.window)
            XSendEvent(display_, event.xkey.window, True, type == KeyPress ? KeyPressMask : KeyReleaseMask, &event);
    }
    XSync(display_, False);
}

std::string ScreenView::title() const {
    const unsigned long of = window();
    char *name = nullptr;
    std::string title;
    if (of && XFetchName(display_, of, &name) && name)
        title = name;
    if (name)
        XFree(name);
    return title;
}

void ScreenView::close_window() {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window();
    event.xclient.message_type = XInternAtom(display_, "WM_PROTOCOLS", False);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(XInternAtom(display_, "WM_DELETE_WINDOW", False));
    if (event.xclient.window)
        XSendEvent(display_, event.xclient.window, False, NoEventMask, &event);
    XSync(display_, False);
}
