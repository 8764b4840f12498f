#include "agent/beside.h"
#include "child/spawn.h"
#include "program/program_environment.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t most_at_once = 1u << 20; ///< of what one prints

} // namespace

Beside::~Beside() {
    for (const Program &program : programs_)
        loop_.forget(program.output.get());
}

void Beside::start(const Start &order) {
    for (const std::string &command : order.beside) {
        Pipe pipe = make_pipe();
        const Spawned process = spawn({.argv = {"/bin/sh", "-c", command},
                                       .environment = environment_beside(order),
                                       .directory = order.directory,
                                       .out = pipe.write.get(),
                                       .err = pipe.write.get(),
                                       .death_signal = SIGKILL,
                                       .alone = true});
        if (process.pid < 0) {
            say_("--beside '" + command + "': cannot be started: " + std::strerror(process.error));
            continue;
        }
        set_nonblocking(pipe.read.get());
        Program &program = programs_.emplace_back(Program{command, process.pid, std::move(pipe.read), {}});
        loop_.watch(program.output.get(), POLLIN, [this, &program](short) { read_output(program); });
    }
}

/// What they print is not the program's output. The end of it tells why one has failed.
void Beside::read_output(Program &program) {
    char bytes[4096];
    ssize_t n = 1;
    for (std::size_t sum = 0; sum < most_at_once && n > 0; sum += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
        if (n = ::read(program.output.get(), bytes, sizeof bytes); n > 0)
            program.last_words.add({bytes, static_cast<std::size_t>(n)});
    if (n == 0)
        loop_.forget(program.output.get());
}

/// What it leaves in the background may print on.
bool Beside::ended(pid_t pid, int status) {
    const auto found = std::ranges::find(programs_, pid, &Program::pid);
    if (found == programs_.end())
        return false;
    found->pid = -1;
    read_output(*found);
    const auto lines = found->last_words.lines();
    if (status != 0)
        say_("--beside '" + found->command + "' " + describe_status(status) +
             (lines.empty() ? "" : ": " + lines.back()));
    return true;
}

} // namespace mpiglut::launcher
