// Threads that draw, each in its own time: gl_threads WAY [apart]. Each of three threads has a display, a window and a
// context (windows), or its own context of one window, which they draw to in turn (turns). What they read of their
// window is printed in their order, and "done" at the end. apart: one thread after the other, since Mesa 22 may fail
// where threads begin at the same time.
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <x86intrin.h>

namespace {

constexpr int threads = 3, frames = 8, width = 80, height = 60;

std::mutex mutex;
std::vector<std::string> told; ///< under the mutex

/// Some microseconds that no clock of the program's has.
void dawdle() {
    for (unsigned long long end = __rdtsc() + (__rdtsc() >> 4) % 2'000'000; __rdtsc() < end;)
        __builtin_ia32_pause();
}

struct Canvas {
    Display *display = XOpenDisplay(nullptr);
    XVisualInfo *visual = nullptr;
    Window window = None;

    bool make(int x) {
        int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, None};
        visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : nullptr;
        if (!visual)
            return false;
        const Window root = RootWindow(display, visual->screen);
        XSetWindowAttributes attributes{};
        attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
        attributes.event_mask = ExposureMask;
        window = XCreateWindow(display, root, x, 0, width, height, 0, visual->depth, InputOutput, visual->visual,
                               CWBorderPixel | CWColormap | CWEventMask, &attributes);
        XMapWindow(display, window);
        XEvent event;
        XWindowEvent(display, window, ExposureMask, &event);
        return true;
    }
    GLXContext context() const { return glXCreateContext(display, visual, nullptr, True); }
};

/// Behind a mark: another time in each run, and the same on all ranks.
std::string now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return " at " + std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

void quarter(int x, int y, float red, float green, float blue) {
    glScissor(x, y, width / 2, height / 2);
    glClearColor(red, green, blue, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

/// Draws four colours, and says what it reads of each.
std::string draw(int thread, int frame) {
    const float shade = static_cast<float>(51 * thread + 10 * frame) / 255;
    glEnable(GL_SCISSOR_TEST);
    quarter(0, 0, shade, 0, 0);
    quarter(width / 2, 0, 0, shade, 0);
    quarter(0, height / 2, 0, 0, shade);
    quarter(width / 2, height / 2, shade, shade, shade);
    std::vector<unsigned char> pixels(static_cast<std::size_t>(4 * width * height));
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    std::string read = "thread " + std::to_string(thread) + " frame " + std::to_string(frame) + ":";
    for (const int at : {0, width - 1, width * (height - 1), width * height - 1})
        for (int i = 0; i < 3; ++i)
            read += (i ? "," : " ") + std::to_string(pixels[static_cast<std::size_t>(4 * at + i)]);
    return read;
}

void draw_own_window(int thread) {
    Canvas own;
    if (!own.make(90 * thread))
        return;
    const GLXContext context = own.context();
    glXMakeCurrent(own.display, own.window, context);
    for (int frame = 0; frame < frames; ++frame) {
        dawdle();
        const std::string read = draw(thread, frame);
        glXSwapBuffers(own.display, own.window);
        const std::string time = now();
        const std::lock_guard lock(mutex);
        told.push_back(read + time);
    }
    glXMakeCurrent(own.display, None, nullptr);
    glXDestroyContext(own.display, context);
    XCloseDisplay(own.display);
}

void draw_in_turn(int thread, const Canvas &one) {
    GLXContext context = nullptr;
    for (int frame = 0; frame < frames; ++frame) {
        dawdle();
        const std::lock_guard lock(mutex);
        if (!context)
            context = one.context();
        glXMakeCurrent(one.display, one.window, context);
        told.push_back(draw(thread, frame) + now());
        glXSwapBuffers(one.display, one.window);
        glXMakeCurrent(one.display, None, nullptr);
    }
}

} // namespace

int main(int argc, char **argv) {
    const std::string way = argc > 1 ? argv[1] : "windows";
    XInitThreads();
    Canvas shared;
    if (!shared.make(0))
        return 1;
    const bool apart = argc > 2;
    std::vector<std::thread> all;
    for (int thread = 0; thread < threads; ++thread) {
        all.emplace_back([&way, &shared, thread] {
            if (way == "turns")
                draw_in_turn(thread, shared);
            else
                draw_own_window(thread);
        });
        if (apart)
            all.back().join();
    }
    for (std::thread &one : all)
        if (one.joinable())
            one.join();
    for (const std::string &line : told)
        std::puts(line.c_str());
    std::puts("done");
    return 0;
}
