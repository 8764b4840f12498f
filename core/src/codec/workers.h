// Threads that share the work of one call: one for each core of this process, the caller's included.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pixmpi {

/// Memory that one thread keeps from one piece of work to the next; what it holds is not kept.
class Scratch {
  public:
    std::byte *get(std::size_t bytes) {
        if (bytes > bytes_) {
            memory_.reset();
            bytes_ = 0;
            memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
            bytes_ = bytes;
        }
        return memory_.get();
    }

  private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t bytes_ = 0;
};

class Workers {
  public:
    /// `most`: threads at work at once, the caller's included; 0: a thread for each core. No thread starts before there
    /// is something to share, and none where there is one core.
    explicit Workers(unsigned most = 0);
    ~Workers();
    Workers(const Workers &) = delete;
    Workers &operator=(const Workers &) = delete;
    unsigned count() const { return most_; }

    /// body(i, scratch) for each i below `count`, in any order, in several threads; returns when all are over. What one
    /// of them throws is thrown here; pieces that have not begun by then are left out. A body calls no fail(): texts
    /// are a thread's own. While another call is at work, or from within a body, the caller works alone.
    template <class Body> void for_all(std::size_t count, Body body) {
        run(count, {[](void *context, std::size_t i, Scratch &scratch) { (*static_cast<Body *>(context))(i, scratch); },
                    &body});
    }

  private:
    struct Job {
        void (*run)(void *context, std::size_t i, Scratch &scratch) = nullptr;
        void *context = nullptr;
    };
    void run(std::size_t count, Job job);
    void start_threads();
    void serve(Scratch &scratch);
    /// Runs tasks until none is left. `lock`: of mutex_, held before and after.
    void run_tasks(std::unique_lock<std::mutex> &lock, Scratch &scratch);

    const unsigned most_;
    std::atomic<bool> in_use_{false}; ///< by the call at work
    std::mutex mutex_;                ///< of all below
    std::condition_variable work_, done_;
    Job job_;
    std::size_t next_ = 0, count_ = 0, running_ = 0; ///< pieces: the next one, all, those under way
    std::exception_ptr thrown_;
    bool ending_ = false;
    std::vector<Scratch> scratches_; ///< the caller's first
    std::vector<std::thread> threads_;
};

} // namespace pixmpi
