// EGL's calls about pixel formats: those of the tile's display that have a visual of the program's.
#include "base/export.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_configs.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace mpiglut::x11::egl {
namespace {

constexpr EGLint apis = EGL_OPENGL_BIT | EGL_OPENGL_ES_BIT | EGL_OPENGL_ES2_BIT | EGL_OPENGL_ES3_BIT;

EGLint surface_types(GLXFBConfig config) {
    const int types = attribute(config, GLX_DRAWABLE_TYPE);
    return (types & GLX_WINDOW_BIT ? EGL_WINDOW_BIT : 0) | (types & GLX_PBUFFER_BIT ? EGL_PBUFFER_BIT : 0) |
           (types & GLX_PIXMAP_BIT ? EGL_PIXMAP_BIT : 0);
}

EGLint caveat(GLXFBConfig config) {
    switch (attribute(config, GLX_CONFIG_CAVEAT)) {
    case GLX_SLOW_CONFIG: return EGL_SLOW_CONFIG;
    case GLX_NON_CONFORMANT_CONFIG: return EGL_NON_CONFORMANT_CONFIG;
    default: return EGL_NONE;
    }
}

/// Its pbuffers can be textures.
bool is_texture(GLXFBConfig config) { return (attribute(config, GLX_DRAWABLE_TYPE) & GLX_PBUFFER_BIT) != 0; }

bool is_srgb(GLXFBConfig config) { return attribute(config, GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB) != 0; }

/// They differ in how colours are stored at most.
bool are_alike(xcb_connection_t *connection, GLXFBConfig one, GLXFBConfig other) {
    constexpr int names[] = {GLX_DRAWABLE_TYPE, GLX_RENDER_TYPE, GLX_DOUBLEBUFFER, GLX_STEREO, GLX_ACCUM_RED_SIZE,
                             GLX_AUX_BUFFERS, GLX_X_VISUAL_TYPE, GLX_RED_SIZE, GLX_GREEN_SIZE, GLX_BLUE_SIZE,
                             GLX_ALPHA_SIZE, GLX_BUFFER_SIZE, GLX_DEPTH_SIZE, GLX_STENCIL_SIZE, GLX_SAMPLES,
                             GLX_SAMPLE_BUFFERS, GLX_LEVEL};
    return std::ranges::all_of(names, [=](int name) { return attribute(one, name) == attribute(other, name); }) &&
           visual_of(connection, one) == visual_of(connection, other);
}

/// Those of EGL on X11 all have windows.
bool is_usable(GLXFBConfig config) {
    return attribute(config, GLX_DRAWABLE_TYPE) & GLX_WINDOW_BIT && attribute(config, GLX_RENDER_TYPE) & GLX_RGBA_BIT &&
           attribute(config, GLX_DOUBLEBUFFER) && !attribute(config, GLX_STEREO) &&
           !attribute(config, GLX_ACCUM_RED_SIZE) && !attribute(config, GLX_AUX_BUFFERS) &&
           attribute(config, GLX_X_VISUAL_TYPE) == GLX_TRUE_COLOR;
}

/// Of two formats that differ in their colours EGL has one.
std::vector<GLXFBConfig> usable(const Display &display) {
    std::vector<GLXFBConfig> found;
    const std::vector<GLXFBConfig> &all = configs(display.connection);
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](GLXFBConfig config) {
        return is_usable(config) && with_colours(display, config, EGL_GL_COLORSPACE_LINEAR) == config;
    });
    return found;
}

/// What GLX calls an attribute that both have with the same values; 0 for others.
int same_in_glx(EGLint name) {
    switch (name) {
    case EGL_BUFFER_SIZE: return GLX_BUFFER_SIZE;
    case EGL_RED_SIZE: return GLX_RED_SIZE;
    case EGL_GREEN_SIZE: return GLX_GREEN_SIZE;
    case EGL_BLUE_SIZE: return GLX_BLUE_SIZE;
    case EGL_ALPHA_SIZE: return GLX_ALPHA_SIZE;
    case EGL_DEPTH_SIZE: return GLX_DEPTH_SIZE;
    case EGL_STENCIL_SIZE: return GLX_STENCIL_SIZE;
    case EGL_SAMPLES: return GLX_SAMPLES;
    case EGL_SAMPLE_BUFFERS: return GLX_SAMPLE_BUFFERS;
    case EGL_LEVEL: return GLX_LEVEL;
    case EGL_CONFIG_ID: return GLX_FBCONFIG_ID;
    case EGL_MAX_PBUFFER_WIDTH: return GLX_MAX_PBUFFER_WIDTH;
    case EGL_MAX_PBUFFER_HEIGHT: return GLX_MAX_PBUFFER_HEIGHT;
    case EGL_MAX_PBUFFER_PIXELS: return GLX_MAX_PBUFFER_PIXELS;
    default: return 0;
    }
}

