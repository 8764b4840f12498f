// The command line of mpiglutrun.
#pragma once

#include "run/options.h"
#include "wall/wall.h"

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

struct HostRanks {
    std::string name;
    int slots = 0; ///< 0: not said
};

struct ControlOptions {
    bool wanted = false;
    std::vector<std::string> server_arguments; ///< for walld
    int console_fd = -1;                       ///< where walld itself has started mpiglutrun: the connection to it
};

struct CommandLine {
    RunOptions run; ///< paths made absolute; start instant and pid not yet filled in
    pixmpi::Wall wall;
    std::vector<HostRanks> hosts; ///< --hosts or --hostfile
    std::vector<std::string> beside; ///< commands that use an X11 program's screen, too
    bool system_given = false;    ///< --system; otherwise the program's file says it
    std::string mpiexec;          ///< empty: the one of the MPI that this was built with
    std::string wall_name;        ///< what --wall said
    ControlOptions control;
    bool all_output = false;
    bool verbose = false;
    std::vector<std::string> program;
};

struct Parsed {
    std::optional<CommandLine> command;
    std::vector<std::string> errors; ///< why there is none
    std::vector<std::string> notes;  ///< of the wall file
    std::string answer;              ///< what --help or --version print; nothing else is to be done then
};
Parsed parse_command_line(const std::vector<std::string> &arguments);

} // namespace mpiglut::launcher
