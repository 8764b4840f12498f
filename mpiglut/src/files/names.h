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

  private:
    Name(int at, const char *path) : at_(at), path_(path) {}
    bool in_proc();
    void lead_to(std::string other);

    int at_;
    const char *path_;
    bool changed_ = false;
    std::string other_;
};

/// The flags of open(2) for a mode of fopen(3).
int flags_of(const char *mode);

/// A descriptor with the same random bytes on every rank if `path` is a device that has them, else -1.
int open_random(const void *caller, const char *path, int flags);

} // namespace mpiglut::files
