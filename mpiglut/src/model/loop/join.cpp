#include "model/loop/join.h"

#include "base/process.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/libraries.h"
#include "clock/virtual.h"
#include "files/standard_input.h"
#include "gl/context/context.h"
#include "model/console/console.h"
#include "model/frame/cutting.h"
#include "model/frame/drawing.h"
#include "model/frame/sharing.h"
#include "model/loop/end.h"
#include "model/loop/loop.h"
#include "model/window/window_system.h"
#include "run/death_counts.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/content.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/personality.h>
#include <unistd.h>

namespace mpiglut {
namespace {

// A headless screen has whatever size the launcher found useful; a program is told of an ordinary one.
constexpr int headless_screen_width = 1920, headless_screen_height = 1080;

void read_plan() {
    State &s = state();
    pixmpi::WallResult result = pixmpi::parse_wall(s.options.wall, "wall");
    if (!result.wall)
        fail("the wall that mpiglutrun handed over cannot be read: " +
             (result.errors.empty() ? std::string("no reason given") : result.errors.front()));
    s.plan = *result.wall;
    pixmpi::add_helpers(s.plan, s.options.helpers);
    s.wall = s.plan;
    if (static_cast<std::size_t>(comm::size()) != s.plan.tiles.size())
        fail("the wall has " + std::to_string(s.plan.tiles.size()) + " tiles but " + std::to_string(comm::size()) +
             " processes were started");
}

void agree_on_screen() {
    State &s = state();
    int size[2] = {s.plan.width, s.plan.height};
    if (s.plan.from_window) {
        window_system().screen_size(size[0], size[1]);
        if (s.options.headless) {
            size[0] = headless_screen_width;
            size[1] = headless_screen_height;
        }
        comm::broadcast_value(comm::Collective::agree, size);
    }
    s.screen_width = size[0];
    s.screen_height = size[1];
}

// Which ranks share a display decides where their tiles' windows go. Their programs are the same, unless a script has
// started several at once.
void exchange_displays() {
    State &s = state();
    constexpr std::size_t length = 256, length_of_name = 16;
    std::string mine = comm::hosts()[comm::rank()];
    const char *display = std::getenv("DISPLAY");
    mine += ' ';
    mine += s.options.system == System::x11 ? s.options.tile_display : display ? display : "";
    mine.resize(length - length_of_name);
    const std::string name = program_invocation_short_name;
    mine += name;
    mine.resize(length);
    const std::vector<std::size_t> sizes(comm::size(), length);
    std::vector<comm::Bytes> all;
    if (comm::size() == 1 || !comm::all_gather(comm::Collective::agree, std::as_bytes(std::span(mine)), sizes, all)) {
        s.displays.assign(comm::size(), mine);
        return;
    }
    for (const comm::Bytes &bytes : all)
        s.displays.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const std::string of_rank_0 = s.displays.front().substr(length - length_of_name);
    if (mine.substr(length - length_of_name) != of_rank_0)
        fail("its program is '" + name + "', and rank 0's is '" + of_rank_0.c_str() +
             "': a script has started several programs, and the first of them is not the same on all ranks (--beside "
             "starts others next to a program of X11)");
}

// Things that a program orders by their addresses come in the same order on every rank only if these are the same.
void look_at_addresses() {
    constexpr unsigned long only_ask = 0xffffffff;
    const int persona = personality(only_ask);
    int randomized = 1;
    std::ifstream("/proc/sys/kernel/randomize_va_space") >> randomized;
    if (comm::size() == 1 || randomized == 0 || (persona != -1 && (persona & ADDR_NO_RANDOMIZE)))
        return;
    report_once(Report::note, "addresses differ from rank to rank, because the system refuses to fix them "
                              "(personality, ADDR_NO_RANDOMIZE; Docker does unless told --security-opt "
                              "seccomp=unconfined): a program that sorts or seeds by addresses may diverge");
}

void open_replay() {
    State &s = state();
    if (comm::rank() != 0)
        return;
    std::string error;
    if (!s.options.replay.empty() && !(s.replayer = Replayer::open(s.options.replay, error)))
        fail("--replay: " + error);
}

void collect_stats() {
    State &s = state();
    comm::on_explain(content::samples, content::difference);
    if (comm::rank() != 0)
        return;
    s.stats = std::make_unique<RunStats>(comm::size());
    if (s.options.balance)
        s.stats->allow_latency(s.options.latency);
    comm::on_swaps([&s](std::int64_t, std::span<const std::int64_t> times) {
        s.stats->add_swaps(times);
        console::write_swaps(times);
    });
    comm::on_divergence([&s](int rank, std::uint64_t, std::int64_t frame, const std::string &what) {
        // Unknown: it shows while the tick is at work, on the frame that it draws.
        const auto frame_at_work = [&s] {
            return s.frames.complete + (s.in_tick && s.frames.tick != static_cast<std::int64_t>(s.tick));
        };
        const std::int64_t at = frame >= 0 ? frame : frame_at_work();
        s.stats->add_divergence(at, rank, what);
        console::report_divergence();
        if (s.stats->divergences() != 1)
            return;
        const std::string files = clock::files_with_processor_random();
        const std::string where = "rank " + std::to_string(rank) + ", tile " + s.wall.tiles[rank].name;
        report(Report::note, "divergence at frame " + std::to_string(at) + ": " + where + ": " + what +
                                 ". Something that the program goes by is not the same on every rank: look for "
                                 "threads, addresses, files, the network and random numbers of cryptographic "
                                 "libraries" +
                                 (files.empty() ? "" : " and of the processor (" + files + " has rdrand or rdseed)") +
                                 "; mpiglutAgree gives rank 0's value to all (docs/reference/walls.md, Divergence)");
    });
}

} // namespace

void join(WindowSystem &system) {
    use(system);
    State &s = state();
    if (!claim_run()) {
        report(Report::note, std::string("'") + program_invocation_short_name +
                                 "' ends: a script that starts programs has already started one that is on the wall, "
                                 "and there can be no second one (--beside starts others next to a program of X11)");
        REAL(_exit)(EXIT_FAILURE);
    }
    report(Report::note, "started");
    std::string error;
    DeathCounts *const death_counts = DeathCounts::map(s.options.death_counts_fd);
    if (s.options.on_death != OnDeath::end && !death_counts)
        fail("--on-death: the death counts that mpiglutrun's agent handed over cannot be read");
    // MPI starts another way in a rank that comes back, with unknown libraries.
    const clock::RandomOfOthers by_mpi_and_glut;
    const bool comes_back = s.options.stream_fd >= 0;
    if (!comm::start({.death_counts = death_counts,
                      .come_back = s.options.on_death == OnDeath::rejoin,
                      .most_log_bytes = static_cast<std::uint64_t>(s.options.rejoin_mib) << 20,
                      .rejoin_fd = s.options.rejoin_fd,
                      .rank = s.options.rank,
                      .stream_fd = s.options.stream_fd,
                      .key = s.options.message_key,
                      .elsewhere = s.options.elsewhere},
                     error))
        fail(error);
    read_plan();
    system.open();
    // What the program starts from now on is not part of the wall.
    unsetenv(run_variable);
    unsetenv("LD_PRELOAD");
    if (s.options.tsc && clock::is_virtual() && !clock::claim_counter())
        fail("--tsc: this system does not let a process stop rdtsc (prctl, PR_SET_TSC)");
    exchange_displays();
    agree_on_screen();
    share_waits();
    clock::connect(comm::rank() == 0, [](clock::Stamp &stamp) {
        return comm::size() == 1 || comm::publish(std::as_writable_bytes(std::span(&stamp, 1)));
    });
    gl::on_window_current(draw_beside);
    prepare_sharing();
    prepare_cutting();
    look_at_addresses();
    open_replay();
    console::begin();
    collect_stats();
    prepare_end();
    if (comm::size() > 1)
        standard_input::intercept();
    if (death_counts && !comes_back)
        report(Report::note, "joined"); // from now on the launcher lets the wall outlive this rank
}

} // namespace mpiglut