enum class Match { at_least, exactly, all_bits, none };

Match match_of(EGLint name) {
    switch (name) {
    case EGL_BUFFER_SIZE:
    case EGL_RED_SIZE:
    case EGL_GREEN_SIZE:
    case EGL_BLUE_SIZE:
    case EGL_ALPHA_SIZE:
    case EGL_LUMINANCE_SIZE:
    case EGL_ALPHA_MASK_SIZE:
    case EGL_DEPTH_SIZE:
    case EGL_STENCIL_SIZE:
    case EGL_SAMPLES:
    case EGL_SAMPLE_BUFFERS: return Match::at_least;
    case EGL_SURFACE_TYPE:
    case EGL_RENDERABLE_TYPE:
    case EGL_CONFORMANT: return Match::all_bits;
    case EGL_MAX_PBUFFER_WIDTH:
    case EGL_MAX_PBUFFER_HEIGHT:
    case EGL_MAX_PBUFFER_PIXELS:
    case EGL_NATIVE_VISUAL_ID:
    case EGL_TRANSPARENT_RED_VALUE:
    case EGL_TRANSPARENT_GREEN_VALUE:
    case EGL_TRANSPARENT_BLUE_VALUE:
    case EGL_MATCH_NATIVE_PIXMAP: return Match::none;
    default: return Match::exactly;
    }
}

using Wanted = std::map<EGLint, EGLint>;

/// False for a list that has an unknown attribute.
bool read_wanted(const Display &display, const EGLint *list, Wanted &wanted) {
    wanted = {{EGL_SURFACE_TYPE, EGL_WINDOW_BIT}, {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES_BIT}, {EGL_LEVEL, 0},
              {EGL_COLOR_BUFFER_TYPE, EGL_RGB_BUFFER}, {EGL_TRANSPARENT_TYPE, EGL_NONE}};
    const std::vector<GLXFBConfig> all = usable(display);
    for (; list && list[0] != EGL_NONE; list += 2) {
        EGLint value = 0;
        if (list[0] != EGL_MATCH_NATIVE_PIXMAP && !all.empty() && !config_value(display, all[0], list[0], value))
            return false;
        wanted[list[0]] = list[1];
    }
    if (const auto id = wanted.find(EGL_CONFIG_ID); id != wanted.end() && id->second != EGL_DONT_CARE)
        wanted = {{EGL_CONFIG_ID, id->second}}; // all else is ignored
    return true;
}

bool meets(const Display &display, GLXFBConfig config, const Wanted &wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto &one) {
        const auto [name, asked] = one;
        EGLint value = 0;
        if (asked == EGL_DONT_CARE || match_of(name) == Match::none || !config_value(display, config, name, value))
            return true;
        switch (match_of(name)) {
        case Match::at_least: return value >= asked;
        case Match::all_bits: return (value & asked) == asked;
        default: return value == asked;
        }
    });
}

/// EGL's order: what is smaller comes first.
auto rank(GLXFBConfig config, const Wanted &wanted) {
    int colours = 0;
    for (const EGLint name : {EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE})
        if (const auto asked = wanted.find(name); asked != wanted.end() && asked->second > 0)
            colours += attribute(config, same_in_glx(name));
    return std::tuple(caveat(config) != EGL_NONE, -colours, attribute(config, GLX_BUFFER_SIZE),
                      attribute(config, GLX_SAMPLE_BUFFERS), attribute(config, GLX_SAMPLES),
                      attribute(config, GLX_DEPTH_SIZE), attribute(config, GLX_STENCIL_SIZE),
                      attribute(config, GLX_FBCONFIG_ID));
}

