// The end of what a program prints where nobody sees it: what is left to tell why it has failed.
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
