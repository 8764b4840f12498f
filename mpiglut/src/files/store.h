// A folder with files under the same paths as on the real system, with marks for files that are not there. Each
// rank except rank 0 keeps in one what it has changed. Rank 0 keeps in one what its program has changed since the run
// began, as it was before.
#pragma once

#include <string>
#include <string_view>

namespace mpiglut::files {

enum class Kind { none, gone, file, folder, link, other };

/// What lies at this path of the system.
Kind kind_at(const std::string &path);
/// The path without its last part.
std::string parent(const std::string &path);
/// The target of a symbolic link, empty if there is none.
std::string link_target(const std::string &path);

/// Keys are absolute paths of the real system, without links, `.` and `..`.
class Store {
  public:
    /// `root` need not exist.
    explicit Store(std::string root) : root_(std::move(root)) {}

    const std::string &root() const { return root_; }
    bool exists() const;
    std::string path(const std::string &key) const { return root_ + key; }
    /// `folder` may also mean that there are files below it.
    Kind kind(const std::string &key) const;

    /// Makes the folders around the file, and takes back that it is gone. The file's path.
    std::string make_room(const std::string &key);
    void mark_gone(const std::string &key);
    /// A copy of that file or link, unless there is one already. -1 with errno set if that fails.
    int copy(const std::string &from, const std::string &key);

  private:
    std::string mark(const std::string &key) const;
    int copy_file(const std::string &from, const std::string &to);

    std::string root_;
};

/// Calls `visit(name)` for each entry until it returns true; was there such an entry?
bool any_entry(const std::string &folder, bool (*visit)(void *, const std::string &), void *data);
template <class Visit> bool any_entry(const std::string &folder, Visit visit) {
    return any_entry(
        folder, [](void *data, const std::string &name) -> bool { return (*static_cast<Visit *>(data))(name); },
        &visit);
}

} // namespace mpiglut::files
