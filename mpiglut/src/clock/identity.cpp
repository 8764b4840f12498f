// Who the program is: the numbers of its process, of its parent and of main()'s thread, the name of its host, and how
// many processors that has. They are the same on every rank, since programs seed random numbers and name things by
// them, and start as many threads as there are processors.

#include "base/export.h"
#include "base/lookup.h"
#include "base/real.h"
#include "clock/virtual.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

extern "C" {
int __gethostname_chk(char *name, std::size_t size, std::size_t room) noexcept;
int pidfd_open(pid_t id, unsigned flags) noexcept; // its header is none for C++ in older C libraries
long __sysconf(int name) noexcept;
}

namespace mpiglut::clock {

namespace {

constexpr int virtual_parent = (1 << 22) + 1; // no process has it: the kernel stops short

int real_id(long call) { return static_cast<int>(real_syscall(call)); }

bool is_first() { return real_id(SYS_getpid) == first_pid(); }

/// Fills in the name of the host as gethostname() does.
int name_host(char *name, std::size_t size) {
    const std::size_t length = std::strlen(virtual_host()) + 1;
    std::memcpy(name, virtual_host(), length < size ? length : size);
    if (length <= size)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

/// The host's own name. UCX asks for it while it is loaded.
MPIGLUT_UNCHECKED int real_host(char *name, std::size_t size) {
    static void *known = nullptr; // any thread would find the same
    void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) {
        found = real_dlsym()(RTLD_NEXT, "gethostname");
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<int (*)(char *, std::size_t)>(found)(name, size);
}

/// How many processors there are, as this caller is told.
MPIGLUT_UNCHECKED long processors_for(Caller caller) {
    const int told = virtual_processors();
    return told != 0 && serves_behind_cpp_library(caller) ? told : __sysconf(_SC_NPROCESSORS_ONLN);
}

} // namespace

int number_for(Caller caller) {
    const int number = virtual_pid();
    return number && serves(caller) && is_first() ? number : 0;
}

int thread_number_for(Caller caller) {
    return virtual_pid() && real_id(SYS_gettid) == first_pid() ? number_for(caller) : 0;
}

int parent_number(Caller caller) {
    const int real = real_id(SYS_getppid);
    if (!virtual_pid() || !serves(caller))
        return real;
    return is_first() ? virtual_parent : real == first_pid() ? virtual_pid() : real;
}

int real_number(Caller caller, int number) {
    if (!virtual_pid() || (number != virtual_pid() && number != virtual_parent) || !serves(caller))
        return number;
    return number == virtual_pid() ? first_pid() : is_first() ? real_id(SYS_getppid) : number;
}

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT pid_t getpid() noexcept {
    const int number = virtual_clock::number_for(MPIGLUT_CALLER);
    return number ? number : virtual_clock::real_id(SYS_getpid);
}

MPIGLUT_EXPORT pid_t gettid() noexcept {
    const int number = virtual_clock::thread_number_for(MPIGLUT_CALLER);
    return number ? number : virtual_clock::real_id(SYS_gettid);
}

MPIGLUT_EXPORT pid_t getppid() noexcept { return virtual_clock::parent_number(MPIGLUT_CALLER); }

MPIGLUT_EXPORT int kill(pid_t pid, int signal) noexcept {
    const bool group = pid < -1 && pid != std::numeric_limits<pid_t>::min();
    const int real = virtual_clock::real_number(MPIGLUT_CALLER, group ? -pid : pid);
    return REAL(kill)(group ? -real : real, signal);
}

// What else is done to a process or a thread by its number. In `names` that is `real`.
#define UNPACK(...) __VA_ARGS__
#define BY_NUMBER(function, number, parameters, names, ...)                                                            \
    MPIGLUT_EXPORT int function parameters __VA_ARGS__ {                                                               \
        const int real = virtual_clock::real_number(MPIGLUT_CALLER, static_cast<int>(number));                         \
        return REAL(function) names;                                                                                   \
    }                                                                                                                  \
    static_assert(true)

BY_NUMBER(sched_setaffinity, id, (pid_t id, std::size_t size, const cpu_set_t *set), (real, size, set), noexcept);
BY_NUMBER(sched_getaffinity, id, (pid_t id, std::size_t size, cpu_set_t *set), (real, size, set), noexcept);
BY_NUMBER(sched_setscheduler, id, (pid_t id, int policy, const sched_param *how), (real, policy, how), noexcept);
BY_NUMBER(sched_getscheduler, id, (pid_t id), (real), noexcept);
BY_NUMBER(sched_setparam, id, (pid_t id, const sched_param *how), (real, how), noexcept);
BY_NUMBER(sched_getparam, id, (pid_t id, sched_param *how), (real, how), noexcept);
BY_NUMBER(setpriority, id, (__priority_which_t which, id_t id, int value),
          (which, which == PRIO_PROCESS ? static_cast<id_t>(real) : id, value), noexcept);
BY_NUMBER(getpriority, id, (__priority_which_t which, id_t id),
          (which, which == PRIO_PROCESS ? static_cast<id_t>(real) : id), noexcept);
BY_NUMBER(prlimit, id, (pid_t id, __rlimit_resource which, const rlimit *value, rlimit *old), (real, which, value, old),
          noexcept);
BY_NUMBER(prlimit64, id, (pid_t id, __rlimit_resource which, const rlimit64 *value, rlimit64 *old),
          (real, which, value, old), noexcept);
BY_NUMBER(getpgid, id, (pid_t id), (real), noexcept);
BY_NUMBER(getsid, id, (pid_t id), (real), noexcept);
BY_NUMBER(setpgid, id, (pid_t id, pid_t group), (real, virtual_clock::real_number(MPIGLUT_CALLER, group)), noexcept);
BY_NUMBER(pidfd_open, id, (pid_t id, unsigned flags), (real, flags), noexcept);
BY_NUMBER(tgkill, thread, (pid_t id, pid_t thread, int signal),
          (virtual_clock::real_number(MPIGLUT_CALLER, id), real, signal));

// Asked for while libraries are loaded.
MPIGLUT_EXPORT MPIGLUT_UNCHECKED long sysconf(int name) noexcept {
    return name == _SC_NPROCESSORS_ONLN ? virtual_clock::processors_for(MPIGLUT_CALLER) : __sysconf(name);
}

MPIGLUT_EXPORT MPIGLUT_UNCHECKED int get_nprocs() noexcept {
    return static_cast<int>(virtual_clock::processors_for(MPIGLUT_CALLER));
}

MPIGLUT_EXPORT MPIGLUT_UNCHECKED int gethostname(char *name, std::size_t size) noexcept {
    return *virtual_clock::virtual_host() && virtual_clock::serves(MPIGLUT_CALLER)
               ? virtual_clock::name_host(name, size)
               : virtual_clock::real_host(name, size);
}

// What _FORTIFY_SOURCE makes of it.
MPIGLUT_EXPORT MPIGLUT_UNCHECKED int __gethostname_chk(char *name, std::size_t size, std::size_t room) noexcept {
    if (size > room)
        return REAL(__gethostname_chk)(name, size, room); // ends the program
    return *virtual_clock::virtual_host() && virtual_clock::serves(MPIGLUT_CALLER)
               ? virtual_clock::name_host(name, size)
               : virtual_clock::real_host(name, size);
}

MPIGLUT_EXPORT int uname(utsname *names) noexcept {
    const int result = REAL(uname)(names);
    if (result == 0 && *virtual_clock::virtual_host() && virtual_clock::serves(MPIGLUT_CALLER)) {
        virtual_clock::name_host(names->nodename, sizeof names->nodename);
        names->nodename[sizeof names->nodename - 1] = '\0';
    }
    return result;
}
