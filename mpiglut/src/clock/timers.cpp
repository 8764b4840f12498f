// Timers that the program sets to an instant of its clock. They run by the machine's clock, which gets there later: by
// as much as the program's would if it went on as real time does.

#include "clock/deadline.h"

#include "base/export.h"
#include "base/real.h"

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/timerfd.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

/// Which clock the program's timers go by. timer_settime() may be called in a signal handler, so there is no lock.
struct Known {
    std::atomic<timer_t> timer;
    std::atomic<bool> in_use;
    std::atomic<clockid_t> id;
};
constinit std::array<Known, 256> known_timers;

void remember(timer_t timer, clockid_t id) {
    for (Known &known : known_timers)
        if (!known.in_use.exchange(true)) {
            known.timer = timer;
            known.id = id;
            return;
        }
}

Known *find(timer_t timer) {
    for (Known &known : known_timers)
        if (known.in_use && known.timer == timer)
            return &known;
    return nullptr;
}

/// The kernel tells; the descriptor may have come from anywhere.
clockid_t clock_of_timer_descriptor(int descriptor) {
    char name[48] = "/proc/self/fdinfo/", text[512];
    *std::to_chars(name + std::strlen(name), name + sizeof name - 1, descriptor).ptr = '\0';
    const int file = REAL(open)(name, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0)
        close(file);
    const std::string_view all(text, static_cast<std::size_t>(size > 0 ? size : 0)), key = "clockid: ";
    int id = Deadline::not_said;
    if (const std::size_t at = all.find(key); at != all.npos)
        std::from_chars(text + at + key.size(), text + all.size(), id);
    return id;
}

/// set(value) -> result. A value of 0 stops the timer.
template <class Set> int set_timer(Caller caller, clockid_t id, const itimerspec *value, Set set) {
    const Deadline deadline(caller, id, &value->it_value);
    itimerspec real = *value;
    real.it_value = *deadline.real();
    if (real.it_value.tv_sec == 0 && real.it_value.tv_nsec == 0)
        real.it_value.tv_nsec = 1; // long past, and not stopped
    return set(&real);
}

bool is_instant(const itimerspec *value) {
    return value && (value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0);
}

} // namespace

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec *value, itimerspec *old) noexcept {
    const auto set = [&](const itimerspec *real) { return REAL(timerfd_settime)(descriptor, flags, real, old); };
    if (!(flags & TFD_TIMER_ABSTIME) || !virtual_clock::is_instant(value) || !virtual_clock::serves(MPIGLUT_CALLER))
        return set(value);
    return virtual_clock::set_timer(MPIGLUT_CALLER, virtual_clock::clock_of_timer_descriptor(descriptor), value, set);
}

MPIGLUT_EXPORT int timer_create(clockid_t id, sigevent *event, timer_t *timer) noexcept {
    const int result = REAL(timer_create)(id, event, timer);
    if (result == 0 && virtual_clock::serves(MPIGLUT_CALLER))
        virtual_clock::remember(*timer, id);
    return result;
}

MPIGLUT_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec *value, itimerspec *old) noexcept {
    const auto set = [&](const itimerspec *real) { return REAL(timer_settime)(timer, flags, real, old); };
    if (!(flags & TIMER_ABSTIME) || !virtual_clock::is_instant(value) || !virtual_clock::serves(MPIGLUT_CALLER))
        return set(value);
    const virtual_clock::Known *const known = virtual_clock::find(timer);
    return virtual_clock::set_timer(MPIGLUT_CALLER, known ? known->id.load() : virtual_clock::Deadline::not_said, value,
                                    set);
}

MPIGLUT_EXPORT int timer_delete(timer_t timer) noexcept {
    if (virtual_clock::Known *const known = virtual_clock::find(timer))
        known->in_use = false;
    return REAL(timer_delete)(timer);
}
