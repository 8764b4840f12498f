#include "desk/wall_link.h"
#include "child/descriptor.h"

#include <sys/socket.h>

namespace mpiglut::walld {

WallLink::WallLink(Web &web, int fd, std::function<void(launcher::Frame &&)> received, std::function<void()> closed)
    : state_(std::make_shared<State>(State{web, fd, {}, {}, std::move(received), std::move(closed)})) {
    launcher::set_nonblocking(fd);
    web.watch(
        fd, [state = state_] { return read_some(state); }, [state = state_] { write_some(*state); });
}

int WallLink::read_some(const std::shared_ptr<State> &state) {
    ReadingRoom room;
    const auto bytes = receive_some(state->fd, room);
    if (!state->open)
        return -1;
    if (bytes) {
        state->unframer.feed(*bytes);
        while (auto frame = state->unframer.next())
            state->received(std::move(*frame));
        if (!state->unframer.broken())
            return 0;
    }
    state->open = false;
    state->closed();
    return -1;
}

void WallLink::write_some(State &state) {
    if (!state.open)
        return;
    if (!send_some(state.fd, state.queue))
        state.queue.clear(); // the other end has gone; reading says so
    if (!state.queue.empty())
        state.web.want_to_write(state.fd);
}

void WallLink::send(launcher::Type type, std::string_view payload) {
    if (!state_->open)
        return;
    state_->queue.add(launcher::encode(type, payload));
    write_some(*state_);
}

void WallLink::close() {
    if (state_->open)
        ::shutdown(state_->fd, SHUT_RDWR); // it is read once more, and let go of then
    state_->open = false;
}

} // namespace mpiglut::walld
