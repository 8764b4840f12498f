// What an X display shows, and a hand at its windows. There is no window manager: windows are children of the root.
#pragma once

#include <string>

struct _XDisplay;

class ScreenView {
  public:
    explicit ScreenView(const std::string &display);
    ~ScreenView();
    ScreenView(const ScreenView &) = delete;
    ScreenView &operator=(const ScreenView &) = delete;

    bool ready() const { return display_ != nullptr; }
    /// Pixels of a rectangle that are not black.
    int lit(int x, int y, int width, int height) const;
    /// The first window that is shown, and nothing if there is none.
    void resize_window(int width, int height);
    /// As its close button does.
    void close_window();
    /// A key of an unshifted character, as if it were pressed in the window and released.
    void type(char key);
    /// In the window's title bar, if there were one.
    std::string title() const;

  private:
    unsigned long window() const;
    _XDisplay *display_;
};
