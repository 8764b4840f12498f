#include "options.h"
#include "environment.h"
#include "option_values.h"
#include "wall/partition.h"

#include <functional>
#include <initializer_list>
#include <set>

namespace mpiglut::launcher {

namespace {

struct Option {
    const char *name;
    const char *value; ///< what help calls it, null without one; "[word]": such a word may follow
    const char *help;  ///< null: not for people
    std::function<std::string(const std::string &)> take;
    bool (*may_follow)(const std::string &) = nullptr; ///< of a value that need not be there
};

/// Options under one heading of help.
struct Group {
    const char *heading;
    std::vector<Option> options;
};

std::string flag(bool &target) {
    target = true;
    return {};
}

std::string read_output_mode(const std::string &text, bool &all) {
    all = text == "all";
    return all || text == "first" ? "" : "expected first or all, not '" + text + "'";
}

std::string read_files_mode(const std::string &text, bool &keep) {
    keep = text == "private";
    return keep || text == "every" ? "" : "expected private or every, not '" + text + "'";
}

std::string read_commands_mode(const std::string &text, bool &every) {
    every = text == "every";
    return every || text == "first" ? "" : "expected first or every, not '" + text + "'";
}

struct Parser {
    CommandLine command;
    std::string wall = "1x1";
    PageOptions page;
    bool help = false, version = false;
    std::vector<Group> groups;
    std::vector<std::string> errors, notes;
    std::set<std::string> seen;

    Parser()
        : groups{{"The wall", of_the_wall()},
                 {"Where it runs", of_places()},
                 {"Clock and input", of_time()},
                 {"Pictures and records", of_records()},
                 {"The operator's page", of_the_page()},
                 {"Performance", of_performance()},
                 {"Other", others()}} {}

    std::vector<Option> of_the_wall() {
        RunOptions &run = command.run;
        return {
            {"--wall", "SPEC",
             "2x2: cuts the program's first window into 2 columns by 2 rows; 5x4@1680x1050+150+150:\n"
             "tiles of that size with bezels, in pixels; or a wall file, wall.toml (default: 1x1)",
             [this](const std::string &text) { return wall = text, std::string(); }},
            {"--behind", "auto|draw|black",
             "pixels behind bezels: drawn once the program reads some (auto, the default),\n"
             "from the start (draw), or never (black)",
             [&run](const std::string &text) { return read_behind(text, run); }},
        };
    }

    std::vector<Option> of_places() {
        RunOptions &run = command.run;
        return {
            {"--hosts", "A,B:4",
             "hosts for the ranks, each with its number of ranks if wanted; overrides the wall file",
             [this](const std::string &text) { return read_hosts(text, command.hosts); }},
            {"--hostfile", "FILE", "the same from a file: a line 'name', 'name:4' or 'name slots=4' for each host",
             [this](const std::string &text) { return read_hostfile(text, command.hosts); }},
            {"--mpiexec", "PATH", "mpiexec of MPICH or Open MPI (default: of the MPI that mpiglutrun was built with)",
             [this](const std::string &text) {
                 command.mpiexec = text;
                 return text.empty() ? std::string("expected a command") : std::string();
             }},
            {"--headless", nullptr, "needs no screen: starts an Xvfb on each host, which ends with the run",
             [&run](const std::string &) { return flag(run.headless); }},
        };
    }

    std::vector<Option> of_time() {
        RunOptions &run = command.run;
        return {
            {"--clock", "wall|step:HZ|off",
             "the program's clock: real time, the same on all ranks (wall, the default);\n"
             "1/HZ seconds for each frame, reproducible (step:HZ); or unchanged (off)",
             [&run](const std::string &text) { return read_clock(text, run); }},
            {"--tsc", nullptr, "rdtsc gives the program's clock, too; slower, and the program cannot handle SIGSEGV",
             [&run](const std::string &) { return flag(run.tsc); }},
            {"--record", "FILE", "writes all input, frame by frame, as JSON lines",
             [&run](const std::string &text) { return read_output_path(text, run.record); }},
            {"--replay", "FILE", "plays a file that --record wrote",
             [&run](const std::string &text) { return read_input_path(text, run.replay); }},
        };
    }

