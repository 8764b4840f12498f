// Locks on files. Rank 0 takes those on the run's files, and every rank hears whether it has got them. Otherwise ranks
// of one host would take them from each other.

#include "base/export.h"
#include "base/real.h"
#include "base/sockets.h"
#include "base/state.h"
#include "children/together.h"
#include "files/overlay.h"
#include "files/served.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

extern "C" int fcntl64(int fd, int command, ...);

namespace {

using mpiglut::children::Outcome;
using mpiglut::children::Part;
namespace files = mpiglut::files;

/// `set_lock(now)` acquires the lock; `now`: or fails. Where the ranks cannot talk, only rank 0 waits for it.
template <class SetLock> int lock_for(const void *caller, int fd, SetLock set_lock) {
    const bool of_one = mpiglut::state().options.private_files && files::serves(caller);
    const Part part = of_one ? mpiglut::children::part(caller) : Part::none;
    if (part == Part::none && !(of_one && files::keeps()))
        return set_lock(false);
    Outcome outcome;
    if (part == Part::leads)
        outcome.value = set_lock(false);
    outcome.error = outcome.value < 0 ? errno : 0;
    mpiglut::children::tell(part, outcome);
    if (part != Part::leads && outcome.value == 0 && files::is_own(fd))
        set_lock(true); // for this rank's children
    return static_cast<int>(outcome.value);
}

/// A lock to acquire or release; asking for one is a lock that no other process of the run has.
template <class Call> int control(const void *caller, int fd, int command, void *argument, Call real) {
    switch (command) {
    case F_SETLK:
    case F_OFD_SETLK:
        return lock_for(caller, fd, [&](bool) { return real(fd, command, argument); });
    case F_SETLKW:
    case F_OFD_SETLKW:
        return lock_for(caller, fd, [&](bool now) {
            const int at_once = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
            return real(fd, now ? at_once : command, argument);
        });
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
        const int made = real(fd, command, argument);
        mpiglut::sockets::note_duplicate(fd, made);
        return made;
    }
    default:
        return real(fd, command, argument);
    }
}

} // namespace

MPIGLUT_EXPORT int flock(int fd, int how) noexcept {
    return lock_for(MPIGLUT_FILE_CALLER, fd, [&](bool now) { return REAL(flock)(fd, now ? how | LOCK_NB : how); });
}

MPIGLUT_EXPORT int lockf(int fd, int how, off_t size) {
    if (how == F_TEST)
        return REAL(lockf)(fd, how, size);
    return lock_for(MPIGLUT_FILE_CALLER, fd,
                    [&](bool now) { return REAL(lockf)(fd, now && how == F_LOCK ? F_TLOCK : how, size); });
}
MPIGLUT_EXPORT int lockf64(int fd, int how, off64_t size) {
    if (how == F_TEST)
        return REAL(lockf64)(fd, how, size);
    return lock_for(MPIGLUT_FILE_CALLER, fd,
                    [&](bool now) { return REAL(lockf64)(fd, now && how == F_LOCK ? F_TLOCK : how, size); });
}

// Whatever the third argument is, it travels in the same register.
#define CONTROL(function)                                                                                              \
    MPIGLUT_EXPORT int function(int fd, int command, ...) {                                                            \
        va_list rest;                                                                                                  \
        va_start(rest, command);                                                                                       \
        void *const argument = va_arg(rest, void *);                                                                   \
        va_end(rest);                                                                                                  \
        return control(MPIGLUT_FILE_CALLER, fd, command, argument,                                                     \
                       [](int of, int what, void *with) { return REAL(function)(of, what, with); });                   \
    }                                                                                                                  \
    static_assert(true)
CONTROL(fcntl);
CONTROL(fcntl64);
