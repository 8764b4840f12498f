// A film as one file: JPEG pictures in an AVI container (RIFF, Motion JPEG, with an index at the end).
#pragma once

#include "access/own_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::walld {

class Avi {
  public:
    /// All pictures have this size.
    Avi(OwnFile file, int columns, int rows);
    bool add(std::string_view jpeg);
    /// Writes the index and what was not known before. `microseconds`: from one picture to the next.
    bool close(std::uint32_t microseconds);

    std::size_t pictures() const { return index_.size(); }
    std::size_t bytes() const { return bytes_; } ///< of pictures

  private:
    struct Place {
        std::uint32_t offset, length;
    };
    bool write_head(std::uint32_t microseconds);

    OwnFile file_;
    int columns_, rows_;
    std::vector<Place> index_;
    std::size_t bytes_ = 0;
    std::uint32_t largest_ = 0;
};

} // namespace mpiglut::walld
