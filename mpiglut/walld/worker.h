// A thread for work that would keep the loop from its browsers: putting pictures of a whole wall together, and coding
// them. Further steps are done in the loop again.
#pragma once

#include "child/descriptor.h"
#include "web/web.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace mpiglut::walld {

class Worker {
  public:
    using Work = std::function<std::function<void()>()>;
    Worker();
    /// Waits for the current piece of work. Work that has not begun is dropped.
    ~Worker();

    /// From then on `web` calls what follows.
    void join(Web &web);
    /// One after another. The function that `work` returns is called in the loop.
    void add(Work work);

  private:
    void run();
    void follow();

    launcher::Descriptor bell_; ///< an eventfd that wakes the loop
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Work> waiting_;
    std::deque<std::function<void()>> done_;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace mpiglut::walld
