// A deadline of the program. The program works it out from its own clock, and the system waits by the machine's: the
// two differ with `--clock step`, and on every host that has not been up for as long as rank 0's.
#pragma once

#include "clock/virtual.h"

#include <cstdint>
#include <ctime>

namespace mpiglut::clock {

class Deadline {
  public:
    /// For a deadline that does not come with its clock: the clock that is nearer.
    static constexpr clockid_t not_said = -1;

    /// `given` may be null.
    Deadline(Caller caller, clockid_t id, const timespec *given);
    Deadline(const Deadline &) = delete;
    Deadline &operator=(const Deadline &) = delete;

    /// By the machine's clock; what was given where time is not virtual.
    const timespec *real() const { return real_; }
    /// The wait for it is over. In a thread in step the program's clock moves to the deadline if that has passed:
    /// otherwise the program would wait for the same instant again.
    void over(bool timed_out) const;

  private:
    timespec translated_{};
    const timespec *real_;
    std::int64_t missing_ = 0;
};

/// wait(real deadline) -> result; timed_out(result).
template <class Wait, class TimedOut>
auto wait_until(Caller caller, clockid_t id, const timespec *given, Wait wait, TimedOut timed_out) {
    const Deadline deadline(caller, id, given);
    auto result = wait(deadline.real());
    deadline.over(timed_out(result));
    return result;
}

/// syscall(SYS_futex): the C++ library waits by it, and so do libraries that have their own locks. The operation
/// decides about the other arguments.
long futex(Caller caller, const long (&arguments)[6]);

} // namespace mpiglut::clock
