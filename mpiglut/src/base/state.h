// The one struct of the library's state; GLUT is global, so this is.
#pragma once

#include "model/frame/frame.h"
#include "model/frame/sharing.h"
#include "model/loop/loop.h"
#include "model/window/pointer.h"
#include "model/window/window.h"
#include "run/options.h"
#include "run/record.h"
#include "run/stats.h"
#include "sync/digest.h"
#include "sync/posts.h"
#include "sync/tick.h"
#include "wall/wall.h"

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct _XDisplay;

namespace mpiglut {

struct MenuEntry {
    std::string label;
    int value = 0, submenu = 0; ///< a number of one of them
};

struct Menus {
    std::map<int, Callback<int>> callbacks;
    std::map<int, std::vector<MenuEntry>> entries; ///< as the program has them, whatever waits
    int made = 0, current = 0;                     ///< their number, and FreeGLUT's number of the program's current one
    bool open_here = false;                        ///< on this rank's tile
    std::vector<std::function<void()>> waiting;    ///< changes, until it is closed
};

/// What the main loop does when the window manager closes a window; the numbers are GLUT's.
enum class OnClose : int { exit, leave_loop, go_on };

struct State {
    // Set once, at load and in glutInit.
    bool launched = false;            ///< MPIGLUT_RUN is there
    std::atomic<bool> running{false}; ///< glutInit has joined the wall: every wrapper is at work
    RunOptions options;
    pixmpi::Wall plan;                       ///< as given; for `2x2` without sizes
    pixmpi::Wall wall;                       ///< with sizes; where it is cut from windows, over the first one
    int screen_width = 0, screen_height = 0; ///< what the program is told of the screen
    std::vector<std::string> displays;       ///< by rank: "host display", to see which tiles share one
    std::int64_t init_ns = 0;                ///< glutInit on the program's clock: GLUT_ELAPSED_TIME counts from here

    // The window model, behind lock_geometry; ids are FreeGLUT's, which are the same on every rank.
    std::map<int, std::unique_ptr<Window>> windows;
    std::vector<int> top_level;   ///< bottom to top
    int first = 0;                ///< the window that is the wall
    pixmpi::Rect first_asked;     ///< where the program wanted it on its screen
    _XDisplay *display = nullptr; ///< the connection to the X server on which the windows are, once there is one
    Window *creating = nullptr;   ///< while the window system makes it
    int game_mode_window = 0;
    std::vector<int> to_destroy;
    OnClose on_close = OnClose::exit;

    // What lies behind bezels; see model/window/behind.h.
    bool behind_asked = false; ///< the program has read or counted pixels there
    bool behind_answered = false;

    // Blocks of 2x2 pixels; see model/window/behind.h.
    bool uses_derivatives = false, counts_samples = false; ///< the program

    Sharing sharing;

    // Callbacks without a window.
    Callback<> idle;
    std::list<Timer> timers; ///< by due time
    Callback<int, int, int> menu_status;
    Callback<int> menu_state;
    Menus menus;
    int modifiers = -1; ///< of the event being dispatched

    // The loop.
    std::uint64_t tick = 0;
    std::vector<std::int32_t> dead;        ///< the ranks that the wall goes on without, as the ticks know
    Frames frames, frames_beside;          ///< of the ticks, and of a thread that draws apart from them
    std::atomic<bool> drawn_beside{false}; ///< there is one, as the ticks know; see model/frame/drawing.h
    bool leave = false, in_tick = false;
    Digest digest;
    std::vector<Event> outbox;      ///< local input on its way to rank 0
    int warped_x = 0, warped_y = 0; ///< how far the program has warped this rank's pointer beyond where it could go
    Crossings crossings;            ///< on rank 0
    Posts posts;                    ///< on rank 0
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<Replayer> replayer;

    // What is measured; of the times, those of frames and swaps are behind lock_geometry.
    TileTimes times;
    std::unique_ptr<RunStats> stats;
    std::atomic<std::size_t> captured{0}; ///< how many of options.captures
    std::vector<TilePicture> last_pictures; ///< before windows went, while a capture is wanted
    std::string swap_method = "none";

    /// GLUT_ELAPSED_TIME at that time of the program's monotonic clock.
    std::int64_t elapsed_ms(std::int64_t ns) const { return (ns - init_ns) / 1'000'000; }
    std::int64_t complete_frames() const { return frames.complete + frames_beside.complete; }
    Window *window(int id);
    Window *current();
};

State &state();

/// This thread is in step with the other ranks', so that the call can be made by all together; else that is reported,
/// once.
bool in_step(const char *call);

/// active(), for a call of GLUT that belongs to the main loop's thread. Names a call that another thread makes, once.
bool glut_active(const char *call = __builtin_FUNCTION());

/// Reports and leaves at once, for what cannot go on.
[[noreturn]] void fail(const std::string &why);

} // namespace mpiglut
