// Errors of an X server that the library expects.
#pragma once

#include <X11/Xlib.h>

#include <mutex>

namespace mpiglut {

/// While it lives, errors of this connection end nothing, and are noted. Those of other connections still go to the
/// program's handler. One thread at a time: Xlib has one handler of errors.
class QuietErrors {
  public:
    explicit QuietErrors(Display *display);
    ~QuietErrors();
    QuietErrors(const QuietErrors &) = delete;
    QuietErrors &operator=(const QuietErrors &) = delete;
    /// Asks the server: the code of the first error that has come, or 0.
    int error() const;
    bool refused() const { return error() != 0; }

  private:
    std::unique_lock<std::recursive_mutex> lock_;
    Display *display_, *outer_; ///< of the one around this one
    XErrorHandler before_;
};

} // namespace mpiglut
