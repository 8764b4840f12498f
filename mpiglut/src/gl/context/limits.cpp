// What the driver can do, asked for once for each context.

#include "base/real.h"
#include "gl/coordinates/coordinates.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace mpiglut::gl {

namespace {

bool has_extension(const Limits &limits, const char *name) {
    if (limits.version >= 30) {
        GLint count = 0;
        REAL(glGetIntegerv)(GL_NUM_EXTENSIONS, &count);
        for (GLint i = 0; i < count; ++i) {
            const auto *extension = reinterpret_cast<const char *>(REAL(glGetStringi)(GL_EXTENSIONS, i));
            if (extension && std::strcmp(extension, name) == 0)
                return true;
        }
        return false;
    }
    const auto *all = reinterpret_cast<const char *>(REAL(glGetString)(GL_EXTENSIONS));
    const std::size_t length = std::strlen(name);
    for (const char *at = all; at && (at = std::strstr(at, name)); at += length)
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool has_fixed_function(const Limits &limits) {
    if (limits.es || limits.version < 30)
        return !limits.es;
    if (limits.version >= 32) {
        // A context that was made without a word of profiles has all, and for it some drivers answer 0.
        GLint profile = 0;
        REAL(glGetIntegerv)(GL_CONTEXT_PROFILE_MASK, &profile);
        return !(profile & GL_CONTEXT_CORE_PROFILE_BIT);
    }
    if (limits.version == 31)
        return has_extension(limits, "GL_ARB_compatibility");
    GLint flags = 0;
    REAL(glGetIntegerv)(GL_CONTEXT_FLAGS, &flags);
    return !(flags & GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT);
}

bool has_viewports(const Limits &limits) {
    if (limits.es)
        return has_extension(limits, "GL_OES_viewport_array") || has_extension(limits, "GL_NV_viewport_array");
    return limits.version >= 41 || has_extension(limits, "GL_ARB_viewport_array");
}

bool has_timestamps(const Limits &limits) {
    GLint bits = 0;
    if (!limits.es && (limits.version >= 33 || has_extension(limits, "GL_ARB_timer_query")))
        REAL(glGetQueryiv)(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    return bits > 0;
}

} // namespace

void pull_limits(Context &c) {
    if (c.limits.width)
        return;
    Limits limits;
    const auto *version = reinterpret_cast<const char *>(REAL(glGetString)(GL_VERSION));
    int major = 1, minor = 0;
    limits.es = version && std::strncmp(version, "OpenGL ES", 9) == 0;
    if (version && std::sscanf(version + std::strcspn(version, "0123456789"), "%d.%d", &major, &minor) == 2)
        limits.version = major * 10 + minor;
    limits.fixed_function = has_fixed_function(limits);
    limits.framebuffers = limits.version >= (limits.es ? 20 : 30) ||
                          has_extension(limits, "GL_EXT_framebuffer_object") ||
                          has_extension(limits, "GL_ARB_framebuffer_object");
    limits.pack_invert = has_extension(limits, "GL_MESA_pack_invert");
    limits.clip_control = !limits.es && (limits.version >= 45 || has_extension(limits, "GL_ARB_clip_control"));
    limits.rounds_away = version && std::strstr(version, "Mesa");
    limits.timestamps = has_timestamps(limits);
    limits.wide_results = limits.es ? has_extension(limits, "GL_EXT_disjoint_timer_query") : limits.version >= 33;
    limits.named_queries =
        !limits.es && (limits.version >= 45 || has_extension(limits, "GL_ARB_direct_state_access"));

    GLint size[2] = {};
    REAL(glGetIntegerv)(GL_MAX_VIEWPORT_DIMS, size);
    limits.width = limits.driver_width = std::max(size[0], 1);
    limits.height = limits.driver_height = std::max(size[1], 1);
    if (const int override = max_viewport_override()) {
        limits.width = std::min(limits.width, override);
        limits.height = std::min(limits.height, override);
    }
    // Without GL_VIEWPORT_BOUNDS_RANGE nothing is said of where a viewport may lie; twice its size is what later
    // versions ask for at the least.
    limits.lowest = -2.0f * static_cast<float>(std::max(size[0], size[1]));
    limits.highest = -limits.lowest - 1;
    if (has_viewports(limits)) {
        REAL(glGetIntegerv)(GL_MAX_VIEWPORTS, &limits.viewports);
        limits.viewports = std::clamp(limits.viewports, 1, max_boxes);
        GLfloat range[2] = {limits.lowest, limits.highest};
        REAL(glGetFloatv)(GL_VIEWPORT_BOUNDS_RANGE, range);
        limits.lowest = range[0];
        limits.highest = range[1];
    }
    if (limits.version >= (limits.es ? 31 : 43) ||
        (!limits.es && has_extension(limits, "GL_ARB_explicit_uniform_location")))
        REAL(glGetIntegerv)(GL_MAX_UNIFORM_LOCATIONS, &limits.uniform_locations);
    // Drivers keep a table of all locations up to the last one that is used, for each program.
    limits.uniform_locations = std::min(limits.uniform_locations, 1024);
    c.limits = limits;
}

} // namespace mpiglut::gl
