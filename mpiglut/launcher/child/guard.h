// A small process in its own session that cleans up after its owner, however the owner ends: kill -9 included.
// There is no other way to clean up, so that the rare way is the tested way.
#pragma once

#include "child/descriptor.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut::launcher {

/// What is to be gone at the end; a list, told to the guard line by line.
struct Leftovers {
    pid_t group = 0;                      ///< process group to kill
    std::vector<pid_t> servers;           ///< X servers to end
    std::vector<std::string> displays;    ///< their names; their lock files and sockets go with them
    std::vector<std::string> directories; ///< to remove
    std::string mark;                     ///< NAME=value in the environment of every process that is to go

    void note(const std::string &line);
    void remove() const;
};

class Guard {
  public:
    /// Call early: the guard is a fork of this process.
    Guard();
    /// Has everything cleaned up and comes back when it is, after about a second at the latest.
    ~Guard() { finish(); }
    void finish();
    /// The owner reaps all its children: it has reaped this one.
    void reaped(pid_t pid);

    void kill_group(pid_t group) { tell("group " + std::to_string(group)); }
    void end_server(pid_t server) { tell("server " + std::to_string(server)); }
    void forget_display(const std::string &display) { tell("display " + display); }
    void remove_directory(const std::string &path) { tell("directory " + path); }
    void kill_marked(const std::string &mark) { tell("mark " + mark); }

  private:
    void tell(const std::string &line);
    pid_t pid_ = -1;
    Descriptor pipe_;
    Leftovers leftovers_; ///< for the case that the guard is killed
};

/// A new directory for this run that only this user can read, in `place`, or else in TMPDIR or /tmp; empty when that
/// fails.
std::string make_run_directory(const std::string &place = {});

} // namespace mpiglut::launcher
