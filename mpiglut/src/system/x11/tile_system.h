// The window system of programs that use X11 without GLUT: their windows are on the wall's X server.
#pragma once

#include "model/window_system.h"

namespace mpiglut::x11 {

/// Joins the wall, the first time; in the thread of the ticks from then on. Without effect where no X11 program was
/// launched.
void begin_wall();

class System : public WindowSystem {
  public:
    void open() override {}
    void close() override {}
    void screen_size(int &width, int &height) override;
    void take_in() override {}
    int descriptor() override { return -1; }
    void settle() override {}
    int current() override { return 0; }
    void make_current(int) override {}
    void create(Window &, const std::string &, const pixmpi::Rect &) override {}
    void listen(Window &) override {}
    void destroy(Window &) override {}
    void move(const Window &, const pixmpi::Rect &, bool) override {}
    void show(const Window &) override {}
    void engage_swap_control(Window &) override {}
    Pointer pointer_in(const Window &) override { return {}; }
    void tells(const Event &) override {}
    void make_menu_current(int) override {}
};

} // namespace mpiglut::x11
