// walltool: looks at wall files, and shows a test picture on a wall.
#include "commands.h"

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

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) ? usage_error : 0;
    }
    if (check->parsed())
        return walltool::check(spec);
    if (preview->parsed())
        return walltool::preview(spec, png);
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
