#include "system/x11/gl_windows.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/context/make_current.h"
#include "model/window/windows.h"
#include "system/x11/connections.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_pixmaps.h"
#include "system/x11/record.h"
#include "system/x11/shown.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

namespace mpiglut::x11 {
namespace {

struct Windows {
    std::recursive_mutex mutex;
    std::vector<std::unique_ptr<ProgramWindow>> all;
    ProgramWindow wanted;
};

Windows &windows() {
    static auto *const the_windows = new Windows; // threads may still draw while static objects are destroyed
    return *the_windows;
}

template <class F> ProgramWindow *find_if(F wanted) {
    const std::lock_guard lock(windows().mutex);
    auto &all = windows().all;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto &window) { return wanted(*window); });
    return found == all.end() ? nullptr : found->get();
}

struct Free {
    void operator()(void *reply) const { std::free(reply); }
};
template <class T> using Reply = std::unique_ptr<T, Free>;

/// A reply, or nothing where the server says that there is no such thing.
template <class T, class Cookie>
Reply<T> reply(T *(*get)(xcb_connection_t *, Cookie, xcb_generic_error_t **), xcb_connection_t *connection,
               Cookie cookie) {
    xcb_generic_error_t *error = nullptr;
    Reply<T> got(get(connection, cookie, &error));
    std::free(error);
    return got;
}

struct Asked {
    xcb_get_geometry_cookie_t geometry;
    xcb_translate_coordinates_cookie_t corner;
    xcb_get_window_attributes_cookie_t attributes;
};

Asked send(xcb_connection_t *connection, xcb_drawable_t drawable) {
    const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    return {xcb_get_geometry(connection, drawable), xcb_translate_coordinates(connection, drawable, root, 0, 0),
            xcb_get_window_attributes(connection, drawable)};
}

Answer receive(xcb_connection_t *connection, const Asked &asked) {
    const auto geometry = reply(xcb_get_geometry_reply, connection, asked.geometry);
    const auto corner = reply(xcb_translate_coordinates_reply, connection, asked.corner);
    const auto attributes = reply(xcb_get_window_attributes_reply, connection, asked.attributes);
    Answer answer;
    if (geometry) {
        answer.exists = true;
        answer.place = {corner ? corner->dst_x : 0, corner ? corner->dst_y : 0, geometry->width, geometry->height};
    }
    if (attributes) {
        answer.is_window = true;
        answer.viewable = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
    }
    return answer;
}

void follow(int id, const Answer &answer) {
    Window *const window = state().window(id);
    if (!window)
        return;
    if (!answer.exists) {
        destroy_window(id);
        return destroy_marked_windows();
    }
    resize_window(*window, answer.place.width, answer.place.height);
    move_window(*window, answer.place.x, answer.place.y);
    if (answer.viewable != window->visible)
        set_visible(*window, answer.viewable);
}

/// Those of a connection that ends.
void destroy_windows(xcb_connection_t *connection) {
    std::vector<ProgramWindow> gone;
    {
        const std::lock_guard lock(windows().mutex);
        for (const auto &window : windows().all)
            if (window->connection == connection)
                gone.push_back(*window);
    }
    if (gone.empty())
        return;
    claim_ticks();
    const auto is_bound = [](const ProgramWindow &one) { return one.name == bound().draw || one.name == bound().read; };
    if (std::ranges::any_of(gone, is_bound))
        make_current(nullptr, nullptr, None, None, nullptr);
    const KeepBinding binding;
    for (const ProgramWindow &one : gone)
        destroy_window(one.id);
    destroy_marked_windows();
}

} // namespace

xcb_connection_t *connection_of(Display *display) {
    using Get = xcb_connection_t *(*)(Display *);
    static const auto get = []() -> Get {
        void *const library = dlopen("libX11-xcb.so.1", RTLD_LAZY);
        return library ? reinterpret_cast<Get>(dlsym(library, "XGetXCBConnection")) : nullptr;
    }();
    return get && display ? get(display) : nullptr;
}

std::vector<Answer> ask(xcb_connection_t *connection, const std::vector<xcb_drawable_t> &drawables) {
    std::vector<Asked> sent;
    std::vector<Answer> answers;
    for (const xcb_drawable_t drawable : drawables)
        sent.push_back(send(connection, drawable));
    for (const Asked &asked : sent)
        answers.push_back(receive(connection, asked));
    return answers;
}

ProgramWindow *find_window(XID name) {
    return find_if([name](const ProgramWindow &window) { return window.name == name; });
}

