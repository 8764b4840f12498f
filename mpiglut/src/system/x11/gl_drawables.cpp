#include "system/x11/gl_drawables.h"

#include "base/real.h"
#include "base/x_errors.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_windows.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace mpiglut::x11 {
namespace {

struct Pbuffer {
    xcb_connection_t *connection = nullptr; ///< which has named it
    GLXDrawable real = None;
    PixmapOfProgram pixmap;
    bool is_used = false; ///< it was drawn to
};

struct Drawables {
    std::mutex mutex;
    std::map<GLXDrawable, Pbuffer> by_name;
    struct GlxWindow {
        xcb_connection_t *connection; ///< which has named it
        GLXFBConfig config;
    };
    std::map<GLXWindow, GlxWindow> windows;
};

Drawables &drawables() {
    static auto *const all = new Drawables; // threads may still draw while static objects are destroyed
    return *all;
}

} // namespace

GLXDrawable name_drawable(xcb_connection_t *connection, GLXDrawable real) {
    if (!real)
        return None;
    const GLXDrawable name = xcb_generate_id(connection);
    const std::lock_guard lock(drawables().mutex);
    drawables().by_name[name] = {.connection = connection, .real = real};
    return name;
}

namespace {

GLXDrawable make_as_asked(xcb_connection_t *connection, GLXFBConfig config, const int *attributes, int *error) {
    const Ours ours;
    const QuietErrors quiet(tile());
    const GLXDrawable real = REAL(glXCreatePbuffer)(tile(), config, attributes);
    const int code = quiet.error();
    if (real && !code)
        return name_drawable(connection, real);
    if (error)
        *error = code ? code : BadAlloc;
    return None;
}

/// Drivers name a largest size, and may make far larger ones, whose memory is not there.
int limited(GLXFBConfig config, int size, int name) {
    const int most = attribute(config, name);
    return most > 0 ? std::min(size, most) : size;
}

/// The largest one of this shape that the driver makes. `rest`: its other attributes.
GLXDrawable make_largest(xcb_connection_t *connection, GLXFBConfig config, int width, int height,
                         const std::vector<int> &rest, int *error) {
    width = limited(config, width, GLX_MAX_PBUFFER_WIDTH);
    height = limited(config, height, GLX_MAX_PBUFFER_HEIGHT);
    for (;; width -= width / 2, height -= height / 2) {
        std::vector<int> attributes{GLX_PBUFFER_WIDTH, width, GLX_PBUFFER_HEIGHT, height};
        attributes.insert(attributes.end(), rest.begin(), rest.end());
        attributes.push_back(None);
        const GLXDrawable made = make_as_asked(connection, config, attributes.data(), error);
        if (made || (width == 1 && height == 1))
            return made;
    }
}

} // namespace

GLXDrawable make_pbuffer(xcb_connection_t *connection, GLXFBConfig config, const int *attributes, int *error) {
    int width = 0, height = 0;
    bool largest = false;
    std::vector<int> rest;
    for (const int *one = attributes; one && one[0] != None; one += 2)
        switch (one[0]) {
        case GLX_PBUFFER_WIDTH:
            width = one[1];
            break;
        case GLX_PBUFFER_HEIGHT:
            height = one[1];
            break;
        case GLX_LARGEST_PBUFFER:
            largest = one[1] != 0;
            break;
        default:
            rest.insert(rest.end(), one, one + 2);
        }
    return largest && width > 0 && height > 0 ? make_largest(connection, config, width, height, rest, error)
                                              : make_as_asked(connection, config, attributes, error);
}

GLXDrawable make_pixmap(xcb_connection_t *connection, GLXFBConfig config, xcb_drawable_t pixmap) {
    const Answer answer = ask(connection, {pixmap}).front();
    if (!answer.exists || answer.is_window)
        return None;
    const int size[] = {GLX_PBUFFER_WIDTH, answer.place.width, GLX_PBUFFER_HEIGHT, answer.place.height, None};
    const GLXDrawable name = make_pbuffer(connection, config, size);
    const std::lock_guard lock(drawables().mutex);
    if (name)
        drawables().by_name[name].pixmap = {connection, pixmap, answer.place.width, answer.place.height};
    return name;
}

PixmapOfProgram pixmap_of(GLXDrawable name) {
    const std::lock_guard lock(drawables().mutex);
    const auto found = drawables().by_name.find(name);
    return found == drawables().by_name.end() ? PixmapOfProgram{} : found->second.pixmap;
}

bool is_first_use(GLXDrawable name) {
    const std::lock_guard lock(drawables().mutex);
    const auto found = drawables().by_name.find(name);
    return found != drawables().by_name.end() && !std::exchange(found->second.is_used, true);
}

bool destroy_pbuffer(GLXDrawable name) {
    GLXDrawable real = None;
    {
        const std::lock_guard lock(drawables().mutex);
        if (auto gone = drawables().by_name.extract(name))
            real = gone.mapped().real;
    }
    if (real)
        REAL(glXDestroyPbuffer)(tile(), real);
    return real != None;
}

void destroy_drawables(xcb_connection_t *connection) {
    std::vector<GLXDrawable> names;
    {
        const std::lock_guard lock(drawables().mutex);
        std::erase_if(drawables().windows, [=](const auto &one) { return one.second.connection == connection; });
        for (const auto &[name, pbuffer] : drawables().by_name)
            if (pbuffer.connection == connection)
                names.push_back(name);
    }
    for (const GLXDrawable name : names)
        destroy_pbuffer(name);
}

void query_pbuffer(GLXDrawable name, int what, unsigned *value) {
    if (const GLXDrawable real = real_drawable(name))
        REAL(glXQueryDrawable)(tile(), real, what, value);
}

void note_glx_window(xcb_connection_t *connection, GLXWindow window, GLXFBConfig config) {
    const std::lock_guard lock(drawables().mutex);
    drawables().windows[window] = {connection, config};
}

GLXFBConfig config_of_glx_window(GLXWindow window) {
    const std::lock_guard lock(drawables().mutex);
    const auto found = drawables().windows.find(window);
    return found == drawables().windows.end() ? nullptr : found->second.config;
}

bool forget_glx_window(GLXWindow window) {
    const std::lock_guard lock(drawables().mutex);
    return drawables().windows.erase(window) > 0;
}

GLXDrawable real_drawable(GLXDrawable name) {
    const std::lock_guard lock(drawables().mutex);
    const auto found = drawables().by_name.find(name);
    return found == drawables().by_name.end() ? None : found->second.real;
}

} // namespace mpiglut::x11
