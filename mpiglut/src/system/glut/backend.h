// FreeGLUT as the back end: its callbacks on the real windows become events for rank 0.
#pragma once

#include "model/window/window.h"
#include "sync/tick.h"

namespace mpiglut {

/// Registers our callbacks on the window's real twin, which is current.
namespace glut {
void listen(Window &window);
}
/// Puts an event for FreeGLUT's current window into state().outbox; from FreeGLUT's callbacks. The coordinates are
/// no particular one's.
void send_local(Event::Kind kind, int x, int y, int z, int a, int b);

/// A menu of FreeGLUT's with our callback; the program's is in state().menus.
void create_real_menu();
/// Menu status callbacks are FreeGLUT's own globals.
void listen_to_menus();
/// Between two turns of FreeGLUT's loop: what the program has changed while a menu was open on this tile.
void change_menus_that_waited();

} // namespace mpiglut
