// The event loop of mpiglutrun and of its agents: descriptors, timers and signals, one thread.
#pragma once

#include "child/descriptor.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>

namespace mpiglut::launcher {

class Loop {
  public:
    using Clock = std::chrono::steady_clock;
    using Ready = std::function<void(short revents)>;

    /// Calls `ready` when poll(2) reports one of `events` (or an error) on `fd`. With no events it stays silent.
    void watch(int fd, short events, Ready ready);
    /// Changes what an already watched descriptor waits for.
    void wait_for(int fd, short events);
    void forget(int fd);

    /// Calls `then` once after `delay`. The number can be used to cancel it.
    int after(std::chrono::milliseconds delay, std::function<void()> then);
    void cancel(int timer);

    /// Blocks these signals in this process and hands them to `arrived` instead.
    void signals(std::initializer_list<int> numbers, std::function<void(int)> arrived);

    void run();
    void stop() { stopped_ = true; }

  private:
    struct Watch {
        short events;
        std::shared_ptr<Ready> ready;
    };
    struct Timer {
        Clock::time_point due;
        std::function<void()> then;
    };
    int milliseconds_to_next_timer() const;
    void run_timers();

    std::map<int, Watch> watches_;
    std::map<int, Timer> timers_;
    Descriptor signal_fd_;
    int next_timer_ = 1;
    bool stopped_ = false;
};

} // namespace mpiglut::launcher
