// What one run is to do: written by mpiglutrun, put into a file by its agents, read by libmpiglut. One struct so that
// launcher and library cannot disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpiglut {

enum class ClockMode { wall, step, off };
/// What lies behind bezels: drawn by the tiles next to it, off screen, or not at all; or drawn once the program asks
/// for it.
enum class Behind { automatic, draw, black };
/// What becomes of the wall when a rank other than 0 dies: it ends, goes on without, or until the rank comes back.
enum class OnDeath { end, go_on, rejoin };
/// What the program's windows are made with: GLUT, or X11 without it (Xlib, xcb, and all toolkits above them).
enum class System { glut, x11 };
/// For System::x11: whether the program's threads acquire locks in rank 0's order.
enum class Threads { free, ordered };

/// Around a tile, where --cut says nothing of it; and at most.
inline constexpr int usual_cut = 64, most_cut = 4096;
/// Of frames that are shown later, while pixels travel.
inline constexpr int most_latency = 1;
/// What step:HZ may be: steps from a microsecond to a quarter of an hour.
inline constexpr double least_step_hz = 1e-3, most_step_hz = 1e6;

/// A picture of the whole wall in a file.
struct Capture {
    std::string file;       ///< PNG
    std::int64_t frame = 0; ///< from 1; 0: the last one
    bool operator==(const Capture &) const = default;
};

struct RunOptions {
    std::string wall = "1x1";     ///< a wall file's text (pixmpi::format_wall), not a path
    bool headless = false;        ///< the display is an Xvfb of the launcher's
    std::int64_t frames = 0;      ///< end after this many frames; 0: never
    std::vector<Capture> captures; ///< in the order of their frames
    bool capture_tiles = false;    ///< with a file for each tile
    std::string record, replay;   ///< JSON lines of input; empty: none
    std::string stats;            ///< JSON file; empty: none
    ClockMode clock = ClockMode::wall;
    double step_hz = 60;          ///< for ClockMode::step
    bool tsc = false;             ///< the processor's time-stamp counter is also the program's clock
    Behind behind = Behind::automatic;
    int cut = -1; ///< passes into framebuffer objects are cut to tiles and so many pixels around them; -1: are not
    bool balance = false;      ///< ranks render what others show, so that all have as much to do
    int latency = 0;           ///< so many frames later they are shown, while pixels travel: 0 or 1
    bool show_cuts = false;    ///< lines on the wall show who renders what
    int helpers = 0;           ///< ranks that show nothing
    std::string ship = "auto"; ///< how pixels travel: raw, lz4, auto, jpeg:QUALITY
    // The instant the run was started, the same for every rank, so that time() and getpid() before glutInit agree.
    std::int64_t start_realtime_ns = 0; ///< CLOCK_REALTIME
    std::int64_t start_monotonic_ns = 0; ///< CLOCK_MONOTONIC
    std::int64_t began_ns = 0;           ///< CLOCK_REALTIME when the run began, in every mode of the clock
    int pid = 0;                  ///< what getpid() returns on every rank
    std::string host;             ///< what gethostname() returns on every rank: rank 0's; empty: its own
    int processors = 0;           ///< what a program is told that its host has: as many as rank 0's; 0: its own
    bool private_files = true;    ///< ranks other than 0 keep what the program writes to themselves
    std::string private_folder;   ///< where this rank does so; filled in by the agent, empty: it writes through
    std::string memory_folder;    ///< where rank 0 keeps what files were before it changed them; by the agent, empty: on another host
    std::string absent;           ///< what begins so is not there for the program, as each host has its own; parted by colons
    bool every_command = false;   ///< every rank starts the programs that the program starts, not rank 0 alone
    System system = System::glut;
    Threads threads = Threads::free;
    std::string tile_display;     ///< for System::x11 (its DISPLAY is the wall's server): this rank's own; by the agent
    std::string tile_authority;   ///< a file with its cookie, and with that of the program's server
    int local_ranks = 1;          ///< ranks on this rank's host; filled in by the agent
    std::string stack_guard;      ///< what the compiler puts below a function's arrays, as digits: it stays there
    std::string message_key;      ///< seals what ranks of several hosts send by MPI (sync/seal.h); empty: one host
    std::string elsewhere;        ///< a character for each rank: 1 where it is on another host than rank 0, else 0
    int report_fd = -1;           ///< pipe to the agent for one-line reports; filled in by the agent
    OnDeath on_death = OnDeath::end;
    int death_counts_fd = -1;       ///< run/death_counts.h, where the wall goes on; filled in by the agent
    std::int64_t rejoin_mib = 1024; ///< for OnDeath::rejoin: rank 0 keeps so much of what it tells the others
    int rejoin_fd = -1;             ///< rank 0: where connections of ranks come in that come back (run/passing.h)
    int stream_fd = -1;             ///< a rank that comes back: its connection to rank 0; -1 for those that MPI starts
    int rank = 0;                   ///< of such a rank, which MPI knows nothing of
    int dashboard_fd = -1;          ///< run/dashboard.h, where there is an operator; filled in by the agent
};

/// One line of JSON and back. `from_json` returns nothing and sets `error` when the text is not one.
std::string to_json(const RunOptions &options);
std::optional<RunOptions> from_json(const std::string &json, std::string &error);

/// The environment variable. It names a file with one line of JSON, since a large wall's would be too long for the
/// environment; a value that begins with `{` is that line itself.
inline constexpr const char *run_variable = "MPIGLUT_RUN";
/// What it says; nothing without it, and with `error` set when it makes no sense.
std::optional<RunOptions> options_from_environment(std::string &error);
/// This process is the rank's program. False if another process has said so before: a script has started both.
bool claim_run();
/// Next to the file of options: that a process has.
inline constexpr const char *claimed_suffix = ".claimed";

} // namespace mpiglut
