// How an agent finds mpiglutrun: by an environment variable, which is no secret (secret.h has that).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

inline constexpr const char *control_variable = "MPIGLUT_CONTROL";
/// PATH as mpiglutrun has it, since Open MPI puts its own folder in front.
inline constexpr const char *path_variable = "MPIGLUT_PATH";
/// In the environment of everything that a rank's program starts.
inline constexpr const char *mark_variable = "MPIGLUT_RUN_MARK";

struct Control {
    int port = 0;
    int seconds = 30; ///< for coming to an understanding
    std::vector<std::string> addresses;
};
std::string to_text(const Control &control);
std::optional<Control> control_from(const std::string &text);

/// The directory that this executable is in.
std::string executable_directory();

} // namespace mpiglut::launcher
