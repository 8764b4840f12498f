#include "child/loop.h"

#include <algorithm>
#include <climits>
#include <poll.h>
#include <sys/signalfd.h>
#include <vector>

namespace mpiglut::launcher {

void Loop::watch(int fd, short events, Ready ready) {
    watches_[fd] = {events, std::make_shared<Ready>(std::move(ready))};
}

void Loop::wait_for(int fd, short events) {
    if (auto it = watches_.find(fd); it != watches_.end())
        it->second.events = events;
}

void Loop::forget(int fd) { watches_.erase(fd); }

int Loop::after(std::chrono::milliseconds delay, std::function<void()> then) {
    timers_[next_timer_] = {Clock::now() + delay, std::move(then)};
    return next_timer_++;
}

void Loop::cancel(int timer) { timers_.erase(timer); }

void Loop::signals(std::initializer_list<int> numbers, std::function<void(int)> arrived) {
    sigset_t set;
    sigemptyset(&set);
    for (int number : numbers)
        sigaddset(&set, number);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signal_fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    watch(signal_fd_.get(), POLLIN, [this, arrived = std::move(arrived)](short) {
        signalfd_siginfo info;
        while (::read(signal_fd_.get(), &info, sizeof info) == sizeof info)
            arrived(static_cast<int>(info.ssi_signo));
    });
}

int Loop::milliseconds_to_next_timer() const {
    if (timers_.empty())
        return -1;
    auto next = std::ranges::min_element(timers_, {}, [](const auto &entry) { return entry.second.due; })->second.due;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

void Loop::run_timers() {
    std::vector<int> due;
    for (const auto &[number, timer] : timers_)
        if (timer.due <= Clock::now())
            due.push_back(number);
    for (int number : due) {
        auto it = timers_.find(number);
        if (it == timers_.end()) // cancelled by an earlier one
            continue;
        auto then = std::move(it->second.then);
        timers_.erase(it);
        then();
    }
}

void Loop::run() {
    stopped_ = false;
    while (!stopped_) {
        std::vector<pollfd> fds;
        for (const auto &[fd, watch] : watches_)
            if (watch.events) // otherwise a hung-up descriptor that is not to be read now would keep poll awake
                fds.push_back({fd, watch.events, 0});
        ::poll(fds.data(), fds.size(), milliseconds_to_next_timer());
        for (const pollfd &fd : fds) {
            if (!fd.revents)
                continue;
            auto it = watches_.find(fd.fd);
            // An earlier callback may have changed what is waited for: ask poll again.
            if (it == watches_.end() || it->second.events != fd.events)
                continue;
            auto ready = it->second.ready;
            (*ready)(fd.revents);
        }
        run_timers();
    }
}

} // namespace mpiglut::launcher
