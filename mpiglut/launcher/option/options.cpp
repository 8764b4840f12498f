#include "option/options.h"
#include "option/environment.h"
#include "option/option_values.h"
#include "wall/partition.h"

#include <algorithm>
#include <charconv>
#include <CLI/CLI.hpp>
#include <initializer_list>
#include <limits>

namespace mpiglut::launcher {

namespace {

/// Takes the value's text, which is empty without one, and returns what is wrong with it.
using Read = std::function<std::string(const std::string &)>;

template <class Value> Read one_of(Value &target, const std::vector<std::pair<std::string, Value>> &words) {
    return [&target, words](const std::string &text) {
        std::string list;
        for (const auto &[word, value] : words) {
            if (word == text)
                return target = value, std::string();
            list += (list.empty() ? "" : word == words.back().first ? " or " : ", ") + word;
        }
        return "expected " + list + ", not '" + text + "'";
    };
}

/// From 1 to `most`, which `expected` says.
template <class Number> Read whole(Number &target, const std::string &expected, std::int64_t most) {
    return [&target, expected, most](const std::string &text) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
        const bool good = error == std::errc() && end == text.data() + text.size() && target > 0 && target <= most;
        return good ? std::string() : "expected " + expected + ", not '" + text + "'";
    };
}

std::string flag(bool &target) {
    target = true;
    return {};
}

/// Help with the long names alone, below headings.
class Help : public CLI::Formatter {
  public:
    Help() { column_width(29); }

    std::string make_usage(const CLI::App *, std::string) const override {
        return "\nusage: mpiglutrun [options] [--] program [arguments...]\n\n";
    }
    std::string make_group(std::string heading, bool, std::vector<const CLI::Option *> options) const override {
        for (heading += "\n"; const CLI::Option *option : options)
            heading += make_option(option, false);
        return heading;
    }
    std::string make_option_name(const CLI::Option *option, bool) const override { return option->get_name(); }
};

enum class Times { once, many }; ///< that an option may be given

struct Parser {
    CommandLine command;
    std::string wall = "1x1";
    PageOptions page;
    bool help = false, version = false;
    CLI::App app{"Runs a GLUT or X11 program on a display wall: a process per tile, one set of events, one picture."};
    std::string heading; ///< that the next options stand below
    std::vector<std::string> errors, notes;

    Parser() {
        app.formatter(std::make_shared<Help>());
        app.set_help_flag(); // one of ours, in its place
        app.prefix_command();
        app.footer("The exit status is that of rank 0's program (128 + N after signal N). 2: wrong options or wall;\n"
                   "127 and 126: the program does not exist, or cannot be executed; 1: all other errors.\n"
                   "Environment: MPIGLUT_MPIEXEC_ARGS (more arguments for mpiexec), MPIGLUT_LAUNCH_TIMEOUT (seconds; "
                   "30),\nMPIGLUT_LIB (another libmpiglut.so), MPIGLUT_SHARED_FOLDER (that all hosts of a batch job "
                   "see), TMPDIR,\nLP_NUM_THREADS.");
        add_the_wall();
        add_places();
        add_time();
        add_records();
        add_the_page();
        add_performance();
        add_others();
    }

    /// `value`: what help calls it, empty without one, in brackets if it need not be there.
    CLI::Option *add(const std::string &names, const std::string &value, const std::string &text, const Read &read,
                     Times times = Times::once) {
        const std::string name = names.substr(0, names.find(','));
        const auto take = [this, name, value, times, read](const CLI::results_t &given) {
            for (const std::string &one : given) {
                const std::string error = given.size() > 1 && times == Times::once ? "given twice"
                                          : value.empty() && !one.empty()          ? "takes no value"
                                                                                   : read(one);
                if (!error.empty())
                    return errors.push_back(name + ": " + error), true;
            }
            return true;
        };
        const int waits = value.empty() || value.front() == '[' ? 0 : 1; // for the next argument
        return app.add_option(names, take, text)
            ->group(heading)
            ->option_text(value.empty() ? " " : value)
            ->expected(waits, waits)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }

