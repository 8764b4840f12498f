// Running programs from tests: with a time limit, their output collected, everything ended when the test ends.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wall_test {

struct Finished {
    int status = -1; ///< exit status, 128 + N after signal N
    bool timed_out = false;
    std::string output; ///< standard output
    std::string errors; ///< standard error
};

/// A process that runs during the test; killed, with its process group, if it still runs at the end.
class Process {
  public:
    Process(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment = {});
    ~Process();
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    pid_t pid() const { return pid_; }
    /// Waits for the end; kills it after `seconds`.
    Finished finish(double seconds);
    /// Waits, taking in its output, until `ready`; false when it ended, or `seconds` passed, before that.
    bool wait_until(const std::function<bool()> &ready, double seconds);
    /// What it has written to standard output so far.
    std::string output_so_far();

  private:
    void pump(int milliseconds);
    bool ended();

    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    bool reaped_ = false;
    Finished result_;
};

Finished run(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment,
             double seconds);

/// An X server of the test.
class Xvfb {
  public:
    Xvfb(int width, int height);
    ~Xvfb();
    Xvfb(const Xvfb &) = delete;
    Xvfb &operator=(const Xvfb &) = delete;
    const std::string &display() const { return display_; } ///< ":7", empty when it did not start

  private:
    pid_t pid_ = -1;
    std::string display_;
};

} // namespace wall_test
