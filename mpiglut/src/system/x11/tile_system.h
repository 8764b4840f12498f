// The window system of programs that use X11 without GLUT: their windows are on the wall's X server, which draws no
// OpenGL. Each window that a context draws to has a real one on the tile's display, where contexts are.
#pragma once

#include "model/window/window_system.h"

#include <GL/glx.h>

#include <cstdint>
#include <optional>

namespace mpiglut::x11 {

/// Joins the wall, the first time; in the thread of the ticks from then on. Without effect where no X11 program was
/// launched.
void begin_wall();

/// The tile's display; null in all other runs than an X11 program's.
Display *tile();
/// The display whose GLX answers for this one: the tile's in a run of an X11 program, else the same.
Display *on_tile(Display *display);
/// The same, with the number of a screen.
int screen_on_tile(Display *display, int screen);
/// It is a connection of the program's in such a run, to a server without OpenGL.
bool is_redirected(Display *display);

class System : public WindowSystem {
  public:
    void open() override;
    void close() override {}
    void screen_size(int &width, int &height) override;
    void receive_events() override;
    bool shows_below() override;
    Picture below() override;
    int descriptor() override;
    void settle() override;
    int current() override;
    void make_current(int window) override;
    void create(Window &window, const std::string &title, const pixmpi::Rect &place) override;
    void listen(Window &) override {}
    void destroy(Window &window) override;
    void move(const Window &window, const pixmpi::Rect &place, bool shown) override;
    void show(const Window &window) override;
    void engage_swap_control(Window &window) override;
    Pointer pointer_in(const Window &window) override;
    void tells(const Event &event) override;
    void make_menu_current(int) override {}
    bool ask_to_close() override; ///< in closing.cpp

  private:
    std::optional<std::int64_t> asked_to_close_ns_;
};

} // namespace mpiglut::x11