    void add_the_wall() {
        heading = "The wall";
        RunOptions &run = command.run;
        add("--wall", "SPEC",
            "2x2: cuts the program's first window into 2 columns by 2 rows; 5x4@1680x1050+150+150:\n"
            "tiles of that size with bezels, in pixels; or a wall file, wall.toml (default: 1x1)",
            [this](const std::string &text) { return wall = text, std::string(); });
        add("--behind", "auto|draw|black",
            "pixels behind bezels: drawn once the program reads some (auto, the default),\n"
            "from the start (draw), or never (black)",
            one_of(run.behind, {{"auto", Behind::automatic}, {"draw", Behind::draw}, {"black", Behind::black}}));
    }

    void add_places() {
        heading = "Where it runs";
        RunOptions &run = command.run;
        add("--hosts", "A,B:4", "hosts for the ranks, each with its number of ranks if wanted; overrides the wall file",
            [this](const std::string &text) { return read_hosts(text, command.hosts); });
        add("--hostfile", "FILE", "the same from a file: a line 'name', 'name:4' or 'name slots=4' for each host",
            [this](const std::string &text) { return read_hostfile(text, command.hosts); });
        add("--mpiexec", "PATH", "mpiexec of MPICH or Open MPI (default: of the MPI that mpiglutrun was built with)",
            [this](const std::string &text) {
                command.mpiexec = text;
                return text.empty() ? std::string("expected a command") : std::string();
            });
        add("--headless", "", "needs no screen: starts an Xvfb on each host, which ends with the run",
            [&run](const std::string &) { return flag(run.headless); });
    }

    void add_time() {
        heading = "Clock and input";
        RunOptions &run = command.run;
        add("--clock", "wall|step:HZ|off",
            "the program's clock: real time, the same on all ranks (wall, the default);\n"
            "1/HZ seconds for each frame, reproducible (step:HZ); or unchanged (off)",
            [&run](const std::string &text) { return read_clock(text, run); });
        add("--tsc", "", "rdtsc also gives the program's clock; slower, and the program cannot handle SIGSEGV",
            [&run](const std::string &) { return flag(run.tsc); });
        add("--record", "FILE", "writes all input, frame by frame, as JSON lines",
            [&run](const std::string &text) { return read_output_path(text, run.record); });
        add("--replay", "FILE", "plays a file that --record wrote",
            [&run](const std::string &text) { return read_input_path(text, run.replay); });
    }

    void add_records() {
        heading = "Pictures and records";
        RunOptions &run = command.run;
        add(
            "--capture", "FILE.png[@FRAME]",
            "saves the whole wall at that frame (default: the last); for each frame once",
            [&run](const std::string &text) { return read_capture(text, run); }, Times::many);
        add("--capture-tiles", "", "saves each tile's picture as well: FILE.tile0.png, with the number of its rank",
            [&run](const std::string &) { return flag(run.capture_tiles); });
        add("--stats", "FILE.json", "writes frames, frames per second, times and swap skew of each tile",
            [&run](const std::string &text) { return read_output_path(text, run.stats); });
        add("--output", "first|all",
            "prints what rank 0's program prints (first, the default), or every rank's, with its tile (all)",
            one_of(command.all_output, {{"first", false}, {"all", true}}));
        add("--files", "private|every",
            "rank 0's program alone writes files, others private copies (private, the default); or all (every)",
            one_of(run.private_files, {{"private", true}, {"every", false}}));
        add("--commands", "first|every",
            "which rank's program starts other programs: rank 0's alone (first, the default), or every rank's",
            one_of(run.every_command, {{"first", false}, {"every", true}}));
    }

    void add_the_page() {
        heading = "The operator's page";
        add("--control", "PORT", "shows the operator's page at http://localhost:PORT, and prints the link",
            [this](const std::string &text) { return read_control(text, command.control); });
        add("--listen", "ADDRESS", "also accepts connections from other hosts, on ADDRESS; requires --certificate",
            [this](const std::string &text) {
                return read_for_server("--listen", page.listen = text, command.control);
            });
        add("--certificate", "FILE.pem", "the certificate and its chain, for https", [this](const std::string &text) {
            return read_for_server("--certificate", page.certificate = text, command.control);
        });
        add("--key", "FILE.pem", "the key of the certificate",
            [this](const std::string &text) { return read_for_server("--key", page.key = text, command.control); });
        add("--captures", "FOLDER", "folder for screenshots from the page (default: the current folder)",
            [this](const std::string &text) { return read_for_server("--captures", text, command.control); });
        add("--captures-limit", "MIB", "the most that all of these may occupy, in MiB (default: 8192)",
            [this](const std::string &text) { return read_captures_limit(text, command.control); });
        add("--insecure", "", "allows --listen without a certificate: anyone who can read the network can take over",
            [this](const std::string &) {
                command.control.server_arguments.emplace_back("--insecure");
                return flag(page.insecure);
            });
        add("--console", "FD", "for walld: the connection to it", [this](const std::string &text) {
            return read_console(text, command.control);
        })->group("");
    }

