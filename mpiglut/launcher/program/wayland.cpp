#include "program/wayland.h"
#include "child/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr std::chrono::seconds longest_help(10);
constexpr std::string_view session_of_user = "wayland";

// Wayland's protocol: an object's number, then size and opcode, then arguments in units of four bytes.
constexpr std::uint32_t wl_display = 1, registry = 2, display_sync = 0, display_get_registry = 1, registry_bind = 0;
constexpr std::uint32_t display_error = 0, registry_global = 0, output_geometry = 0, output_mode = 1, output_name = 4;
constexpr std::uint32_t newest_output = 4, current_mode = 1;
constexpr std::size_t head_bytes = 8, words_before_maker = 5;

std::string word(std::uint32_t value) { return {reinterpret_cast<const char *>(&value), sizeof value}; }

std::string text(const std::string &value) {
    std::string bytes = word(static_cast<std::uint32_t>(value.size() + 1)) + value + '\0';
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
}

std::uint32_t take_word(std::string_view &bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    bytes.remove_prefix(std::min(bytes.size(), sizeof value));
    return value;
}

std::string take_text(std::string_view &bytes) {
    const std::size_t size = std::min<std::size_t>(take_word(bytes), bytes.size());
    const std::string value(bytes.substr(0, size ? size - 1 : 0)); // without the final zero
    bytes.remove_prefix(std::min((size + 3) / 4 * 4, bytes.size()));
    return value;
}

/// Of "wayland-0/HDMI-A-1": "wayland-0", and "HDMI-A-1".
std::string session_of(const std::string &display) { return display.substr(0, display.find('/')); }
std::string monitor_of(const std::string &display) {
    return display.substr(std::min(display.find('/'), display.size() - 1) + 1);
}

std::string socket_of(const std::string &session) {
    const char *const folder = std::getenv("XDG_RUNTIME_DIR"), *const own = std::getenv("WAYLAND_DISPLAY");
    const std::string name = session != session_of_user ? session : own && *own ? own : "wayland-0";
    if (name.starts_with('/'))
        return name;
    return (folder && *folder ? folder : "/run/user/" + std::to_string(::getuid())) + "/" + name;
}

std::string trouble_with(const std::string &display, const std::string &what) {
    return "display '" + display + "': " + what;
}

bool has_option(const std::string &help, const std::string &option) {
    return help.find("\n" + option + " ") != help.npos;
}

std::string names_of(const std::vector<Monitor> &monitors) {
    std::string names;
    for (const Monitor &monitor : monitors)
        names += (names.empty() ? "" : ", ") + (monitor.name.empty() ? "one without a name" : monitor.name);
    return names;
}

} // namespace

std::string own_display() {
    const char *const x = std::getenv("DISPLAY"), *const wayland = std::getenv("WAYLAND_DISPLAY");
    return x && *x ? x : wayland && *wayland ? std::string(session_of_user) : "";
}

ServerCommand xwayland(const std::string &display, const std::vector<Monitor> &monitors, const std::string &help,
                       std::string &note) {
    ServerCommand command{.program = "Xwayland", .package = "xwayland", .compositor = socket_of(session_of(display))};
    const auto refuse = [&](const std::string &why) {
        command.error = trouble_with(display, why);
        return command;
    };
    const std::string wanted = monitor_of(display);
    const auto monitor = std::ranges::find_if(
        monitors, [&](const Monitor &one) { return wanted.empty() || one.name.empty() || one.name == wanted; });
    if (monitor == monitors.end())
        return refuse(monitors.empty() ? "the Wayland session has no monitor"
                                       : "no such monitor; the Wayland session has " + names_of(monitors));
    if (monitor->width <= 0 || monitor->height <= 0)
        return refuse("the Wayland session does not say how large the monitor is");
    if (help.empty())
        return refuse("Xwayland cannot be started (is the package xwayland installed?)");
    const bool names_monitor = monitors.size() > 1 && has_option(help, "-output");
    if (monitors.size() > 1 && !has_option(help, "-fullscreen"))
        return refuse("the Xwayland of this host is older than 23.1 and cannot choose one of several monitors (" +
                      names_of(monitors) + ")");
    if (!wanted.empty() && monitors.size() > 1 && !names_monitor)
        return refuse("the Xwayland of this host is older than 24.1 and cannot choose a monitor by its name");
    if (has_option(help, "-fullscreen"))
        command.arguments = {"-fullscreen", "-geometry",
                             std::to_string(monitor->width) + "x" + std::to_string(monitor->height)};
    else
        note = trouble_with(display, "the Xwayland of this host is older than 23.1 and cannot cover a monitor by itself;"
                                     " a kiosk compositor shows it so (cage, weston --shell=kiosk-shell.so)");
    if (const std::string name = monitor->name.empty() ? wanted : monitor->name; names_monitor && !name.empty())
        command.arguments.insert(command.arguments.end(), {"-output", name});
    return command;
}

