// Connecting, reading and writing.
#include "system/x11/operations.h"

#include "base/export.h"
#include "base/locks.h"
#include "base/real.h"
#include "base/sockets.h"
#include "files/served.h"
#include "sync/comm.h"
#include "system/x11/requests.h"
#include "system/x11/threads.h"
#include "system/x11/tile_input.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace mpiglut::x11 {
namespace {

constexpr std::int64_t slice_ns = 10'000'000, slice_of_sending_ns = 500'000;
/// Input of other tiles comes by messages, which wake nobody.
constexpr std::int64_t slice_for_input_ns = 1'000'000;

int connections_made = 0; ///< on rank 0, in its order

/// The name of an X server's socket on this host, as a path or in the abstract space.
std::string_view server_name(const sockaddr *address, socklen_t length) {
    constexpr std::string_view begin = "/tmp/.X11-unix/X";
    if (!address || length <= offsetof(sockaddr_un, sun_path) + 1 || address->sa_family != AF_UNIX)
        return {};
    std::string_view name(reinterpret_cast<const sockaddr_un *>(address)->sun_path,
                          length - offsetof(sockaddr_un, sun_path));
    if (name.front() == '\0')
        name.remove_prefix(1);
    name = name.substr(0, name.find('\0'));
    return name.starts_with(begin) ? name : std::string_view();
}

std::int64_t hash_of(std::string_view text) {
    Hash hash;
    hash.add(std::as_bytes(std::span(text)));
    return static_cast<std::int64_t>(hash.value());
}

/// A socket that is connected to nothing takes the descriptor, with the flags that it had.
void stand_in(int fd) {
    int ends[2];
    const int of_file = REAL(fcntl)(fd, F_GETFL), of_descriptor = REAL(fcntl)(fd, F_GETFD);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    REAL(dup2)(ends[0], fd);
    REAL(fcntl)(fd, F_SETFL, of_file);
    REAL(fcntl)(fd, F_SETFD, of_descriptor);
    REAL(close)(ends[0]);
    REAL(close)(ends[1]);
}

int connect_together(int fd, const sockaddr *address, socklen_t length, std::string_view name) {
    begin_wall();
    keep_order();
    Record record{.kind = Kind::connect, .wanted = hash_of(name)};
    if (leads()) {
        end_if_asked();
        const Order now;
        record.result = REAL(connect)(fd, address, length);
        const int error = errno;
        record.connection = static_cast<std::uint16_t>(connections_made);
        if (record.result == 0)
            add(fd, connections_made++);
        errno = error;
        put(record);
    } else {
        record = await_record(record);
        const int error = errno;
        if (record.result == 0) {
            stand_in(fd);
            add(fd, record.connection);
        }
        errno = error;
    }
    return static_cast<int>(record.result);
}

bool blocks(int fd, int flags) { return !(flags & MSG_DONTWAIT) && !(REAL(fcntl)(fd, F_GETFL) & O_NONBLOCK); }

std::int64_t total(const iovec *parts, std::size_t count) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += static_cast<std::int64_t>(parts[i].iov_len);
    return sum;
}

/// Calls `each` with the first `size` bytes of the parts, piece by piece.
template <class Each> void pieces(const iovec *parts, std::size_t count, std::size_t size, Each each) {
    for (std::size_t i = 0; i < count && size > 0; ++i) {
        const std::size_t length = std::min(parts[i].iov_len, size);
        each(std::span(static_cast<std::byte *>(parts[i].iov_base), length));
        size -= length;
    }
}

/// Rank 0: `move` does it without waiting, or fails with EAGAIN; `record_it` puts the record down.
template <class Move, class PutDown> ssize_t lead(int fd, int flags, short event, Move move, PutDown put_down) {
    for (;;) {
        end_if_asked();
        {
            const Order now;
            const ssize_t result = move();
            if (result >= 0 || errno != EAGAIN || !blocks(fd, flags)) {
                const int error = errno;
                put_down(result);
                if (result > 0)
                    note_found();
                errno = error;
                return result;
            }
        }
        pollfd one{fd, event, 0};
        wait_awhile(&one, 1, slice_ns, nullptr);
    }
}

