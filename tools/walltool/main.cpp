// walltool: looks at wall files, and shows a test picture on a wall.
#include "commands.h"
#include "doctor.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

constexpr int usage_error = 2;

int run(int argc, char **argv) {
    CLI::App app("Looks at wall files, and shows a test picture on a wall.", "walltool");
    app.set_version_flag("--version", "walltool " PROGRAM_VERSION);
    app.require_subcommand(1);

    const char *spec_help = "a wall file, or CxR, or CxR@WxH[+BX[+BY]]";
    std::string spec, png = "wall.png";
    long frames = 0;
    CLI::App *check = app.add_subcommand("check", "Print the wall as text, or what is wrong with it");
    check->add_option("WALL", spec, spec_help)->required();
    CLI::App *preview = app.add_subcommand("preview", "Draw the wall");
    preview->add_option("WALL", spec, spec_help)->required();
    preview->add_option("-o,--output", png, "The PNG file to write")->capture_default_str();
    CLI::App *pattern = app.add_subcommand(
        "pattern",
        "Show on each tile who it is, a grid across bezels, colour bars and moving bars that reveal tearing;\n"
        "to be run as: mpiglutrun --wall WALL walltool pattern");
    pattern->add_option("--frames", frames, "End after this many frames; 0: when closed")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();

    walltool::DoctorOptions health;
    CLI::App *doctor = app.add_subcommand("doctor", "Look at the wall's hosts, all at once: what is missing, and the remedy");
    doctor->add_option("WALL", health.spec, spec_help)->required();
    doctor->add_option("--program", health.program, "The program that is to run on the wall");
    doctor->add_flag("--headless", health.headless, "For mpiglutrun --headless: no display is looked at, but Xvfb");
    doctor->add_option("--port", health.port, "For mpiglutrun --control PORT or walld --port PORT: is it free?")
        ->check(CLI::Range(1, 65535));
    doctor->add_option("--timeout", health.seconds, "Seconds for each host")->check(CLI::Range(1, 600))->capture_default_str();
    doctor->add_option("--ssh", health.ssh, "The command that reaches other hosts")->capture_default_str();
    std::string back;
    std::vector<std::string> displays;
    CLI::App *probe = app.add_subcommand("probe", "What doctor runs on each host")->group("");
    probe->add_option("--timeout", health.seconds);
    probe->add_option("--back", back);
    probe->add_option("DISPLAYS", displays);

    std::string file;
    std::map<std::string, std::string> given;
    bool only_usual = false;
    CLI::App *fresh = app.add_subcommand("new", "Ask for the wall's screens, and write a new wall file");
    fresh->add_option("FILE", file, "The wall file to write, NAME.toml; a file that exists is not overwritten")->required();
    for (const auto &[name, help] : {std::pair{"columns", "Columns of screens"},
                                     {"rows", "Rows of screens"},
                                     {"resolution", "WIDTHxHEIGHT of a screen in pixels, as the monitor has it"},
                                     {"rotation", "Degrees clockwise that the monitors are turned"},
                                     {"bezel", "Between two screens, in pixels or millimetres: 40, 12.5mm or 40,30"},
                                     {"size", "WIDTHxHEIGHT of a screen in millimetres"},
                                     {"hosts", "Hosts, row by row: left,middle,right"},
                                     {"displays", "Displays, row by row: :0,:1"}})
        fresh->add_option_function<std::string>(
            std::string("--") + name, [&given, name](const std::string &value) { given[name] = value; }, help);
    fresh->add_flag("--defaults", only_usual, "Ask nothing: what is not given has its default");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) ? usage_error : 0;
    }
    if (check->parsed())
        return walltool::check(spec);
    if (preview->parsed())
        return walltool::preview(spec, png);
    if (fresh->parsed())
        return walltool::make_new(file, given, only_usual);
    if (doctor->parsed())
        return walltool::doctor(health);
    if (probe->parsed())
        return walltool::probe(back, displays, health.seconds);
    return walltool::pattern(argv[0], frames);
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "walltool: %s\n", error.what());
        return 1;
    }
}