WaylandSession::WaylandSession(Loop &loop, std::string display, std::chrono::seconds longest,
                               std::function<void(ServerCommand, std::string)> done)
    : loop_(loop), display_(std::move(display)), path_(socket_of(session_of(display_))), done_(std::move(done)) {
    const std::string error = connect(path_);
    timer_ = loop_.after(error.empty() ? longest : std::chrono::seconds(0), [this, error] {
        answer(error.empty() ? "the Wayland compositor at '" + path_ + "' does not answer" : error);
    });
    if (!error.empty())
        return;
    loop_.watch(socket_.get(), POLLIN, [this](short) { read(); });
    request(wl_display, display_get_registry, word(registry));
    waits_for_ = ++next_object_;
    request(wl_display, display_sync, word(waits_for_));
}

WaylandSession::~WaylandSession() {
    loop_.cancel(timer_);
    if (socket_)
        loop_.forget(socket_.get());
}

/// Why that fails.
std::string WaylandSession::connect(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return "'" + path + "' is too long for the name of a socket";
    path.copy(address.sun_path, path.size());
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return {};
    const std::string why = std::strerror(errno);
    socket_.reset();
    return "no Wayland compositor at '" + path + "': " + why;
}

/// A few bytes, for which a new socket has room.
void WaylandSession::request(std::uint32_t object, std::uint32_t opcode, const std::string &arguments) {
    const std::string bytes =
        word(object) + word(static_cast<std::uint32_t>(head_bytes + arguments.size()) << 16 | opcode) + arguments;
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
        waits_for_ = 0; // the compositor has closed it, as reading says, or the time will be over
}

void WaylandSession::read() {
    std::array<char, 4096> some;
    const ssize_t n = ::recv(socket_.get(), some.data(), some.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        return answer("the Wayland compositor at '" + path_ + "' has closed the connection");
    bytes_.append(some.data(), static_cast<std::size_t>(n));
    while (bytes_.size() >= head_bytes && done_) {
        std::string_view head(bytes_);
        const std::uint32_t object = take_word(head), size_and_opcode = take_word(head);
        const std::size_t size = size_and_opcode >> 16;
        if (size < head_bytes)
            return answer("what answers at '" + path_ + "' is no Wayland compositor");
        if (bytes_.size() < size)
            return;
        const std::string arguments = bytes_.substr(head_bytes, size - head_bytes);
        bytes_.erase(0, size);
        receive(object, size_and_opcode & 0xffff, arguments);
    }
}

void WaylandSession::receive(std::uint32_t object, std::uint32_t opcode, std::string_view arguments) {
    if (object == wl_display && opcode == display_error) {
        take_word(arguments), take_word(arguments);
        return answer("the Wayland compositor at '" + path_ + "' says: " + take_text(arguments));
    }
    if (object == registry && opcode == registry_global) {
        const std::uint32_t name = take_word(arguments);
        const std::string interface = take_text(arguments);
        const std::uint32_t version = std::min(take_word(arguments), newest_output);
        if (interface != "wl_output")
            return;
        monitors_[++next_object_];
        request(registry, registry_bind, word(name) + text(interface) + word(version) + word(next_object_));
    } else if (object == waits_for_ && waits_for_ == registry + 1) { // all that there is has been named
        waits_for_ = ++next_object_;
        request(wl_display, display_sync, word(waits_for_));
    } else if (object == waits_for_) {
        answer({});
    } else if (const auto at = monitors_.find(object); at != monitors_.end()) {
        Monitor &monitor = at->second;
        if (opcode == output_name)
            monitor.name = take_text(arguments);
        if (opcode == output_geometry) {
            arguments.remove_prefix(std::min(arguments.size(), words_before_maker * sizeof(std::uint32_t)));
            take_text(arguments), take_text(arguments); // maker, model
            monitor.is_turned = take_word(arguments) % 2 == 1;
        }
        if (opcode == output_mode && take_word(arguments) & current_mode) {
            monitor.width = static_cast<int>(take_word(arguments));
            monitor.height = static_cast<int>(take_word(arguments));
        }
    }
}

void WaylandSession::answer(const std::string &error) {
    loop_.cancel(timer_);
    if (socket_)
        loop_.forget(socket_.get());
    socket_.reset();
    const auto done = std::exchange(done_, nullptr);
    if (!done)
        return;
    if (!error.empty())
        return done({.error = trouble_with(display_, error)}, {});
    std::vector<Monitor> monitors;
    for (auto &[object, monitor] : monitors_) {
        if (monitor.is_turned)
            std::swap(monitor.width, monitor.height);
        monitors.push_back(monitor);
    }
    int status = 0;
    std::string note;
    const std::string help = output_of({"Xwayland", "-help"}, longest_help, status);
    ServerCommand command = xwayland(display_, monitors, help, note);
    done(std::move(command), std::move(note));
}

} // namespace mpiglut::launcher
