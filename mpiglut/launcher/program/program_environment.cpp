#include "program/program_environment.h"
#include "child/control.h"
#include "child/spawn.h"
#include "program/x_server.h"
#include "run/options.h"

#include <algorithm>
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

bool is_there(const std::string &path) { return ::access(path.c_str(), R_OK | W_OK) == 0; }

bool has_sound_card() {
    std::error_code none;
    for (const auto &entry : std::filesystem::directory_iterator("/dev/snd", none))
        if (const std::string name = entry.path().filename(); name.starts_with("pcm") && name.ends_with("p"))
            if (is_there(entry.path()))
                return true;
    return is_there("/dev/dsp");
}

/// Can a program play sound on this host? Some other way than the usual ones may be named in the environment.
bool has_sound() {
    if (const char *said = std::getenv("MPIGLUT_SOUND")) // for tests, and where this guesses wrong
        return std::string(said) != "no";
    for (const char *name : {"SDL_AUDIODRIVER", "SDL_AUDIO_DRIVER", "ALSOFT_DRIVERS", "ALSOFT_CONF", "PULSE_SERVER",
                             "PIPEWIRE_REMOTE", "JACK_DEFAULT_SERVER", "AUDIODEV", "AUDIODRIVER", "ALSA_CONFIG_PATH"})
        if (std::getenv(name))
            return true;
    const char *home = std::getenv("HOME"), *runtime = std::getenv("XDG_RUNTIME_DIR");
    const std::string of_user = runtime ? runtime : "/run/user/" + std::to_string(::getuid());
    const std::string of_alsa = std::string(home ? home : "") + "/.asoundrc";
    for (const std::string &path : {of_user + "/pulse/native", of_user + "/pipewire-0", of_alsa,
                                    std::string("/run/pulse/native"), std::string("/etc/asound.conf")})
        if (::access(path.c_str(), R_OK) == 0)
            return true;
    return has_sound_card();
}

/// A wall sounds once: sound elsewhere plays to a null device. Where rank 0's host cannot play, so does its sound: a
/// program that finds no sound there, and some elsewhere, would go two ways. These are what the sound libraries
/// themselves go by.
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

std::string contents_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Of `panel:0.0`: `0`.
std::string number_of(const std::string &display) {
    const std::string number = display.substr(std::min(display.rfind(':'), display.size() - 1) + 1);
    return number.substr(0, number.find('.'));
}

/// A cookie that opens nothing: other ranks' programs never reach the server, and rank 0's cookie stays with it.
std::string blind_cookie(const std::string &display) { return cookie_entry(number_of(display), std::string(16, '\0')); }

/// Toolkits use X11, and find no other session than the wall's X server.
void allow_x11_alone(std::vector<std::string> &environment) {
    for (const char *name : {"WAYLAND_DISPLAY", "WAYLAND_SOCKET", "SESSION_MANAGER", "XMODIFIERS"})
        unset(environment, name);
    set(environment, "GDK_BACKEND", "x11");
    set(environment, "QT_QPA_PLATFORM", "xcb");
    set(environment, "SDL_VIDEODRIVER", "x11");
    set(environment, "SDL_VIDEO_DRIVER", "x11");
    set(environment, "DBUS_SESSION_BUS_ADDRESS", "disabled:");
    set(environment, "DBUS_SYSTEM_BUS_ADDRESS", "disabled:");
}

