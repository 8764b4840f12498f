// Xlib and GLX, linked: a visual by glXChooseVisual. The window is resized on the way.  glx_linked [PICTURE.ppm [again]]
// With the last word it does all of that once before, on its own display.
#include "scene.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstring>

namespace {

void *look_up(const char *name) {
    return reinterpret_cast<void *>(glXGetProcAddressARB(reinterpret_cast<const GLubyte *>(name)));
}

/// Waits until the window is seen, or has that width.
void wait_for(Display *display, int kind, int width) {
    for (XEvent event;;) {
        XNextEvent(display, &event);
        if (event.type == kind && (kind != ConfigureNotify || event.xconfigure.width == width))
            return;
    }
}

void draw_frames(Display *display, Window window, scene::Scene &picture, int width, int height, const char *file) {
    for (int frame = 1; frame <= scene::frames_of_each; ++frame) {
        picture.draw(frame, width, height);
        if (file && frame == scene::frames_of_each && !picture.write(file, width, height))
            std::exit(1);
        glXSwapBuffers(display, window);
    }
}

int show(const char *file) {
    Display *const display = XOpenDisplay(nullptr);
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, GLX_DEPTH_SIZE, 16, None};
    XVisualInfo *const visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : nullptr;
    if (!visual) {
        std::fprintf(stderr, "no visual\n");
        return 1;
    }
    const Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    attributes.event_mask = StructureNotifyMask | ExposureMask;
    const Window window =
        XCreateWindow(display, root, 0, 0, scene::first_width, scene::first_height, 0, visual->depth, InputOutput,
                      visual->visual, CWBorderPixel | CWColormap | CWEventMask, &attributes);
    XMapWindow(display, window);
    wait_for(display, Expose, 0);
    const GLXContext context = glXCreateContext(display, visual, nullptr, True);
    if (!context || !glXMakeCurrent(display, window, context) || glXGetCurrentDrawable() != window ||
        glXGetCurrentDisplay() != display)
        return 1;
    scene::Scene picture(look_up);
    draw_frames(display, window, picture, scene::first_width, scene::first_height, nullptr);
    XResizeWindow(display, window, scene::last_width, scene::last_height);
    wait_for(display, ConfigureNotify, scene::last_width);
    unsigned width = 0;
    glXQueryDrawable(display, window, GLX_WIDTH, &width);
    draw_frames(display, window, picture, static_cast<int>(width), scene::last_height, file);
    glXMakeCurrent(display, None, nullptr);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const bool again = argc > 2 && std::strcmp(argv[2], "again") == 0;
    return again && show(nullptr) != 0 ? 1 : show(argc > 1 ? argv[1] : nullptr);
}
