// The program that an agent runs: its streams, its reports, its end.
#pragma once

#include "child/descriptor.h"
#include "child/loop.h"
#include "child/spawn.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::launcher {

class Child {
  public:
    struct Listener {
        std::function<void(int stream, std::string_view bytes)> output;
        std::function<void(const std::string &kind, const std::string &text)> report;
        std::function<void(std::size_t bytes)> input_taken;
    };
    /// `terminal[0]`, `terminal[1]`: standard output, standard error get a pseudo terminal, so that the program's own
    /// buffering is what it is when it is started in one.
    Child(Loop &loop, Listener listener, std::array<bool, 2> terminal);
    ~Child();

    /// The descriptor that the program writes its reports to.
    int report_fd() const { return report_.far.get(); }
    /// `inherited`: further descriptors that it gets; -1: none.
    Spawned start(const std::vector<std::string> &argv, const std::vector<std::string> &environment,
                  const std::string &directory, const std::vector<int> &inherited);

    pid_t pid() const { return pid_; }
    bool running() const { return pid_ > 0 && !ended_; }
    void signal(int number);
    bool signalled() const { return signalled_; }
    /// It was reaped: takes in what is left in its streams.
    void ended();

    void input(std::string_view bytes);
    void end_input();
    /// Stops reading what it prints, so that it waits, as it would for a slow terminal.
    void pause_output(bool paused);
    /// Nobody wants this stream any more: the program's writes fail as they would without us.
    void close_output(int stream);

  private:
    struct Channel {
        Descriptor near, far; ///< ours, the program's
    };
    static Channel output_channel(bool terminal);
    void watch_output(int stream);
    bool read_output(int stream);
    bool read_report();
    void write_input();

    Loop &loop_;
    Listener listener_;
    std::array<Channel, 2> streams_; ///< standard output, standard error
    Channel input_, report_;
    std::string waiting_input_, report_line_;
    bool input_ending_ = false, signalled_ = false, ended_ = false;
    pid_t pid_ = -1;
};

} // namespace mpiglut::launcher
