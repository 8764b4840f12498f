// Swaps of buffers. Swap groups and swap intervals: engaged only where the drivers of all ranks have them. A tile that
// alone swaps by a group, or alone does not, would wait for others that never come.
#include "system/glx/windows.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "gl/present/present.h"
#include "model/frame/frame.h"
#include "run/report.h"
#include "sync/comm.h"
#include "system/x11/glx_drawables.h"
#include "system/x11/tile_system.h"

#include <GL/glx.h>

namespace mpiglut {
namespace {

enum Engaged : unsigned { group = 1, group_barrier = 2, interval = 4 };

template <class F> F function(const char *name) {
    return reinterpret_cast<F>(REAL(glXGetProcAddressARB)(reinterpret_cast<const GLubyte *>(name)));
}

/// Engages what the driver of this rank has.
unsigned engage(Display *display, const Window &window) {
    const GLXDrawable drawable = window.x_window;
    const char *extensions = REAL(glXQueryExtensionsString)(display, DefaultScreen(display));
    const auto has = [&](const char *name) { return extensions && std::strstr(extensions, name); };
    unsigned engaged = 0;
    if (has("GLX_NV_swap_group")) {
        const auto join = function<PFNGLXJOINSWAPGROUPNVPROC>("glXJoinSwapGroupNV");
        const auto bind = function<PFNGLXBINDSWAPBARRIERNVPROC>("glXBindSwapBarrierNV");
        if (join && bind && join(display, drawable, 1))
            engaged |= bind(display, 1, 1) ? group | group_barrier : group;
    }
    // Tearing is one tile's own affair, so each waits for its retrace once the barrier is passed.
    if (gl::has_swap_interval(display) && (gl::is_presented(window) || gl::wait_for_retrace()))
        engaged |= interval;
    return engaged;
}

void disengage(Display *display, GLXDrawable drawable, unsigned what) {
    if (what & group_barrier)
        function<PFNGLXBINDSWAPBARRIERNVPROC>("glXBindSwapBarrierNV")(display, 1, 0);
    if (what & group)
        function<PFNGLXJOINSWAPGROUPNVPROC>("glXJoinSwapGroupNV")(display, drawable, 0);
}

/// What all ranks have engaged; nothing when they have parted ways.
unsigned on_all_ranks(unsigned mine) {
    std::vector<unsigned> all;
    if (!comm::all_values(comm::Collective::agree, mine, all))
        return 0;
    for (const unsigned theirs : all)
        mine &= theirs;
    return mine;
}

std::string method(unsigned engaged) {
    std::string text = "software barrier";
    if (engaged & group)
        text += engaged & group_barrier ? ", GLX_NV_swap_group with its barrier" : ", GLX_NV_swap_group";
    if (engaged & interval)
        text += ", GLX_SGI_swap_control";
    return text;
}

} // namespace

void glx::engage_swap_control(Window &window) {
    State &s = state();
    if (window.id != s.first)
        return;
    if (comm::size() == 1) {
        s.swap_method = "driver";
        return;
    }
    Display *display = REAL(glXGetCurrentDisplay)();
    const unsigned mine = engage(display, window), common = on_all_ranks(mine);
    disengage(display, window.x_window, mine & ~common);
    s.swap_method = method(common);
    if (comm::rank() == 0)
        report_once(Report::note, "swaps in step by: " + s.swap_method);
}

} // namespace mpiglut

MPIGLUT_EXPORT void glXSwapBuffers(Display *display, GLXDrawable drawable) {
    using namespace mpiglut;
    if (x11::is_redirected(display))
        return x11::swap_drawable(display, drawable);
    const auto exchange = [&] { REAL(glXSwapBuffers)(display, drawable); };
    mpiglut::Window *const window = active() ? window_of(drawable) : nullptr;
    if (window && in_step("glXSwapBuffers"))
        swap(*window, exchange);
    else
        exchange();
}
