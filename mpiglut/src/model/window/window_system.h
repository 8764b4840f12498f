// What the model of windows needs of a window system: events, real windows, and which window's context is current. One
// is at work in a process; a second one is a second folder in system/.
//
// The real windows are on this rank's display and have the sizes of this rank's parts. Events that a window system
// takes in go to state().outbox, in the coordinates of the whole window (to_whole).
#pragma once

#include "model/window/window.h"
#include "sync/tick.h"

#include <mutex>
#include <string>

namespace mpiglut {

class WindowSystem {
  public:
    virtual ~WindowSystem() = default;

    /// Opens the display, in the thread of the ticks, once the ranks are connected.
    virtual void open() = 0;
    /// The main loop is over and no window is left: it may be opened again.
    virtual void close() = 0;
    /// This rank's display, in pixels.
    virtual void screen_size(int &width, int &height) = 0;

    /// Handles the events that have arrived. It must leave current what was current: the program does not notice.
    virtual void receive_events() = 0;
    /// Readable when something has come; -1 for none.
    virtual int descriptor() = 0;
    /// Waits until the display has done what it was asked for.
    virtual void settle() = 0;

    /// The number of the window with the current context, or 0.
    virtual int current() = 0;
    virtual void make_current(int window) = 0;

    /// Makes the real window of `window`, there in its real parent, and its context, which is current then. Fills id
    /// (the same on all ranks), x_window, double_buffered and stereo.
    virtual void create(Window &window, const std::string &title, const pixmpi::Rect &place) = 0;
    /// The window is part of the model: from now on its events come.
    virtual void listen(Window &window) = 0;
    virtual void destroy(Window &window) = 0;
    virtual void move(const Window &window, const pixmpi::Rect &place, bool shown) = 0;
    /// Tiles show something where no window is, which this tile has there; on a wall with a size.
    virtual bool shows_below() { return false; }
    virtual Picture below() { return {}; }

    /// Shows what has been drawn in its back buffer.
    virtual void show(const Window &window) = 0;
    /// Makes real windows of all ranks show their frames at the same time, where the drivers can. Collective.
    virtual void engage_swap_control(Window &window) = 0;

    /// The pointer, in coordinates of the real window.
    struct Pointer {
        bool here = false; ///< over this tile's part of the window
        bool held = false; ///< a button is down
        int x = 0, y = 0;
    };
    virtual Pointer pointer_in(const Window &window) = 0;

    /// The program is about to be told of this event.
    virtual void tells(const Event &event) = 0;
    /// This menu's callback is about to be called, or has been: the one before is current again.
    virtual void make_menu_current(int menu) = 0;

    /// Rank 0: the operator ends the program. True if it has been asked to close its windows, so that it ends by
    /// itself; false from the second time on.
    virtual bool ask_to_close() { return false; }
};

/// The one at work: there is one as soon as the wall begins.
WindowSystem &window_system();
void use(WindowSystem &system);

/// Events that have come are in state().outbox.
void pump_window_system();
/// While it is held no other thread does.
std::unique_lock<std::recursive_mutex> hold_window_system();
/// From any other thread than that of the ticks: an event `redisplay` for this window.
void send_redisplay(int window);

/// Calls change() with the window current, if it is one, and makes current again what was.
template <class F> void with_current(const Window &window, F change) {
    WindowSystem &system = window_system();
    const int before = system.current();
    system.make_current(window.id);
    change();
    if (before && before != window.id)
        system.make_current(before);
}

} // namespace mpiglut