    void add_performance() {
        heading = "Performance";
        RunOptions &run = command.run;
        add("--balance", "[show,latency:1]",
            "tiles with little to do render for tiles with much. show: draws the borders;\n"
            "latency:1: shows each frame one frame later, so that pixels can travel meanwhile",
            [&run](const std::string &text) { return read_balance(text, run); });
        add("--cut", "[PIXELS]",
            "framebuffer objects are drawn for the tile and so many pixels around it (default: 64)",
            [&run](const std::string &text) { return read_cut(text, run); });
        add("--helpers", "N", "adds N ranks that show nothing and only render for other ranks; requires --balance",
            whole(run.helpers, "a number of ranks from 1 to 1000", 1000));
        add("--ship", "auto|raw|lz4|jpeg:Q", "how --balance sends pixels (default: auto, which loses nothing)",
            [&run](const std::string &text) { return read_ship(text, run); });
    }

    void add_others() {
        heading = "Other";
        RunOptions &run = command.run;
        add("--frames", "N", "ends the program after N frames",
            whole(run.frames, "a number of frames greater than 0", std::numeric_limits<std::int64_t>::max()));
        add("--system", "glut|x11",
            "what the program is: one of GLUT, or another one of X11 (default: what its file says)",
            one_of(run.system, {{"glut", System::glut}, {"x11", System::x11}}));
        add("--threads", "free|ordered",
            "locks of an X11 program's threads: in rank 0's order on all ranks, or as they come (free)",
            one_of(run.threads, {{"free", Threads::free}, {"ordered", Threads::ordered}}));
        add(
            "--beside", "COMMAND",
            "starts this as well, on the screen of an X11 program: a window manager, say (several times)",
            [this](const std::string &text) {
                command.beside.push_back(text);
                return text.empty() ? std::string("expected a command") : std::string();
            },
            Times::many);
        add("--on-death", "WHAT",
            "if a rank dies: the run ends (end, the default); its tile stays dark (continue); its tile is\n"
            "dark until a new process has caught up (rejoin, requires --clock step:HZ). The death of\n"
            "rank 0 always ends the run",
            one_of(run.on_death, {{"end", OnDeath::end}, {"continue", OnDeath::go_on}, {"rejoin", OnDeath::rejoin}}));
        add("--rejoin-log", "MIB", "for rejoin: maximum memory for what rank 0 sends to other ranks (default: 1024)",
            whole(run.rejoin_mib, "a number of MiB from 1 to 1048576", 1 << 20));
        add("--verbose,-v", "", "prints what is started, and where (-v)",
            [this](const std::string &) { return flag(command.verbose); });
        add("--version", "", "prints the version", [this](const std::string &) { return flag(version); });
        add("--help,-h", "", "prints this text (-h)", [this](const std::string &) { return flag(help); });
    }

    /// Reads options up to the program, which CLI11 leaves alone with all that follows it. Returns where it begins.
    std::size_t parse(const std::vector<std::string> &arguments) {
        try {
            app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        } catch (const CLI::ParseError &) { // nothing else is left for it to complain about
            const std::string &last = arguments.back();
            errors.push_back(last + ": expected " + app.get_option(last)->get_option_text() + " after it");
            return arguments.size();
        }
        const std::vector<std::string> left = app.remaining();
        auto at = left.begin();
        for (; at != left.end() && at->starts_with('-') && *at != "-" && *at != "--"; ++at)
            errors.push_back("unknown option " + at->substr(0, at->find('=')) + " (mpiglutrun --help lists them)");
        at += at != left.end() && *at == "--";
        command.program.assign(at, left.end());
        return arguments.size() - command.program.size();
    }

