#include "program/x_server.h"
#include "child/spawn.h"
#include "link/net.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <random>
#include <string_view>
#include <sys/wait.h>

namespace mpiglut::launcher {

namespace {

constexpr std::chrono::seconds longest_start(20);
constexpr int widest_screen = 32767;
constexpr int most_starts = 3;

std::string sixteen_bytes() {
    std::random_device device;
    std::string bytes;
    for (int i = 0; i < 16; ++i)
        bytes.push_back(static_cast<char>(device()));
    return bytes;
}

const std::string any_host("\xff\xff\0\0", 4); ///< a kind of address, and an address without bytes

/// Lengths are big-endian, 16 bits.
std::string counted(const std::string &text) {
    return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size())} + text;
}

/// The last error in a server's log, or else the last line.
std::string last_trouble(const std::string &path) {
    constexpr std::string_view marks_error = "(EE)";
    std::ifstream file(path);
    std::string last, last_error;
    for (std::string line; std::getline(file, line);) {
        const bool is_error = line.starts_with(marks_error);
        line.erase(0, line.find_first_not_of(" \t", is_error ? marks_error.size() : 0));
        if (!line.empty())
            (is_error ? last_error : last) = line;
    }
    return last_error.empty() ? last : last_error;
}

} // namespace

ServerCommand xvfb(int width, int height, XvfbOf whose) {
    ServerCommand command{.program = "Xvfb", .package = "xvfb"};
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    if (width > widest_screen || height > widest_screen)
        command.error = "the tiles of this host need a screen of " + size + " pixels; an X server has at most 32767x32767";
    command.arguments = {"-screen", "0", size + "x24"};
    if (whose == XvfbOf::tiles)
        command.arguments.insert(command.arguments.end(), {"+extension", "GLX"});
    else {
        // A key that is held down at a tile repeats there. In a replay no time passes between frames.
        command.arguments.emplace_back("-r");
        for (const char *extension : {"GLX", "MIT-SHM", "DRI3", "Present"})
            command.arguments.insert(command.arguments.end(), {"-extension", extension});
    }
    return command;
}

XServer::XServer(Loop &loop, Guard &guard, const std::string &directory, ServerCommand command,
                 std::function<void(Answer)> answer)
    : loop_(loop), guard_(guard), answer_(std::move(answer)), command_(std::move(command)), directory_(directory),
      log_(directory + "/x-server.log") {
    if (!command_.error.empty())
        this->answer({.error = command_.error});
    else if (prepare())
        start();
}

std::string cookie_entry(const std::string &number, const std::string &cookie) {
    return any_host + counted(number) + counted("MIT-MAGIC-COOKIE-1") + counted(cookie);
}

std::string for_this_host(const std::string &entry) {
    if (!entry.starts_with(any_host))
        return entry;
    return std::string("\1\0", 2) + counted(host_name()) + entry.substr(any_host.size());
}

bool XServer::write_cookie(const std::string &path, const std::string &number) const {
    std::ofstream file(path, std::ios::binary); // in a directory that only this user can enter
    file << cookie_entry(number, cookie_);
    return static_cast<bool>(file.flush());
}

XServer::~XServer() {
    loop_.cancel(timer_);
    if (numbers_)
        loop_.forget(numbers_.get());
}

bool XServer::prepare() {
    cookie_ = sixteen_bytes();
    if (write_cookie(directory_ + "/server-authority", ""))
        return true;
    answer({.error = "cannot write '" + directory_ + "/server-authority': " + std::strerror(errno)});
    return false;
}

void XServer::start() {
    ++starts_;
    Pipe pipe = make_pipe();
    Descriptor log(::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    Spawn what{.argv = {command_.program, "-displayfd", std::to_string(pipe.write.get()), "-nolisten", "tcp",
                        "-noreset", "-auth", directory_ + "/server-authority"},
               .environment = own_environment(),
               .out = log.get(),
               .err = log.get(),
               .keep = {pipe.write.get()},
               .group = Group::own_session, // a Ctrl-C is not for it
               .death_signal = SIGTERM};
    what.argv.insert(what.argv.end(), command_.arguments.begin(), command_.arguments.end());
    unset(what.environment, "WAYLAND_SOCKET");
    if (!command_.compositor.empty())
        set(what.environment, "WAYLAND_DISPLAY", command_.compositor);
    Spawned process = spawn(what);
    if (process.pid < 0)
        return answer(
            {.error = "cannot start " + command_.program + ": " + std::strerror(process.error) +
                      (process.error == ENOENT ? " (is the package " + command_.package + " installed?)" : "")});
    pid_ = process.pid;
    guard_.end_server(pid_);
    numbers_ = std::move(pipe.read);
    set_nonblocking(numbers_.get());
    loop_.watch(numbers_.get(), POLLIN, [this](short) { read_number(); });
    timer_ = loop_.after(longest_start, [this] {
        answer({.error = command_.program + " did not come up within " + std::to_string(longest_start.count()) + " seconds"});
    });
}

void XServer::read_number() {
    char bytes[64];
    ssize_t n = ::read(numbers_.get(), bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) // it has ended; its status will say so
        return loop_.forget(numbers_.get());
    number_.append(bytes, static_cast<std::size_t>(n));
    auto end = number_.find('\n');
    if (end == number_.npos)
        return;
    loop_.forget(numbers_.get());
    numbers_.reset();
    std::string display = ":" + number_.substr(0, end);
    guard_.forget_display(display);
    // With its number, so that the cookie is not tried on the user's other displays.
    std::string authority = directory_ + "/Xauthority";
    if (!write_cookie(authority, display.substr(1)))
        return answer({.error = "cannot write '" + authority + "': " + std::strerror(errno)});
    answer({.display = display, .authority = authority});
}

void XServer::answer(Answer what) {
    loop_.cancel(timer_);
    if (auto say = std::move(answer_)) {
        answer_ = nullptr;
        say(std::move(what));
    }
}

bool XServer::ended(int status) {
    pid_ = -1;
    if (!answer_)
        return true;
    // A server may lose a race with others that start, for its keyboard or its number: the next one is alone.
    if (starts_ < most_starts) {
        loop_.cancel(timer_);
        if (numbers_)
            loop_.forget(numbers_.get());
        number_.clear();
        start();
        return false;
    }
    const std::string why = last_trouble(log_);
    answer({.error = command_.program + " " + describe_status(status) + " instead of coming up" +
                     (why.empty() ? "" : ": " + why)});
    return false;
}

std::string XServer::describe_end(int status) const {
    const std::string why = WIFEXITED(status) ? last_trouble(log_) : "";
    return command_.program + " ended: " + describe_status(status) + (why.empty() ? "" : ": " + why);
}

} // namespace mpiglut::launcher
