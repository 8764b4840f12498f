// FreeGLUT as the window system of a wall.
#pragma once

#include "model/window/window_system.h"

namespace mpiglut::glut {

class System : public WindowSystem {
  public:
    System(int *argc, char **argv) : argc_(argc), argv_(argv) {}

    void open() override;
    void close() override;
    void screen_size(int &width, int &height) override;
    void receive_events() override;
    int descriptor() override;
    void settle() override;
    int current() override;
    void make_current(int window) override;
    void create(Window &window, const std::string &title, const pixmpi::Rect &place) override;
    void listen(Window &window) override;
    void destroy(Window &window) override;
    void move(const Window &window, const pixmpi::Rect &place, bool shown) override;
    void show(const Window &window) override;
    void engage_swap_control(Window &window) override;
    Pointer pointer_in(const Window &window) override;
    void tells(const Event &event) override;
    void make_menu_current(int menu) override;

  private:
    int *argc_;
    char **argv_;
};

} // namespace mpiglut::glut
