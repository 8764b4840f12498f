// GLX's calls about windows, pbuffers and pixmaps, and what is exchanged, waited for and set there.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_errors.h"
#include "system/x11/gl_pixmaps.h"
#include "system/x11/gl_windows.h"
#include "system/x11/glx_drawables.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <GL/glx.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <atomic>

namespace mpiglut::x11 {
namespace {

/// What the program wants: the wall shows frames together, whatever that is.
std::atomic<int> swap_interval{1};

GLXPbuffer make_pbuffer_or_tell(Display *program, GLXFBConfig config, const int *attributes) {
    int error = 0;
    const GLXPbuffer made = make_pbuffer(connection_of(program), config, attributes, &error);
    if (!made)
        send_error(program, error, None);
    return made;
}

bool is_window_or_told(Display *program, XID name) {
    const bool is_window = ask(connection_of(program), {static_cast<xcb_drawable_t>(name)}).front().is_window;
    if (!is_window)
        send_error(program, BadWindow, name);
    return is_window;
}
GLXPixmap make_pixmap_or_tell(Display *program, GLXFBConfig config, XID pixmap) {
    const Answer answer = ask(connection_of(program), {static_cast<xcb_drawable_t>(pixmap)}).front();
    if (!answer.exists || answer.is_window) {
        send_error(program, answer.exists ? BadPixmap : BadDrawable, pixmap);
        return None;
    }
    return make_pixmap(connection_of(program), config, static_cast<xcb_drawable_t>(pixmap));
}

void destroy_or_tell(Display *program, GLXDrawable name, GlxError error) {
    const bool is_pixmap = pixmap_of(name).name != XCB_NONE;
    if (is_pixmap != (error == GlxError::bad_pixmap) || !destroy_pbuffer(name))
        send_error(program, error, name);
}

XFontStruct *load_on_tile(const char *name) {
    const Ours ours;
    return XLoadQueryFont(tile(), name);
}

/// The font that has on the tile's display the name that this one has on the program's, which is asked for the name as
/// the program would ask it.
XFontStruct *font_on_tile(Display *program, Font font) {
    XFontStruct *const info = XQueryFont(program, font);
    unsigned long atom = 0;
    XFontStruct *found = nullptr;
    if (info && XGetFontProperty(info, XA_FONT, &atom))
        if (char *const name = XGetAtomName(program, atom)) {
            found = load_on_tile(name);
            XFree(name);
        }
    if (info)
        XFreeFontInfo(nullptr, info, 1);
    return found ? found : load_on_tile("fixed");
}

} // namespace

void swap_drawable(Display *program, GLXDrawable drawable) {
    if (const ProgramWindow *const window = find_window(drawable))
        swap_window(window->id);
    else if (!real_drawable(drawable) &&
             !ask(connection_of(program), {static_cast<xcb_drawable_t>(drawable)}).front().exists)
        send_error(program, GlxError::bad_drawable, drawable);
}

void tell_of_nothing(Display *program, GLXDrawable drawable) {
    if (drawable && !real_drawable(drawable) &&
        !ask(connection_of(program), {static_cast<xcb_drawable_t>(drawable)}).front().exists)
        send_error(program, BadDrawable, drawable);
}

void query_drawable(Display *program, GLXDrawable drawable, int name, unsigned *value) {
    if (name == GLX_SWAP_INTERVAL_EXT) {
        *value = static_cast<unsigned>(swap_interval.load());
        return;
    }
    if (real_drawable(drawable))
        return query_pbuffer(drawable, name, value);
    const ProgramWindow *const known = find_window(drawable);
    const Answer answer = ask(known ? known->connection : connection_of(program),
                              {static_cast<xcb_drawable_t>(drawable)}).front();
    const Window *const window = known ? state().window(known->id) : nullptr;
    if (!answer.is_window)
        send_error(program, GlxError::bad_drawable, drawable);
    else if (name == GLX_WIDTH || name == GLX_HEIGHT)
        *value = static_cast<unsigned>(name == GLX_WIDTH ? answer.place.width : answer.place.height);
    else if (const GLXFBConfig config = config_of_glx_window(drawable); config && name == GLX_FBCONFIG_ID)
        *value = static_cast<unsigned>(attribute(config, GLX_FBCONFIG_ID));
    else if (window)
        REAL(glXQueryDrawable)(tile(), window->x_window, name, value);
}

} // namespace mpiglut::x11

using namespace mpiglut;

MPIGLUT_EXPORT GLXWindow glXCreateWindow(Display *display, GLXFBConfig config, ::Window window, const int *attributes) {
    if (!x11::is_redirected(display))
        return REAL(glXCreateWindow)(display, config, window, attributes);
    // A window's own name does for all that GLX does with the one that it would give.
    if (!x11::is_window_or_told(display, window))
        return None;
    x11::note_glx_window(x11::connection_of(display), window, config);
    return window;
}

MPIGLUT_EXPORT void glXDestroyWindow(Display *display, GLXWindow window) {
    if (!x11::is_redirected(display))
        return REAL(glXDestroyWindow)(display, window);
    // The name of a window that is gone went with it.
    if (!x11::forget_glx_window(window) ||
        !x11::ask(x11::connection_of(display), {static_cast<xcb_drawable_t>(window)}).front().is_window)
        x11::send_error(display, x11::GlxError::bad_window, window);
}

