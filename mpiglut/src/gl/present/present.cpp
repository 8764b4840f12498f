#include "gl/present/present.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/context/off_screen.h"
#include "gl/context/parts.h"
#include "gl/present/correction.h"
#include "gl/present/over.h"
#include "gl/present/shown.h"
#include "gl/present/strips.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/ship.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpiglut::gl {
namespace {

struct Presenter {
    GLXFBConfig config = nullptr;
    GLXDrawable off_screen = None;
    int width = 0, height = 0;             ///< of that
    int asked_width = 0, asked_height = 0; ///< what was asked for last, which may have been refused
    GLXContext context = nullptr;   ///< ours, made when first needed
    Shown shown;
    int real_width = 0, real_height = 0;   ///< of the real window when the context was made
    std::optional<bool> keeps_front; ///< the driver's front buffers have what was swapped last, as far as known
    int looks = 0;                   ///< at that so far
};

std::map<GLXDrawable, Presenter> &presenters() {
    static auto *const map = new std::map<GLXDrawable, Presenter>; // outlives static destructors, like the windows
    return *map;
}

Presenter *find(const Window &window) {
    auto found = presenters().find(window.x_window);
    return found == presenters().end() ? nullptr : &found->second;
}

/// There is no context here where the program has handed it to a thread that has not begun to draw, or has let go of it
/// before it closes its connection.
Display *display_here() {
    Display *const current = REAL(glXGetCurrentDisplay)();
    return current ? current : state().display;
}

/// As large as this thread thinks that the part is: it may not have gone over to the model's yet. False, and what there
/// was stays, where the X server refuses.
bool make_drawable(Display *display, Presenter &presenter, Window &window) {
    const Part &part = seen_here(&window.surface)->part;
    presenter.asked_width = part.width;
    presenter.asked_height = part.height;
    const GLXDrawable made = make_off_screen(display, presenter.config, part.width, part.height);
    if (!made) {
        report_once(Report::note, "the X server refuses what a window is to be drawn to off screen, of " +
                                      std::to_string(part.width) + "x" + std::to_string(part.height) +
                                      " pixels: it has too little memory");
        return false;
    }
    presenter.width = part.width;
    presenter.height = part.height;
    presenter.off_screen = made;
    attach(made, &window.surface);
    return true;
}

/// False when nothing can be drawn off screen in the context's pixel format, or nothing as large.
bool present_from(Display *display, Window &window, GLXContext context) {
    Presenter presenter;
    presenter.config = off_screen_config(display, context);
    if (!presenter.config || !make_drawable(display, presenter, window))
        return false;
    const auto lock = lock_geometry();
    presenters()[window.x_window] = presenter;
    return true;
}

void introduce(Display *display, Window &window, GLXDrawable drawable, GLXContext context) {
    window.x_window = drawable;
    attach(drawable, &window.surface);
    if (state().plan.tiles[comm::rank()].rotation == 0)
        return;
    if (!present_from(display, window, context))
        report_once(Report::note, "the tile is turned, but the window cannot be drawn off screen in its pixel format "
                                  "and size: its picture stays upright");
}

void make_context(Display *display, Presenter &presenter, const Window &window) {
    presenter.context = REAL(glXCreateNewContext)(display, presenter.config, GLX_RGBA_TYPE, nullptr, True);
    presenter.real_width = window.on_screen.width;
    presenter.real_height = window.on_screen.height;
}

// Another one is made when the next picture is shown, and finds the real window's size.
void drop_context(Display *display, Presenter &presenter) {
    if (presenter.context && presenter.shown.own.name) {
        const GLXContext program = glXGetCurrentContext();
        const GLXDrawable draw = REAL(glXGetCurrentDrawable)(), read = REAL(glXGetCurrentReadDrawable)();
        REAL(glXMakeContextCurrent)(display, presenter.off_screen, presenter.off_screen, presenter.context);
        {
            const Untranslated untranslated;
            ship::forget_context();
        }
        state().sharing.late = false;
        REAL(glXMakeContextCurrent)(display, draw, read, program);
    }
    if (presenter.context) {
        forget_correction(presenter.context);
        REAL(glXDestroyContext)(display, presenter.context);
    }
    presenter.context = nullptr;
    presenter.shown = {};
}

// Drivers in software ask for a drawable's size when a context comes to it from another one, and after a swap; what is
// drawn before that has the old size.
void look_again(Display *display, const Window &window) {
    const GLXContext context = glXGetCurrentContext();
    GLXFBConfig config = nullptr;
    if (!context || REAL(glXGetCurrentDrawable)() != window.x_window || !(config = off_screen_config(display, context)))
        return;
    const GLXDrawable read = REAL(glXGetCurrentReadDrawable)();
    const GLXDrawable other = make_off_screen(display, config, 1, 1);
    if (!other)
        return;
    REAL(glXMakeContextCurrent)(display, other, other, context);
    REAL(glXMakeContextCurrent)(display, window.x_window, read, context);
    destroy_off_screen(display, config, other);
}

/// Draws the picture to the window's back buffer.
void draw_to_back(const Window &window, const Presenter &presenter) {
    if (window.shared && state().options.show_cuts)
        draw_cuts(window, presenter.shown.rendered_by);
    draw_picture(window, presenter.shown);
    if (draws_over())
        draw_over_here(window);
}

/// What else is done with the back buffer before it is shown. From here on that is what the context reads from.
void complete_back(Window &window, const Presenter &presenter, const std::function<void()> &look) {
    if (look || corrects())
        REAL(glXMakeContextCurrent)(REAL(glXGetCurrentDisplay)(), window.x_window, window.x_window, presenter.context);
    if (look)
        look();
    if (corrects())
        correct_here(window);
}

/// `unseen`: the rank has not caught up with the others yet. It shows the window when it has.
void exchange_buffers(Window &window, const Presenter &presenter, bool unseen) {
    if (unseen)
        window.unseen = true;
    if (unseen || (window.double_buffered && over() == Over::frozen))
        return; // what is there stays
    if (window.double_buffered)
        return REAL(glXSwapBuffers)(REAL(glXGetCurrentDisplay)(), window.x_window);
    draw_picture(window, presenter.shown);
    REAL(glFlush)();
}

std::vector<GLubyte> middle_row(const Window &window, GLenum buffer) {
    std::vector<GLubyte> row(static_cast<std::size_t>(window.on_screen.width) * 4);
    glReadBuffer(buffer);
    REAL(glReadPixels)
    (0, window.on_screen.height / 2, window.on_screen.width, 1, GL_RGBA, GL_UNSIGNED_BYTE, row.data());
    return row;
}

bool is_black(const std::vector<GLubyte> &row) {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (i % 4 != 3 && row[i])
            return false;
    return true;
}

/// exchange() swaps the real window. Software drivers forget what they have swapped, others read it from the front
/// buffer. A black picture does not show which of the two it is.
template <class F> void exchange_and_learn(const Window &window, Presenter &presenter, F exchange) {
    constexpr int most_looks = 60;
    if (presenter.keeps_front || over() == Over::frozen || presenter.looks++ >= most_looks)
        return exchange();
    Display *const display = REAL(glXGetCurrentDisplay)();
    REAL(glXMakeContextCurrent)(display, window.x_window, window.x_window, presenter.context);
    const std::vector<GLubyte> before = middle_row(window, GL_BACK);
    exchange();
    if (!is_black(before))
        presenter.keeps_front = middle_row(window, GL_FRONT) == before;
}

/// What stands in for the window is never swapped. The program may read the last frame from its front buffer.
void fill_front(const Presenter &presenter) {
    if (!presenter.keeps_front.value_or(false))
        return;
    REAL(glXMakeContextCurrent)
    (REAL(glXGetCurrentDisplay)(), presenter.off_screen, presenter.off_screen, presenter.context);
    glReadBuffer(GL_BACK);
    glDrawBuffer(GL_FRONT);
    REAL(glBlitFramebuffer)
    (0, 0, presenter.width, presenter.height, 0, 0, presenter.width, presenter.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/// Calls draw() in the presenter's context, which draws to the window and reads what the program has drawn. False,
/// without the call, where that cannot be.
template <class F> bool in_its_context(const Window &window, Presenter &presenter, F draw) {
    Display *display = display_here();
    const GLXContext program = glXGetCurrentContext();
    const GLXDrawable drawn = REAL(glXGetCurrentDrawable)(), read = REAL(glXGetCurrentReadDrawable)();
    const bool is_new = !presenter.context;
    if (is_new)
        make_context(display, presenter, window);
    if (!REAL(glXMakeContextCurrent)(display, window.x_window, presenter.off_screen, presenter.context)) {
        report_once(Report::note, "the tile's picture cannot be drawn into its window");
        return false;
    }
    if (is_new && window.double_buffered && has_swap_interval(display))
        wait_for_retrace();
    glDrawBuffer(window.double_buffered ? GL_BACK : GL_FRONT);
    draw();
    REAL(glXMakeContextCurrent)(display, drawn, read, program);
    return true;
}

} // namespace

GLXDrawable substitute(Display *display, GLXDrawable drawable, GLXContext context) {
    State &s = state();
    if (role() == Role::ticks && s.creating && !s.creating->x_window && drawable)
        introduce(display, *s.creating, drawable, context);
    const auto lock = lock_geometry();
    auto found = presenters().find(drawable);
    return found == presenters().end() ? drawable : found->second.off_screen;
}

GLXDrawable stands_for(GLXDrawable drawable) {
    const auto lock = lock_geometry();
    for (const auto &[window, presenter] : presenters())
        if (presenter.off_screen == drawable)
            return window;
    return drawable;
}

bool can_present() { return off_screen_config(REAL(glXGetCurrentDisplay)(), glXGetCurrentContext()) != nullptr; }

void add_presenter(Window &window) {
    Display *display = REAL(glXGetCurrentDisplay)();
    if (!find(window) && present_from(display, window, glXGetCurrentContext()))
        glXMakeContextCurrent(display, window.x_window, window.x_window, glXGetCurrentContext());
}

bool has_swap_interval(Display *display) {
    const char *extensions = REAL(glXQueryExtensionsString)(display, DefaultScreen(display));
    return extensions && std::strstr(extensions, "GLX_SGI_swap_control");
}

bool wait_for_retrace() {
    const auto set = reinterpret_cast<PFNGLXSWAPINTERVALSGIPROC>(
        REAL(glXGetProcAddressARB)(reinterpret_cast<const GLubyte *>("glXSwapIntervalSGI")));
    return set && set(1) == 0;
}

bool is_presented(const Window &window) { return find(window) != nullptr; }

void present(Window &window, const Showing &showing) {
    if (window.clip.empty() && !window.shared) {
        showing.meet();
        return;
    }
    Presenter &presenter = *find(window);
    const bool done = in_its_context(window, presenter, [&] {
        const bool shows = !window.clip.empty() && (!showing.late || state().sharing.late);
        if (!showing.late) {
            set_aside(window, presenter.shown, showing.front);
            if (window.shared)
                exchange_strips(window, presenter.shown.picture.name, presenter.shown.own.name);
            if (showing.kept)
                read_picture(presenter.shown, *showing.kept);
        } else if (state().sharing.late) {
            finish_strips(presenter.shown.picture.name);
        }
        if (shows && window.double_buffered)
            draw_to_back(window, presenter);
        if (showing.late)
            set_aside(window, presenter.shown, showing.front);
        if (shows && window.double_buffered)
            complete_back(window, presenter, showing.look);
        const bool unseen = window.double_buffered && comm::catching_up();
        REAL(glFinish)();
        const bool together = showing.meet();
        if (shows && window.double_buffered && !unseen)
            exchange_and_learn(window, presenter, [&] { exchange_buffers(window, presenter, false); });
        else if (shows)
            exchange_buffers(window, presenter, unseen);
        if (showing.late && together)
            begin_strips(window, presenter.shown.picture.name, presenter.shown.own.name);
        if (window.double_buffered && !showing.front)
            fill_front(presenter);
        state().sharing.late = showing.late;
    });
    if (!done)
        showing.meet();
}

void show_late(Window &window, const Showing &showing) {
    Presenter &presenter = *find(window);
    const bool done = in_its_context(window, presenter, [&] {
        finish_strips(presenter.shown.picture.name);
        if (!window.clip.empty()) {
            draw_to_back(window, presenter);
            complete_back(window, presenter, showing.look);
        }
        REAL(glFinish)();
        showing.meet();
        if (!window.clip.empty())
            exchange_buffers(window, presenter, false); // ranks do not come back to a wall that shares out its work
    });
    state().sharing.late = false;
    if (!done)
        showing.meet();
}

void remove_presenter(Window &window) {
    Presenter *presenter = find(window);
    Display *display = display_here();
    const GLXContext program = glXGetCurrentContext();
    if (!presenter)
        return;
    if (presenter->context && !window.clip.empty() &&
        REAL(glXMakeContextCurrent)(display, window.x_window, window.x_window, presenter->context)) {
        glDrawBuffer(window.double_buffered ? GL_BACK : GL_FRONT);
        draw_picture(window, presenter->shown);
        REAL(glFinish)();
        const GLXDrawable drawn = program ? presenter->off_screen : None;
        REAL(glXMakeContextCurrent)(display, drawn, drawn, program);
    }
    const GLXDrawable old = presenter->off_screen;
    const GLXFBConfig config = presenter->config;
    drop_context(display, *presenter);
    {
        const auto lock = lock_geometry();
        presenters().erase(window.x_window);
    }
    if (program)
        glXMakeContextCurrent(display, window.x_window, window.x_window, program);
    detach(old);
    destroy_off_screen(display, config, old);
}

void resize_drawable(Window &window) {
    Presenter *presenter = find(window);
    if (!presenter)
        return look_again(REAL(glXGetCurrentDisplay)(), window);
    Display *display = display_here();
    if (presenter->real_width != window.on_screen.width || presenter->real_height != window.on_screen.height)
        drop_context(display, *presenter);
    const GLXDrawable old = presenter->off_screen;
    if (const Part &part = seen_here(&window.surface)->part;
        (presenter->width != part.width || presenter->height != part.height) &&
        make_drawable(display, *presenter, window))
        detach(old);
    const Surface *drawn = current_surface();
    if (drawn && drawn->window == window.id && REAL(glXGetCurrentDrawable)() != presenter->off_screen)
        glXMakeContextCurrent(display, window.x_window, window.x_window, glXGetCurrentContext());
    if (presenter->off_screen != old)
        destroy_off_screen(display, presenter->config, old);
}

void fit_drawable() {
    const Surface *drawn = current_surface();
    const auto lock = lock_geometry();
    Window *window = drawn ? state().window(drawn->window) : nullptr;
    const bool in_charge = window && window->beside == (role() == Role::drawing);
    const Presenter *presenter = in_charge ? find(*window) : nullptr;
    if (presenter && (presenter->asked_width != drawn->part.width || presenter->asked_height != drawn->part.height ||
                      REAL(glXGetCurrentDrawable)() != presenter->off_screen))
        resize_drawable(*window);
}

void drop_presenter(Window &window) {
    Presenter *presenter = find(window);
    if (!presenter)
        return;
    Display *display = display_here();
    detach(presenter->off_screen);
    drop_context(display, *presenter);
    destroy_off_screen(display, presenter->config, presenter->off_screen);
    const auto lock = lock_geometry();
    presenters().erase(window.x_window);
}

} // namespace mpiglut::gl
