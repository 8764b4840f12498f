// The mpiexec that starts the agents.
#pragma once

#include "child/guard.h"
#include "child/loop.h"
#include "job/mpi_flavour.h"

#include <functional>
#include <string>

namespace mpiglut::launcher {

class MpiJob {
  public:
    /// `says`: called with each piece of what it prints.
    MpiJob(Loop &loop, Guard &guard, std::function<void(std::string_view)> says);
    ~MpiJob();
    /// Why it could not be started; empty when it was.
    std::string start(const MpiexecLine &line);

    pid_t pid() const { return pid_; }
    bool running() const { return pid_ > 0; }
    void ended();
    /// What it has printed so far, the beginning of it.
    const std::string &printed() const { return printed_; }
    /// Gives it a moment to end by itself, then helps.
    void finish();

  private:
    void read_some();
    Loop &loop_;
    Guard &guard_;
    std::function<void(std::string_view)> says_;
    Descriptor output_;
    std::string printed_;
    pid_t pid_ = -1;
};

} // namespace mpiglut::launcher
