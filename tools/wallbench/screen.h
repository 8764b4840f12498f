// An X display to measure on, and key presses on it.
#pragma once

#include "child.h"

#include <optional>
#include <string>

class TestScreen {
  public:
    /// `name`: an X display to use, or empty for our own Xvfb. Throws std::runtime_error.
    explicit TestScreen(const std::string &name);
    ~TestScreen();
    TestScreen(const TestScreen &) = delete;
    TestScreen &operator=(const TestScreen &) = delete;

    const std::string &name() const { return name_; }
    /// Puts the pointer into the first window that is shown, so that keys go there.
    void point_at_window();
    /// Presses and releases a key; the time right before.
    std::int64_t press();
    /// The same with the first button of the mouse.
    std::int64_t click();

  private:
    std::string name_;
    std::optional<Child> xvfb_;
    struct _XDisplay *display_ = nullptr;
};
