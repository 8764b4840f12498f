#include "child/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <termios.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_report = 1u << 20;

/// Reads what there is without waiting: more than 0, 0 at the end, -1 when there is nothing now.
ssize_t read_now(int fd, char *bytes, std::size_t size) {
    ssize_t n;
    while ((n = ::read(fd, bytes, size)) < 0 && errno == EINTR) {
    }
    return n >= 0 ? n : errno == EAGAIN ? -1 : 0; // EIO: a pseudo terminal's other end is closed
}

} // namespace

Child::Channel Child::output_channel(bool terminal) {
    if (terminal) {
        Descriptor near(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
        if (near && ::grantpt(near.get()) == 0 && ::unlockpt(near.get()) == 0)
            if (const char *path = ::ptsname(near.get())) {
                Descriptor far(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
                termios settings{};
                if (far && ::tcgetattr(far.get(), &settings) == 0) {
                    ::cfmakeraw(&settings); // bytes go through unchanged; the real terminal adds its carriage returns
                    ::tcsetattr(far.get(), TCSANOW, &settings);
                    return {std::move(near), std::move(far)};
                }
            }
    }
    Pipe pipe = make_pipe();
    return {std::move(pipe.read), std::move(pipe.write)};
}

Child::Child(Loop &loop, Listener listener, std::array<bool, 2> terminal)
    : loop_(loop), listener_(std::move(listener)) {
    for (std::size_t i = 0; i < streams_.size(); ++i)
        streams_[i] = output_channel(terminal[i]);
    Pipe input = make_pipe(), report = make_pipe();
    input_ = {std::move(input.write), std::move(input.read)};
    report_ = {std::move(report.read), std::move(report.write)};
    for (Channel *channel : {&streams_[0], &streams_[1], &input_, &report_})
        set_nonblocking(channel->near.get());
}

Child::~Child() {
    for (const Channel *channel : {&streams_[0], &streams_[1], &input_, &report_})
        loop_.forget(channel->near.get());
}

Spawned Child::start(const std::vector<std::string> &argv, const std::vector<std::string> &environment,
                     const std::string &directory, const std::vector<int> &inherited) {
    std::vector<int> keep{report_.far.get()};
    std::ranges::copy_if(inherited, std::back_inserter(keep), [](int fd) { return fd >= 0; });
    Spawned process = spawn({.argv = argv,
                             .environment = environment,
                             .directory = directory,
                             .in = input_.far.get(),
                             .out = streams_[0].far.get(),
                             .err = streams_[1].far.get(),
                             .keep = keep,
                             .death_signal = SIGKILL,
                             .fixed_addresses = true}); // seeds made from addresses agree
    for (Channel *channel : {&streams_[0], &streams_[1], &input_, &report_})
        channel->far.reset();
    if (process.pid < 0)
        return process;
    pid_ = process.pid;
    watch_output(1);
    watch_output(2);
    loop_.watch(report_.near.get(), POLLIN, [this](short) {
        if (!read_report())
            loop_.forget(report_.near.get());
    });
    loop_.watch(input_.near.get(), 0, [this](short) { write_input(); });
    return process;
}

void Child::watch_output(int stream) {
    int fd = streams_[static_cast<std::size_t>(stream - 1)].near.get();
    loop_.watch(fd, POLLIN, [this, stream, fd](short) {
        if (!read_output(stream))
            loop_.forget(fd);
    });
}

bool Child::read_output(int stream) {
    const Descriptor &near = streams_[static_cast<std::size_t>(stream - 1)].near;
    char bytes[16384];
    ssize_t n = near ? read_now(near.get(), bytes, sizeof bytes) : 0;
    if (n > 0)
        listener_.output(stream, {bytes, static_cast<std::size_t>(n)});
    return n != 0;
}

bool Child::read_report() {
    char bytes[4096];
    ssize_t n = read_now(report_.near.get(), bytes, sizeof bytes);
    if (report_line_.size() > longest_report) // no line of the library
        report_line_.clear();
    report_line_.append(bytes, static_cast<std::size_t>(n > 0 ? n : 0));
    for (std::size_t end; (end = report_line_.find('\n')) != std::string::npos; report_line_.erase(0, end + 1)) {
        std::string line = report_line_.substr(0, end);
        auto space = line.find(' ');
        std::string kind = line.substr(0, space);
        if (kind.ends_with(':'))
            kind.pop_back();
        listener_.report(kind, space == line.npos ? "" : line.substr(space + 1));
    }
    return n != 0;
}

void Child::ended() {
    ended_ = true;
    // Not until the end of file: what the program leaves running in the background may hold the streams open. What it
    // wrote itself is there now, 64 KiB for each at most.
    for (int stream : {1, 2}) {
        const Descriptor &near = streams_[static_cast<std::size_t>(stream - 1)].near;
        char bytes[16384];
        ssize_t n;
        for (std::size_t sum = 0; near && sum < (1u << 20) && (n = read_now(near.get(), bytes, sizeof bytes)) > 0;
             sum += static_cast<std::size_t>(n))
            listener_.output(stream, {bytes, static_cast<std::size_t>(n)});
    }
    pollfd more{report_.near.get(), POLLIN, 0};
    while (::poll(&more, 1, 0) == 1 && (more.revents & POLLIN) && read_report()) {
    }
}

void Child::signal(int number) {
    if (!running())
        return;
    signalled_ = true;
    ::kill(-pid_, number);
    if (number != SIGKILL && number != SIGSTOP)
        ::kill(-pid_, SIGCONT); // a stopped program would not notice
}

void Child::input(std::string_view bytes) {
    waiting_input_.append(bytes);
    write_input();
}

void Child::end_input() {
    input_ending_ = true;
    write_input();
}

void Child::write_input() {
    std::size_t taken = 0;
    while (input_.near && taken < waiting_input_.size()) {
        ssize_t n = ::write(input_.near.get(), waiting_input_.data() + taken, waiting_input_.size() - taken);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) { // the program reads no more: the rest goes where it would go without us, nowhere
            loop_.forget(input_.near.get());
            input_.near.reset();
            break;
        }
        taken += static_cast<std::size_t>(n);
    }
    if (!input_.near)
        taken = waiting_input_.size();
    waiting_input_.erase(0, taken);
    if (taken)
        listener_.input_taken(taken);
    if (waiting_input_.empty() && input_ending_ && input_.near) {
        loop_.forget(input_.near.get());
        input_.near.reset();
    }
    if (input_.near)
        loop_.wait_for(input_.near.get(), waiting_input_.empty() ? 0 : POLLOUT);
}

void Child::pause_output(bool paused) {
    for (const Channel &stream : streams_)
        loop_.wait_for(stream.near.get(), paused ? 0 : POLLIN);
}

void Child::close_output(int stream) {
    Descriptor &near = streams_[static_cast<std::size_t>(stream - 1)].near;
    if (near)
        loop_.forget(near.get());
    near.reset();
}

} // namespace mpiglut::launcher
