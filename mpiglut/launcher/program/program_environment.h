// What the program finds in its environment in addition to what was there.
#pragma once

#include "link/messages.h"

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

struct ProgramPlace {
    int rank;
    int report_fd;         ///< where its reports go
    int dashboard_fd;      ///< the dashboard; -1: there is no operator
    int death_counts_fd;   ///< the death counts; -1: the wall ends with any of its ranks
    int rejoin_fd;         ///< rank 0: where connections of ranks that come back come in; -1: none does
    int stream_fd;         ///< of a rank that comes back: its connection to rank 0; -1: it does not
    std::string directory; ///< this rank's own for the run
};

/// libmpiglut: that of MPIGLUT_LIB, else the one next to this program's folder.
std::string library_path();

/// In a rank's directory: what its program writes, in that life; in rank 0's: what files were before its program
/// changed them.
std::string private_folder(const std::string &directory, std::int64_t life);
std::string memory_folder(const std::string &directory);

/// What a program needs that is built with a sanitizer (-fsanitize=address, thread and so on). A sanitizer replaces
/// functions of the C library, and has to be the first to do so.
struct Sanitizers {
    bool any = false;
    std::string runtimes; ///< the shared libraries of the program's sanitizers, each followed by a colon
};

/// Of a program, as execvp would find it from this working directory. None in scripts, and in files that cannot be
/// read.
Sanitizers sanitizers_of(const std::string &program, const std::string &directory);

/// Writes the options for libmpiglut into the directory. Sets `error` when there is no libmpiglut to preload or the
/// launcher's options make no sense.
std::vector<std::string> program_environment(const Start &start, const ProgramPlace &place, std::string &error);

/// What the commands of --beside get. They use the wall's X server as any program does.
std::vector<std::string> environment_beside(const Start &start);

} // namespace mpiglut::launcher
