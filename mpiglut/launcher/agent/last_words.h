// The end of a program's output where that is not shown: it is what is left to tell why the program has failed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::launcher {

class LastWords {
  public:
    void add(std::string_view bytes);
    /// The last lines, without empty ones and control characters.
    std::vector<std::string> lines() const;

  private:
    std::string end_;
};

} // namespace mpiglut::launcher
