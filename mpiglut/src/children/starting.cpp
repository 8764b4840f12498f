// system, popen and posix_spawn.

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "children/reading.h"
#include "children/together.h"
#include "clock/virtual.h"
#include "files/served.h"
#include "run/report.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <pty.h>
#include <spawn.h>
#include <string>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace mpiglut::children {

namespace {

/// What popen has given out: streams of ours, or of the C library where the program writes.
class Commands {
  public:
    void add(std::FILE *file, Stream *stream) {
        const std::lock_guard lock(mutex_);
        streams_[file] = stream;
    }
    /// False if it is none of them.
    bool extract(std::FILE *file, Stream *&stream) {
        const std::lock_guard lock(mutex_);
        const auto found = streams_.find(file);
        if (found == streams_.end())
            return false;
        stream = found->second;
        streams_.erase(found);
        return true;
    }

  private:
    std::mutex mutex_;
    std::map<std::FILE *, Stream *> streams_; ///< null: the program writes there
};
Commands &commands() {
    static auto *const all = new Commands;
    return *all;
}

std::FILE *start_command(Part part, const char *command, const char *mode) {
    const bool writes = std::strchr(mode, 'w');
    std::FILE *real = part == Part::leads ? REAL(popen)(command, mode) : nullptr;
    Outcome outcome{.value = real ? 0 : -1, .error = real ? 0 : errno};
    if (part == Part::follows)
        outcome = {};
    tell(part, outcome);
    if (outcome.value != 0)
        return nullptr;
    if (writes) {
        std::FILE *const file = real ? real : REAL(fopen)("/dev/null", std::strchr(mode, 'e') ? "we" : "w");
        commands().add(file, nullptr);
        return file;
    }
    auto *const stream =
        new Stream{.fd = real ? fileno(real) : stand_in_pipe(std::strchr(mode, 'e') ? O_CLOEXEC : 0), .real = real};
    announce_pipe(stream->fd);
    std::FILE *const file = open_stream(stream, mode);
    commands().add(file, stream);
    return file;
}

/// The status of the command, -1 with errno set.
int end_command(Part part, std::FILE *file, Stream *stream) {
    Outcome outcome;
    if (stream) {
        stream->leave = true;
        std::fclose(file);
        outcome.status = stream->status;
        delete stream;
    } else if (part == Part::leads) {
        outcome.status = REAL(pclose)(file);
        outcome.error = outcome.status < 0 ? errno : 0;
    } else {
        std::fclose(file);
    }
    tell(part, outcome);
    return outcome.status;
}

/// `start(path, arguments)` starts it, by the function that the program has called.
template <class Start>
int spawn(Part part, pid_t *pid, const char *file, bool search, char *const *arguments, Start start) {
    const clock::FreeCounter now;
    pid_t child = 0;
    const StandIn stand_in;
    const bool stands_in = part == Part::follows && can_execute(file, search);
    const int error =
        stands_in ? start(StandIn::path, stand_in.arguments.data(), &child) : start(file, arguments, &child);
    if (error == 0 && part != Part::none)
        add_child(child);
    if (error == 0 && stands_in)
        announce_stand_in(child);
    if (error == 0 && pid)
        *pid = child;
    return error;
}

/// Rank 0's terminal alone has a program at its other end.
void note_terminal(const void *caller) {
    if (part(caller) != Part::none)
        report_once(Report::note, std::string("it opens a terminal for a program that it starts: what that prints is on "
                                              "rank 0 alone") +
                                      (state().options.system == System::x11
                                           ? " (--beside starts terminals for the whole wall)"
                                           : ""));
}

} // namespace

} // namespace mpiglut::children

namespace children = mpiglut::children;
using children::Part;

MPIGLUT_EXPORT int system(const char *command) {
    const mpiglut::clock::FreeCounter now;
    const Part part = command ? children::part(MPIGLUT_FILE_CALLER, "system") : Part::none;
    children::Outcome outcome;
    if (part != Part::follows)
        outcome.status = REAL(system)(command);
    outcome.error = outcome.status < 0 ? errno : 0;
    children::tell(part, outcome);
    return outcome.status;
}

MPIGLUT_EXPORT FILE *popen(const char *command, const char *mode) {
    const mpiglut::clock::FreeCounter now;
    const Part part = command && mode ? children::part(MPIGLUT_FILE_CALLER, "popen") : Part::none;
    return part == Part::none ? REAL(popen)(command, mode) : children::start_command(part, command, mode);
}

MPIGLUT_EXPORT int pclose(FILE *file) {
    children::Stream *stream = nullptr;
    if (!children::commands().extract(file, stream))
        return REAL(pclose)(file);
    return children::end_command(children::part_here(), file, stream);
}

MPIGLUT_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
    return children::spawn(children::part(MPIGLUT_FILE_CALLER, "posix_spawn"), pid, path, false, arguments,
                           [&](const char *what, char *const *words, pid_t *child) {
                               return REAL(posix_spawn)(child, what, actions, attributes, words, environment);
                           });
}

MPIGLUT_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                                const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
    return children::spawn(children::part(MPIGLUT_FILE_CALLER, "posix_spawnp"), pid, file, true, arguments,
                           [&](const char *what, char *const *words, pid_t *child) {
                               return REAL(posix_spawnp)(child, what, actions, attributes, words, environment);
                           });
}

// What a program will write into, before it is started.
MPIGLUT_EXPORT int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int fd, int as) noexcept {
    if ((as == STDOUT_FILENO || as == STDERR_FILENO) && !children::is_rank_output(fd) &&
        children::part(MPIGLUT_FILE_CALLER) != Part::none)
        children::announce_pipe(fd);
    return REAL(posix_spawn_file_actions_adddup2)(actions, fd, as);
}

MPIGLUT_EXPORT int posix_openpt(int flags) {
    children::note_terminal(MPIGLUT_FILE_CALLER);
    return REAL(posix_openpt)(flags);
}
MPIGLUT_EXPORT int getpt() {
    children::note_terminal(MPIGLUT_FILE_CALLER);
    return REAL(getpt)();
}
MPIGLUT_EXPORT int openpty(int *terminal, int *other, char *name, const termios *settings,
                           const winsize *size) noexcept {
    children::note_terminal(MPIGLUT_FILE_CALLER);
    return REAL(openpty)(terminal, other, name, settings, size);
}
MPIGLUT_EXPORT int forkpty(int *terminal, char *name, const termios *settings, const winsize *size) noexcept {
    children::note_terminal(MPIGLUT_FILE_CALLER);
    return REAL(forkpty)(terminal, name, settings, size);
}
