#include "session/console.h"
#include "child/control.h"
#include "child/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t most_for_pictures = 4u << 20;

} // namespace

std::string Console::start(const ControlOptions &options) {
    Descriptor near(options.console_fd);
    if (!near) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return std::string("--control: cannot open a socket: ") + std::strerror(errno);
        near.reset(ends[0]);
        const Descriptor far(ends[1]);
        std::vector<std::string> argv{executable_directory() + "/walld", "--attached", std::to_string(far.get())};
        argv.insert(argv.end(), options.server_arguments.begin(), options.server_arguments.end());
        const Spawned server = spawn(
            {.argv = argv, .environment = own_environment(), .err = 2, .keep = {far.get()}, .death_signal = SIGTERM});
        if (server.pid < 0)
            return "--control: cannot run '" + argv[0] + "': " + std::strerror(server.error);
        pid_ = server.pid;
        guard_.kill_group(pid_);
    }
    link_ = Link::open(
        loop_, std::move(near), nullptr, [this](Frame &&frame) { received(frame); },
        [this] {
            link_.reset();
            listener_.gone();
        });
    return {};
}

void Console::pass_on(int rank, const Frame &frame) {
    if (link_ && (frame.type != Type::picture || link_->queued() < most_for_pictures))
        send(OfRank{rank, static_cast<std::int64_t>(frame.type), frame.payload});
}

void Console::received(const Frame &frame) {
    switch (frame.type) {
    case Type::attend:
        if (auto what = unpack<Attend>(frame.payload); what && what->value >= 0)
            listener_.attend(std::chrono::milliseconds(what->value));
        break;
    case Type::operate:
        listener_.operate(frame.payload);
        break;
    case Type::stop:
        if (auto what = unpack<Stop>(frame.payload))
            listener_.stop(what->value != 0);
        break;
    case Type::address:
        if (auto what = unpack<Address>(frame.payload))
            listener_.address(*what);
        break;
    default:
        break;
    }
}

} // namespace mpiglut::launcher
