// The folder of captures: what is kept there has names that the server chose, and nothing else is ever opened.
#pragma once

#include "access/own_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpiglut::walld {

class Captures {
  public:
    static constexpr std::uint64_t default_limit = std::uint64_t{8} << 30;
    /// `limit`: bytes that all captures together may have.
    explicit Captures(std::string folder, std::uint64_t limit = default_limit)
        : folder_(std::move(folder)), limit_(limit) {}

    /// A new file, "wall-20260102-030405-001" and the ending. None, with `error` set, where there cannot be one: the
    /// folder is full, for instance.
    OwnFile create(const std::string &ending, std::string &name, std::string &error);
    /// Empty, or why not.
    std::string remove(const std::string &name);
    /// Changes with what there is.
    std::uint64_t version() const { return version_; }
    std::uint64_t bytes() const;
    std::uint64_t limit() const { return limit_; }
    std::string path(const std::string &name) const { return folder_ + "/" + name; }

    /// Screenshots, films, recordings and walls of the folder, newest first.
    std::vector<std::string> names() const;
    /// One of these; none for any other name.
    OwnFile open(const std::string &name) const;
    /// All of its bytes, for what is no film; empty for any other name.
    std::string read(const std::string &name) const;

  private:
    std::string folder_;
    std::uint64_t limit_;
    std::uint64_t version_ = 0;
    int count_ = 0;
};

/// It has keys that were pressed, which may be a password.
bool is_recording(const std::string &name);
/// The media type that goes with a name's ending.
const char *type_of(const std::string &name);

} // namespace mpiglut::walld
