// Files of folders where other users may also write: none is ever opened through a link of either kind that another
// user has put in its place, and a new one is really new.
#pragma once

#include "child/descriptor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mpiglut::walld {

class OwnFile {
  public:
    OwnFile() = default;
    /// A file that was not there before, to write. None, with errno set, where that cannot be.
    static OwnFile create(const std::string &folder, const std::string &name, unsigned rights = 0666);
    /// A regular file of this user with one name, to read. None where it is anything else.
    static OwnFile open(const std::string &folder, const std::string &name);

    explicit operator bool() const { return static_cast<bool>(file_); }
    /// False, with errno set, when not all of it could be written.
    bool append(std::string_view bytes);
    bool write_at(std::uint64_t at, std::string_view bytes);
    /// Less than `most` at the end of the file only.
    std::string read_at(std::uint64_t at, std::size_t most) const;
    std::uint64_t size() const { return size_; }
    int descriptor() const { return file_.get(); }

  private:
    launcher::Descriptor file_;
    std::uint64_t size_ = 0; ///< when it was opened, and what has been written since
};

/// The text takes the place of the file's, rights and all, or nothing changes. A path that is a link leads to the file,
/// except where another user may have put it: then the file takes the link's place. Empty, or why not.
std::string replace_file(const std::string &path, std::string_view text);

/// All of a regular file; nothing, and no `error`, where there is none. It is not read where another user may have put
/// it, or if it is longer than `most`.
std::string read_kept_file(const std::string &path, std::size_t most, std::string &error);

} // namespace mpiglut::walld
