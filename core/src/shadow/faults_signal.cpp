#include "shadow/faults.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <mutex>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace pixmpi {
namespace {

/// What the handler reads, without locks: which memory is watched, and where faults are reported.
struct Watched {
    static constexpr std::size_t most = 1024; ///< objects at a time
    struct Memory {
        std::atomic<std::byte *> begin{nullptr}, end{nullptr};
    } memories[most];
    std::atomic<std::size_t> used{0}; ///< places that have ever been used
    int pipe_in = -1, pipe_out = -1;
    pid_t owner = 0;

    bool has(const std::byte *address) const {
        for (std::size_t i = 0; i < used.load(std::memory_order_acquire); ++i)
            if (address >= memories[i].begin.load(std::memory_order_acquire) &&
                address < memories[i].end.load(std::memory_order_acquire))
                return true;
        return false;
    }
};
Watched watched;

/// The handler that was there before ours, or that the program put in its place: two, so that a handler that runs reads
/// a whole one.
struct sigaction others[2];
std::atomic<int> other{0};

Fault::Kind kind_of([[maybe_unused]] void *context) {
#if defined(__x86_64__)
    constexpr greg_t wrote = 2;
    return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & wrote ? Fault::write : Fault::read;
#else
    return Fault::unknown;
#endif
}

void hand_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction &before = others[other.load(std::memory_order_acquire)];
    if (before.sa_flags & SA_SIGINFO)
        return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        return before.sa_handler(signal);
    struct sigaction end {};
    end.sa_handler = SIG_DFL; // the instruction is repeated, and ends the process as it would have
    sigaction(signal, &end, nullptr);
    if (info->si_code <= 0) // a process sent it
        raise(signal);
}

void handle(int signal, siginfo_t *info, void *context) {
    const int kept = errno;
    if (info->si_code <= 0 || !answered_fault(info->si_addr, kind_of(context)))
        hand_on(signal, info, context);
    errno = kept;
}

class SignalGuard final : public FaultGuard {
  public:
    const char *name() const override { return "signal"; }

    bool open() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return false;
        watched.pipe_out = ends[0];
        watched.pipe_in = ends[1];
        watched.owner = getpid();
        return true;
    }

    Status watch(std::byte *memory, std::size_t bytes) override {
        const std::lock_guard lock(mutex_);
        std::size_t place = 0;
        while (place < Watched::most && watched.memories[place].end.load() != nullptr)
            ++place;
        if (place == Watched::most)
            return fail(PIXMPI_ERR_MEMORY, "shared memory: %zu objects with a shadow, expected no more", Watched::most);
        if (const Status error = allow(memory, bytes, Pages::none, Pages::none))
            return error;
        watched.memories[place].begin = memory;
        watched.memories[place].end = memory + bytes;
        if (place >= watched.used)
            watched.used = place + 1;
        install();
        return PIXMPI_SUCCESS;
    }

    void forget(std::byte *memory, std::size_t) override {
        const std::lock_guard lock(mutex_);
        for (auto &one : watched.memories)
            if (one.begin.load() == memory && one.end.load() != nullptr) {
                one.end = nullptr;
                return;
            }
    }

    Status allow(std::byte *memory, std::size_t bytes, Pages, Pages to) override {
        const int protection = to == Pages::none ? PROT_NONE : to == Pages::read ? PROT_READ : PROT_READ | PROT_WRITE;
        if (mprotect(memory, bytes, protection) == 0)
            return PIXMPI_SUCCESS;
        return fail(PIXMPI_ERR_MEMORY, "shared memory: mprotect: %s, expected success", std::strerror(errno));
    }

    bool next(Fault &fault) override {
        const Fault *queued = nullptr;
        for (;;) {
            const ssize_t got = read(watched.pipe_out, &queued, sizeof queued);
            if (got == sizeof queued)
                break;
            if (got < 0 && errno != EINTR)
                return false;
        }
        fault = *queued; // it stays until it is answered
        return true;
    }

    void answer(const Fault &fault) override {
        fault.answered->store(1, std::memory_order_release);
        // The waiting thread's stack may be gone; then no thread waits at that address, or one is woken for nothing.
        syscall(SYS_futex, fault.answered, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }

    void look_after() override {
        const std::lock_guard lock(mutex_);
        install();
    }

  private:
    void install() {
        struct sigaction now {};
        if (sigaction(SIGSEGV, nullptr, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle))
            return;
        const int place = 1 - other.load();
        others[place] = now;
        other.store(place, std::memory_order_release);
        struct sigaction ours {};
        ours.sa_sigaction = handle;
        // Handlers behind ours find what they asked for: their stack, and the signals that they block.
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & (SA_NODEFER | SA_RESTART));
        ours.sa_mask = now.sa_mask;
        sigaction(SIGSEGV, &ours, nullptr);
    }

    std::mutex mutex_; ///< of the list's places, and of what is installed; the handler never locks it
};

} // namespace

bool answered_fault(void *address, Fault::Kind kind) {
    auto *const byte = static_cast<std::byte *>(address);
    if (watched.pipe_in < 0 || !watched.has(byte) || getpid() != watched.owner)
        return false;
    std::atomic<int> answered{0};
    const Fault fault{byte, kind, static_cast<pid_t>(syscall(SYS_gettid)), &answered};
    const Fault *const queued = &fault;
    while (write(watched.pipe_in, &queued, sizeof queued) < 0 && errno == EINTR) {
    }
    while (answered.load(std::memory_order_acquire) == 0)
        syscall(SYS_futex, &answered, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    return true;
}

std::unique_ptr<FaultGuard> make_signal_guard() {
    auto guard = std::make_unique<SignalGuard>();
    if (!guard->open())
        return nullptr;
    return guard;
}

} // namespace pixmpi
