// The folder of captures: what is kept there has names that the server chose, and nothing else is ever opened.
#pragma once

#include <string>
#include <vector>

namespace mpiglut::walld {

class Captures {
  public:
    explicit Captures(std::string folder) : folder_(std::move(folder)) {}

    /// A name that no file has yet, "wall-20260102-030405-001" and the ending. The folder is there from now on.
    std::string new_name(const std::string &ending);
    std::string path(const std::string &name) const { return folder_ + "/" + name; }

    /// Screenshots, films, recordings and walls of the folder, newest first.
    std::vector<std::string> names() const;
    /// The bytes of one of these; empty for any other name.
    std::string read(const std::string &name) const;

  private:
    std::string folder_;
    int count_ = 0;
};

/// The media type that goes with a name's ending.
const char *type_of(const std::string &name);

} // namespace mpiglut::walld
