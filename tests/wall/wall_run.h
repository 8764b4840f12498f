// A program on a wall, and the same program in one window on plain FreeGLUT.
#pragma once

#include "cases.h"
#include "picture_compare.h"
#include "processes.h"

#include <map>
#include <string>
#include <vector>

namespace wall_test {

/// Paths, from the build.
std::string program_path(const std::string &name);
std::string support_path(const std::string &name); ///< programs that are no pictures
std::string source_path(const std::string &name);  ///< of tests/wall
/// driver/other_driver.cpp preloaded, also into what a sanitizer has built.
std::map<std::string, std::string> with_other_driver();
/// A folder for what this test writes, made if need be.
std::string scratch_folder();

/// mpiglutrun with these options in front of the program.
std::vector<std::string> wall_command(const std::vector<std::string> &options, const std::string &program,
                                      const std::vector<std::string> &arguments = {});
/// No threads of the GL in addition to each rank: there are more ranks than cores.
std::map<std::string, std::string> wall_environment();

/// A sanitizer has an allocator of its own, which then has all memory, and ends a program that asks for too much.
inline constexpr bool is_sanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

/// How long a run may take before it counts as hanging.
inline constexpr double longest_run = 60.0 * PATIENCE;

/// One window of plain FreeGLUT that stands for a wall.
struct Window {
    std::string name; ///< in file names
    std::string size; ///< "WxH", or empty for the program's own choice
    bool apart = false; ///< every top-level window has a picture
};
Window window_for(const pixmpi::Wall &wall);

/// The picture of that window. `environment` is handed to the oracle. False with `error` set when there is none.
bool plain_picture(const Program &program, const Window &window, const std::map<std::string, std::string> &environment,
                   const std::string &file, std::string &error);

/// The same, or the window of that number's, from the last test's run if nothing has changed since. Safe when several
/// tests ask at once.
bool cached_plain_picture(const Program &program, const Window &window, Picture &picture, std::string &error,
                          std::size_t number = 1);

/// What the driver lacks for the program, as it says itself in one window of plain FreeGLUT; empty: nothing.
std::string lacking_for(const Program &program);

} // namespace wall_test
