// What an interposed function of names hands on to the real one.
#pragma once

#include "files/overlay.h"

#include <string>

namespace mpiglut::files {

/// A path as the program gave it, and where that leads on this rank: to the rank's own files, and from /proc/PID with
/// the number that all ranks share to the process that asks.
class Name {
  public:
    /// For looking at what is there.
    Name(const void *caller, int at, const char *path, Last last = Last::followed);
    /// For open(2).
    static Name to_open(const void *caller, int at, const char *path, int flags);

    /// What to hand to the system.
    int at() const { return changed_ ? AT_FDCWD : at_; }
    const char *path() const { return changed_ ? other_.c_str() : path_; }
    /// Not the path that the program gave.
    bool is_elsewhere() const { return changed_; }
    /// What the system has said since is about the right file: rank 0 has not begun to change it meanwhile.
    bool holds() const;

  private:
    Name(int at, const char *path) : at_(at), path_(path) {}
    bool in_proc();
    bool is_absent();
    void lead_to(std::string other);

    int at_;
    const char *path_;
    bool changed_ = false, real_file_ = false; ///< real_file_: where others write as well
    Last last_ = Last::followed;
    std::string other_;
};

/// Calls `ask(at, path)` for what lies there, once more if rank 0 has begun to change that meanwhile.
template <class Ask> auto look(const void *caller, int at, const char *path, Last last, Ask ask) {
    for (int tries = 3;; --tries) {
        const Name name(caller, at, path, last);
        const auto answer = ask(name.at(), name.path());
        if (tries == 0 || name.holds())
            return answer;
    }
}

/// The flags of open(2) for a mode of fopen(3).
int flags_of(const char *mode);

/// A descriptor with the same random bytes on every rank if `path` is a device that has them, else -1.
int open_random(const void *caller, const char *path, int flags);

} // namespace mpiglut::files
