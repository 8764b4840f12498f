#include "options.h"

#include <charconv>
#include <CLI/CLI.hpp>

namespace demo {

namespace {

constexpr int most = 16384; ///< what OpenGL implementations have as a limit of textures

const char *number(const char *at, const char *end, int &value) {
    const auto [after, problem] = std::from_chars(at, end, value);
    return problem == std::errc() && value >= 1 && value <= most ? after : nullptr;
}

void read_size(const std::string &text, Options &options) {
    const char *const end = text.data() + text.size();
    const char *at = number(text.data(), end, options.width);
    at = at && at != end && *at == 'x' ? number(at + 1, end, options.height) : nullptr;
    if (at != end)
        throw UsageError("--size " + text + ": expected WIDTHxHEIGHT, each 1 to " + std::to_string(most));
}

} // namespace

Options read_options(int argc, char **argv, const About &about, std::string &help) {
    Options options = about.defaults;
    std::string size = std::to_string(options.width) + "x" + std::to_string(options.height);
    CLI::App app(about.text, about.name);
    app.set_version_flag("--version", std::string(about.name) + " " PROGRAM_VERSION);
    app.add_flag("--headless", options.headless, "no window");
    if (about.draws) {
        app.add_option("--frames", options.frames, "how many frames")
            ->check(CLI::Range(1, 1'000'000'000))
            ->capture_default_str();
        app.add_option("--size", size, "of the picture, in pixels")->type_name("WxH")->capture_default_str();
        app.add_option("--output", options.output, "saves the last frame")
            ->type_name("FILE.png")
            ->capture_default_str();
    }
    if (about.input)
        app.add_option("--input", options.input, about.input)->type_name("FILE.png")->check(CLI::ExistingFile);
    if (about.check)
        app.add_flag("--check", options.check, about.check);
    for (const Number &number : about.numbers)
        app.add_option(number.name, *number.value, number.text)
            ->check(CLI::Range(number.least, number.most))
            ->capture_default_str();
    for (const Flag &flag : about.flags)
        app.add_flag(flag.name, *flag.value, flag.text);
    for (const Text &text : about.texts)
        app.add_option(text.name, *text.value, text.text)->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        help = app.help();
    } catch (const CLI::CallForVersion &version) {
        help = version.what() + std::string("\n");
    } catch (const CLI::ParseError &problem) {
        throw UsageError(problem.what());
    }
    read_size(size, options);
    return options;
}

} // namespace demo
