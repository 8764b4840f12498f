// Real windows on an X server, whichever toolkit makes them, and what the program asks about them.
#pragma once

#include "model/window/window_system.h"

struct _XDisplay;

namespace mpiglut::glx {

/// Xlib, as requests of toolkits wait for their main loops.
void move(unsigned long x_window, const pixmpi::Rect &place, bool shown);
void settle();
/// Readable when the X server has sent something; -1 without a display.
int descriptor();
void show(const Window &window);
WindowSystem::Pointer pointer_in(const Window &window);

/// A tile of a wall with a size has its place: a user or a window manager has moved its window.
void put_back_if_moved(Window &window);

/// The pointer has come to a window, or a button was pressed there. No window manager looks after a window that covers
/// its tile, so none gives it the keyboard: it takes it, unless the keyboard follows the pointer anyway.
void take_keyboard(_XDisplay *display, unsigned long x_window);

/// Swap groups and swap intervals, where the drivers of all ranks have them.
void engage_swap_control(Window &window);

/// Ends the process with a line when the X server is lost.
void watch_connection();

/// From dispatch: where the program is told that the pointer is.
void note_pointer(const Event &event);

} // namespace mpiglut::glx
