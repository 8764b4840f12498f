// --tsc: the processor's time-stamp counter. The system stops the instruction that reads it, and what the program gets
// is its clock, in nanoseconds; all other code gets the counter. Each reading costs a microsecond or two, also those of
// the C library and of MPI, hence by option.

#include "clock/clock.h"
#include "clock/virtual.h"

#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <ucontext.h>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace mpiglut::clock {

namespace {

bool claimed = false;

void let_counter(int how) {
    const int error = errno;
    prctl(PR_SET_TSC, how, 0, 0, 0);
    errno = error;
}

#ifdef __x86_64__
struct sigaction before_us;

/// How many bytes the instruction has, 0 when it does not read the counter.
int length_of_reading(const unsigned char *code) {
    if (code[0] != 0x0f)
        return 0;
    return code[1] == 0x31 ? 2 : code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0; // rdtsc, rdtscp
}

void on_fault(int, siginfo_t *info, void *context) {
    auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    const auto *at = reinterpret_cast<const unsigned char *>(registers[REG_RIP]);
    const int length = info->si_code == SI_KERNEL ? length_of_reading(at) : 0;
    if (length == 0) { // a true fault: it comes again, to the handler of before
        sigaction(SIGSEGV, &before_us, nullptr);
        return;
    }
    const FreeCounter now;
    unsigned processor = 0;
    std::uint64_t value = __rdtscp(&processor);
    if (serves(at))
        value = static_cast<std::uint64_t>(read_ns());
    registers[REG_RAX] = static_cast<greg_t>(value & 0xffffffff);
    registers[REG_RDX] = static_cast<greg_t>(value >> 32);
    if (length == 3)
        registers[REG_RCX] = processor;
    registers[REG_RIP] += length;
}
#endif

} // namespace

FreeCounter::FreeCounter() {
    if (claimed)
        let_counter(PR_TSC_ENABLE);
}
FreeCounter::~FreeCounter() {
    if (claimed)
        let_counter(PR_TSC_SIGSEGV);
}

bool claim_counter() {
#ifdef __x86_64__
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (sigaction(SIGSEGV, &action, &before_us) != 0 || prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        return false;
    // A child is no rank, and what it executes has no handler.
    pthread_atfork(nullptr, nullptr, [] { let_counter(PR_TSC_ENABLE); });
    claimed = true;
#endif
    return claimed;
}

} // namespace mpiglut::clock
