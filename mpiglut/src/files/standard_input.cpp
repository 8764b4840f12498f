#include "files/standard_input.h"

#include "base/real.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::standard_input {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t most_waiting = 64u << 10; ///< bytes here, and bytes in the pipe
constexpr int pipe_size = 1 << 20;              ///< room for as many bytes in pieces of any size
constexpr auto longest_sleep = 1s;              ///< a program that sleeps longer may be waiting for input somehow
constexpr auto longest_wait = 1s;               ///< for bytes that another rank has
constexpr auto longest_reading = 200ms;  ///< by another thread than that of the ticks
constexpr int look_ms = 2;                      ///< how often to see whether the program waits

class Feed {
  public:
    Feed(int from, int to, int wake) : from_(from), to_(to), wake_(wake) {
        main_reads_ = ticks_ != getpid() && call_of(getpid()).starts_with(std::to_string(SYS_read) + " 0x0 ");
    }

    Arrived arrived() {
        const std::lock_guard lock(mutex_);
        const std::uint64_t room = most_waiting - std::min(most_waiting, unread());
        const std::uint64_t bytes = std::min(passed_ + waiting_.size(), std::max(target_.bytes, passed_) + room);
        return {bytes, ended_ && bytes == passed_ + waiting_.size()};
    }
    Arrived released() {
        const std::lock_guard lock(mutex_);
        return target_;
    }
    void pause() {
        const std::lock_guard lock(mutex_);
        program_runs_ = false;
    }
    void release(const Arrived &what) {
        std::unique_lock lock(mutex_);
        target_ = what;
        program_runs_ = true;
        ticks_ = gettid();
        helped_ = 0;
        since_ = Clock::now();
        const bool brings_more = passed_ < what.bytes;
        wake();
        if (!patient_)
            return;
        patient_ = changed_.wait_for(lock, longest_wait, [&] {
            return closed_ || (passed_ >= what.bytes && !what.ended) || (ended_ && waiting_.empty()) || full_;
        });
        if (brings_more && patient_ && ticks_ != getpid())
            wait_for_reader(lock);
    }

    void run() {
        std::unique_lock lock(mutex_);
        while (!closed_) {
            pollfd fds[] = {{wake_, POLLIN, 0},
                            {ended_ || waiting_.size() >= most_waiting ? -1 : from_, POLLIN, 0},
                            {named() > 0 ? to_ : -1, POLLOUT, 0}};
            const bool held_back = program_runs_ && (!waiting_.empty() || ended_);
            lock.unlock();
            REAL(poll)(fds, 3, held_back ? look_ms : -1);
            lock.lock();
            std::uint64_t ignored;
            if (fds[0].revents) [[maybe_unused]]
                const ssize_t n = read(wake_, &ignored, sizeof ignored);
            if (fds[1].revents)
                read_some();
            pass();
            changed_.notify_all();
        }
    }

