// Draws by X requests, alone or beside OpenGL: x11_drawn PICTURE.ppm exit|close|over|gone|stay|input|beside. The picture
// is what the screen shows: X's, with green where OpenGL is to be seen. "over": a popup and a child lie over the window with OpenGL; "gone":
// the popup has gone again, and the window is elsewhere; "stay": then it goes on drawing
// until SIGTERM. "input": it says what is pressed, and ends when a key is
// released. "beside": a popup lies over what another program shows, until SIGTERM.
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

struct Place {
    int x, y, width, height;
    bool has(int px, int py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

constexpr Place left{10, 20, 300, 170}, popup{120, 70, 160, 140}, child{15, 10, 40, 30};
constexpr unsigned long green = 0x00ff00;

Window make_window(Display *display, Window parent, const Place &place, unsigned long colour) {
    XSetWindowAttributes attributes{};
    attributes.background_pixel = colour;
    attributes.override_redirect = True;
    attributes.event_mask = ExposureMask;
    const Window window =
        XCreateWindow(display, parent, place.x, place.y, static_cast<unsigned>(place.width),
                      static_cast<unsigned>(place.height), 0, CopyFromParent, InputOutput, nullptr,
                      CWBackPixel | CWOverrideRedirect | CWEventMask, &attributes);
    XMapWindow(display, window);
    for (XEvent event; XNextEvent(display, &event), event.type != Expose;) {
    }
    return window;
}

void draw(Display *display, Window window, const Place &place) {
    const GC gc = XCreateGC(display, window, 0, nullptr);
    for (int i = 0; i < place.width; i += 7) {
        XSetForeground(display, gc, static_cast<unsigned long>(i * 90001 & 0xffffff));
        XDrawLine(display, window, gc, i, 0, place.width - i, place.height);
        XFillArc(display, window, gc, i, (i * 3) % place.height, 9, 13, 0, 360 * 64);
    }
    XDrawString(display, window, gc, 20, 30, "drawn by requests", 17);
    XFreeGC(display, gc);
}

void show_green(Display *display, Window window) {
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(display, window);
}

bool write_screen(Display *display, const char *file, const std::vector<Place> &with_gl,
                  const std::vector<Place> &above) {
    const int width = DisplayWidth(display, 0), height = DisplayHeight(display, 0);
    XImage *const image = XGetImage(display, DefaultRootWindow(display), 0, 0, static_cast<unsigned>(width),
                                    static_cast<unsigned>(height), AllPlanes, ZPixmap);
    std::FILE *const out = image ? std::fopen(file, "wb") : nullptr;
    if (!out)
        return false;
    const auto lies_in = [](const std::vector<Place> &places, int x, int y) {
        for (const Place &place : places)
            if (place.has(x, y))
                return true;
        return false;
    };
    std::fprintf(out, "P6\n%d %d\n255\n", width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool is_gl = lies_in(with_gl, x, y) && !lies_in(above, x, y);
            const unsigned long pixel = is_gl ? green : XGetPixel(image, x, y);
            for (const int shift : {16, 8, 0})
                std::fputc(static_cast<int>(pixel >> shift & 0xff), out);
        }
    return std::fclose(out) == 0;
}

volatile std::sig_atomic_t is_told_to_end = 0;

bool show_both(Display *display, const char *file, bool goes, bool stays) {
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, None};
    XVisualInfo *const visual = glXChooseVisual(display, DefaultScreen(display), wanted);
    const GLXContext context = visual ? glXCreateContext(display, visual, nullptr, True) : nullptr;
    const Window window = make_window(display, DefaultRootWindow(display), left, 0x202020);
    if (!context || !glXMakeCurrent(display, window, context))
        return false;
    show_green(display, window);
    const Window inner = make_window(display, window, child, 0xff0000);
    draw(display, inner, child);
    const Window above = make_window(display, DefaultRootWindow(display), popup, 0xeeeeee);
    draw(display, above, popup);
    show_green(display, window);
    Place place = left;
    if (goes) {
        XUnmapWindow(display, above);
        place = {place.x + 33, place.y, place.width - 40, place.height - 25};
        XMoveResizeWindow(display, window, place.x, place.y, static_cast<unsigned>(place.width),
                          static_cast<unsigned>(place.height));
    }
    XSync(display, False);
    show_green(display, window); // the tiles hear of the place with this frame, and draw the next one there
    show_green(display, window);
    std::vector<Place> on_top{{place.x + child.x, place.y + child.y, child.width, child.height}};
    if (!goes)
        on_top.push_back(popup);
    if (!write_screen(display, file, {place}, on_top))
        return false;
    while (stays && !is_told_to_end) {
        show_green(display, window);
        usleep(10'000);
    }
    return true;
}

void tell_input(Display *display, Window window) {
    XSelectInput(display, window, ButtonPressMask | KeyPressMask | KeyReleaseMask);
    XAutoRepeatOff(display); // that releases keys, too
    XSync(display, False);
    std::puts("ready");
    std::fflush(stdout);
    for (XEvent event; XNextEvent(display, &event), event.type != KeyRelease;) {
        if (event.type == ButtonPress)
            std::printf("button %u at %d %d\n", event.xbutton.button, event.xbutton.x_root, event.xbutton.y_root);
        else if (event.type == KeyPress)
            std::printf("key %u\n", event.xkey.keycode);
        std::fflush(stdout);
    }
    std::puts("done");
}

/// Over what another program has drawn.
bool show_beside(Display *display, const char *file) {
    draw(display, make_window(display, DefaultRootWindow(display), popup, 0xeeeeee), popup);
    if (!write_screen(display, file, {}, {}))
        return false;
    while (!is_told_to_end)
        usleep(10'000);
    return true;
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view way = argc > 2 ? argv[2] : "";
    std::signal(SIGTERM, [](int) { is_told_to_end = 1; });
    Display *const display = XOpenDisplay(nullptr);
    if (!display || argc < 3)
        return 1;
    if (way == "over" || way == "gone" || way == "stay")
        return show_both(display, argv[1], way != "over", way == "stay") ? 0 : 1;
    if (way == "beside")
        return show_beside(display, argv[1]) ? 0 : 1;
    const Window window = make_window(display, DefaultRootWindow(display), left, 0xccddee);
    draw(display, window, left);
    if (!write_screen(display, argv[1], {}, {}))
        return 1;
    if (way == "input")
        tell_input(display, window);
    if (way == "close")
        XCloseDisplay(display);
    return 0;
}