MPIGLUT_EXPORT GLXPbuffer glXCreatePbuffer(Display *display, GLXFBConfig config, const int *attributes) {
    return x11::is_redirected(display) ? x11::make_pbuffer_or_tell(display, config, attributes)
                                       : REAL(glXCreatePbuffer)(display, config, attributes);
}

MPIGLUT_EXPORT void glXDestroyPbuffer(Display *display, GLXPbuffer pbuffer) {
    x11::is_redirected(display) ? x11::destroy_or_tell(display, pbuffer, x11::GlxError::bad_pbuffer)
                                : REAL(glXDestroyPbuffer)(display, pbuffer);
}

MPIGLUT_EXPORT GLXPbufferSGIX glXCreateGLXPbufferSGIX(Display *display, GLXFBConfigSGIX config, unsigned width,
                                                      unsigned height, int *attributes) {
    if (!x11::is_redirected(display))
        return REAL(glXCreateGLXPbufferSGIX)(display, config, width, height, attributes);
    const int size[] = {GLX_PBUFFER_WIDTH, static_cast<int>(width), GLX_PBUFFER_HEIGHT, static_cast<int>(height), None};
    return x11::make_pbuffer_or_tell(display, config, size);
}

MPIGLUT_EXPORT void glXDestroyGLXPbufferSGIX(Display *display, GLXPbufferSGIX pbuffer) {
    x11::is_redirected(display) ? x11::destroy_or_tell(display, pbuffer, x11::GlxError::bad_pbuffer)
                                : REAL(glXDestroyGLXPbufferSGIX)(display, pbuffer);
}

MPIGLUT_EXPORT GLXPixmap glXCreatePixmap(Display *display, GLXFBConfig config, Pixmap pixmap, const int *attributes) {
    return x11::is_redirected(display)
               ? x11::make_pixmap_or_tell(display, config, pixmap)
               : REAL(glXCreatePixmap)(display, config, pixmap, attributes);
}

MPIGLUT_EXPORT void glXDestroyPixmap(Display *display, GLXPixmap pixmap) {
    x11::is_redirected(display) ? x11::destroy_or_tell(display, pixmap, x11::GlxError::bad_pixmap)
                                : REAL(glXDestroyPixmap)(display, pixmap);
}

MPIGLUT_EXPORT GLXPixmap glXCreateGLXPixmap(Display *display, XVisualInfo *visual, Pixmap pixmap) {
    if (!x11::is_redirected(display))
        return REAL(glXCreateGLXPixmap)(display, visual, pixmap);
    xcb_connection_t *const connection = x11::connection_of(display);
    return x11::make_pixmap_or_tell(display, x11::config_of_visual(connection, visual->visualid), pixmap);
}

MPIGLUT_EXPORT void glXDestroyGLXPixmap(Display *display, GLXPixmap pixmap) {
    x11::is_redirected(display) ? x11::destroy_or_tell(display, pixmap, x11::GlxError::bad_pixmap)
                                : REAL(glXDestroyGLXPixmap)(display, pixmap);
}

MPIGLUT_EXPORT void glXSelectEvent(Display *display, GLXDrawable drawable, unsigned long mask) {
    if (!x11::is_redirected(display)) // what is told is that a pbuffer was lost, which those on tiles are not
        REAL(glXSelectEvent)(display, drawable, mask);
}

MPIGLUT_EXPORT void glXGetSelectedEvent(Display *display, GLXDrawable drawable, unsigned long *mask) {
    if (x11::is_redirected(display))
        *mask = 0;
    else
        REAL(glXGetSelectedEvent)(display, drawable, mask);
}

MPIGLUT_EXPORT void glXSwapIntervalEXT(Display *display, GLXDrawable drawable, int interval) {
    if (x11::is_redirected(display))
        x11::swap_interval = interval;
    else
        REAL(glXSwapIntervalEXT)(display, drawable, interval);
}

MPIGLUT_EXPORT int glXSwapIntervalMESA(unsigned interval) {
    if (!x11::active())
        return REAL(glXSwapIntervalMESA)(interval);
    x11::swap_interval = static_cast<int>(interval);
    return 0;
}

MPIGLUT_EXPORT int glXGetSwapIntervalMESA(void) {
    return x11::active() ? x11::swap_interval.load() : REAL(glXGetSwapIntervalMESA)();
}

MPIGLUT_EXPORT int glXSwapIntervalSGI(int interval) {
    if (!x11::active())
        return REAL(glXSwapIntervalSGI)(interval);
    if (interval <= 0)
        return GLX_BAD_VALUE;
    x11::swap_interval = interval;
    return 0;
}

MPIGLUT_EXPORT void glXUseXFont(Font font, int first, int count, int list) {
    Display *const program = x11::bound().display;
    if (!x11::active() || !program)
        return REAL(glXUseXFont)(font, first, count, list);
    if (XFontStruct *const found = x11::font_on_tile(program, font)) {
        const x11::Ours ours;
        REAL(glXUseXFont)(found->fid, first, count, list);
        XFreeFont(x11::tile(), found);
    }
}

MPIGLUT_EXPORT void glXWaitGL(void) {
    REAL(glXWaitGL)();
    if (x11::active())
        x11::update_pixmap();
}