    std::vector<Option> of_records() {
        RunOptions &run = command.run;
        return {
            {"--capture", "FILE.png[@FRAME]",
             "saves the whole wall at that frame (default: the last); bezels are black",
             [&run](const std::string &text) { return read_capture(text, run); }},
            {"--stats", "FILE.json", "writes frames, frames per second, times and swap skew of each tile",
             [&run](const std::string &text) { return read_output_path(text, run.stats); }},
            {"--output", "first|all",
             "prints the output of rank 0's program (first, the default), or of every rank's (all),\n"
             "each line with its tile before it",
             [this](const std::string &text) { return read_output_mode(text, command.all_output); }},
            {"--files", "private|every",
             "rank 0's program alone writes files, other ranks see only their own copies\n"
             "(private, the default); or every rank's program writes them (every)",
             [&run](const std::string &text) { return read_files_mode(text, run.private_files); }},
            {"--commands", "first|every",
             "which rank's program starts other programs: rank 0's alone (first, the default), or every rank's",
             [&run](const std::string &text) { return read_commands_mode(text, run.every_command); }},
        };
    }

    std::vector<Option> of_the_page() {
        return {
            {"--control", "PORT", "shows the operator's page at http://localhost:PORT, and prints the link",
             [this](const std::string &text) { return read_control(text, command.control); }},
            {"--listen", "ADDRESS", "also accepts connections from other hosts, on ADDRESS; requires --certificate",
             [this](const std::string &text) {
                 return read_for_server("--listen", page.listen = text, command.control);
             }},
            {"--certificate", "FILE.pem", "the certificate and its chain, for https",
             [this](const std::string &text) {
                 return read_for_server("--certificate", page.certificate = text, command.control);
             }},
            {"--key", "FILE.pem", "the key of the certificate",
             [this](const std::string &text) { return read_for_server("--key", page.key = text, command.control); }},
            {"--captures", "FOLDER", "folder for screenshots from the page (default: the current folder)",
             [this](const std::string &text) { return read_for_server("--captures", text, command.control); }},
            {"--captures-limit", "MIB", "the most that all of these may occupy, in MiB (default: 8192)",
             [this](const std::string &text) { return read_captures_limit(text, command.control); }},
            {"--insecure", nullptr,
             "allows --listen without a certificate: anyone who can read the network can take over",
             [this](const std::string &) {
                 command.control.server_arguments.emplace_back("--insecure");
                 return flag(page.insecure);
             }},
            {"--console", "FD", nullptr, // for walld: the connection to it
             [this](const std::string &text) { return read_console(text, command.control); }},
        };
    }

    std::vector<Option> of_performance() {
        RunOptions &run = command.run;
        return {
            {"--balance", "[show,latency:1]",
             "tiles with little to do render for tiles with much. show: draws the borders;\n"
             "latency:1: shows each frame one frame later, so that pixels can travel meanwhile",
             [&run](const std::string &text) { return read_balance(text, run); }, is_of_balance},
            {"--helpers", "N", "adds N ranks that show nothing and only render for others; requires --balance",
             [&run](const std::string &text) { return read_helpers(text, run); }},
            {"--ship", "auto|raw|lz4|jpeg:Q", "how --balance sends pixels (default: auto, which loses nothing)",
             [&run](const std::string &text) { return read_ship(text, run); }},
        };
    }

    std::vector<Option> others() {
        RunOptions &run = command.run;
        return {
            {"--frames", "N", "ends the program after N frames",
             [&run](const std::string &text) { return read_frames(text, run); }},
            {"--on-death", "WHAT",
             "if a rank dies: the run ends (end, the default); its tile stays dark (continue); its tile is\n"
             "dark until a new process has caught up (rejoin, requires --clock step:HZ). The death of\n"
             "rank 0 always ends the run",
             [&run](const std::string &text) { return read_on_death(text, run); }},
            {"--rejoin-log", "MIB", "for rejoin: maximum memory for what rank 0 sends to other ranks (default: 1024)",
             [&run](const std::string &text) { return read_rejoin_log(text, run); }},
            {"--verbose", nullptr, "prints what is started, and where (-v)",
             [this](const std::string &) { return flag(command.verbose); }},
            {"--version", nullptr, "prints the version", [this](const std::string &) { return flag(version); }},
            {"--help", nullptr, "prints this text (-h)", [this](const std::string &) { return flag(help); }},
        };
    }

    const Option *find(const std::string &name) const {
        std::string full = name == "-h" ? "--help" : name == "-v" ? "--verbose" : name;
        for (const Group &group : groups)
            for (const Option &option : group.options)
                if (full == option.name)
                    return &option;
        return nullptr;
    }

