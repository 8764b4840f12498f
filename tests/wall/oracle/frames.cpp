// Counts frames, sees to the first window's size, and ends the program in time.
//
// A frame is a swap of the first window, or the end of its display callback when that swapped nothing.
#include "oracle.h"

#include <GL/freeglut.h>
#include <GL/glx.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace oracle {
namespace {

int first_window;
std::int64_t completed;
bool swapped;
int forced_width, forced_height;
std::map<int, void (*)()> displays;
std::map<int, GLXDrawable> top_level;
int left, top, bottom; // what the first window's place counts for the other windows, and where the next one apart goes

/// Each window has its own picture, so none may lie over another.
bool apart() { return setting("ORACLE_APART", 0) != 0; }

void frame() {
    std::vector<GLXDrawable> shown;
    for (const auto &[number, drawable] : top_level)
        if (number == first_window || apart())
            shown.push_back(drawable);
    take_pictures(shown);
    ++completed;
    frame_passed();
    if (completed == setting("ORACLE_FRAMES", 0)) {
        write_pictures();
        std::_Exit(0);
    }
}

void display_and_count() {
    const int window = glutGetWindow();
    swapped = false;
    displays[window]();
    if (window == first_window && !swapped && glutGetWindow() == window)
        frame();
}

/// The first window has a size that the program did not choose.
bool sized() {
    static const bool is = std::sscanf(setting("ORACLE_SIZE").c_str(), "%dx%d", &forced_width, &forced_height) == 2;
    return is;
}

/// The current window is the first one and stands for a wall, which keeps its size and place.
bool is_wall() { return sized() && glutGetWindow() == first_window; }

/// Where the next window goes.
void place(int &x, int &y, int height) {
    if (!first_window) {
        left = sized() && x > 0 ? x : 0;
        top = sized() && y > 0 ? y : 0;
    }
    // Without its own place a window would hang over the screen's edge, as there is no window manager.
    if (x < 0 || y < 0) {
        x = left;
        y = top;
    }
    x = apart() ? 0 : x - left;
    y = apart() ? bottom : y - top;
    bottom += height;
}

void opened(int window) {
    top_level[window] = glXGetCurrentDrawable();
    if (first_window)
        return;
    first_window = window;
    start_replay();
    std::atexit(write_pictures); // the program may leave by itself; its last frame is the picture then
}

} // namespace

std::string setting(const char *name) {
    const char *const value = std::getenv(name);
    return value ? value : "";
}

long setting(const char *name, long otherwise) {
    const char *const value = std::getenv(name);
    return value ? std::atol(value) : otherwise;
}

std::int64_t frames() { return completed; }

} // namespace oracle

ORACLE_EXPORT int glutCreateWindow(const char *title) {
    const int x = glutGet(GLUT_INIT_WINDOW_X), y = glutGet(GLUT_INIT_WINDOW_Y);
    const int width = glutGet(GLUT_INIT_WINDOW_WIDTH), height = glutGet(GLUT_INIT_WINDOW_HEIGHT);
    int to_x = x, to_y = y;
    oracle::place(to_x, to_y, height);
    ORACLE_NEXT(glutInitWindowPosition)(to_x, to_y);
    if (!oracle::first_window && oracle::sized())
        ORACLE_NEXT(glutInitWindowSize)(oracle::forced_width, oracle::forced_height);
    const int window = ORACLE_NEXT(glutCreateWindow)(title);
    ORACLE_NEXT(glutInitWindowPosition)(x, y);
    ORACLE_NEXT(glutInitWindowSize)(width, height);
    oracle::opened(window);
    return window;
}

ORACLE_EXPORT void glutDestroyWindow(int window) {
    oracle::top_level.erase(window);
    ORACLE_NEXT(glutDestroyWindow)(window);
}

ORACLE_EXPORT void glutReshapeWindow(int width, int height) {
    if (!oracle::is_wall())
        ORACLE_NEXT(glutReshapeWindow)(width, height);
}

ORACLE_EXPORT void glutPositionWindow(int x, int y) {
    if (!oracle::is_wall())
        ORACLE_NEXT(glutPositionWindow)(x, y);
}

ORACLE_EXPORT int glutEnterGameMode() {
    const int window = ORACLE_NEXT(glutEnterGameMode)();
    oracle::opened(window);
    return window;
}

ORACLE_EXPORT void glutDisplayFunc(void (*callback)()) {
    oracle::displays[glutGetWindow()] = callback;
    ORACLE_NEXT(glutDisplayFunc)(callback ? oracle::display_and_count : nullptr);
}

ORACLE_EXPORT void glutSwapBuffers() {
    ORACLE_NEXT(glutSwapBuffers)();
    if (glutGetWindow() == oracle::first_window) {
        oracle::swapped = true;
        oracle::frame();
    }
}

// What was drawn and never shown is finished now: later, when the driver's compiler has been taken down, it can hang.
ORACLE_EXPORT void exit(int status) noexcept {
    if (glXGetCurrentContext())
        glFinish();
    ORACLE_NEXT(exit)(status);
    __builtin_unreachable();
}