  private:
    std::size_t unread() const {
        int bytes = 0;
        return !closed_ && ioctl(to_, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
    }
    void wake() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t n = write(wake_, &one, sizeof one);
    }
    /// Bytes that the last tick named and the program does not have yet.
    std::size_t named() const {
        const std::uint64_t more = target_.bytes - std::min(target_.bytes, passed_);
        return static_cast<std::size_t>(std::min<std::uint64_t>(more, waiting_.size()));
    }
    /// The system call that a thread of this process sleeps in; "running" for one that does not.
    static std::string call_of(pid_t thread) {
        char text[32] = {};
        const std::string name = "/proc/self/task/" + std::to_string(thread) + "/syscall";
        const int file = REAL(open)(name.c_str(), O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            [[maybe_unused]] const ssize_t n = read(file, text, sizeof text - 1);
            close(file);
        }
        return text;
    }
    /// Is the thread of the ticks stuck until it gets some?
    bool program_waits() const {
        if (!program_runs_ || unread() > 0)
            return false;
        const std::string call = call_of(ticks_);
        if (call.starts_with("running"))
            return false;
        return helped_ > 0 || call.starts_with(std::to_string(SYS_read) + " 0x0 ") ||
               Clock::now() - since_ > longest_sleep;
    }
    /// main() reads, and the ticks are another thread's. Waits until main() has used its input and sleeps again, so that
    /// every rank's tick finds the same.
    void wait_for_reader(std::unique_lock<std::mutex> &lock) const {
        const auto end = Clock::now() + longest_reading;
        const auto is_done = [&] { return closed_ || (unread() == 0 && !call_of(getpid()).starts_with("running")); };
        while (!is_done() && Clock::now() < end) {
            constexpr timespec pause{0, 100'000};
            lock.unlock();
            REAL(nanosleep)(&pause, nullptr);
            lock.lock();
        }
    }
    /// For a program that waits. Pieces end at round numbers, so that all ranks that wait get the same, and grow.
    std::size_t piece() const {
        const std::uint64_t unit = 4096u << std::min(helped_ / 4, 4);
        return static_cast<std::size_t>(std::min<std::uint64_t>(unit - passed_ % unit, waiting_.size()));
    }
    void read_some() {
        if (std::exchange(main_reads_, false)) { // the next bytes are the answer to that call
            constexpr timespec pause{0, 20'000'000};
            REAL(nanosleep)(&pause, nullptr);
            return;
        }
        char bytes[16384];
        const ssize_t n = read(from_, bytes, sizeof bytes);
        if (n > 0)
            waiting_.append(bytes, static_cast<std::size_t>(n));
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            ended_ = true;
    }
    void pass() {
        full_ = false;
        std::size_t size = named();
        const bool help = size == 0 && (!waiting_.empty() || ended_) && program_waits();
        if (help)
            size = piece();
        helped_ += help;
        if (size > 0) {
            const ssize_t n = write(to_, waiting_.data(), size);
            full_ = n < 0 && errno == EAGAIN;
            closed_ = n < 0 && errno != EAGAIN && errno != EINTR; // it is not read any more
            passed_ += static_cast<std::uint64_t>(std::max<ssize_t>(n, 0));
            waiting_.erase(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        }
        closed_ = closed_ || (ended_ && waiting_.empty() && (help || target_.ended));
        if (closed_)
            close(to_);
    }

    const int from_, to_, wake_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string waiting_;      ///< has come and may not be read yet
    std::uint64_t passed_ = 0; ///< bytes that went into the pipe
    Arrived target_;
    Clock::time_point since_ = Clock::now();
    pid_t ticks_ = gettid(); ///< the thread of the ticks
    int helped_ = 0;         ///< how often since the last tick
    bool program_runs_ = true;
    bool main_reads_ = false; ///< main() has waited for bytes since before the ticks' thread, another one, called glutInit
    bool patient_ = true, ended_ = false, full_ = false, closed_ = false;
};

Feed *feed; ///< never destroyed: its thread goes on to the end

bool start_thread() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // the program's signals are its own threads'
    pthread_t thread;
    const bool started = pthread_create(
                             &thread, nullptr,
                             [](void *) -> void * {
                                 feed->run();
                                 return nullptr;
                             },
                             nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started)
        pthread_detach(thread);
    return started;
}

} // namespace

void intercept() {
    struct stat what;
    if (feed || fstat(STDIN_FILENO, &what) != 0 || !S_ISFIFO(what.st_mode))
        return; // a file is the same for all as it is
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    const int from = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 64), wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int ends[2];
    if (from < 0 || wake < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    fcntl(from, F_SETFL, flags | O_NONBLOCK);
    fcntl(ends[0], F_SETFL, flags);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETPIPE_SZ, pipe_size);
    feed = new Feed(from, ends[1], wake);
    if (start_thread())
        dup2(ends[0], STDIN_FILENO);
    else
        feed = nullptr;
    close(ends[0]);
}

Arrived arrived() { return feed ? feed->arrived() : Arrived{}; }
Arrived released() { return feed ? feed->released() : Arrived{}; }
void pause() {
    if (feed)
        feed->pause();
}
void release(const Arrived &what) {
    if (feed)
        feed->release(what);
}

} // namespace mpiglut::standard_input
