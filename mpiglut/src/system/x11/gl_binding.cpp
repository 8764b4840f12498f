#include "system/x11/gl_binding.h"

#include "base/real.h"
#include "base/state.h"
#include "base/x_errors.h"
#include "clock/role.h"
#include "gl/context/context.h"
#include "gl/context/make_current.h"
#include "model/frame/frame.h"
#include "model/loop/loop.h"
#include "model/window/windows.h"
#include "run/report.h"
#include "system/x11/backdrop.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_pixmaps.h"
#include "system/x11/shown.h"
#include "system/x11/threads.h"
#include "system/x11/tile_input.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace mpiglut::x11 {
namespace {

struct Here {
    Binding program;
    int window = 0; ///< which is current at the moment, for the program or for the wall
};

Here &here() {
    static thread_local Here *const mine = new Here; // exit handlers draw, too
    return *mine;
}

struct Contexts {
    std::mutex mutex;
    std::map<GLXContext, GLXFBConfig> configs;
};

Contexts &contexts() {
    static auto *const all = new Contexts;
    return *all;
}

/// On the tile's display; None for a name that is not known.
GLXDrawable real_of(GLXDrawable name) {
    if (const ProgramWindow *const window = find_window(name))
        if (const Window *const model = state().window(window->id))
            return model->x_window;
    return real_drawable(name);
}

bool bind_program() {
    Here &h = here();
    const Binding &program = h.program;
    h.window = program.window;
    return bind_real(real_of(program.draw), real_of(program.read), program.context);
}

/// A window's own format where the program has given it one, else the context's.
GLXFBConfig config_for(GLXDrawable name, GLXContext context) {
    const GLXFBConfig own = config_of_glx_window(name);
    return own ? own : config_of(context);
}

/// A window that has a real one of another format is made anew.
void fit_to_format(GLXDrawable name, GLXContext context) {
    const ProgramWindow *const window = find_window(name);
    const GLXFBConfig config = config_for(name, context);
    const int what = config_of_glx_window(name) ? GLX_FBCONFIG_ID : GLX_VISUAL_ID;
    if (!window || !config || attribute(window->config, what) == attribute(config, what))
        return;
    here() = {};
    destroy_window(window->id);
    destroy_marked_windows();
}

/// False where the name is nobody's, or that of a pixmap of the program's.
bool make_known(xcb_connection_t *connection, GLXDrawable name, GLXContext context) {
    follow_windows(); // one that is gone may have had this name
    const Answer answer = ask(connection, {static_cast<xcb_drawable_t>(name)}).front();
    const GLXFBConfig config = config_for(name, context);
    if (!answer.is_window || !config)
        return false;
    make_window({connection, static_cast<xcb_window_t>(name), 0, config, context, 0}, answer);
    return true;
}

/// Of threads that draw to windows beside each other nobody knows which comes first.
void name_threads() {
    if (may_have_ticks())
        return;
    static std::atomic<std::uint32_t> first{thread_name()};
    const std::uint32_t mine = thread_name();
    if (mine == first || mine == unnamed_thread)
        return;
    const std::string who = describe_thread(first) + " and " + describe_thread(mine);
    report_once(Report::note, who + " show windows: if they do not wait for each other, then the ranks may diverge; expected " +
                                  "--threads ordered");
}

} // namespace

const Binding &bound() { return here().program; }

void note_context(GLXContext context, GLXFBConfig config) {
    const std::lock_guard lock(contexts().mutex);
    contexts().configs[context] = config;
}

void forget_context(GLXContext context) {
    forget_last(context);
    const std::lock_guard lock(contexts().mutex);
    contexts().configs.erase(context);
}

GLXFBConfig config_of(GLXContext context) {
    const std::lock_guard lock(contexts().mutex);
    const auto found = contexts().configs.find(context);
    return found == contexts().configs.end() ? nullptr : found->second;
}

void claim_ticks() {
    if (role() != Role::ticks)
        may_turn();
}

int current_window() { return here().window; }
void begin_with(int window) { here().window = window; }

bool bind_real(GLXDrawable draw, GLXDrawable read, GLXContext context) {
    const Ours ours;
    Display *const display = tile();
    // Contexts are where the program has them: nobody else takes one, or hands one over.
    return gl::make_current(false, display, draw, read, context, [=](GLXDrawable to, GLXDrawable from) {
        return REAL(glXMakeContextCurrent)(display, to, from, context);
    });
}

void make_window_current(int id) {
    Here &h = here();
    if (h.window == id)
        return;
    if (h.program.window == id) {
        bind_program();
        return;
    }
    const ProgramWindow *const window = window_with(id);
    const Window *const model = state().window(id);
    if (!window || !model || !window->last || gl::held_by_another(window->last))
        return;
    h.window = id;
    bind_real(model->x_window, model->x_window, window->last);
}

bool read_from(GLXDrawable name, const std::function<void()> &call) {
    const Binding &program = here().program;
    if (name == program.read && here().window == program.window) {
        call();
        return true;
    }
    bool done = false;
    {
        const Ours ours;
        const QuietErrors quiet(tile());
        done = bind_real(real_of(program.draw), real_of(name), program.context) && !quiet.refused();
    }
    if (done)
        call();
    bind_program();
    return done;
}

KeepBinding::~KeepBinding() {
    if (here().window != here().program.window)
        bind_program();
}

bool make_current(Display *display, xcb_connection_t *connection, GLXDrawable draw, GLXDrawable read,
                  GLXContext context) {
    const TicksHere ticks;
    Here &h = here();
    update_pixmap();
    if (!context) {
        h = {};
        return bind_real(None, None, nullptr);
    }
    claim_ticks();
    fit_to_format(draw, context);
    for (const GLXDrawable name : {draw, read})
        if (name && !real_of(name) && !make_known(connection, name, context))
            return false;
    if (!bind_real(real_of(draw), real_of(read), context)) {
        bind_program();
        return false;
    }
    ProgramWindow *const window = find_window(draw);
    if (window)
        window->last = context;
    h.program = {display, draw, read, context, window ? window->id : 0};
    h.window = h.program.window;
    clear_new_pbuffer();
    return true;
}

void swap_window(int id) {
    const TicksHere ticks;
    name_threads();
    claim_ticks();
    let_readers_run();
    send_input_ahead();
    const KeepBinding binding;
    if (show_together())
        follow_windows();
    else
        flush_connections();
    fit_shapes();
    make_window_current(id);
    Window *const window = state().window(id);
    if (!window || current_window() != id)
        return;
    // Of several windows nobody knows which one is a frame's last: then the tick ends where another frame begins.
    const bool several = state().windows.size() > 1;
    if (several && state().frames.open && begins_frame(*window))
        run_tick(false, false);
    window->drawn = true;
    swap(*window, [window] {
        if (window->double_buffered)
            REAL(glXSwapBuffers)(tile(), window->x_window);
    });
    if (!several)
        run_tick(false, false);
    pass_replayed_input();
}

} // namespace mpiglut::x11
