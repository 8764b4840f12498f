#include "request/exchange.h"

#include <algorithm>

namespace pixmpi {

Status Exchange::check_start() const {
    for (const auto &one : both_)
        if (const Status failed = one->check_start())
            return failed;
    return PIXMPI_SUCCESS;
}

// The receive is posted first, so that what this rank sends to itself finds it. As long as it is active it writes to
// the program's memory: so where the send cannot be started, the request is over when the receive is.
Status Exchange::begin(Runtime &runtime) {
    for (const auto &one : both_)
        one->blocking = blocking;
    if (const Status failed = start(runtime, both_[1]))
        return failed;
    state = State::active;
    if (const Status failed = start(runtime, both_[0])) {
        error = last_error(failed);
        receive().before.reset();
        (void)receive().cancel();
    }
    return PIXMPI_SUCCESS;
}

void Exchange::advance(Runtime &, bool &moved) {
    if (std::any_of(both_.begin(), both_.end(), [](const auto &one) { return one->state == State::active; }))
        return;
    moved = true;
    for (const auto &one : both_)
        if (!error.code)
            error = one->error;
    arrival = receive().arrival;
    state = State::complete;
}

const Device *Exchange::lacks() const {
    for (const auto &one : both_)
        if (state == State::active ? stuck(*one) : one->lacks() != nullptr)
            return one->lacks();
    return nullptr;
}

} // namespace pixmpi
