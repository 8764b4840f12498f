// GLX's calls that ask what there is: extensions, pixel formats and their visuals.
#include "base/export.h"
#include "base/real.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_windows.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace mpiglut::x11 {
namespace {

/// Whose functions have wrappers, or take no display.
constexpr std::array<std::string_view, 24> extensions{
    "GLX_ARB_context_flush_control", "GLX_ARB_create_context", "GLX_ARB_create_context_no_error",
    "GLX_ARB_create_context_profile", "GLX_ARB_create_context_robustness", "GLX_ARB_fbconfig_float",
    "GLX_ARB_framebuffer_sRGB", "GLX_ARB_get_proc_address", "GLX_ARB_multisample",
    "GLX_EXT_create_context_es2_profile", "GLX_EXT_create_context_es_profile", "GLX_EXT_fbconfig_packed_float",
    "GLX_EXT_framebuffer_sRGB", "GLX_EXT_swap_control", "GLX_EXT_visual_info", "GLX_EXT_visual_rating",
    "GLX_MESA_query_renderer", "GLX_MESA_swap_control", "GLX_SGIS_multisample", "GLX_SGIX_fbconfig",
    "GLX_SGIX_pbuffer", "GLX_SGI_make_current_read", "GLX_SGI_swap_control", "GLX_SGI_video_sync"};

/// Those of a list that hold here; in memory that stays.
const char *allowed(const char *all) {
    static auto *const made = new std::set<std::string>;
    static auto *const mutex = new std::mutex;
    std::string list;
    for (std::string_view left = all ? all : ""; !left.empty();) {
        const std::size_t end = std::min(left.find(' '), left.size());
        const std::string_view one = left.substr(0, end);
        left.remove_prefix(std::min(end + 1, left.size()));
        if (std::find(extensions.begin(), extensions.end(), one) != extensions.end())
            list += (list.empty() ? "" : " ") + std::string(one);
    }
    const std::lock_guard lock(*mutex);
    return made->insert(list).first->c_str();
}

/// An array that the program frees by XFree.
GLXFBConfig *hand_out(const std::vector<GLXFBConfig> &all, int *count) {
    *count = static_cast<int>(all.size());
    if (all.empty())
        return nullptr;
    auto *const copy = static_cast<GLXFBConfig *>(std::malloc(all.size() * sizeof(GLXFBConfig)));
    std::copy(all.begin(), all.end(), copy);
    return copy;
}

/// The list asks for the visual by a number of the program's display.
GLXFBConfig *choose(Display *program, const int *wanted, int *count) {
    const Ours ours;
    xcb_connection_t *const connection = connection_of(program);
    const std::vector<GLXFBConfig> &known = configs(connection);
    std::vector<int> list;
    VisualID visual = 0;
    for (; wanted && wanted[0] != None; wanted += 2)
        if (wanted[0] == GLX_VISUAL_ID && wanted[1] != static_cast<int>(GLX_DONT_CARE))
            visual = static_cast<VisualID>(wanted[1]);
        else
            list.insert(list.end(), wanted, wanted + 2);
    list.push_back(None);
    int some = 0;
    GLXFBConfig *const found = REAL(glXChooseFBConfig)(tile(), DefaultScreen(tile()), list.data(), &some);
    std::vector<GLXFBConfig> kept;
    std::copy_if(found, found + some, std::back_inserter(kept), [&](GLXFBConfig config) {
        return std::find(known.begin(), known.end(), config) != known.end() &&
               (!visual || visual_of(connection, config) == visual);
    });
    if (found)
        XFree(found);
    return hand_out(kept, count);
}

/// The format that a visual of the tile's display stands for.
GLXFBConfig config_of_tile_visual(xcb_connection_t *connection, VisualID visual) {
    const std::vector<GLXFBConfig> &all = configs(connection);
    const auto found = std::find_if(all.begin(), all.end(), [visual](GLXFBConfig config) {
        return static_cast<VisualID>(attribute(config, GLX_VISUAL_ID)) == visual && visual;
    });
    return found == all.end() ? nullptr : *found;
}

XVisualInfo *choose_visual(Display *program, int *wanted) {
    const Ours ours;
    XVisualInfo *const real = REAL(glXChooseVisual)(tile(), DefaultScreen(tile()), wanted);
    if (!real)
        return nullptr;
    const GLXFBConfig config = config_of_tile_visual(connection_of(program), real->visualid);
    XFree(real);
    XVisualInfo *const visual = config ? visual_info(program, config) : nullptr;
    if (visual)
        remember_choice(visual->visualid, config);
    return visual;
}

/// As glXGetConfig has it of visuals.
int config_value(Display *program, const XVisualInfo *visual, int name, int *value) {
    const GLXFBConfig config = config_of_visual(connection_of(program), visual->visualid);
    if (name == GLX_USE_GL) {
        *value = config != nullptr;
        return Success;
    }
    if (!config)
        return GLX_BAD_VISUAL;
    if (name == GLX_RGBA) {
        *value = (attribute(config, GLX_RENDER_TYPE) & GLX_RGBA_BIT) != 0;
        return Success;
    }
    return REAL(glXGetFBConfigAttrib)(tile(), config, name, value);
}

} // namespace
} // namespace mpiglut::x11

