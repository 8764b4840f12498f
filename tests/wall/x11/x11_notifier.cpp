// A program with a notifier as Tcl's: events that come at some time are read when another thread says so, and timers run
// in between. All ranks have to come to the same events between the same timers.
#include <X11/extensions/XTest.h>
#include <X11/Xlib.h>

#include <cstdio>

extern "C" {
void begin_notifier(int fd);
bool wait_for_event(int milliseconds);
void end_notifier();
}

int main() {
    Display *const display = XOpenDisplay(nullptr);
    if (!display)
        return 1;
    XSetWindowAttributes attributes{};
    attributes.event_mask = PointerMotionMask | ExposureMask;
    attributes.override_redirect = True;
    const Window window =
        XCreateWindow(display, DefaultRootWindow(display), 0, 0, 300, 200, 0, CopyFromParent, InputOutput, nullptr,
                      CWEventMask | CWOverrideRedirect, &attributes);
    XMapWindow(display, window);
    XFlush(display);
    begin_notifier(ConnectionNumber(display));
    int motions = 0, timers = 0;
    while (motions < 30) {
        const bool found = wait_for_event(3);
        std::printf("%s after %d timers\n", found ? "found" : "timer", timers);
        timers += !found;
        for (XEvent event; found && XEventsQueued(display, QueuedAfterReading) > 0;) {
            XNextEvent(display, &event);
            if (event.type == MotionNotify)
                std::printf("motion %d to %d\n", ++motions, event.xmotion.x);
        }
        if (!found && timers > 3)
            XTestFakeMotionEvent(display, 0, 10 + timers * 7 % 200, 10 + timers % 90, 0);
        XFlush(display);
    }
    end_notifier();
    XCloseDisplay(display);
    std::puts("done");
    return 0;
}
