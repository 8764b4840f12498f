// fork and exec. A child that goes on by itself is each rank's own; one that executes a program is rank 0's.

#include "base/export.h"
#include "base/process.h"
#include "base/real.h"
#include "children/together.h"
#include "clock/virtual.h"
#include "files/served.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace mpiglut::children {

namespace {

/// A parent that reads one of these pipes wakes up and asks rank 0.
void wake_reader(int fd) {
    if (!is_announced(fd))
        return;
    const int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    [[maybe_unused]] const ssize_t n = write(fd, "\n", 1);
    fcntl(fd, F_SETFL, flags);
}

/// In a child: comes back if the program is to be executed after all.
void before_executing(const void *caller, const char *file, bool search) {
    const Part part = part_of_child();
    if (part == Part::none || !files::serves(caller))
        return;
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
        if (!is_rank_output(fd))
            announce_pipe(fd);
    if (part == Part::leads || !can_execute(file, search))
        return;
    announce_stand_in(static_cast<pid_t>(clock::real_syscall(SYS_getpid)));
    signal(SIGPIPE, SIG_IGN);
    wake_reader(STDOUT_FILENO);
    wake_reader(STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    const StandIn stand_in;
    REAL(execve)(StandIn::path, stand_in.arguments.data(), environ);
}

/// The arguments of execl and similar calls, the null at the end included.
std::vector<char *> words(const char *first, va_list &rest) {
    std::vector<char *> all{const_cast<char *>(first)};
    while (all.back())
        all.push_back(va_arg(rest, char *));
    return all;
}

pid_t fork_here(const void *caller) {
    const Part part = children::part(caller);
    const pid_t pid = REAL(fork)();
    if (pid > 0 && part != Part::none)
        add_child(pid);
    return pid;
}

} // namespace

} // namespace mpiglut::children

namespace children = mpiglut::children;

MPIGLUT_EXPORT pid_t fork() noexcept { return children::fork_here(MPIGLUT_FILE_CALLER); }

// A function that returns twice cannot be wrapped. The parent waits as it would, until the child executes or ends.
MPIGLUT_EXPORT pid_t vfork() noexcept {
    int ends[2];
    const bool waits = pipe2(ends, O_CLOEXEC) == 0;
    const pid_t pid = children::fork_here(MPIGLUT_FILE_CALLER);
    if (!waits)
        return pid;
    close(ends[pid == 0 ? 0 : 1]);
    char ignored;
    if (pid != 0) {
        while (pid > 0 && REAL(read)(ends[0], &ignored, 1) < 0 && errno == EINTR) {
        }
        close(ends[0]);
    }
    return pid;
}

MPIGLUT_EXPORT int execve(const char *path, char *const *arguments, char *const *environment) noexcept {
    children::before_executing(MPIGLUT_FILE_CALLER, path, false);
    return REAL(execve)(path, arguments, environment);
}
MPIGLUT_EXPORT int execv(const char *path, char *const *arguments) noexcept {
    children::before_executing(MPIGLUT_FILE_CALLER, path, false);
    return REAL(execv)(path, arguments);
}
MPIGLUT_EXPORT int execvp(const char *file, char *const *arguments) noexcept {
    children::before_executing(MPIGLUT_FILE_CALLER, file, true);
    return REAL(execvp)(file, arguments);
}
MPIGLUT_EXPORT int execvpe(const char *file, char *const *arguments, char *const *environment) noexcept {
    children::before_executing(MPIGLUT_FILE_CALLER, file, true);
    return REAL(execvpe)(file, arguments, environment);
}
MPIGLUT_EXPORT int fexecve(int fd, char *const *arguments, char *const *environment) noexcept {
    children::before_executing(MPIGLUT_FILE_CALLER, ("/proc/self/fd/" + std::to_string(fd)).c_str(), false);
    return REAL(fexecve)(fd, arguments, environment);
}

#define WORDS(first)                                                                                                   \
    va_list rest;                                                                                                      \
    va_start(rest, first);                                                                                             \
    const std::vector<char *> arguments = children::words(first, rest)

MPIGLUT_EXPORT int execl(const char *path, const char *first, ...) noexcept {
    WORDS(first);
    va_end(rest);
    children::before_executing(MPIGLUT_FILE_CALLER, path, false);
    return REAL(execv)(path, arguments.data());
}
MPIGLUT_EXPORT int execlp(const char *file, const char *first, ...) noexcept {
    WORDS(first);
    va_end(rest);
    children::before_executing(MPIGLUT_FILE_CALLER, file, true);
    return REAL(execvp)(file, arguments.data());
}
MPIGLUT_EXPORT int execle(const char *path, const char *first, ...) noexcept {
    WORDS(first);
    char *const *const environment = va_arg(rest, char *const *);
    va_end(rest);
    children::before_executing(MPIGLUT_FILE_CALLER, path, false);
    return REAL(execve)(path, arguments.data(), environment);
}
