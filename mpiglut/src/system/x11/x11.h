// Programs that use X11 without GLUT: by Xlib, by xcb, or by any toolkit above them.
//
// Rank 0's program alone has an X server, the wall's. Every operation on a socket to it (connect, poll, read, write and
// so on) is recorded there with its result. The same operation of another rank returns just that. So all ranks see the
// same events at the same places of the program, whatever the toolkit makes of them, and nothing here parses X11.
//
// What the program draws with OpenGL goes to the tile's own display, `tile_display()`, which this library opens. Such a
// connection is the library's own, and is not recorded: whatever opens it, uses it or closes it holds an `Ours`.
#pragma once

#include <string>

namespace mpiglut::x11 {

/// This run's program is an X11 program (RunOptions::system). From any thread, at any time; false without a launcher.
bool active();

/// The program turns out to be one of GLUT, as a script may: from here on this is a run of GLUT, on the tile's display.
/// False where it has connected to an X server before.
bool give_way_to_glut();

/// The name of the display that this rank's tile is on, as XOpenDisplay takes it.
const std::string &tile_display();

/// While one lives in this thread, socket operations of the thread are the library's own, and are passed straight on.
/// A socket that is connected meanwhile is never recorded, also not later.
class Ours {
  public:
    Ours();
    ~Ours();
    Ours(const Ours &) = delete;
    Ours &operator=(const Ours &) = delete;

    /// One lives in this thread.
    static bool here();
};

} // namespace mpiglut::x11
