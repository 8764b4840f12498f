// Waiting for children: every rank learns which of rank 0's has ended, and how.

#include "base/export.h"
#include "base/real.h"
#include "children/together.h"
#include "clock/clock.h"
#include "files/served.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>

namespace mpiglut::children {

namespace {

constexpr std::int64_t longest_ns = 10'000'000'000; ///< that a rank's own child may take longer than rank 0's
constexpr std::int64_t none_of_them = 1;            ///< of rank 0's: a child that another one has started

/// This rank's own child also ends. A stand-in for a program needs a signal.
void reap(pid_t pid) {
    const std::int64_t begun = clock::real_monotonic_ns();
    bool killed = false;
    while (REAL(waitpid)(pid, nullptr, WNOHANG) == 0 && clock::real_monotonic_ns() - begun < longest_ns) {
        if (!killed && is_stand_in(pid))
            killed = REAL(kill)(pid, SIGKILL) == 0;
        constexpr timespec pause{0, 200'000};
        REAL(nanosleep)(&pause, nullptr);
    }
}

/// What rank 0 has found: a child's number, 0, or -1 with errno set.
struct Ended {
    std::int64_t result = -1;
    std::int64_t number = 0;
    std::int32_t error = 0, status = 0, code = 0, unused = 0;
};
void tell(Part part, Ended &ended) { tell(part, std::as_writable_bytes(std::span(&ended, 1))); }

/// `asked` is whom the program waits for. The number of this rank's child.
pid_t own_child(const Ended &ended, pid_t asked, bool gone) {
    const pid_t pid = ended.result == none_of_them ? asked : child(ended.number);
    if (gone && pid > 0)
        reap(pid);
    return pid;
}

pid_t wait_for(const void *caller, pid_t asked, int *status, int flags, rusage *used) {
    const Part part = children::part(caller);
    if (part == Part::none)
        return REAL(wait4)(asked, status, flags, used);
    Ended ended{.error = ECHILD};
    pid_t pid = -1;
    if (part == Part::leads) {
        pid = REAL(wait4)(asked, &ended.status, flags, used);
        ended.error = errno;
        ended.number = pid > 0 ? number_of(pid) : 0;
        ended.result = pid <= 0 ? pid : ended.number < 0 ? none_of_them : 2;
    }
    tell(part, ended);
    const bool gone = WIFEXITED(ended.status) || WIFSIGNALED(ended.status);
    if (part == Part::follows)
        pid = ended.result <= 0 ? static_cast<pid_t>(ended.result) : own_child(ended, asked, gone);
    if (part == Part::follows && used)
        *used = {};
    if (status && pid > 0)
        *status = ended.status;
    if (pid < 0)
        errno = ended.error;
    return pid;
}

int wait_for(const void *caller, idtype_t kind, id_t id, siginfo_t *info, int flags) {
    const Part part = children::part(caller);
    if (part == Part::none)
        return REAL(waitid)(kind, id, info, flags);
    Ended ended{.error = ECHILD};
    siginfo_t found{};
    if (part == Part::leads) {
        ended.result = REAL(waitid)(kind, id, &found, flags);
        ended.error = errno;
        ended.number = found.si_pid > 0 ? number_of(found.si_pid) : -1;
        ended.status = found.si_status;
        ended.code = found.si_pid > 0 ? found.si_code : 0;
    }
    tell(part, ended);
    if (part == Part::follows && ended.result == 0 && ended.code != 0) {
        const bool gone = ended.code == CLD_EXITED || ended.code == CLD_KILLED || ended.code == CLD_DUMPED;
        found.si_signo = SIGCHLD;
        found.si_pid = own_child(ended, static_cast<pid_t>(id), gone && !(flags & WNOWAIT));
        found.si_status = ended.status;
        found.si_code = ended.code;
    }
    if (info)
        *info = found;
    if (ended.result < 0)
        errno = ended.error;
    return static_cast<int>(ended.result);
}

} // namespace

} // namespace mpiglut::children

namespace children = mpiglut::children;

MPIGLUT_EXPORT pid_t waitpid(pid_t pid, int *status, int flags) {
    return children::wait_for(MPIGLUT_FILE_CALLER, pid, status, flags, nullptr);
}
MPIGLUT_EXPORT pid_t wait(int *status) { return children::wait_for(MPIGLUT_FILE_CALLER, -1, status, 0, nullptr); }
MPIGLUT_EXPORT pid_t wait3(int *status, int flags, rusage *used) noexcept {
    return children::wait_for(MPIGLUT_FILE_CALLER, -1, status, flags, used);
}
MPIGLUT_EXPORT pid_t wait4(pid_t pid, int *status, int flags, rusage *used) noexcept {
    return children::wait_for(MPIGLUT_FILE_CALLER, pid, status, flags, used);
}
MPIGLUT_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int flags) {
    return children::wait_for(MPIGLUT_FILE_CALLER, kind, id, info, flags);
}
