// A hand at the screens: pointer and keys of an X display, through the XTEST extension.
#pragma once

#include <string>

struct _XDisplay;

namespace wall_test {

class Hand {
  public:
    explicit Hand(const std::string &display);
    ~Hand();
    Hand(const Hand &) = delete;
    Hand &operator=(const Hand &) = delete;

    bool ready() const { return display_ != nullptr; } ///< the display is there and has XTEST
    void move(int x, int y);
    void move_by(int x, int y);
    bool is_at(int x, int y); ///< also after others have moved the pointer
    void press(int button);
    void release(int button);
    void key(const char *name, bool down); ///< "a", "F1", "Shift_L"
    void click(int button) { press(button), release(button); }
    /// As window managers do: a window that is not the wall's has the keyboard until another one asks for it.
    void give_keyboard_away();
    /// Windows of this size that window managers leave alone.
    int windows_left_alone(int width, int height);
    void type(const char *name) { key(name, true), key(name, false); }

  private:
    _XDisplay *display_;
};

} // namespace wall_test
