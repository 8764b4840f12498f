// One-line messages for the person who started the run. They go to the agent through a pipe, which gives them to
// mpiglutrun, which prints them once; without an agent they go to standard error. On the pipe each is a line
// "note: text" or "error: text" of at most PIPE_BUF bytes.
#pragma once

#include <string>
#include <string_view>

namespace mpiglut {

enum class Report {
    note,  ///< worth knowing once: what swap method is engaged, a shader that could not be translated
    error, ///< why this rank is about to end; mpiglutrun prints it with rank, host and tile in front
};

void set_report_fd(int fd);
/// How a note begins that says why ranks that die from now on cannot come back.
inline constexpr std::string_view no_rejoining = "--on-death: ranks that die from now on do not come back: ";
/// `text` is one line without rank and tile. Written with one write(2), so that it survives a crash right after.
void report(Report kind, const std::string &text);
/// From a signal's handler, to an agent only: a whole line.
void report_in_handler(std::string_view line);
/// As report(), but each distinct text only once in a process.
void report_once(Report kind, const std::string &text);

} // namespace mpiglut
