// EGL on X11, as an X11 program has it. What it makes is made by the GLX of the tile's display, which has contexts of
// OpenGL ES as well: so windows, swaps and off-screen parts have one way on a wall, and a config is a GLXFBConfig.
// Displays of other platforms (surfaceless, GBM, devices) are the system's EGL's.
#pragma once

#include "base/real.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glx.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mpiglut::x11::egl {

struct Display {
    void *native = nullptr; ///< as the program named it; null: the default one
    bool is_xcb = false;    ///< `native` is an xcb_connection_t
    xcb_connection_t *connection = nullptr;
    bool initialized = false;
};

struct Surface {
    Display *display = nullptr;
    GLXFBConfig config = nullptr;
    GLXDrawable name = None; ///< the program's window, or what make_pbuffer names; None: its connection has ended
    bool is_window = false;
    EGLint colours = EGL_GL_COLORSPACE_LINEAR;
    bool is_largest = false;                      ///< the program wants a smaller one where there is none of the size
    EGLint texture_format = EGL_NO_TEXTURE;       ///< a pbuffer's that can be a texture
    bool has_levels = false;                      ///< of that texture
    const struct Context *texture_of = nullptr;   ///< where it is a texture now
    unsigned texture = 0;                         ///< which one
    bool is_changed = false;                      ///< it has been drawn to since
    int users = 0; ///< threads in which it is current, once for drawing and once for reading
    bool gone = false;
};
/// Which buffer of it is drawn to, as EGL says it.
EGLint buffer_of(const Surface &surface);
/// The last step of its destruction.
void end(const Surface &surface);

struct Context {
    GLXContext real = nullptr;
    GLXFBConfig config = nullptr;
    std::vector<int> asked;  ///< what GLX was asked for
    bool takes_any = false;  ///< made without a format: it gets that of the first surface
    EGLenum api = EGL_OPENGL_ES_API;
    EGLint version = 1;
    GLXDrawable alone = None; ///< a pbuffer that it is current to where it has no surface
    Display *display = nullptr;
    int users = 0; ///< threads in which it is current: one at most
    bool gone = false;
};
void end(const Context &context);

/// EGL's objects of one kind. What the program destroys has no name from then on, and ends when it is current in no
/// thread.
template <class T> class Objects {
  public:
    T *add(const T &one) {
        const std::lock_guard lock(mutex_);
        return all_.emplace_back(std::make_unique<T>(one)).get();
    }

    /// By what the program calls it; null where there is none.
    T *find(const void *name) {
        return find_if([name](const T &one) { return &one == name; });
    }

    template <class F> T *find_if(F wanted) {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::find_if(all_, [&](const auto &one) { return !one->gone && wanted(std::as_const(*one)); });
        return found == all_.end() ? nullptr : found->get();
    }

    /// It becomes current in this thread in the place of the other one. Either may be null.
    void replace(T *&current, T *next) {
        {
            const std::lock_guard lock(mutex_);
            if (next)
                ++next->users;
            if (current)
                --current->users;
        }
        current = next;
        end_unused();
    }

    /// Other threads than this one have it current.
    bool is_elsewhere(const T &one, int uses_here) {
        const std::lock_guard lock(mutex_);
        return one.users > uses_here;
    }

    template <class F> void destroy_if(F wanted) {
        {
            const std::lock_guard lock(mutex_);
            for (const auto &one : all_)
                one->gone = one->gone || wanted(std::as_const(*one));
        }
        end_unused();
    }

    template <class F> void change_all(F change) {
        const std::lock_guard lock(mutex_);
        for (const auto &one : all_)
            change(*one);
    }

  private:
    void end_unused() {
        std::vector<std::unique_ptr<T>> ended;
        {
            const std::lock_guard lock(mutex_);
            const auto first = std::stable_partition(
                all_.begin(), all_.end(), [](const auto &one) { return !one->gone || one->users; });
            std::move(first, all_.end(), std::back_inserter(ended));
            all_.erase(first, all_.end());
        }
        for (const auto &one : ended)
            end(*one);
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> all_;
};
Objects<Surface> &surfaces();
Objects<Context> &contexts();

/// This thread has made something else current: textures get what has been drawn to their pbuffers.
void update_textures();

/// What is current in this thread.
struct Here {
    EGLenum api = EGL_OPENGL_ES_API;
    EGLint error = EGL_SUCCESS;
    Display *display = nullptr;
    Surface *draw = nullptr, *read = nullptr;
    Context *context = nullptr;
};
Here &here();

/// One of ours; null for one of the system's EGL.
Display *find_display(EGLDisplay display);
/// The display for this native one; made the first time. Null in other runs than an X11 program's.
EGLDisplay display_for(void *native, bool is_xcb);
/// The program ends this connection. Its displays are to be initialized anew, and its surfaces have no windows.
void forget_connection(const xcb_connection_t *connection);
/// Of what EGL has current in this thread; null where that was made of an xcb connection. Who asks GLX for it has been
/// built for GLX: GLEW, where Qt chooses EGL because the wall's server has no GLX.
::Display *display_of_xlib();
/// Nothing is current in this thread any more, as far as EGL is concerned.
void release();

/// Sets the thread's error, and gives what a failed call returns.
template <class T = EGLBoolean> T refuse(EGLint error, T result = {}) {
    here().error = error;
    return result;
}
template <class T = EGLBoolean> T succeed(T result = EGL_TRUE) {
    here().error = EGL_SUCCESS;
    return result;
}

/// The system's function; where it has none of this extension, the display is none.
template <class R, class... Parameters, class... Arguments>
R pass(R (*real)(Parameters...), Arguments... arguments) {
    return real ? real(static_cast<Parameters>(arguments)...) : refuse(EGL_BAD_DISPLAY, R{});
}

/// A value of eglGetConfigAttrib; false for a name that is none.
bool config_value(const Display &display, GLXFBConfig config, EGLint name, EGLint &value);
/// It is one of those that eglGetConfigs tells of.
bool is_config(const Display &display, GLXFBConfig config);
/// The same format with other colours, EGL_GL_COLORSPACE_LINEAR or _SRGB; null where the tile's display has none.
GLXFBConfig with_colours(const Display &display, GLXFBConfig config, EGLint colours);

} // namespace mpiglut::x11::egl
