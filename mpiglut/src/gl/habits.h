// Does the program begin each frame anew, or does it go on with pixels of the last one? Ranks that render another part
// of the wall in each frame have nothing there to go on with.
#pragma once

namespace mpiglut::gl {

/// From now on calls are looked at; before that they cost nothing.
void watch_habits();
/// A program reads the window, or copies from it.
void window_is_read();
/// The frame is drawn. What of it goes on with an earlier one, for a message; null: nothing. Then the next frame
/// begins.
const char *kept_pixels();

} // namespace mpiglut::gl
