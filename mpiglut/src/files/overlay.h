// The files that the ranks besides rank 0 write: each rank has a folder of its own in which they lie under the same
// paths as on the real system, in front of it. So a rank reads what it wrote, and rank 0's files are the run's.
//
// Only regular files and folders are treated so. Devices, pipes, sockets, and all of /dev, /proc and /sys are the real
// ones. The folder itself holds all that is known: children of the program see the same.
#pragma once

#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/types.h>

namespace mpiglut::files {

/// `folder` need not exist; empty: this rank writes through. What was made after `start_ns` (CLOCK_REALTIME), and not
/// by this rank, was made by rank 0 on the way that this rank is taking too.
void begin_overlay(const std::string &folder, std::int64_t start_ns);

/// Rank 0, where ranks that die may come back: what files were before the program first changed them is kept in this
/// folder, laid out as another rank's. A copy of it is what a rank that comes back begins with.
void begin_memory(const std::string &folder);
/// The program is about to change what is there.
void remember(int at, const char *path);

/// Does this rank keep what it writes to itself?
bool keeps();

/// What a symbolic link at the end of a path stands for.
enum class Last { followed, itself };

/// The path to hand to the system for the program's `path`, relative to `at` (AT_FDCWD or a folder's descriptor): empty
/// when that is the path itself.
std::string for_looking(int at, const char *path, Last last = Last::followed);
/// The same for open(2) with these flags: copies or makes room for the file if it is going to be written.
std::string for_opening(int at, const char *path, int flags);
/// For realpath(3): how the program calls a file that is this rank's own, else empty.
std::string own_name(const char *path);
/// Does the program find this link when it lists a folder?
bool is_listed(DIR *folder, const char *link);
/// The working directory as the program knows it.
std::string shown(std::string folder);

// As the system calls of these names; -1 with errno set. Called only when keeps().
int make_folder(int at, const char *path, mode_t mode);
int remove_folder(int at, const char *path);
int remove_file(int at, const char *path);
int move(int from_at, const char *from, int to_at, const char *to, bool replace);

} // namespace mpiglut::files
