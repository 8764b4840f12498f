#include "system/x11/gl_configs.h"

#include "base/real.h"
#include "system/x11/gl_windows.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace mpiglut::x11 {
namespace {

struct Known {
    std::recursive_mutex mutex;
    std::map<xcb_connection_t *, std::vector<GLXFBConfig>> configs;
    std::map<VisualID, GLXFBConfig> chosen;
};

Known &known() {
    static auto *const all = new Known;
    return *all;
}

bool is_like(const xcb_visualtype_t &one, const XVisualInfo &other) {
    return one._class == other.c_class && one.red_mask == other.red_mask && one.green_mask == other.green_mask &&
           one.blue_mask == other.blue_mask;
}

/// Of the connection's first screen: the wall has one.
VisualID find_visual(xcb_connection_t *connection, const XVisualInfo &like) {
    const xcb_screen_t *const screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    VisualID found = 0;
    for (auto depths = xcb_screen_allowed_depths_iterator(screen); depths.rem && !found; xcb_depth_next(&depths)) {
        if (depths.data->depth != like.depth)
            continue;
        for (auto visuals = xcb_depth_visuals_iterator(depths.data); visuals.rem; xcb_visualtype_next(&visuals)) {
            const xcb_visualtype_t &one = *visuals.data;
            if (is_like(one, like) && (!found || one.visual_id == screen->root_visual))
                found = one.visual_id;
        }
    }
    return found;
}

bool is_usual(GLXFBConfig config) {
    return attribute(config, GLX_DOUBLEBUFFER) && attribute(config, GLX_DEPTH_SIZE) >= 24 &&
           attribute(config, GLX_STENCIL_SIZE) >= 8 && attribute(config, GLX_SAMPLES) == 0 &&
           attribute(config, GLX_STEREO) == 0 && attribute(config, GLX_ACCUM_RED_SIZE) == 0;
}

} // namespace

int attribute(GLXFBConfig config, int name) {
    int value = 0;
    return REAL(glXGetFBConfigAttrib)(tile(), config, name, &value) == Success ? value : 0;
}

const std::vector<GLXFBConfig> &configs(xcb_connection_t *connection) {
    const std::lock_guard lock(known().mutex);
    std::vector<GLXFBConfig> &all = known().configs[connection];
    if (!all.empty())
        return all;
    const Ours ours;
    int count = 0;
    GLXFBConfig *const found = REAL(glXGetFBConfigs)(tile(), DefaultScreen(tile()), &count);
    std::copy_if(found, found + count, std::back_inserter(all), [connection](GLXFBConfig config) {
        return !(attribute(config, GLX_DRAWABLE_TYPE) & GLX_WINDOW_BIT) || visual_of(connection, config);
    });
    XFree(found);
    return all;
}

void forget_configs(xcb_connection_t *connection) {
    const std::lock_guard lock(known().mutex);
    known().configs.erase(connection);
}

VisualID visual_of(xcb_connection_t *connection, GLXFBConfig config) {
    XVisualInfo *const visual = REAL(glXGetVisualFromFBConfig)(tile(), config);
    if (!visual)
        return 0;
    const VisualID found = find_visual(connection, *visual);
    XFree(visual);
    return found;
}

XVisualInfo *visual_info(Display *program, GLXFBConfig config) {
    XVisualInfo wanted{};
    wanted.visualid = visual_of(connection_of(program), config);
    int count = 0;
    return wanted.visualid ? XGetVisualInfo(program, VisualIDMask, &wanted, &count) : nullptr;
}

void remember_choice(VisualID visual, GLXFBConfig config) {
    const std::lock_guard lock(known().mutex);
    known().chosen[visual] = config;
}

GLXFBConfig config_of_visual(xcb_connection_t *connection, VisualID visual) {
    const std::lock_guard lock(known().mutex);
    if (const auto found = known().chosen.find(visual); found != known().chosen.end())
        return found->second;
    GLXFBConfig best = nullptr;
    for (const GLXFBConfig config : configs(connection)) {
        if (visual_of(connection, config) != visual)
            continue;
        if (is_usual(config))
            return config;
        best = best ? best : config;
    }
    return best;
}

} // namespace mpiglut::x11
