// --cut: passes into framebuffer objects are drawn for the tile and a margin around it (gl/cut.h), as long as that
// shows the same.
//
// How far a pass reads is not known. So ranks compare: in some frames one rank, the judge, draws all of its passes whole,
// and the whole window off screen. Every other rank's picture has to be what the judge has at that place. So one frame
// is compared with itself, and the program need not draw the same one twice.
//
// First, without any cut, some frames say how much pictures differ anyway. Then two frames are cut, with two judges. If
// one differs, the margin is doubled. If that does not help, all is drawn whole for good, and a line says so. Later one
// frame in many is compared.
//
// A program that goes on with pixels of an earlier frame finds them on no judge, so it differs, and is drawn whole.
#pragma once

namespace mpiglut {

struct Window;

/// Before there are windows.
void prepare_cutting();
/// A frame is in the window's back buffer, whose context is current. All ranks come here, and to the next one.
void look_at_cut_frame(Window &window);
/// It has been shown: what follows belongs to the next frame.
void prepare_next_cut(Window &window);

} // namespace mpiglut