ssize_t receive_together(int fd, const iovec *parts, std::size_t count, int flags) {
    Record record{.kind = Kind::read,
                  .of_any_thread = !locks::ordered,
                  .connection = static_cast<std::uint16_t>(number_of(fd)),
                  .wanted = total(parts, count)};
    msghdr message{};
    message.msg_iov = const_cast<iovec *>(parts);
    message.msg_iovlen = count;
    if (leads())
        return lead(
            fd, flags, POLLIN, [&] { return REAL(recvmsg)(fd, &message, flags | MSG_DONTWAIT); },
            [&](ssize_t result) {
                Payload bytes;
                pieces(parts, count, result > 0 ? static_cast<std::size_t>(result) : 0,
                       [&](auto piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
                record.result = result;
                errno = result < 0 ? errno : 0;
                put(record, bytes);
            });
    record = await_record(record, [&](const Record &, const Payload &bytes) {
        const std::byte *from = bytes.data();
        pieces(parts, count, bytes.size(), [&](auto piece) {
            std::copy_n(from, piece.size(), piece.data());
            from += piece.size();
        });
    });
    return static_cast<ssize_t>(record.result);
}

std::vector<Requests::Word> words_of(int number, const iovec *parts, std::size_t count, std::int64_t size) {
    Requests &requests = requests_of(number);
    std::vector<Requests::Word> words;
    pieces(parts, count, size > 0 ? static_cast<std::size_t>(size) : 0, [&](auto piece) {
        const auto more = requests.add(piece);
        words.insert(words.end(), more.begin(), more.end());
    });
    return words;
}

std::vector<Requests::Word> words_from(const Payload &payload) {
    std::vector<Requests::Word> words(payload.size() / sizeof(Requests::Word));
    copy_payload(payload, std::span(words));
    return words;
}

ssize_t send_together(int fd, const iovec *parts, std::size_t count, int flags) {
    const int number = number_of(fd);
    Record record{.kind = Kind::write, .connection = static_cast<std::uint16_t>(number), .wanted = total(parts, count)};
    msghdr message{};
    message.msg_iov = const_cast<iovec *>(parts);
    message.msg_iovlen = count;
    if (leads())
        return lead(
            fd, flags, POLLOUT, [&] { return REAL(sendmsg)(fd, &message, flags | MSG_DONTWAIT); },
            [&](ssize_t result) {
                const int error = errno;
                const auto words = words_of(number, parts, count, result);
                record.result = result;
                errno = error;
                put(record, bytes_of(words));
            });
    const auto use = [&](const Record &theirs, const Payload &words) {
        const std::uint64_t before = requests_of(number).complete();
        report_difference(number, before, words_of(number, parts, count, theirs.result), words_from(words));
    };
    const auto explain = [&](const Payload &words) {
        const std::uint64_t before = requests_of(number).complete();
        return first_difference(number, before, words_of(number, parts, count, record.wanted), words_from(words));
    };
    return static_cast<ssize_t>(await_record(record, use, explain).result);
}

int available_together(int fd, void *answer) {
    int bytes = 0;
    Record record{.kind = Kind::available, .connection = static_cast<std::uint16_t>(number_of(fd))};
    if (leads()) {
        const Order now;
        record.result = REAL(ioctl)(fd, FIONREAD, &bytes);
        record.detail = static_cast<std::uint32_t>(bytes);
        put(record);
    } else {
        record = await_record(record);
    }
    if (record.result == 0 && answer) {
        bytes = static_cast<int>(record.detail);
        std::memcpy(answer, &bytes, sizeof bytes);
    }
    return static_cast<int>(record.result);
}

/// `ask` is getsockname or getpeername.
template <class Ask> int name_together(int fd, sockaddr *address, socklen_t *length, bool of_peer, Ask ask) {
    Record record{.kind = Kind::name, .connection = static_cast<std::uint16_t>(number_of(fd)), .wanted = of_peer};
    sockaddr_storage name{};
    socklen_t known = sizeof name;
    if (leads()) {
        const Order now;
        record.result = ask(fd, reinterpret_cast<sockaddr *>(&name), &known);
        put(record, std::as_bytes(std::span(&name, 1)).first(record.result == 0 ? known : 0));
    } else {
        record = await_record(record, [&](const Record &, const Payload &bytes) {
            known = static_cast<socklen_t>(std::min(bytes.size(), sizeof name));
            copy_payload(bytes, std::span(&name, 1));
        });
    }
    if (record.result == 0 && address && length) {
        std::memcpy(address, &name, std::min(*length, known));
        *length = known;
    }
    return static_cast<int>(record.result);
}

} // namespace

bool is_recorded(int fd) {
    if (what_is(fd) == What::other || Ours::here() || !at_work())
        return false;
    leave_if_over();
    return !is_over();
}

int wait_awhile(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask) {
    end_if_asked();
    return rest_awhile(descriptors, count, ns, mask);
}

int rest_awhile(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask) {
    comm::pump();
    pass_input_on();
    const std::int64_t longest = !comm::flushed()                 ? slice_of_sending_ns
                                 : leads() && passes_input_on() ? slice_for_input_ns
                                                                : slice_ns;
    const std::int64_t slice = ns < 0 ? longest : std::min(ns, longest);
    const timespec time{slice / 1'000'000'000, slice % 1'000'000'000};
    std::vector<pollfd> all(descriptors, descriptors + count);
    for (const int fd : input_descriptors())
        all.push_back({fd, POLLIN, 0});
    const std::int64_t begun = clock::real_monotonic_ns();
    const int ready = REAL(ppoll)(all.data(), all.size(), &time, mask);
    const int error = errno;
    note_waited(std::min(clock::real_monotonic_ns() - begun, slice)); // a busy machine may have taken longer
    errno = error;
    return ready;
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

bool mpiglut::sockets::receive(int fd, const iovec *parts, std::size_t count, int flags, ssize_t &result) {
    if (!x11::is_recorded(fd))
        return false;
    result = x11::receive_together(fd, parts, count, flags);
    x11::note_read(result >= 0 || errno != EAGAIN);
    return true;
}

MPIGLUT_EXPORT int connect(int fd, const sockaddr *address, socklen_t length) {
    const auto name = x11::server_name(address, length);
    if (name.empty())
        return mpiglut::files::connect(__builtin_return_address(0), fd, address, length);
    if (!x11::active() || x11::Ours::here() || !x11::at_work() || x11::is_over())
        return REAL(connect)(fd, address, length);
    return x11::connect_together(fd, address, length, name);
}

MPIGLUT_EXPORT int close(int fd) {
    x11::forget(fd);
    return REAL(close)(fd);
}

MPIGLUT_EXPORT int dup(int fd) noexcept {
    const int made = REAL(dup)(fd);
    x11::duplicate(fd, made);
    return made;
}

MPIGLUT_EXPORT int dup2(int fd, int as) noexcept {
    const int made = REAL(dup2)(fd, as);
    x11::duplicate(fd, made);
    return made;
}

MPIGLUT_EXPORT int dup3(int fd, int as, int flags) noexcept {
    const int made = REAL(dup3)(fd, as, flags);
    x11::duplicate(fd, made);
    return made;
}

MPIGLUT_EXPORT ssize_t readv(int fd, const iovec *parts, int count) {
    ssize_t result = 0;
    if (mpiglut::sockets::any && count > 0 &&
        mpiglut::sockets::receive(fd, parts, static_cast<std::size_t>(count), 0, result))
        return result;
    return REAL(readv)(fd, parts, count);
}

MPIGLUT_EXPORT ssize_t write(int fd, const void *buffer, std::size_t size) {
    const iovec part{const_cast<void *>(buffer), size};
    return x11::is_recorded(fd) ? x11::send_together(fd, &part, 1, 0) : REAL(write)(fd, buffer, size);
}

MPIGLUT_EXPORT ssize_t writev(int fd, const iovec *parts, int count) {
    return x11::is_recorded(fd) && count > 0 ? x11::send_together(fd, parts, static_cast<std::size_t>(count), 0)
                                             : REAL(writev)(fd, parts, count);
}

MPIGLUT_EXPORT ssize_t send(int fd, const void *buffer, std::size_t size, int flags) {
    const iovec part{const_cast<void *>(buffer), size};
    return x11::is_recorded(fd) ? x11::send_together(fd, &part, 1, flags) : REAL(send)(fd, buffer, size, flags);
}

MPIGLUT_EXPORT ssize_t sendto(int fd, const void *buffer, std::size_t size, int flags, const sockaddr *to,
                              socklen_t length) {
    const iovec part{const_cast<void *>(buffer), size};
    return x11::is_recorded(fd) ? x11::send_together(fd, &part, 1, flags)
                                : REAL(sendto)(fd, buffer, size, flags, to, length);
}

MPIGLUT_EXPORT ssize_t sendmsg(int fd, const msghdr *message, int flags) {
    return x11::is_recorded(fd) && message ? x11::send_together(fd, message->msg_iov, message->msg_iovlen, flags)
                                           : REAL(sendmsg)(fd, message, flags);
}

MPIGLUT_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    void *const argument = va_arg(rest, void *);
    va_end(rest);
    return request == FIONREAD && x11::is_recorded(fd) ? x11::available_together(fd, argument)
                                                       : REAL(ioctl)(fd, request, argument);
}

MPIGLUT_EXPORT int getsockname(int fd, sockaddr *address, socklen_t *length) noexcept {
    return x11::is_recorded(fd) ? x11::name_together(fd, address, length, false, REAL(getsockname))
                                : REAL(getsockname)(fd, address, length);
}

MPIGLUT_EXPORT int getpeername(int fd, sockaddr *address, socklen_t *length) noexcept {
    return x11::is_recorded(fd) ? x11::name_together(fd, address, length, true, REAL(getpeername))
                                : REAL(getpeername)(fd, address, length);
}
