// Standard input of mpiglutrun, read only as fast as every rank's program takes it.
#pragma once

#include "child/loop.h"

#include <functional>
#include <string_view>
#include <vector>

namespace mpiglut::launcher {

class InputFeed {
  public:
    /// `data` with no bytes: the end.
    InputFeed(Loop &loop, int ranks, std::function<void(std::string_view)> data);
    ~InputFeed() { loop_.forget(0); }
    void start();
    /// The rank's program took so much of it.
    void taken(int rank, std::size_t bytes);
    /// The rank takes part no longer.
    void drop(int rank);

  private:
    std::size_t room() const;
    void update();
    void read_some();

    Loop &loop_;
    std::function<void(std::string_view)> data_;
    std::vector<std::size_t> waiting_; ///< bytes on their way, by rank
    std::vector<bool> dropped_;
    bool reading_ = false;
};

} // namespace mpiglut::launcher