ProgramWindow *window_with(int id) {
    return find_if([id](const ProgramWindow &window) { return window.id == id; });
}

std::vector<int> ids_of_windows() {
    std::vector<int> ids;
    const std::lock_guard lock(windows().mutex);
    for (const auto &window : windows().all)
        ids.push_back(window->id);
    return ids;
}

ProgramWindow *window_on_tile(::Window real) {
    return find_if([real](const ProgramWindow &window) { return window.real == real; });
}

void follow_windows() {
    std::vector<ProgramWindow> all;
    {
        const std::lock_guard lock(windows().mutex);
        for (const auto &window : windows().all)
            all.push_back(*window);
    }
    // Connections one after the other, in the order in which their windows came: alike on all ranks.
    while (!all.empty()) {
        xcb_connection_t *const connection = all.front().connection;
        const auto others = std::stable_partition(
            all.begin(), all.end(), [connection](const ProgramWindow &one) { return one.connection == connection; });
        std::vector<xcb_drawable_t> names;
        std::for_each(all.begin(), others, [&](const ProgramWindow &one) { names.push_back(one.name); });
        const std::vector<Answer> answers = ask(connection, names);
        for (std::size_t i = 0; i < answers.size(); ++i)
            follow(all[i].id, answers[i]);
        all.erase(all.begin(), others);
    }
}

void flush_connections() {
    std::vector<xcb_connection_t *> connections;
    {
        const std::lock_guard lock(windows().mutex);
        for (const auto &window : windows().all)
            if (std::ranges::find(connections, window->connection) == connections.end())
                connections.push_back(window->connection);
    }
    for (xcb_connection_t *const connection : connections)
        xcb_flush(connection);
}

void look_at_viewports() {
    gl::on_other_size([](int width, int height) {
        static thread_local std::int64_t looked_in = -1;
        static thread_local int last_width = 0, last_height = 0;
        const std::int64_t frame = state().complete_frames();
        // A program may draw with many viewports: one look for each size in a frame.
        if (std::exchange(looked_in, frame) == frame && last_width == width && last_height == height)
            return;
        last_width = width;
        last_height = height;
        const ProgramWindow *const window = window_with(current_window());
        if (!window)
            return;
        const ProgramWindow copy = *window;
        const TicksHere ticks;
        const KeepBinding binding;
        follow(copy.id, ask(copy.connection, {copy.name}).front());
    });
}

void look_at_flushes() {
    gl::on_shown_front([](bool is_window) {
        if (!is_window)
            update_pixmap();
        else if (const int window = current_window())
            swap_window(window);
    });
}

const ProgramWindow &wanted_window() { return windows().wanted; }

void make_window(const ProgramWindow &window, const Answer &answer) {
    claim_ticks();
    windows().wanted = window;
    create_placed(answer.place, answer.viewable);
}

void window_was_made(int id, GLXWindow drawn, ::Window real, Colormap colormap) {
    ProgramWindow made = windows().wanted;
    made.id = id;
    made.real = real;
    made.colormap = colormap;
    {
        const std::lock_guard lock(windows().mutex);
        windows().all.push_back(std::make_unique<ProgramWindow>(made));
    }
    begin_with(id);
    if (!bind_real(drawn, drawn, made.last))
        fail("the context cannot be made current to the window that its pixel format has on the tile's display");
}

void forget_window(int id) {
    const ProgramWindow *const window = window_with(id);
    if (!window)
        return;
    XDestroyWindow(tile(), window->real);
    XFreeColormap(tile(), window->colormap);
    const std::lock_guard lock(windows().mutex);
    std::erase_if(windows().all, [id](const auto &one) { return one->id == id; });
}

void forget_last(GLXContext context) {
    const std::lock_guard lock(windows().mutex);
    for (const auto &window : windows().all)
        if (window->last == context)
            window->last = nullptr;
}

} // namespace mpiglut::x11

using namespace mpiglut;

/// XCloseDisplay calls it, too. The X server destroys the connection's windows, and gives their names to others.
MPIGLUT_EXPORT void xcb_disconnect(xcb_connection_t *connection) {
    if (connection && !x11::Ours::here() && x11::at_work() && !x11::is_over()) {
        const TicksHere ticks;
        x11::show_together();
        x11::destroy_windows(connection);
        x11::destroy_drawables(connection);
        x11::egl::forget_connection(connection);
        x11::forget_configs(connection);
    }
    REAL(xcb_disconnect)(connection);
}
