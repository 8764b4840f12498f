// A send and a receive as one request, which is over when both are (Sendrecv). Each of them moves along as any other
// message does.
#pragma once

#include "request/message.h"

#include <algorithm>
#include <array>

namespace pixmpi {

class Exchange final : public Request {
  public:
    /// `replaces`: the receive writes over what the send reads.
    Exchange(const std::shared_ptr<Send> &out, std::shared_ptr<Receive> in, bool replaces)
        : receive_(*in), both_{out, std::move(in)}, surfaces_{both_[0]->surface, both_[1]->surface} {
        if (replaces)
            receive_.overwrite(out);
    }

    Status check_start() const override {
        for (const auto &one : both_)
            if (const Status failed = one->check_start())
                return failed;
        return PIXMPI_SUCCESS;
    }
    /// The receive is posted first, so that what this rank sends to itself finds it. As long as it is active it writes to
    /// the program's memory: so where the send cannot be started, the request is over when the receive is.
    Status begin(Runtime &runtime) override {
        for (const auto &one : both_)
            one->blocking = blocking;
        if (const Status failed = start(runtime, both_[1]))
            return failed;
        state = State::active;
        if (const Status failed = start(runtime, both_[0])) {
            error = last_error(failed);
            receive_.before.reset();
            (void)receive_.cancel();
        }
        return PIXMPI_SUCCESS;
    }
    void undo(Runtime &) override {} // begin() fails before anything is under way
    void advance(Runtime &, bool &moved) override {
        if (std::any_of(both_.begin(), both_.end(), [](const auto &one) { return one->state == State::active; }))
            return;
        moved = true;
        for (const auto &one : both_)
            if (!error.code)
                error = one->error;
        arrival = receive_.arrival;
        state = State::complete;
    }
    const Device *lacks() const override {
        for (const auto &one : both_)
            if (state == State::active ? stuck(*one) : one->lacks() != nullptr)
                return one->lacks();
        return nullptr;
    }
    Pause pause() const override { return receive_.pause(); }
    void await() override {
        for (const auto &one : both_)
            one->await();
    }
    Status cancel() override {
        return fail(PIXMPI_ERR_REQUEST, "request: sends as well as receives, and a send cannot be cancelled");
    }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return surfaces_; }

  private:
    Receive &receive_;
    const std::array<std::shared_ptr<Message>, 2> both_; ///< the send, the receive
    const std::array<std::shared_ptr<Surface>, 2> surfaces_;
};

} // namespace pixmpi
