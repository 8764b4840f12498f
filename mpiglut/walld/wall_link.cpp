#include "wall_link.h"
#include "descriptor.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace mpiglut::walld {

WallLink::WallLink(Web &web, int fd, std::function<void(launcher::Frame &&)> received, std::function<void()> closed)
    : state_(std::make_shared<State>(State{web, fd, {}, {}, std::move(received), std::move(closed)})) {
    launcher::set_nonblocking(fd);
    web.watch(
        fd, [state = state_] { return read_some(state); }, [state = state_] { write_some(*state); });
}

int WallLink::read_some(const std::shared_ptr<State> &state) {
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(state->fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (!state->open)
        return -1;
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (count > 0) {
        state->unframer.feed({bytes.data(), static_cast<std::size_t>(count)});
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
    if (!state.open || state.queue.empty())
        return;
    const ssize_t count = ::send(state.fd, state.queue.data(), state.queue.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0)
        state.queue.erase(0, static_cast<std::size_t>(count));
    if (!state.queue.empty())
        state.web.want_to_write(state.fd);
}

void WallLink::send(launcher::Type type, std::string_view payload) {
    if (!state_->open)
        return;
    state_->queue += launcher::encode(type, payload);
    write_some(*state_);
}

void WallLink::close() {
    if (state_->open)
        ::shutdown(state_->fd, SHUT_RDWR); // it is read once more, and let go of then
    state_->open = false;
}

} // namespace mpiglut::walld
