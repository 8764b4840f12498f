// What reports the CPU's touches of protected pages: userfaultfd, or a handler of SIGSEGV. Both give faults to one
// thread of the library, which has them answered; the touching thread waits meanwhile.
#pragma once

#include "base/status.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <sys/types.h>

namespace pixmpi {

/// What the CPU may do with pages.
enum class Pages : std::uint8_t { none, read, write };

struct Fault {
    std::byte *address = nullptr;
    enum Kind { read, write, unknown } kind = unknown;
    pid_t thread = 0;                     ///< who touched it, and waits
    std::atomic<int> *answered = nullptr; ///< on the waiting thread's stack; null where the system keeps it waiting
};

/// Memory that is mapped from a file, and watched. Lengths and addresses are whole pages.
class FaultGuard {
  public:
    virtual ~FaultGuard() = default;
    /// "userfaultfd" or "signal".
    virtual const char *name() const = 0;
    /// From Pages::none on.
    virtual Status watch(std::byte *memory, std::size_t bytes) = 0;
    virtual void forget(std::byte *memory, std::size_t bytes) = 0;
    /// The pages' content is there, and has been before.
    virtual Status allow(std::byte *memory, std::size_t bytes, Pages from, Pages to) = 0;
    /// Waits for the next one. In the library's thread alone.
    virtual bool next(Fault &fault) = 0;
    /// The touching thread goes on.
    virtual void answer(const Fault &fault) = 0;
    /// The program may have put its own handler in the place of ours.
    virtual void look_after() {}
};

/// Null where the system does not allow it.
std::unique_ptr<FaultGuard> make_userfaultfd_guard();
std::unique_ptr<FaultGuard> make_signal_guard();

enum class GuardWish { automatic, userfaultfd, signal };
/// PIXMPI_SHADOW.
Status read_guard_wish(GuardWish &wish);
/// The process' guard, made at first use, with its thread. PIXMPI_ERR_DEVICE for a wish that cannot be met.
Status find_guard(GuardWish wish, FaultGuard *&guard);

/// In a handler of SIGSEGV, of whomever: whether the address is watched by a handler of ours. Waits for the answer.
bool answered_fault(void *address, Fault::Kind kind);

} // namespace pixmpi
