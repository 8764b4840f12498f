// Making, moving and ending windows of the model, and with them the real ones.
#pragma once

#include "model/window/window.h"

namespace mpiglut {

/// Both return the window's number; create_child 0 if there is no such parent. A negative place is left to the library.
int create_top_level(const char *title, int x, int y, int width, int height, bool full_screen);
/// One that the program itself follows on the wall: it is not notified.
int create_placed(const pixmpi::Rect &place, bool visible);
int create_child(int parent, int x, int y, int width, int height);

/// Destroys at the end of the tick, as FreeGLUT does.
void destroy_window(int id);
void destroy_marked_windows();

void resize_window(Window &window, int width, int height);
void move_window(Window &window, int x, int y);
void set_visible(Window &window, bool visible);
void set_full_screen(Window &window, bool full);
/// Above all of its siblings, or below them.
void restack(Window &window, bool to_top);

} // namespace mpiglut
