// Passes into framebuffer objects of the window's size, cut to what this tile needs of them (--cut).
//
// Those objects have the coordinates of the whole window, so each rank draws all of them. With a cut, the scissor box
// lets pass the tile and a margin around it alone. What a pass reads in its neighbourhood lies within the margin. Objects
// of half the window's size, a quarter and so on are cut likewise. model/frame/cutting.h decides what margin there is,
// and compares pictures.
//
// Cut is what has been drawn in each of the last frames, since what is drawn once has to be whole later on, too.
#pragma once

#include "gl/coordinates/mirror.h"
#include "gl/pixel/gather.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mpiglut::gl {

/// --cut is given: the program's scissor tests are mirrored, and its framebuffer objects are looked at.
inline bool looks_at_targets = false;

/// From the next drawing on: so many pixels around the tile are drawn; negative: all. `whole`: this rank draws all of
/// them nevertheless. The same margin on all ranks. `tiles`: what each rank has of the window, whether it is the judge or
/// not, y up. `window`: all of it.
void cut_targets(int margin, bool whole, std::vector<pixmpi::Rect> tiles, const pixmpi::Rect &window);
/// There was something to cut in this frame. The next one begins.
bool saw_targets();
/// Why nothing may be cut any more: "it counts samples in framebuffer objects"; null as long as it may.
const char *no_cut();
void refuse_cut(const char *why);
/// Also in the pass that is being drawn.
void refuse_cut_now(Context &c, const char *why);

/// From now on, or no longer: the samples that are drawn into what can be cut are counted.
void count_drawn(bool on);
/// So many were, since the last call.
std::uint64_t drawn_samples();
/// Ends the library's own count, since the program begins one.
void leave_count_to_program();

/// The framebuffer object that is bound for drawing may be another one, or has another attachment.
void look_at_target(Context &c);
/// What is drawn now of the framebuffer object; nothing if it is drawn whole.
std::optional<Scissors::Box> cut_box(const Context &c);

/// Pixels have been copied from the object that is bound for reading to the one that is bound for drawing.
void note_copied(const Context &c);

/// The framebuffer object that is bound for reading may hold this rank's piece alone, since it was cut: where its pixels
/// are. Else nothing. The program reads `asked` of it.
std::optional<PixelSource> cut_source(const Context &c, const pixmpi::Rect &asked);

} // namespace mpiglut::gl
