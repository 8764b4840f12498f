// A window as the program knows it, the same on every rank, and the part of it that this tile shows.
#pragma once

#include "gl/context/context.h"
#include "run/capture.h"
#include "wall/wall.h"

#include <array>
#include <mutex>
#include <string>
#include <vector>

namespace mpiglut {

/// A GLUT callback, in either spelling of FreeGLUT's.
template <class... Args> struct Callback {
    void (*plain)(Args...) = nullptr;
    void (*with_data)(Args..., void *) = nullptr;
    void *data = nullptr;

    Callback() = default;
    Callback(void (*function)(Args...)) : plain(function) {}
    Callback(void (*function)(Args..., void *), void *user_data) : with_data(function), data(user_data) {}
    explicit operator bool() const { return plain || with_data; }
    void operator()(Args... args) const {
        if (plain)
            plain(args...);
        else if (with_data)
            with_data(args..., data);
    }
};

/// What the program has registered for a window.
struct Callbacks {
    Callback<> display, close, overlay_display, init_context;
    Callback<int, int> reshape, motion, passive, position;
    Callback<unsigned char, int, int> keyboard, keyboard_up;
    Callback<int, int, int> special, special_up;
    Callback<int, int, int, int> mouse, wheel;
    Callback<int> entry, visibility, window_status;
    Callback<unsigned, int, int, int> joystick;
    Callback<int, int, int> spaceball_motion, spaceball_rotate;
    Callback<int, int> spaceball_button, dials, button_box;
};

/// How often a thread has shown a window, and in which of its frames last.
struct Shows {
    std::int64_t times = 0, frame = 0;
};

struct Window : Callbacks {
    int id = 0, parent = 0;
    std::vector<int> children; ///< bottom to top
    pixmpi::Rect place;        ///< relative to the parent; of a top-level window on the program's screen
    pixmpi::Wall wall;         ///< of a top-level window: see wall_of
    bool placed = false; ///< its place is where it lies on the wall: the program's screen is the wall
    bool visible = true, full_screen = false, double_buffered = true, stereo = false;
    bool behind = false; ///< tiles draw what lies behind bezels, too, see behind.h
    bool even = false;   ///< what tiles render begins at even pixels, see behind.h
    bool even_refused = false;
    int whole_on = -1; ///< this rank renders all of it, see model/frame/cutting.h; -1: none does
    pixmpi::Rect before_full_screen;

    // Work that the next tick does, as FreeGLUT's work mask.
    bool redisplay = true, reshaped = true, moved = false, announced = false;
    bool fresh = true; ///< the program has not been told of its size yet
    bool reshape_wanted = false;
    int wanted_width = 0, wanted_height = 0;

    std::vector<pixmpi::Rect> shown_by, rendered_by; ///< what of it each rank shows, and renders: wall coordinates
    std::vector<int> status_by_rank; ///< last GLUT window status of each tile's part
    int status = -1;                 ///< what the program was last told
    std::array<int, 3> menus{};      ///< attached, by button; 0: none

    // On this rank.
    gl::Surface surface;
    unsigned long x_window = 0;
    pixmpi::Rect clip;      ///< what of the window shows here, wall coordinates; empty if nothing
    pixmpi::Rect rendered;  ///< what of it is rendered here, which may be another rectangle: see gl/present/present.h
    pixmpi::Rect on_screen; ///< the real window: framebuffer coordinates of the tile (rotation applied)
    pixmpi::Rect real;      ///< the real window: where X was told to put it, in its real parent
    bool shared = false;    ///< ranks render what others show; see model/frame/sharing.h
    int put_back = 0;       ///< how often the real window had been moved by others
    bool covered = false; ///< other windows of the program's screen lie over it: of it `seen` is seen
    std::vector<pixmpi::Rect> seen; ///< wall coordinates
    bool drawn = false;     ///< has been displayed at least once
    bool unseen = false; ///< it would have been shown, but this rank has not caught up with the others; see returning.h
    std::int64_t looked_at_turn = -1; ///< in which the operator got its picture last
    Picture shown;          ///< what it shows, kept while a capture is wanted
    bool beside = false;    ///< a thread beside the ticks draws it, and has charge of its drawable
    Shows shows, shows_beside; ///< by the thread of the ticks, and by one that draws beside them
};

/// Held by whoever looks at windows, or changes which there are and where, in a program that draws in another thread
/// than the ticks'. Nobody waits for other ranks with it.
std::unique_lock<std::recursive_mutex> lock_geometry();
/// The window of the model that is this X window here, or null.
Window *window_of(unsigned long x_window);

/// The tiles that this window lies on. A wall without a size cuts each top-level window by itself, with that window's
/// upper left corner at (0,0); a wall with sizes is the same for all.
const pixmpi::Wall &wall_of(const Window &window);
/// This rank's tile of that wall.
const pixmpi::Tile &tile_of(const Window &window);

/// The whole window in wall coordinates.
pixmpi::Rect wall_rect(const Window &window);
/// The same, cut at the borders of the windows it is inside of.
pixmpi::Rect clip_rect(const Window &window);

/// Works out the part of this window and of its children, and puts the real windows there.
void place(Window &window);
/// The same for a window whose place may decide on others', because it is a top-level one.
void place_with_others(Window &window);

/// Where this rank's tile lies on its display, of a wall with a size.
pixmpi::Rect tile_on_display();

/// A rectangle of the wall within the real window, as its framebuffer has it; cut where the window ends on this tile.
pixmpi::Rect on_real(const Window &window, const pixmpi::Rect &rect);

/// On its display this rank's tile of that wall stays where it is now, whatever becomes of the tiles beside it.
void stay_on_screen(pixmpi::Wall &wall);

/// Puts the real window where the model has it, shown or not.
void move_real(Window &window);

/// The real window's size and place for one that is about to be created: fills surface, clip, on_screen, and returns
/// where it goes in its real parent.
pixmpi::Rect compute_part(Window &window);

/// A point of the real window (y down) as a point of the whole window.
void to_whole(const Window &window, int &x, int &y);
/// A point of the whole window as a point of the real one; false when another tile has it.
bool to_real(const Window &window, int &x, int &y);

} // namespace mpiglut
