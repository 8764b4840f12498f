// A second thread that draws in windows of the wall, apart from that of the ticks. It works together with the same
// thread of the other ranks through its own sequence (sync/sequences.h), on its own clock. Its frames are its swaps.
#pragma once

namespace mpiglut {

/// A window's context is about to become current in this thread. The first that does not execute the ticks draws from
/// now on, together with those of the other ranks, and has charge of what the window is drawn in. Of any other nothing
/// is known.
void draw_beside(unsigned long x_window);

/// Before the swap that ends a frame of that thread: all ranks meet, the clock goes on, and what is drawn next is drawn
/// with the parts that all ranks know.
void meet_beside();
/// After it.
void end_frame_beside();

/// Such a thread has completed a frame.
bool drawn_beside();

} // namespace mpiglut
