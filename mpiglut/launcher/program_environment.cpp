#include "program_environment.h"
#include "control.h"
#include "run/options.h"
#include "spawn.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

/// The path of a new file with this text, or empty with `error` set.
std::string write_file(const std::string &path, const std::string &text, std::string &error) {
    std::ofstream file(path, std::ios::binary);
    if (file << text && file.flush())
        return path;
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return {};
}

/// A wall sounds once: what plays elsewhere plays to nobody. These are what the sound libraries themselves go by.
void silence(std::vector<std::string> &environment, const std::string &directory, std::string &error) {
    set(environment, "SDL_AUDIODRIVER", "dummy");
    set(environment, "SDL_AUDIO_DRIVER", "dummy");
    set(environment, "ALSOFT_DRIVERS", "null");
    set(environment, "PULSE_SERVER", "unix:" + directory + "/no-sound");
    set(environment, "PIPEWIRE_REMOTE", directory + "/no-sound");
    set(environment, "JACK_NO_START_SERVER", "1");
    set(environment, "JACK_DEFAULT_SERVER", "no-sound");
    set(environment, "AUDIODEV", "null");
    set(environment, "AUDIODRIVER", "null");
    set(environment, "ALSA_CONFIG_PATH",
        write_file(directory + "/alsa.conf", "pcm.!default.type null\npcm.null.type null\n", error));
}

} // namespace

std::string library_path() {
    if (const char *path = std::getenv("MPIGLUT_LIB"); path && *path)
        return path;
    std::string lib = executable_directory() + "/../lib/libmpiglut.so";
    return ::access(lib.c_str(), R_OK) == 0 ? lib : executable_directory() + "/../" MPIGLUT_LIBDIR "/libmpiglut.so";
}

std::string private_folder(const std::string &directory, std::int64_t life) {
    return directory + "/files" + (life ? "-" + std::to_string(life) : "");
}

std::string memory_folder(const std::string &directory) { return directory + "/before"; }

void begin_with(const std::string &memory, const std::string &folder) {
    std::error_code none;
    std::filesystem::copy(
        memory, folder, std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks, none);
}

std::vector<std::string> program_environment(const Start &start, const ProgramPlace &place, std::string &error) {
    auto environment = own_environment();
    unset(environment, control_variable);
    auto options = from_json(start.run, error);
    if (!options)
        return environment;
    options->report_fd = place.report_fd;
    options->board_fd = place.board_fd;
    options->roll_fd = place.roll_fd;
    options->door_fd = place.door_fd;
    options->stream_fd = place.stream_fd;
    options->rank = place.stream_fd >= 0 ? place.rank : 0; // the others know theirs by MPI
    if (options->private_files && place.rank > 0)
        options->private_folder = private_folder(place.directory, start.life);
    if (options->private_files && place.rank == 0 && start.may_rejoin)
        options->memory_folder = memory_folder(place.directory);
    set(environment, run_variable, write_file(place.directory + "/run.json", to_json(*options), error));
    if (place.rank > 0)
        silence(environment, place.directory, error);
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
    return environment;
}

} // namespace mpiglut::launcher