using namespace mpiglut;

MPIGLUT_EXPORT Bool glXQueryExtension(Display *display, int *error, int *event) {
    return REAL(glXQueryExtension)(x11::on_tile(display), error, event);
}

MPIGLUT_EXPORT Bool glXQueryVersion(Display *display, int *major, int *minor) {
    return REAL(glXQueryVersion)(x11::on_tile(display), major, minor);
}

MPIGLUT_EXPORT const char *glXQueryExtensionsString(Display *display, int screen) {
    const char *const all =
        REAL(glXQueryExtensionsString)(x11::on_tile(display), x11::screen_on_tile(display, screen));
    return x11::is_redirected(display) ? x11::allowed(all) : all;
}

MPIGLUT_EXPORT const char *glXGetClientString(Display *display, int name) {
    const char *const text = REAL(glXGetClientString)(x11::on_tile(display), name);
    return x11::is_redirected(display) && name == GLX_EXTENSIONS ? x11::allowed(text) : text;
}

MPIGLUT_EXPORT const char *glXQueryServerString(Display *display, int screen, int name) {
    const char *const text =
        REAL(glXQueryServerString)(x11::on_tile(display), x11::screen_on_tile(display, screen), name);
    return x11::is_redirected(display) && name == GLX_EXTENSIONS ? x11::allowed(text) : text;
}

MPIGLUT_EXPORT XVisualInfo *glXChooseVisual(Display *display, int screen, int *wanted) {
    return x11::is_redirected(display) ? x11::choose_visual(display, wanted)
                                       : REAL(glXChooseVisual)(display, screen, wanted);
}

MPIGLUT_EXPORT int glXGetConfig(Display *display, XVisualInfo *visual, int name, int *value) {
    return x11::is_redirected(display) ? x11::config_value(display, visual, name, value)
                                       : REAL(glXGetConfig)(display, visual, name, value);
}

MPIGLUT_EXPORT GLXFBConfig *glXChooseFBConfig(Display *display, int screen, const int *wanted, int *count) {
    return x11::is_redirected(display) ? x11::choose(display, wanted, count)
                                       : REAL(glXChooseFBConfig)(display, screen, wanted, count);
}

MPIGLUT_EXPORT GLXFBConfig *glXGetFBConfigs(Display *display, int screen, int *count) {
    return x11::is_redirected(display) ? x11::hand_out(x11::configs(x11::connection_of(display)), count)
                                       : REAL(glXGetFBConfigs)(display, screen, count);
}

MPIGLUT_EXPORT int glXGetFBConfigAttrib(Display *display, GLXFBConfig config, int name, int *value) {
    const int status = REAL(glXGetFBConfigAttrib)(x11::on_tile(display), config, name, value);
    if (status == Success && name == GLX_VISUAL_ID && x11::is_redirected(display))
        *value = static_cast<int>(x11::visual_of(x11::connection_of(display), config));
    return status;
}

MPIGLUT_EXPORT XVisualInfo *glXGetVisualFromFBConfig(Display *display, GLXFBConfig config) {
    if (!x11::is_redirected(display))
        return REAL(glXGetVisualFromFBConfig)(display, config);
    XVisualInfo *const visual = x11::visual_info(display, config);
    if (visual)
        x11::remember_choice(visual->visualid, config);
    return visual;
}

/// The GPU of this rank's tile. Where the driver has no such function, its list of extensions has not this one.
MPIGLUT_EXPORT Bool glXQueryRendererIntegerMESA(Display *display, int screen, int renderer, int name, unsigned *value) {
    auto *const real = REAL(glXQueryRendererIntegerMESA);
    return real ? real(x11::on_tile(display), x11::screen_on_tile(display, screen), renderer, name, value) : False;
}

MPIGLUT_EXPORT const char *glXQueryRendererStringMESA(Display *display, int screen, int renderer, int name) {
    auto *const real = REAL(glXQueryRendererStringMESA);
    return real ? real(x11::on_tile(display), x11::screen_on_tile(display, screen), renderer, name) : nullptr;
}

MPIGLUT_EXPORT GLXFBConfigSGIX *glXChooseFBConfigSGIX(Display *display, int screen, int *wanted, int *count) {
    return glXChooseFBConfig(display, screen, wanted, count);
}

MPIGLUT_EXPORT int glXGetFBConfigAttribSGIX(Display *display, GLXFBConfigSGIX config, int name, int *value) {
    return glXGetFBConfigAttrib(display, config, name, value);
}

MPIGLUT_EXPORT XVisualInfo *glXGetVisualFromFBConfigSGIX(Display *display, GLXFBConfigSGIX config) {
    return glXGetVisualFromFBConfig(display, config);
}

MPIGLUT_EXPORT GLXFBConfigSGIX glXGetFBConfigFromVisualSGIX(Display *display, XVisualInfo *visual) {
    return x11::is_redirected(display) ? x11::config_of_visual(x11::connection_of(display), visual->visualid)
                                       : REAL(glXGetFBConfigFromVisualSGIX)(display, visual);
}
