// The files that the ranks except rank 0 write: each rank has its own folder with them, under the same paths as on the
// real system, in front of it. So a rank reads what it wrote, and rank 0's files are the run's.
//
// Rank 0 keeps what its program changes, as it was before, in a folder laid out in the same way. The other ranks of the
// same host look there before they look at the real system: rank 0's changes show when a rank has made them itself.
//
// Regular files, folders and links are treated so. Devices, pipes, sockets, and all of /dev, /proc and /sys are the
// real ones. The folders hold all that is known: children of the program see the same.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut::files {

/// Neither folder need exist. `own`: what this rank writes; empty: this is rank 0, which writes through. `before`: what
/// rank 0 has changed; empty: unknown. Then what was made after `start_ns` (CLOCK_REALTIME), and not by this rank, was
/// made by rank 0 on the way that this rank is taking too.
void begin_overlay(const std::string &own, const std::string &before, std::int64_t start_ns);

/// The program is about to change what is there: rank 0 keeps it.
void remember(int at, const char *path);
void remember_move(int from_at, const char *from, int to_at, const char *to);

/// Does this rank keep what it writes to itself?
bool keeps();
/// Has this rank, or rank 0, changed anything yet, so that paths may lead elsewhere?
bool has_changes();

/// What a symbolic link at the end of a path stands for.
enum class Last { followed, itself };

/// The path to hand to the system for the program's `path`, relative to `at` (AT_FDCWD or a folder's descriptor): empty
/// when that is the path itself.
std::string for_looking(int at, const char *path, Last last = Last::followed);
/// The same for open(2) with these flags: copies or makes room for the file if it is going to be written.
std::string for_opening(int at, const char *path, int flags);
/// Do these flags change a file?
bool is_change(int flags);
/// For realpath(3): how the program calls a file that is this rank's own, else empty.
std::string own_name(const char *path);
/// The working directory as the program knows it.
std::string shown(std::string folder);

/// Is this a file of this rank's own?
bool is_own(int fd);
/// The key of the folder with this descriptor; empty: its entries are the real ones.
std::string folder_key(int folder);
/// Does the program find this entry when it lists that folder?
bool is_listed(const std::string &folder, const char *entry);
/// Names that the system's own listing may lack.
std::vector<std::string> other_entries(const std::string &folder);
/// Where the entry lies.
std::string place_of(const std::string &folder, const std::string &entry);

// As the system calls of these names; -1 with errno set. Called only when keeps().
int make_folder(int at, const char *path, mode_t mode);
int remove_folder(int at, const char *path);
int remove_file(int at, const char *path);
int move(int from_at, const char *from, int to_at, const char *to, bool replace);
int make_node(int at, const char *path, mode_t mode, dev_t device);
int make_link(const char *target, int at, const char *path);
int make_second_name(int from_at, const char *from, int to_at, const char *to, Last last);

} // namespace mpiglut::files