EGLBoolean hand_out(const std::vector<GLXFBConfig> &all, EGLConfig *list, EGLint size, EGLint *count) {
    if (!count)
        return refuse(EGL_BAD_PARAMETER);
    const auto number = static_cast<EGLint>(all.size());
    *count = list ? std::min(size, number) : number;
    if (list)
        std::copy_n(all.begin(), *count, list);
    return succeed();
}

} // namespace

GLXFBConfig with_colours(const Display &display, GLXFBConfig config, EGLint colours) {
    const bool wanted = colours == EGL_GL_COLORSPACE_SRGB;
    if (is_srgb(config) == wanted)
        return config;
    for (const GLXFBConfig other : configs(display.connection))
        if (is_srgb(other) == wanted && are_alike(display.connection, config, other))
            return other;
    return wanted ? nullptr : config;
}

bool is_config(const Display &display, GLXFBConfig config) {
    const std::vector<GLXFBConfig> all = usable(display);
    return std::find(all.begin(), all.end(), config) != all.end();
}

bool config_value(const Display &display, GLXFBConfig config, EGLint name, EGLint &value) {
    if (const int same = same_in_glx(name)) {
        value = attribute(config, same);
        return true;
    }
    switch (name) {
    case EGL_SURFACE_TYPE: value = surface_types(config); break;
    case EGL_RENDERABLE_TYPE:
    case EGL_CONFORMANT: value = apis; break;
    case EGL_NATIVE_VISUAL_ID: value = static_cast<EGLint>(visual_of(display.connection, config)); break;
    case EGL_NATIVE_VISUAL_TYPE: value = 4; break; // TrueColor
    case EGL_COLOR_BUFFER_TYPE: value = EGL_RGB_BUFFER; break;
    case EGL_CONFIG_CAVEAT: value = caveat(config); break;
    case EGL_TRANSPARENT_TYPE: value = EGL_NONE; break;
    case EGL_NATIVE_RENDERABLE: value = EGL_TRUE; break;
    case EGL_MAX_SWAP_INTERVAL: value = 1; break;
    case EGL_BIND_TO_TEXTURE_RGB: value = is_texture(config); break;
    case EGL_BIND_TO_TEXTURE_RGBA: value = is_texture(config) && attribute(config, GLX_ALPHA_SIZE) > 0; break;
    case EGL_MIN_SWAP_INTERVAL:
    case EGL_LUMINANCE_SIZE:
    case EGL_ALPHA_MASK_SIZE:
    case EGL_TRANSPARENT_RED_VALUE:
    case EGL_TRANSPARENT_GREEN_VALUE:
    case EGL_TRANSPARENT_BLUE_VALUE: value = 0; break;
    default: return false;
    }
    return true;
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglDisplay = mpiglut::x11::egl::Display;

MPIGLUT_EXPORT EGLBoolean eglGetConfigs(EGLDisplay display, EGLConfig *list, EGLint size, EGLint *count) {
    const EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglGetConfigs), display, list, size, count);
    return own->initialized ? hand_out(usable(*own), list, size, count) : refuse(EGL_NOT_INITIALIZED);
}

MPIGLUT_EXPORT EGLBoolean eglChooseConfig(EGLDisplay display, const EGLint *attributes, EGLConfig *list, EGLint size,
                                          EGLint *count) {
    const EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglChooseConfig), display, attributes, list, size, count);
    if (!own->initialized)
        return refuse(EGL_NOT_INITIALIZED);
    Wanted wanted;
    if (!read_wanted(*own, attributes, wanted))
        return refuse(EGL_BAD_ATTRIBUTE);
    std::vector<GLXFBConfig> all = usable(*own);
    std::erase_if(all, [&](GLXFBConfig config) { return !meets(*own, config, wanted); });
    std::stable_sort(all.begin(), all.end(),
                     [&](GLXFBConfig a, GLXFBConfig b) { return rank(a, wanted) < rank(b, wanted); });
    return hand_out(all, list, size, count);
}

MPIGLUT_EXPORT EGLBoolean eglGetConfigAttrib(EGLDisplay display, EGLConfig config, EGLint name, EGLint *value) {
    const EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglGetConfigAttrib), display, config, name, value);
    if (!own->initialized)
        return refuse(EGL_NOT_INITIALIZED);
    return value && config_value(*own, static_cast<GLXFBConfig>(config), name, *value) ? succeed()
                                                                                       : refuse(EGL_BAD_ATTRIBUTE);
}
