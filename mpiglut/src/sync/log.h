// What rank 0 has sent to all others since the beginning, in a file without a name: with it a rank that comes back is
// brought up to the present.
#pragma once

#include "sync/message.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpiglut::transport {

class Log {
  public:
    /// In this folder, of at most so many bytes.
    Log(const std::string &folder, std::uint64_t most);
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    /// False, with `error` set, when it cannot be kept any more; from then on nothing is.
    bool add(std::span<const std::byte> encoded, std::string &error);
    std::uint64_t size() const { return written_ + waiting_.size(); }
    /// At most so many bytes from there; fewer at the end, and none where the file cannot be read.
    Bytes read(std::uint64_t from, std::size_t most);

  private:
    bool write_waiting(std::string &error);

    int fd_ = -1;
    std::string problem_; ///< why it is not kept
    std::uint64_t most_, written_ = 0;
    Bytes waiting_; ///< to be written in one piece
};

} // namespace mpiglut::transport
