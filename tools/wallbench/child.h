// A process of wallbench's own: started, read from, timed and ended.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

class Child {
  public:
    enum class Reads { output, output_and_errors };
    /// What it prints comes back through read_line; `display`, if given, becomes its DISPLAY.
    /// Throws std::runtime_error when the program cannot be run.
    explicit Child(const std::vector<std::string> &command, const std::string &display = {},
                   Reads reads = Reads::output);
    /// Asks it to end (SIGTERM), and after five seconds makes it.
    ~Child();
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    /// The next line, without its end; empty at the end of output.
    std::string read_line();
    pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = -1;
    int output_ = -1;
};

/// Processor time that a process has used, in seconds; 0 when there is no such process.
double cpu_seconds(pid_t pid);
pid_t parent(pid_t pid);
/// CLOCK_MONOTONIC.
std::int64_t now_ns();
