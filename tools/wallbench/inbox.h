// Where the scene's processes send their reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

class Inbox {
  public:
    /// Throws std::runtime_error where no socket can be made.
    Inbox();
    ~Inbox();
    Inbox(const Inbox &) = delete;
    Inbox &operator=(const Inbox &) = delete;

    const std::string &path() const { return path_; }

    /// The earliest report of each process that came after `keys` presses; waits until there are `count` or two seconds
    /// (ten for the first picture) have passed.
    std::map<pid_t, std::int64_t> wait_for(int keys, int count);

  private:
    std::string folder_, path_;
    int fd_ = -1;
};
