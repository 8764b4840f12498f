// GLUT's calls that begin, turn and end the main loop.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "model/loop/end.h"
#include "model/loop/join.h"
#include "model/loop/loop.h"
#include "sync/comm.h"
#include "system/glut/backend.h"
#include "system/glut/system.h"
#include "system/x11/x11.h"

#include <GL/freeglut.h>

#include <cstdlib>

MPIGLUT_EXPORT void glutInit(int *argc, char **argv) {
    using namespace mpiglut;
    State &s = state();
    if (!s.launched || s.running || !x11::give_way_to_glut())
        return REAL(glutInit)(argc, argv);
    clock::run_ticks_here(); // programs may do all of GLUT in another thread than main()'s
    if (comm::started())
        REAL(glutInit)(argc, argv); // again, after the main loop has returned
    else
        join(*new glut::System(argc, argv)); // of use until the very end of the process
    s.running = true;
    // FreeGLUT itself must neither end the process nor stop its loop; the model does both, on all ranks at once.
    REAL(glutSetOption)(GLUT_ACTION_ON_WINDOW_CLOSE, GLUT_ACTION_CONTINUE_EXECUTION);
    s.on_close = OnClose::exit;
    s.init_ns = clock::is_virtual() ? clock::stamp().monotonic_ns : clock::real_monotonic_ns();
    listen_to_menus();
}

using namespace mpiglut;

MPIGLUT_EXPORT void glutMainLoopEvent(void) {
    if (!active())
        return REAL(glutMainLoopEvent)();
    if (may_turn())
        run_tick(false, false);
}

MPIGLUT_EXPORT void glutMainLoop(void) {
    if (!active() || state().windows.empty())
        return REAL(glutMainLoop)(); // which says what is wrong with the latter
    if (!may_turn())
        return;
    run_main_loop();
    const OnClose action = state().on_close;
    end_session();
    if (action == OnClose::exit)
        std::exit(EXIT_SUCCESS);
}

MPIGLUT_EXPORT void glutLeaveMainLoop(void) {
    if (glut_active())
        state().leave = true;
    else
        REAL(glutLeaveMainLoop)();
}

MPIGLUT_EXPORT void glutExit(void) { active() ? end_session() : REAL(glutExit)(); }
