// A program that draws with OpenGL and tells what input comes: glx_input. It ends at the key Escape, or when it is
// asked to close its window, unless it has an argument. Until a button is pressed it draws all the time; from then on it
// draws for each event, and waits in between. With the argument "asleep" it draws three frames, sleeps, and tells
// whether something has come meanwhile. With "asked" it draws three frames, is asked to end, sleeps, and says so. With
// "slow" it computes for a second in its sixth frame, waits for input a moment before and after, and tells in which frames
// keys come. With "memory" it draws twenty frames, and tells where its memory lies. With "opens" it connects many times
// before its first frame.
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/keysym.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

bool waits = false, ends = false, stays = false, is_slow = false;
int frame = 0;

void compute_for_a_second() {
    for (const auto begun = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - begun < std::chrono::seconds(1);)
        ;
}

void tell(XEvent &event) {
    switch (event.type) {
    case ButtonPress:
    case ButtonRelease:
        std::printf("button %u %s at %d %d\n", event.xbutton.button, event.type == ButtonPress ? "down" : "up",
                    event.xbutton.x, event.xbutton.y);
        waits = true;
        break;
    case KeyPress: {
        char text[8] = {};
        KeySym key = 0;
        XLookupString(&event.xkey, text, sizeof text, &key, nullptr);
        if (is_slow)
            std::printf("key %s in frame %d\n", XKeysymToString(key), frame);
        else
            std::printf("key %s at %d %d\n", XKeysymToString(key), event.xkey.x, event.xkey.y);
        ends = key == XK_Escape;
        break;
    }
    case ClientMessage:
        std::printf("asked to close\n");
        std::fflush(stdout);
        ends = !stays;
        break;
    default: break;
    }
}

/// Of what a program has in a container, from malloc and from new. It grows, and parts of it go.
bool tell_addresses() {
    static std::vector<std::unique_ptr<std::vector<char>>> all;
    static std::vector<char *> others;
    for (int i = 0; i < 40; ++i) {
        all.push_back(std::make_unique<std::vector<char>>(static_cast<std::size_t>(i) * 9));
        others.push_back(static_cast<char *>(std::calloc(static_cast<std::size_t>(i) + 1, 7)));
        if (i % 3 == 0) {
            others[others.size() / 2] = static_cast<char *>(std::realloc(others[others.size() / 2], 2000));
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
        }
    }
    std::size_t sum = 0;
    for (const auto &one : all)
        sum = sum * 31 + reinterpret_cast<std::uintptr_t>(one.get()) + reinterpret_cast<std::uintptr_t>(one->data());
    for (const char *one : others)
        sum = sum * 31 + reinterpret_cast<std::uintptr_t>(one);
    std::printf("at %zx\n", sum);
    return malloc_usable_size(others.front()) >= 7;
}

} // namespace

int main(int argc, char **argv) {
    const bool sleeps = argc > 1 && std::string_view(argv[1]) == "asleep";
    const bool is_asked = argc > 1 && std::string_view(argv[1]) == "asked";
    stays = argc > 1;
    const bool has_memory = argc > 1 && std::string_view(argv[1]) == "memory";
    is_slow = argc > 1 && std::string_view(argv[1]) == "slow";
    Display *const display = XOpenDisplay(nullptr);
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, None};
    XVisualInfo *const visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : nullptr;
    if (!visual)
        return 1;
    const Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    attributes.event_mask = KeyPressMask | ButtonPressMask | ButtonReleaseMask | ExposureMask;
    const Window window = XCreateWindow(display, root, 20, 10, 300, 200, 0, visual->depth, InputOutput, visual->visual,
                                        CWBorderPixel | CWColormap | CWEventMask, &attributes);
    Atom close = XInternAtom(display, "WM_DELETE_WINDOW", False);
    XSetWMProtocols(display, window, &close, 1);
    XMapWindow(display, window);
    const GLXContext context = glXCreateContext(display, visual, nullptr, True);
    if (!glXMakeCurrent(display, window, context))
        return 1;
    if (argc > 1 && std::string_view(argv[1]) == "opens") {
        for (int i = 0; i < 50; ++i)
            if (Display *const other = XOpenDisplay(nullptr))
                XCloseDisplay(other);
        ends = true;
    }
    for (; !ends; ++frame) {
        if (is_slow && frame == 5) {
            pollfd connection{ConnectionNumber(display), POLLIN, 0};
            poll(&connection, 1, 5);
            compute_for_a_second();
            poll(&connection, 1, 5);
        }
        if (sleeps && frame == 3) {
            sleep(2);
            pollfd connection{ConnectionNumber(display), POLLIN, 0};
            std::printf("%s has come\n", poll(&connection, 1, 0) == 1 ? "something" : "nothing");
            break;
        }
        if (is_asked && frame == 3) {
            raise(SIGTERM);
            usleep(300'000);
            std::printf("slept\n");
            std::fflush(stdout);
            break;
        }
        while (!ends && (waits || XPending(display) > 0)) {
            XEvent event;
            XNextEvent(display, &event);
            tell(event);
            if (waits)
                break;
        }
        if (has_memory)
            ends = !tell_addresses() || frame == 20;
        glClearColor(static_cast<float>(frame % 10) / 10, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glXSwapBuffers(display, window);
    }
    std::printf("done\n");
    return 0;
}
