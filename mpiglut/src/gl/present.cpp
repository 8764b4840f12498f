#include "gl/present.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/correction.h"
#include "gl/off_screen.h"
#include "gl/over.h"
#include "gl/parts.h"
#include "gl/strips.h"
#include "run/capture.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/ship.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstring>
#include <map>
#include <vector>

namespace mpiglut::gl {
namespace {

struct Presenter {
    GLXFBConfig config = nullptr;
    GLXDrawable off_screen = None;
    int width = 0, height = 0;             ///< of that
    GLXContext context = nullptr;   ///< ours, made when first needed
    GLuint texture = 0;             ///< what the window shows here, upright
    int shown_width = 0, shown_height = 0; ///< of the texture
    GLuint own = 0;                        ///< a texture for what this rank has rendered for others
    int own_width = 0, own_height = 0;     ///< of that texture
    std::vector<pixmpi::Rect> rendered_by; ///< by rank, of the picture in the first texture
    int real_width = 0, real_height = 0;   ///< of the real window when the context was made
};

std::map<GLXDrawable, Presenter> &presenters() {
    static auto *const map = new std::map<GLXDrawable, Presenter>; // outlives static destructors, like the windows
    return *map;
}

Presenter *find(const Window &window) {
    auto found = presenters().find(window.x_window);
    return found == presenters().end() ? nullptr : &found->second;
}

/// As large as this thread thinks that the part is: it may not have gone over to the model's yet.
void make_drawable(Display *display, Presenter &presenter, Window &window) {
    const Part &part = seen_here(&window.surface)->part;
    presenter.width = part.width;
    presenter.height = part.height;
    presenter.off_screen = make_off_screen(display, presenter.config, presenter.width, presenter.height);
    attach(presenter.off_screen, &window.surface);
}

/// False when nothing can be drawn off screen in the context's pixel format.
bool present_from(Display *display, Window &window, GLXContext context) {
    Presenter presenter;
    presenter.config = off_screen_config(display, context);
    if (!presenter.config)
        return false;
    make_drawable(display, presenter, window);
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
        report_once(Report::note, "the tile is turned, but the window's pixel format cannot be drawn off screen: "
                                  "its picture stays upright");
}

void make_context(Display *display, Presenter &presenter, const Window &window) {
    presenter.context = REAL(glXCreateNewContext)(display, presenter.config, GLX_RGBA_TYPE, nullptr, True);
    presenter.real_width = window.on_screen.width;
    presenter.real_height = window.on_screen.height;
}

// Another one is made when the next picture is shown, and finds the real window's size.
void drop_context(Display *display, Presenter &presenter) {
    if (presenter.context && presenter.own) {
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
    presenter.texture = presenter.own = 0;
    presenter.shown_width = presenter.shown_height = presenter.own_width = presenter.own_height = 0;
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
    REAL(glXMakeContextCurrent)(display, other, other, context);
    REAL(glXMakeContextCurrent)(display, window.x_window, read, context);
    destroy_off_screen(display, config, other);
}

// What of the picture a point of the real window shows, both in pixels with y down, corners at integers.
void picture_point(const Window &window, int fx, int fy, float &u, float &v) {
    const pixmpi::Tile &tile = tile_of(window);
    int x0, y0, x1, y1, x2, y2;
    pixmpi::from_framebuffer(tile, 0, 0, x0, y0);
    pixmpi::from_framebuffer(tile, 1, 0, x1, y1);
    pixmpi::from_framebuffer(tile, 0, 1, x2, y2);
    const float ax = static_cast<float>(fx + window.on_screen.x) - 0.5f;
    const float ay = static_cast<float>(fy + window.on_screen.y) - 0.5f;
    u = static_cast<float>(x0) + 0.5f + ax * static_cast<float>(x1 - x0) + ay * static_cast<float>(x2 - x0);
    v = static_cast<float>(y0) + 0.5f + ax * static_cast<float>(y1 - y0) + ay * static_cast<float>(y2 - y0);
    u -= static_cast<float>(window.clip.x - tile.rect.x);
    v -= static_cast<float>(window.clip.y - tile.rect.y);
}

void draw_picture(const Window &window, const Presenter &presenter) {
    const int width = window.on_screen.width, height = window.on_screen.height;
    REAL(glViewport)(0, 0, width, height);
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_QUADS);
    for (auto [fx, fy] : {std::pair{0, 0}, {width, 0}, {width, height}, {0, height}}) {
        float u, v;
        picture_point(window, fx, fy, u, v);
        glTexCoord2f(u / static_cast<float>(presenter.shown_width), 1 - v / static_cast<float>(presenter.shown_height));
        glVertex2f(2.0f * static_cast<float>(fx) / static_cast<float>(width) - 1,
                   1 - 2.0f * static_cast<float>(fy) / static_cast<float>(height));
    }
    glEnd();
}

/// Binds the texture and gives it that size; false if it has that size.
bool fit_texture(GLuint &texture, int &width, int &height, const pixmpi::Rect &wanted) {
    if (!texture) {
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    }
    glBindTexture(GL_TEXTURE_2D, texture);
    if (width == wanted.width && height == wanted.height)
        return false;
    width = wanted.width;
    height = wanted.height;
    REAL(glTexImage2D)(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    return true;
}

/// Copies what this rank has rendered of what shows here. Other ranks may have the rest.
void copy_own(const Window &window) {
    const pixmpi::Rect &shown = window.clip, &rendered = window.rendered, own = intersect(shown, rendered);
    if (!own.empty())
        REAL(glCopyTexSubImage2D)
    (GL_TEXTURE_2D, 0, own.x - shown.x, shown.bottom() - own.bottom(), own.x - rendered.x,
     rendered.bottom() - own.bottom(), own.width, own.height);
}

/// Puts what this rank has rendered into textures: for its window into one, for others' into another.
void set_aside(const Window &window, Presenter &presenter, bool front) {
    glReadBuffer(front ? GL_FRONT : GL_BACK);
    if (window.shared) {
        const bool fits_own = !fit_texture(presenter.own, presenter.own_width, presenter.own_height, window.rendered);
        const bool fits =
            !fit_texture(presenter.texture, presenter.shown_width, presenter.shown_height, window.clip);
        if (!fits_own || !fits)
            ship::forget_strips();
        keep_strips(window, presenter.own);
        presenter.rendered_by = window.rendered_by;
    }
    fit_texture(presenter.texture, presenter.shown_width, presenter.shown_height, window.clip);
    copy_own(window);
}

void read_picture(const Presenter &presenter, Picture &picture) {
    picture = Picture(presenter.shown_width, presenter.shown_height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    REAL(glGetTexImage)(GL_TEXTURE_2D, 0, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
    turn_upside_down(picture);
}

/// Draws the picture to the window's back buffer.
void draw_to_back(const Window &window, const Presenter &presenter) {
    if (window.shared && state().options.show_cuts)
        draw_cuts(window, presenter.rendered_by);
    draw_picture(window, presenter);
    if (draws_over())
        draw_over_here(window);
}

/// What else is done with the back buffer before it is shown. From here on that is what the context reads from.
void complete_back(Window &window, const Presenter &presenter, const std::function<void()> &look) {
    if (look || corrects())
        REAL(glXMakeContextCurrent)(glXGetCurrentDisplay(), window.x_window, window.x_window, presenter.context);
    if (look)
        look();
    if (corrects())
        correct_here(window);
}

void exchange_buffers(const Window &window, const Presenter &presenter) {
    if (window.double_buffered && over() == Over::frozen)
        return; // what is there stays
    if (window.double_buffered)
        return REAL(glXSwapBuffers)(glXGetCurrentDisplay(), window.x_window);
    draw_picture(window, presenter);
    glFlush();
}

/// Calls draw() in the presenter's context, which draws to the window and reads what the program has drawn. False,
/// without the call, where that cannot be.
template <class F> bool in_its_context(const Window &window, Presenter &presenter, F draw) {
    Display *display = glXGetCurrentDisplay();
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

bool can_present() { return off_screen_config(glXGetCurrentDisplay(), glXGetCurrentContext()) != nullptr; }

void add_presenter(Window &window) {
    Display *display = glXGetCurrentDisplay();
    if (!find(window) && present_from(display, window, glXGetCurrentContext()))
        glXMakeContextCurrent(display, window.x_window, window.x_window, glXGetCurrentContext());
}

bool has_swap_interval(Display *display) {
    const char *extensions = glXQueryExtensionsString(display, DefaultScreen(display));
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
            set_aside(window, presenter, showing.front);
            if (window.shared)
                exchange_strips(window, presenter.texture, presenter.own);
            if (showing.kept)
                read_picture(presenter, *showing.kept);
        } else if (state().sharing.late) {
            finish_strips(presenter.texture);
        }
        if (shows && window.double_buffered)
            draw_to_back(window, presenter);
        if (showing.late)
            set_aside(window, presenter, showing.front);
        if (shows && window.double_buffered)
            complete_back(window, presenter, showing.look);
        REAL(glFinish)();
        const bool together = showing.meet();
        if (shows)
            exchange_buffers(window, presenter);
        if (showing.late && together)
            begin_strips(window, presenter.texture, presenter.own);
        state().sharing.late = showing.late;
    });
    if (!done)
        showing.meet();
}

void show_late(Window &window, const Showing &showing) {
    Presenter &presenter = *find(window);
    const bool done = in_its_context(window, presenter, [&] {
        finish_strips(presenter.texture);
        if (!window.clip.empty()) {
            draw_to_back(window, presenter);
            complete_back(window, presenter, showing.look);
        }
        REAL(glFinish)();
        showing.meet();
        if (!window.clip.empty())
            exchange_buffers(window, presenter);
    });
    state().sharing.late = false;
    if (!done)
        showing.meet();
}

void remove_presenter(Window &window) {
    Presenter *presenter = find(window);
    Display *display = glXGetCurrentDisplay();
    const GLXContext program = glXGetCurrentContext();
    if (!presenter)
        return;
    if (presenter->context && !window.clip.empty() &&
        REAL(glXMakeContextCurrent)(display, window.x_window, window.x_window, presenter->context)) {
        glDrawBuffer(window.double_buffered ? GL_BACK : GL_FRONT);
        draw_picture(window, *presenter);
        REAL(glFinish)();
        REAL(glXMakeContextCurrent)(display, presenter->off_screen, presenter->off_screen, program);
    }
    const GLXDrawable old = presenter->off_screen;
    const GLXFBConfig config = presenter->config;
    drop_context(display, *presenter);
    {
        const auto lock = lock_geometry();
        presenters().erase(window.x_window);
    }
    glXMakeContextCurrent(display, window.x_window, window.x_window, program);
    detach(old);
    destroy_off_screen(display, config, old);
}

void resize_drawable(Window &window) {
    Presenter *presenter = find(window);
    if (!presenter)
        return look_again(glXGetCurrentDisplay(), window);
    // There is no context here where the program has handed it to a thread that has not begun to draw.
    Display *display = glXGetCurrentDisplay() ? glXGetCurrentDisplay() : state().display;
    if (presenter->real_width != window.on_screen.width || presenter->real_height != window.on_screen.height)
        drop_context(display, *presenter);
    const GLXDrawable old = presenter->off_screen;
    if (const Part &part = seen_here(&window.surface)->part;
        presenter->width != part.width || presenter->height != part.height) {
        make_drawable(display, *presenter, window);
        detach(old);
    }
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
    if (presenter && (presenter->width != drawn->part.width || presenter->height != drawn->part.height ||
                      REAL(glXGetCurrentDrawable)() != presenter->off_screen))
        resize_drawable(*window);
}

void drop_presenter(Window &window) {
    Presenter *presenter = find(window);
    if (!presenter)
        return;
    Display *display = glXGetCurrentDisplay();
    detach(presenter->off_screen);
    drop_context(display, *presenter);
    destroy_off_screen(display, presenter->config, presenter->off_screen);
    const auto lock = lock_geometry();
    presenters().erase(window.x_window);
}

} // namespace mpiglut::gl
