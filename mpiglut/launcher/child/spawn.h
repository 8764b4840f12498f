// Starting processes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut::launcher {

enum class Group {
    own_group,   ///< killed together with kill(-pid)
    own_session, ///< that, and without a terminal to ask for passwords on
};

struct Spawn {
    std::vector<std::string> argv;
    std::vector<std::string> environment; ///< NAME=value
    std::string directory;                ///< empty: this one
    int in = -1, out = -1, err = -1;      ///< -1: /dev/null
    std::vector<int> keep;                ///< further descriptors that it inherits
    Group group = Group::own_group;
    int death_signal = 0;         ///< sent to it when this process dies
    bool fixed_addresses = false; ///< without address space randomisation
    bool alone = false;           ///< it inherits nothing else: not the connection of MPI's launcher to this process
};

struct Spawned {
    pid_t pid = -1;
    int error = 0;             ///< errno when there is no process
    bool in_directory = false; ///< it is the directory that could not be entered
};
Spawned spawn(const Spawn &what);

/// Standard output and error of a command together, at most `longest` later. `status` as from wait(2), -1 when it was
/// not started or took too long.
std::string output_of(const std::vector<std::string> &argv, std::chrono::milliseconds longest, int &status);

/// This process's environment.
std::vector<std::string> own_environment();
/// Sets NAME in a list of NAME=value; `unset` removes it.
void set(std::vector<std::string> &environment, const std::string &name, const std::string &value);
void unset(std::vector<std::string> &environment, const std::string &name);
/// Removes what makes the process a rank of the MPI job that this one belongs to.
void remove_place_in_job(std::vector<std::string> &environment);

/// What wait(2) will say of a process that is over but cannot be reaped yet: one of its threads has also been killed,
/// and has not got a processor to end on. GL drivers have threads that get one only when no other thread wants it.
std::optional<int> status_of_dying(pid_t pid);
/// "signal 11 (Segmentation fault)"
std::string describe_signal(int number);
/// "killed by signal ..." or "exited with status 3", from what wait(2) says.
std::string describe_status(int status);
/// What a shell makes of it: the status, or 128 + signal.
int shell_status(int status);

} // namespace mpiglut::launcher
