// Whether an X server answers and has OpenGL, before a program is started that could only say so less clearly.
#pragma once

#include <string>
#include <sys/types.h>

namespace mpiglut::launcher {

/// Runs the check in a child process, because a dead server can hold XOpenDisplay up for minutes. -1 when that fails.
pid_t start_display_check(const std::string &display, const std::string &authority);
/// Lets go of the connection that a good check keeps open, so that a bare server does not reset itself meanwhile.
void end_display_check();
/// What its status from wait(2) means; empty: all is well.
std::string display_problem(const std::string &display, int status);

} // namespace mpiglut::launcher
