#include "base/x_errors.h"

#include <atomic>

namespace mpiglut {
namespace {

std::atomic<Display *> watched{nullptr};
std::atomic<int> error_code{0};
std::atomic<XErrorHandler> handler_of_program{nullptr};

std::recursive_mutex &one_at_a_time() {
    static auto *const mutex = new std::recursive_mutex; // exit handlers of the program draw, too
    return *mutex;
}

// Other threads of the program may run into it meanwhile.
int note_error(Display *display, XErrorEvent *error) {
    if (display != watched) {
        const XErrorHandler handler = handler_of_program;
        return handler ? handler(display, error) : 0;
    }
    if (!error_code)
        error_code = error->error_code;
    return 0;
}

} // namespace

// What came before belongs to the handler before.
QuietErrors::QuietErrors(Display *display) : lock_(one_at_a_time()), display_(display), outer_(watched) {
    XSync(display, False);
    watched = display;
    before_ = XSetErrorHandler(note_error);
    if (before_ != note_error)
        handler_of_program = before_;
    error_code = 0;
}

QuietErrors::~QuietErrors() {
    XSync(display_, False);
    XSetErrorHandler(before_);
    watched = outer_;
}

int QuietErrors::error() const {
    XSync(display_, False);
    return error_code;
}

} // namespace mpiglut
