#include "program_environment.h"
#include "control.h"
#include "run/options.h"
#include "spawn.h"

#include <cstdlib>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

std::string library_path() {
    if (const char *path = std::getenv("MPIGLUT_LIB"); path && *path)
        return path;
    std::string lib = executable_directory() + "/../lib/libmpiglut.so";
    return ::access(lib.c_str(), R_OK) == 0 ? lib : executable_directory() + "/../" MPIGLUT_LIBDIR "/libmpiglut.so";
}

} // namespace

std::vector<std::string> program_environment(const Start &start, int report_fd, std::string &error) {
    auto environment = own_environment();
    unset(environment, control_variable);
    auto options = from_json(start.run, error);
    if (!options)
        return environment;
    options->report_fd = report_fd;
    set(environment, run_variable, to_json(*options));
    set(environment, mark_variable, start.mark);

    std::string library = library_path();
    if (::access(library.c_str(), R_OK) != 0)
        error = "libmpiglut.so is not where it should be: " + library;
    else if (library.find_first_of(": ") != library.npos)
        error = "LD_PRELOAD cannot name a file with a space or colon in its path: " + library;
    const char *before = std::getenv("LD_PRELOAD");
    // A sanitizer's runtime has to be the first of all libraries.
    set(environment, "LD_PRELOAD",
        std::string(MPIGLUT_SANITIZER_RUNTIME) + library + (before && *before ? std::string(":") + before : ""));
    if (*MPIGLUT_SANITIZER_RUNTIME && !std::getenv("ASAN_OPTIONS"))
        set(environment, "ASAN_OPTIONS", "detect_leaks=0"); // GL drivers and programs leak at exit
    if (*MPIGLUT_SANITIZER_RUNTIME && !std::getenv("UCX_MEM_EVENTS"))
        set(environment, "UCX_MEM_EVENTS", "no"); // MPICH's UCX patches what the sanitizer has replaced

    if (!start.display.empty())
        set(environment, "DISPLAY", start.display);
    if (!start.authority.empty())
        set(environment, "XAUTHORITY", start.authority);
    // A program's crash is told in one line, not in UCX's.
    if (!std::getenv("UCX_HANDLE_ERRORS"))
        set(environment, "UCX_HANDLE_ERRORS", "none");
    if (start.threads > 0 && !std::getenv("LP_NUM_THREADS"))
        set(environment, "LP_NUM_THREADS", std::to_string(start.threads));
    // MPI's hardware survey would knock at every X server of the host, and print that our cookie is not theirs.
    if (!std::getenv("HWLOC_COMPONENTS"))
        set(environment, "HWLOC_COMPONENTS", "-gl");
    // A program's crash is told in one line, not in UCX's.
    if (!std::getenv("UCX_HANDLE_ERRORS"))
        set(environment, "UCX_HANDLE_ERRORS", "none");
    return environment;
}

} // namespace mpiglut::launcher