/// The program's X server is the wall's. Other servers, which it would find by other ways, are not the same on all
/// ranks.
void lead_to_wall(RunOptions &options, const Start &start, const ProgramPlace &place,
                  std::vector<std::string> &environment, std::string &error) {
    const char *const authority = std::getenv("XAUTHORITY"), *const home = std::getenv("HOME");
    options.tile_display = start.display;
    options.absent = "/dev/input/:/dev/hidraw";
    const std::string of_tile = !start.authority.empty() ? start.authority
                                : authority              ? authority
                                                         : std::string(home ? home : "") + "/.Xauthority";
    set(environment, "DISPLAY", start.wall_display);
    // One file has the cookies of both: variables that changed while displays are opened would meet the program's other
    // threads. The first cookie for a number counts, and a tile's display on another host may have the wall's number.
    std::string of_wall = contents_of(start.wall_authority);
    if (number_of(start.display) == number_of(start.wall_display))
        of_wall = for_this_host(of_wall);
    const std::string cookies =
        place.rank == 0 ? of_wall + contents_of(of_tile) : contents_of(of_tile) + blind_cookie(start.wall_display);
    options.tile_authority = write_file(place.directory + "/wall-authority", cookies, error);
    set(environment, "XAUTHORITY", options.tile_authority);
    allow_x11_alone(environment);
    set(environment, "QSG_RENDER_LOOP", "basic"); // Qt Quick draws in the thread that takes in events
    set(environment, "NO_AT_BRIDGE", "1");
    set(environment, "GSETTINGS_BACKEND", "memory"); // the other one is behind D-Bus
    // What a program reads before it has written there is not the same on all ranks: new memory is zero, in glibc's
    // way.
    if (!std::getenv("MALLOC_PERTURB_"))
        set(environment, "MALLOC_PERTURB_", "255");
    // GLib's own memory reads the clock as often as threads meet there, which is not the same on all ranks, and keeps
    // what was in it.
    if (!std::getenv("G_SLICE"))
        set(environment, "G_SLICE", "always-malloc");
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

std::vector<std::string> environment_beside(const Start &start) {
    auto environment = own_environment();
    unset(environment, control_variable);
    remove_place_in_job(environment);
    allow_x11_alone(environment);
    set(environment, "DISPLAY", start.wall_display);
    set(environment, "XAUTHORITY", start.wall_authority);
    set(environment, mark_variable, start.mark);
    return environment;
}

std::vector<std::string> program_environment(const Start &start, const ProgramPlace &place, std::string &error) {
    auto environment = own_environment();
    unset(environment, control_variable);
    // Open MPI's daemons name the folder of their host, and MPI_Init ends a rank that is also told of this one.
    unset(environment, "OMPI_MCA_orte_local_tmpdir_base");
    auto options = from_json(start.run, error);
    if (!options)
        return environment;
    options->report_fd = place.report_fd;
    options->dashboard_fd = place.dashboard_fd;
    options->death_counts_fd = place.death_counts_fd;
    options->rejoin_fd = place.rejoin_fd;
    options->stream_fd = place.stream_fd;
    options->rank = place.stream_fd >= 0 ? place.rank : 0; // the others know theirs by MPI
    if (options->private_files && place.rank > 0)
        options->private_folder = private_folder(place.directory, start.life);
    if (options->system == System::x11)
        lead_to_wall(*options, start, place, environment, error);
    if (options->private_files && options->local_ranks > 1 && !start.rank_0.empty())
        options->memory_folder = memory_folder(start.rank_0);
    const std::string run_file = place.directory + "/run.json";
    ::unlink((run_file + claimed_suffix).c_str()); // of a rank's life before
    set(environment, run_variable, write_file(run_file, to_json(*options), error));
    if (place.rank > 0 || !has_sound())
        silence(environment, place.directory, error);
    set(environment, mark_variable, start.mark);

    std::string library = library_path();
    if (::access(library.c_str(), R_OK) != 0)
        error = "libmpiglut.so is not where it should be: " + library;
    else if (library.find_first_of(": ") != library.npos)
        error = "LD_PRELOAD cannot name a file with a space or colon in its path: " + library;
    const char *before = std::getenv("LD_PRELOAD");
    // A sanitizer's runtime has to be the first of all libraries: this library's, else the program's.
    const Sanitizers of_program = start.argv.empty() ? Sanitizers{} : sanitizers_of(start.argv[0], start.directory);
    const std::string runtimes = *MPIGLUT_SANITIZER_RUNTIME ? MPIGLUT_SANITIZER_RUNTIME : of_program.runtimes;
    const bool sanitized = !runtimes.empty() || of_program.any;
    set(environment, "LD_PRELOAD", runtimes + library + (before && *before ? std::string(":") + before : ""));
    if (sanitized && !std::getenv("ASAN_OPTIONS"))
        set(environment, "ASAN_OPTIONS", "detect_leaks=0"); // GL drivers and programs leak at exit
    if (sanitized && !std::getenv("UCX_MEM_EVENTS"))
        set(environment, "UCX_MEM_EVENTS", "no"); // MPICH's UCX patches what the sanitizer has replaced
    // ThreadSanitizer crashes in UCX's look at another process's memory where addresses are not random.
    if (sanitized && !std::getenv("UCX_TLS"))
        set(environment, "UCX_TLS", "^cma");

    if (options->system != System::x11) {
        if (!start.display.empty())
            set(environment, "DISPLAY", start.display);
        if (!start.authority.empty())
            set(environment, "XAUTHORITY", start.authority);
    }
    // A program's crash is told in one line, not in UCX's.
    if (!std::getenv("UCX_HANDLE_ERRORS"))
        set(environment, "UCX_HANDLE_ERRORS", "none");
    if (start.threads > 0 && !std::getenv("LP_NUM_THREADS"))
        set(environment, "LP_NUM_THREADS", std::to_string(start.threads));
    // MPI's hardware survey would try every X server of the host, and print that our cookie is not theirs.
    if (!std::getenv("HWLOC_COMPONENTS"))
        set(environment, "HWLOC_COMPONENTS", "-gl");
    return environment;
}

} // namespace mpiglut::launcher