    /// The same arguments as CLI11 reads them in our sense, or none if it has: it takes the next argument as the value of
    /// an option that ends with '=', and never that of an option with an optional value.
    std::optional<std::vector<std::string>> reworded(std::vector<std::string> arguments, std::size_t program) const {
        for (std::size_t i = 0; i < program; ++i) {
            const auto next = arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            std::string &text = arguments[i];
            const CLI::Option *named =
                text.ends_with('=') ? app.get_option_no_throw(text.substr(0, text.size() - 1)) : nullptr;
            if (named) {
                text.pop_back();
                if (named->get_expected_min() > 0)
                    arguments.insert(next, "");
                return arguments;
            }
            const bool takes_next = i + 1 == program && next != arguments.end();
            if (takes_next &&
                ((text == "--balance" && is_of_balance(*next)) || (text == "--cut" && is_of_cut(*next)))) {
                text += "=" + *next;
                arguments.erase(next);
                return arguments;
            }
        }
        return std::nullopt;
    }

    bool given(const char *option) const { return app.count(option) > 0; }

    /// Options that do nothing unless another one is also given.
    void check_needs(std::initializer_list<const char *> dependent, bool wanted, const char *other) {
        for (const char *option : dependent)
            if (given(option) && !wanted)
                errors.push_back(std::string(option) + ": expected " + other + " as well");
    }

    void check_together() {
        const RunOptions &run = command.run;
        if (given("--hosts") && given("--hostfile"))
            errors.push_back("--hosts and --hostfile contradict each other: give one of them");
        for (const Capture &capture : run.captures)
            if (run.frames > 0 && capture.frame > run.frames)
                errors.push_back("--capture: frame " + std::to_string(capture.frame) + " is beyond --frames " +
                                 std::to_string(run.frames));
        check_needs({"--capture-tiles"}, !run.captures.empty(), "--capture");
        check_needs({"--helpers", "--ship"}, run.balance, "--balance");
        check_needs({"--rejoin-log"}, run.on_death == OnDeath::rejoin, "--on-death rejoin");
        check_needs({"--listen", "--certificate", "--key", "--insecure", "--captures", "--captures-limit"},
                    given("--control"), "--control PORT");
        if (run.on_death == OnDeath::rejoin && run.clock != ClockMode::step)
            errors.push_back("--on-death rejoin: expected --clock step:HZ as well");
        if (run.on_death == OnDeath::rejoin && run.balance)
            errors.push_back("--on-death rejoin: expected without --balance");
        if (run.cut >= 0 && (run.balance || run.on_death == OnDeath::rejoin))
            errors.push_back("--cut: expected without --balance and --on-death rejoin");
        command.system_given = given("--system");
        if (run.tsc && run.clock == ClockMode::off)
            errors.push_back("--tsc: expected without --clock off, which leaves the program all clocks of the machine");
        if (!run.record.empty() && run.record == run.replay)
            errors.push_back("--record and --replay name the same file");
        if (const std::string error = wrong_page(page); !error.empty() && given("--control"))
            errors.push_back(error);
        if (command.program.empty())
            errors.push_back("no program given: mpiglutrun [options] [--] program [arguments...]");
    }

    void read_wall() {
        pixmpi::WallResult result = pixmpi::read_wall(wall);
        if (!result.wall) {
            for (const std::string &error : result.errors)
                errors.push_back("--wall: " + error);
            return;
        }
        notes = std::move(result.warnings);
        command.wall = std::move(*result.wall);
        command.wall_name = wall;
        if (command.wall.from_window && !command.beside.empty())
            errors.emplace_back("--beside: expected a wall with a size, for instance --wall 2x2@640x480");
        command.run.wall = pixmpi::format_wall(command.wall);
        pixmpi::add_helpers(command.wall, command.run.helpers);
    }
};

} // namespace

Parsed parse_command_line(const std::vector<std::string> &arguments) {
    Parser parser;
    const std::size_t program = parser.parse(arguments);
    if (const auto other_words = parser.reworded(arguments, program))
        return parse_command_line(*other_words);

    Parsed parsed;
    if (parser.errors.empty() && (parser.help || parser.version)) {
        parsed.answer = parser.help ? parser.app.help() : "mpiglutrun " MPIGLUT_VERSION "\n";
        return parsed;
    }
    for (std::string &wrong : wrong_variables())
        parser.errors.push_back(std::move(wrong));
    parser.check_together();
    parser.read_wall();
    if (parser.errors.empty())
        parsed.command = std::move(parser.command);
    parsed.errors = std::move(parser.errors);
    parsed.notes = std::move(parser.notes);
    return parsed;
}

} // namespace mpiglut::launcher
