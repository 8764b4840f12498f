#include "job/mpi_job.h"
#include "child/spawn.h"

#include <csignal>
#include <cstring>
#include <poll.h>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;
constexpr std::size_t most_kept = 16u << 10;

} // namespace

MpiJob::MpiJob(Loop &loop, Guard &guard, std::function<void(std::string_view)> says)
    : loop_(loop), guard_(guard), says_(std::move(says)) {}

MpiJob::~MpiJob() {
    if (output_)
        loop_.forget(output_.get());
}

std::string MpiJob::start(const MpiexecLine &line) {
    Pipe pipe = make_pipe();
    // A separate session: without a terminal ssh fails instead of waiting for a password that no user sees it ask for.
    Spawned process = spawn({.argv = line.argv,
                             .environment = line.environment,
                             .out = pipe.write.get(),
                             .err = pipe.write.get(),
                             .group = Group::own_session,
                             .death_signal = SIGTERM});
    if (process.pid < 0)
        return "cannot run '" + line.argv[0] + "': " + std::strerror(process.error);
    pid_ = process.pid;
    guard_.kill_group(pid_);
    output_ = std::move(pipe.read);
    set_nonblocking(output_.get());
    loop_.watch(output_.get(), POLLIN, [this](short) { read_some(); });
    return {};
}

void MpiJob::read_some() {
    char bytes[4096];
    ssize_t n;
    while ((n = ::read(output_.get(), bytes, sizeof bytes)) > 0) {
        std::string_view text(bytes, static_cast<std::size_t>(n));
        printed_.append(text.substr(0, most_kept - std::min(most_kept, printed_.size())));
        says_(text);
    }
    if (n == 0) {
        loop_.forget(output_.get());
        output_.reset();
    }
}

void MpiJob::ended() {
    pid_ = -1;
    if (output_)
        read_some();
}

void MpiJob::finish() {
    auto send = [this](int number) {
        if (running())
            ::kill(-pid_, number);
    };
    loop_.after(300ms, [send] { send(SIGTERM); });
    loop_.after(600ms, [send] { send(SIGKILL); });
}

} // namespace mpiglut::launcher
