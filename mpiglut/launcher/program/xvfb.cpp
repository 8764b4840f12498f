#include "program/xvfb.h"
#include "child/spawn.h"
#include "link/net.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <random>
#include <sstream>

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

std::string last_line(const std::string &path) {
    std::ifstream file(path);
    std::string last;
    for (std::string line; std::getline(file, line);)
        if (line.find_first_not_of(" \t") != line.npos)
            last = line;
    return last;
}

} // namespace

Xvfb::Xvfb(Loop &loop, Guard &guard, const std::string &directory, int width, int height, Of whose,
           std::function<void(Answer)> answer)
    : loop_(loop), guard_(guard), answer_(std::move(answer)), directory_(directory), width_(width), height_(height),
      whose_(whose) {
    if (width > widest_screen || height > widest_screen)
        this->answer({.error = "the tiles of this host need a screen of " + std::to_string(width) + "x" +
                               std::to_string(height) + " pixels; an X server has at most 32767x32767"});
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

bool Xvfb::write_cookie(const std::string &path, const std::string &number) const {
    std::ofstream file(path, std::ios::binary); // in a directory that only this user can enter
    file << cookie_entry(number, cookie_);
    return static_cast<bool>(file.flush());
}

Xvfb::~Xvfb() {
    loop_.cancel(timer_);
    if (numbers_)
        loop_.forget(numbers_.get());
}

bool Xvfb::prepare() {
    cookie_ = sixteen_bytes();
    if (write_cookie(directory_ + "/server-authority", ""))
        return true;
    answer({.error = "cannot write '" + directory_ + "/server-authority': " + std::strerror(errno)});
    return false;
}

void Xvfb::start() {
    ++starts_;
    Pipe pipe = make_pipe();
    Descriptor log(::open((directory_ + "/xvfb.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    std::string screen = std::to_string(width_) + "x" + std::to_string(height_) + "x24";
    Spawn what{.argv = {"Xvfb", "-displayfd", std::to_string(pipe.write.get()), "-nolisten", "tcp", "-noreset", "-auth",
                        directory_ + "/server-authority", "-screen", "0", screen},
               .environment = own_environment(),
               .out = log.get(),
               .err = log.get(),
               .keep = {pipe.write.get()},
               .group = Group::own_session, // a Ctrl-C is not for it
               .death_signal = SIGTERM};
    if (whose_ == Of::tiles)
        what.argv.insert(what.argv.end(), {"+extension", "GLX"});
    else
        for (const char *extension : {"GLX", "MIT-SHM", "DRI3", "Present"})
            what.argv.insert(what.argv.end(), {"-extension", extension});
    Spawned process = spawn(what);
    if (process.pid < 0)
        return answer({.error = std::string("cannot start Xvfb: ") + std::strerror(process.error) +
                                (process.error == ENOENT ? " (is the package xvfb installed?)" : "")});
    pid_ = process.pid;
    guard_.end_server(pid_);
    numbers_ = std::move(pipe.read);
    set_nonblocking(numbers_.get());
    loop_.watch(numbers_.get(), POLLIN, [this](short) { read_number(); });
    timer_ = loop_.after(longest_start, [this] {
        answer({.error = "Xvfb did not come up within " + std::to_string(longest_start.count()) + " seconds"});
    });
}

void Xvfb::read_number() {
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

void Xvfb::answer(Answer what) {
    loop_.cancel(timer_);
    if (auto say = std::move(answer_)) {
        answer_ = nullptr;
        say(std::move(what));
    }
}

bool Xvfb::ended(int status) {
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
    std::string why = last_line(directory_ + "/xvfb.log");
    answer({.error = "Xvfb " + describe_status(status) + " instead of coming up" + (why.empty() ? "" : ": " + why)});
    return false;
}

} // namespace mpiglut::launcher