    /// Takes one option, and its value from the next argument unless it came with '='.
    void take(const std::vector<std::string> &arguments, std::size_t &i) {
        auto equals = arguments[i].starts_with("--") ? arguments[i].find('=') : std::string::npos;
        std::string name = arguments[i].substr(0, equals);
        const Option *option = find(name);
        if (!option)
            return errors.push_back("unknown option " + name + " (mpiglutrun --help lists them)");
        if (!seen.insert(option->name).second)
            return errors.push_back(name + ": given twice");
        std::string value;
        if (!option->value && equals != std::string::npos)
            return errors.push_back(name + ": takes no value");
        if (option->may_follow) {
            if (equals != std::string::npos)
                value = arguments[i].substr(equals + 1);
            else if (i + 1 < arguments.size() && option->may_follow(arguments[i + 1]))
                value = arguments[++i];
        } else if (option->value) {
            if (equals == std::string::npos && ++i == arguments.size())
                return errors.push_back(name + ": expected " + option->value + " after it");
            value = equals == std::string::npos ? arguments[i] : arguments[i].substr(equals + 1);
        }
        if (std::string error = option->take(value); !error.empty())
            errors.push_back(name + ": " + error);
    }

    /// Options that do nothing unless another one is given, too.
    void check_needs(std::initializer_list<const char *> dependent, bool given, const char *other) {
        for (const char *option : dependent)
            if (seen.contains(option) && !given)
                errors.push_back(std::string(option) + ": expected " + other + " beside it");
    }

    void check_together() {
        const RunOptions &run = command.run;
        if (seen.contains("--hosts") && seen.contains("--hostfile"))
            errors.push_back("--hosts and --hostfile contradict each other: give one of them");
        if (run.frames > 0 && run.capture_frame > run.frames)
            errors.push_back("--capture: frame " + std::to_string(run.capture_frame) + " is beyond --frames " +
                             std::to_string(run.frames));
        check_needs({"--helpers", "--ship"}, run.balance, "--balance");
        check_needs({"--rejoin-log"}, run.on_death == OnDeath::rejoin, "--on-death rejoin");
        check_needs({"--listen", "--certificate", "--key", "--insecure", "--captures", "--captures-limit"},
                    seen.contains("--control"), "--control PORT");
        if (run.on_death == OnDeath::rejoin && run.clock != ClockMode::step)
            errors.push_back("--on-death rejoin: expected --clock step:HZ beside it");
        if (run.on_death == OnDeath::rejoin && run.balance)
            errors.push_back("--on-death rejoin: expected without --balance");
        if (run.tsc && run.clock == ClockMode::off)
            errors.push_back("--tsc: expected without --clock off, which leaves the program all clocks of the machine");
        if (!run.record.empty() && run.record == run.replay)
            errors.push_back("--record and --replay name the same file");
        if (const std::string error = wrong_page(page); !error.empty() && seen.contains("--control"))
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
        command.run.wall = pixmpi::format_wall(command.wall);
        pixmpi::add_helpers(command.wall, command.run.helpers);
    }

    static std::string help_line(const Option &option) {
        constexpr std::size_t column = 29;
        std::string head = std::string("  ") + option.name + (option.value ? std::string(" ") + option.value : "");
        std::string indented(option.help);
        for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += column)
            indented.insert(++at, column, ' ');
        return head + std::string(head.size() < column ? column - head.size() : 1, ' ') + indented + "\n";
    }

    std::string help_text() const {
        std::string text = "usage: mpiglutrun [options] [--] program [arguments...]\n\n"
                           "Runs a GLUT program on a display wall: one process for each tile, one set of events, one "
                           "picture.\n";
        for (const Group &group : groups) {
            text += std::string("\n") + group.heading + "\n";
            for (const Option &option : group.options)
                if (option.help)
                    text += help_line(option);
        }
        return text +
               "\nThe exit status is that of rank 0's program (128 + N after signal N). 2: wrong options or wall;\n"
               "127 and 126: the program does not exist, or cannot be executed; 1: all other errors.\n"
               "Environment: MPIGLUT_MPIEXEC_ARGS (more arguments for mpiexec), MPIGLUT_LAUNCH_TIMEOUT (seconds; 30),\n"
               "MPIGLUT_LIB (another libmpiglut.so), MPIGLUT_SHARED_FOLDER (that all hosts of a batch job see), "
               "TMPDIR,\n"
               "LP_NUM_THREADS.\n";
    }
};

} // namespace

Parsed parse_command_line(const std::vector<std::string> &arguments) {
    Parser parser;
    std::size_t i = 0;
    for (; i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "-" && arguments[i] != "--"; ++i)
        parser.take(arguments, i);
    if (i < arguments.size() && arguments[i] == "--")
        ++i;
    if (i < arguments.size())
        parser.command.program.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());

    Parsed parsed;
    if (parser.errors.empty() && (parser.help || parser.version)) {
        parsed.answer = parser.help ? parser.help_text() : "mpiglutrun " MPIGLUT_VERSION "\n";
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
