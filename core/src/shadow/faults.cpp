#include "shadow/faults.h"

#include "base/environment.h"
#include "base/signals_blocked.h"
#include "shadow/shadow.h"

#include <array>
#include <mutex>
#include <thread>

namespace pixmpi {
namespace {

struct Guards {
    std::mutex mutex;
    std::unique_ptr<FaultGuard> userfaultfd, signal;
};

// Never destroyed: shadows may be freed late.
Guards &guards() {
    static auto *const one = new Guards;
    return *one;
}

/// Starts the thread, which ends with the process.
void begin(FaultGuard &guard) {
    const SignalsBlocked blocked;
    std::thread([&guard] {
        Fault fault;
        while (guard.next(fault))
            if (!handle_fault(fault))
                guard.answer(fault); // the thread touches it again, and gets its signal
    }).detach();
}

FaultGuard *need(std::unique_ptr<FaultGuard> &guard, std::unique_ptr<FaultGuard> (*make)()) {
    if (!guard) {
        guard = make();
        if (guard)
            begin(*guard);
    }
    return guard.get();
}

} // namespace

Status read_guard_wish(GuardWish &wish) { return read_word("PIXMPI_SHADOW", wish); }

Status find_guard(GuardWish wish, FaultGuard *&guard) {
    Guards &all = guards();
    const std::lock_guard lock(all.mutex);
    guard = wish == GuardWish::signal ? nullptr : need(all.userfaultfd, make_userfaultfd_guard);
    if (!guard && wish == GuardWish::userfaultfd)
        return fail(PIXMPI_ERR_DEVICE, "PIXMPI_SHADOW: userfaultfd, which this system does not allow or does not have; "
                                       "expected signal");
    if (!guard)
        guard = need(all.signal, make_signal_guard);
    return guard ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_MEMORY, "shared memory: no pipe for its faults, expected one");
}

} // namespace pixmpi
