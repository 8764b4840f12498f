// Input of an X11 program. What comes at a tile, from the operator's page or from a replay goes to the wall's X server by
// XTEST, which rank 0 asks for; from there the program has it as it has all events.
#pragma once

#include "sync/tick.h"

#include <X11/Xlib.h>

#include <array>
#include <cstdint>

namespace mpiglut::x11 {

/// What real windows are to tell of.
inline constexpr long input_events =
    KeyPressMask | KeyReleaseMask | ButtonPressMask | ButtonReleaseMask | PointerMotionMask | FocusChangeMask |
    EnterWindowMask | LeaveWindowMask;

/// Makes the event that of a key, by X's name and the keyboard's number of it. The key is down from then on, or not any
/// more. False: it was up already, which the keyboard has said.
bool note_key(Event &event, KeySym key, unsigned code, bool pressed);

/// Another window may have the keyboard: it is told of the releases of keys that are down here. So the keyboard is asked
/// for them from then on, until all of them are up.
void note_keyboard_lost();
bool asks_for_keys();
/// What XQueryKeymap says.
void note_keys_down(const char (&down)[32]);
/// An event of the tile's display, on its way to rank 0.
void note_input(const XEvent &event);

/// Rank 0: the wall's X server is to make this of it; false for an event that is no input of a device.
bool give_input(const Event &event);
/// After a frame: what of a replay is due, in the frame that the program begins.
void pass_replayed_input();
/// What was given sets out, at once: a key that is pressed and released is not held in between. The X server has told
/// the program of it on return, so that it finds the events in the frame that it begins.
void flush_input();
/// Before the ranks meet at the end of a frame: rank 0 has this tile's input when they have met.
void send_input_ahead();

/// Rank 0: tiles show something. From the first time on a program without frames has input of a replay.
void note_shown();

/// Between two ticks, in the thread of the ticks: input goes on its way.
void pass_input_on();
/// In that thread, of rank 0: so long the program has waited; and its wait has found something, as a reply.
void note_waited(std::int64_t ns);
void note_found();
/// Calls of XOpenDisplay(3) in this thread. Such a call waits with a lock of Xlib, which passing input on needs, too.
inline constinit thread_local int displays_that_open = 0;
/// This thread is that one, and there are tiles with input.
bool passes_input_on();
/// In that thread: what can be read when input may have come to this tile; -1 for none.
std::array<int, 2> input_descriptors();

} // namespace mpiglut::x11
