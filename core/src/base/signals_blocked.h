// For library threads: the program's signal handlers run in its threads only.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace pixmpi {

/// While it lives, a thread that is made here inherits that all signals are blocked.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked &) = delete;
    SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  private:
    sigset_t before_;
};

} // namespace pixmpi
