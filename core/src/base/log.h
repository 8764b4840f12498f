// The log: lines for the program's function, or for standard error.
#pragma once

#include "base/options.h"

namespace pixmpi {

/// Whose log level and function count from now on; they do not change any more. Before, nothing is logged.
void log_by(const Options &options);
/// Whether lines of this level are wanted.
bool logs(int level);
/// A line for the log, when it is wanted. The program's function gets it when this thread holds no lock of the library
/// any more, since it may do what it likes, call the library included.
[[gnu::format(printf, 2, 3)]] void log_line(int level, const char *format, ...);
/// Hands the lines over, in their order and one at a time. Called without the library's lock.
void write_log() noexcept;
/// From now on write_log() does nothing in this thread: lines wait for a thread of the program.
void leave_log_to_others();

} // namespace pixmpi
