// The operator's end in each rank: what it does and shows goes to the dashboard (run/dashboard.h), from there come the
// operator's wishes. What changes the program's course comes through rank 0 as events of a tick, like all input.
#pragma once

#include "run/capture.h"
#include "sync/tick.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mpiglut {

struct Window;

namespace console {

/// In glutInit: the dashboard that the agent has made, if the wall has an operator.
void begin();

/// At the end of a tick: this rank's times.
void write_times();
/// Rank 0: real times at which each rank's swap of a frame returned.
void write_swaps(std::span<const std::int64_t> times);
void report_divergence();
/// A frame is complete; real times of this one and of the one before.
void write_frame(std::int64_t before, std::int64_t now);

/// Rank 0: adds what has come from the operator. Points come in wall coordinates, and go on in those of the window
/// that lies there, or that holds the pointer because a button went down in it.
void receive_input(std::vector<Event> &events);
/// Executes events that are for the library and not for the program; false for others.
bool dispatch(const Event &event);

/// Somebody looks, and it is time for another picture of this window.
bool looks_at(const Window &window);
/// Before the window is shown, in the context that has drawn it and has this picture in its drawable: puts it on the
/// dashboard if an operator looks and it is time. `own`: that context is the library's, and draws to the real window,
/// which is turned as its tile is.
void look_at(Window &window, bool front, bool own);

/// Somebody looks, and it is time for another picture of what the tile shows below all windows of the model.
bool looks_below();
/// That, upright and of the tile's size, goes on the dashboard; false if there is no room. In the thread of the ticks.
bool put_below(const Picture &tile);

/// The time between two such pictures of a window; 0: no operator looks.
std::int64_t live_interval();

/// A screenshot of this frame is wanted, or of the next one if that is later.
void want_still(int request, std::int64_t frame);
/// One is wanted: windows' pictures are to be kept.
bool still_wanted();
/// That frame was named for one, on all ranks alike; there, or soon after, the screenshot is taken.
bool still_is_of(std::int64_t frame);
/// In the thread that draws, with so many frames complete: the screenshot can be taken.
bool still_due(std::int64_t complete);
void put_still(const std::vector<TilePicture> &pictures);

} // namespace console
} // namespace mpiglut
