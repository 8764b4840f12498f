// What tiles cannot show, and the library names: glx_named front|threads. It draws two frames for both of these.
// With "beside" main() starts a thread while another one is about to show a frame: before that on rank 0, after it has
// begun to on others. With "waiting" main() begins to wait for an event after that on rank 0, and before it on others.
// With "gaps" it hands over floats of which it has not written the last three: these are halves of addresses, of a
// library's memory and of the heap, which are not the same on all ranks. With "values" each rank has other ones,
// with "colours" and "counts" other ones in a buffer.
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <semaphore>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace {

void show_frame(Display *display, GLXDrawable window, GLXContext context, float red) {
    glXMakeCurrent(display, window, context);
    glClearColor(red, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(display, window);
}

void draw_to_front() {
    glDrawBuffer(GL_FRONT);
    glClear(GL_COLOR_BUFFER_BIT);
    glFlush();
    glDrawBuffer(GL_BACK);
}

int rank() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *const value = std::getenv(name))
            return std::atoi(value);
    return 0;
}

void hand_over(bool gaps) {
    sbrk(4096 * (1 + rank()));
    const auto half = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(sbrk(0)) - 8);
    const unsigned of_library = 0xd364'0000U + 0x10'0000U * static_cast<unsigned>(rank());
    const unsigned upper = rank() % 2 ? 0U : 0x7fffU;
    float values[4] = {0, 1, 2, static_cast<float>(rank())};
    if (gaps) {
        std::memcpy(&values[1], &of_library, sizeof of_library);
        std::memcpy(&values[2], &upper, sizeof upper);
        std::memcpy(&values[3], &half, sizeof half);
    }
    glLightfv(GL_LIGHT0, GL_POSITION, values);
}

void compute() {
    for (volatile int i = 0; i < 200'000'000;)
        i = i + 1;
}

/// By a connection of its own.
void tell(Window window) {
    Display *const display = XOpenDisplay(nullptr);
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window;
    event.xclient.format = 32;
    XSendEvent(display, window, False, 0, &event);
    XCloseDisplay(display);
}

/// The same bits as halves of addresses are colours and counts in a buffer.
template <class T> void hand_over_buffer(T value) {
    const auto name = [](const char *text) { return glXGetProcAddress(reinterpret_cast<const GLubyte *>(text)); };
    GLuint buffer = 0;
    reinterpret_cast<PFNGLGENBUFFERSPROC>(name("glGenBuffers"))(1, &buffer);
    reinterpret_cast<PFNGLBINDBUFFERPROC>(name("glBindBuffer"))(GL_ARRAY_BUFFER, buffer);
    const T values[4] = {value, value, value, value};
    reinterpret_cast<PFNGLBUFFERDATAPROC>(name("glBufferData"))(GL_ARRAY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
}

} // namespace

int main(int, char **argv) {
    const std::string_view way = argv[1] ? argv[1] : "";
    XInitThreads();
    Display *const display = XOpenDisplay(nullptr);
    int wanted[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, None};
    XVisualInfo *const visual = display ? glXChooseVisual(display, DefaultScreen(display), wanted) : nullptr;
    if (!visual)
        return 1;
    const Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    const Window window = XCreateWindow(display, root, 0, 0, 64, 48, 0, visual->depth, InputOutput, visual->visual,
                                        CWBorderPixel | CWColormap, &attributes);
    XMapWindow(display, window);
    const GLXContext context = glXCreateContext(display, visual, nullptr, True);
    show_frame(display, window, context, 0.5F);
    if (way == "front")
        draw_to_front();
    if (way == "gaps" || way == "values")
        hand_over(way == "gaps");
    if (way == "colours")
        hand_over_buffer(0xff00'0000U + static_cast<unsigned>(rank()));
    if (way == "counts")
        hand_over_buffer(rank());
    glXMakeCurrent(display, None, nullptr);
    const bool in_thread = way == "threads" || way == "beside" || way == "waiting";
    std::binary_semaphore begin(way == "threads");
    std::thread drawing([&] {
        if (!in_thread)
            return;
        begin.acquire();
        if (way == "beside" && rank() == 0)
            compute();
        if (way == "waiting" && rank() != 0)
            compute();
        show_frame(display, window, context, 1);
        glXMakeCurrent(display, None, nullptr);
        if (way == "waiting")
            tell(window);
    });
    if (way == "beside") {
        begin.release();
        if (rank() != 0)
            compute();
        std::thread([] {}).join();
    }
    if (way == "waiting") {
        begin.release();
        if (rank() == 0)
            compute();
        for (XEvent event{}; event.type != ClientMessage;)
            XNextEvent(display, &event);
    }
    drawing.join();
    if (!in_thread)
        show_frame(display, window, context, 1);
    glXMakeCurrent(display, None, nullptr);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    std::puts("done");
    return 0;
}
