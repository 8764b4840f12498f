// walltool new: asks for what a wall file says, and writes it.
#include "commands.h"
#include "wall/wall.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <unistd.h>

namespace walltool {

namespace {

using Answers = std::map<std::string, std::string>;

std::optional<double> number(std::string_view text, double low, double high) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
        return std::nullopt;
    return value;
}

bool is_whole(std::string_view text, int low, int high) {
    const auto value = number(text, low, high);
    return value && *value == std::floor(*value) && text.find_first_of(".eE") == text.npos;
}

std::vector<std::string> parts(const std::string &list, char between) {
    std::vector<std::string> items(1);
    for (const char c : list)
        if (c == between)
            items.emplace_back();
        else if (c != ' ')
            items.back() += c;
    return items;
}

/// "px" or "mm", which the bezel's number ends with; pixels where it says neither.
std::string unit_of(const std::string &bezel) { return bezel.ends_with("mm") ? "mm" : "px"; }
std::string without_unit(const std::string &bezel) {
    return bezel.ends_with("mm") || bezel.ends_with("px") ? bezel.substr(0, bezel.size() - 2) : bezel;
}

std::string wrong_count(const std::string &text) { return is_whole(text, 1, 1000) ? "" : "a number from 1 to 1000"; }

std::string wrong_resolution(const std::string &text) {
    const auto sides = parts(text, 'x');
    return sides.size() == 2 && is_whole(sides[0], 1, 100'000) && is_whole(sides[1], 1, 100'000)
               ? ""
               : "WIDTHxHEIGHT in pixels, 1920x1080 for instance";
}

std::string wrong_size(const std::string &text) {
    const auto sides = parts(text, 'x');
    return text.empty() || (sides.size() == 2 && number(sides[0], 1, 100'000) && number(sides[1], 1, 100'000))
               ? ""
               : "WIDTHxHEIGHT in millimetres, 531x299 for instance, or nothing";
}

std::string wrong_bezel(const std::string &text) {
    const auto sides = parts(without_unit(text), ',');
    const bool all = std::ranges::all_of(sides, [](const auto &side) { return number(side, -10'000, 10'000).has_value(); });
    return sides.size() <= 2 && all ? "" : "a number, or ACROSS,DOWN; with mm behind it for millimetres: 40 or 12.5mm";
}

std::string wrong_hosts(const std::string &text) {
    return text.empty() || std::ranges::all_of(parts(text, ','), [](const auto &one) { return pixmpi::is_host_name(one); })
               ? ""
               : "names or addresses of hosts with commas between them, or nothing for this host";
}

bool is_display(const std::string &text) {
    const auto colon = text.rfind(':');
    if (pixmpi::is_wayland(text))
        return true;
    return colon != text.npos && (colon == 0 || pixmpi::is_host_name(text.substr(0, colon))) &&
           number(text.substr(colon + 1), 0, 65535);
}

std::string wrong_displays(const std::string &text) {
    return text.empty() || std::ranges::all_of(parts(text, ','), is_display)
               ? ""
               : "displays such as :0, :0.1 or wayland with commas between them, or nothing for DISPLAY";
}

std::string wrong_rotation(const std::string &text) {
    return text == "0" || text == "90" || text == "180" || text == "270" ? "" : "0, 90, 180 or 270";
}

struct Question {
    const char *name, *text, *usual;
    std::string (*wrong)(const std::string &); ///< what was expected; empty: it is good
};
constexpr std::array<Question, 8> questions{{
    {"columns", "Columns of screens", "2", wrong_count},
    {"rows", "Rows of screens", "2", wrong_count},
    {"resolution", "Resolution of a screen, as the monitor has it", "1920x1080", wrong_resolution},
    {"rotation", "Degrees clockwise that the monitors are turned", "0", wrong_rotation},
    {"bezel", "What lies between two screens: pixels, or millimetres with mm behind the number", "0", wrong_bezel},
    {"size", "Visible size of a screen in millimetres (empty: unknown)", "", wrong_size},
    {"hosts", "Hosts, row by row, starting over at the end (empty: this host)", "", wrong_hosts},
    {"displays", "Displays, likewise (empty: DISPLAY of the environment)", "", wrong_displays},
}};

/// With a bezel in millimetres nothing can be placed before it is known how many pixels a millimetre has.
std::string wrong_together(const Question &question, const std::string &answer, const Answers &answers) {
    const auto bezel = answers.find("bezel");
    return std::string_view(question.name) == "size" && answer.empty() && bezel != answers.end() &&
                   unit_of(bezel->second) == "mm"
               ? "WIDTHxHEIGHT in millimetres, since the bezel is in millimetres"
               : question.wrong(answer);
}

/// From standard input; nothing at its end.
std::optional<std::string> ask(const Question &question, const Answers &answers) {
    for (std::string line;;) {
        std::printf("%s%s: ", question.text, *question.usual ? (std::string(" [") + question.usual + "]").c_str() : "");
        std::fflush(stdout);
        if (!std::getline(std::cin, line))
            return std::nullopt;
        std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (line.empty())
            line = question.usual;
        const std::string expected = wrong_together(question, line, answers);
        if (expected.empty())
            return line;
        std::printf("  expected %s\n", expected.c_str());
    }
}

std::string pair(const std::string &sides, char between, bool turned) {
    auto both = parts(sides, between);
    if (both.size() == 1)
        return both[0];
    if (turned)
        std::swap(both[0], both[1]);
    return "[" + both[0] + ", " + both[1] + "]";
}

/// `key = "a"`, or a list of texts.
std::string texts(const char *key, const std::string &list, const char *comment) {
    const auto items = parts(list, ',');
    std::string value;
    for (const std::string &item : items)
        value += (value.empty() ? "\"" : ", \"") + item + "\"";
    return std::string(key) + " = " + (items.size() > 1 ? "[" + value + "]" : value) + "  # " + comment + "\n";
}

int complain(const std::string &text) {
    std::fprintf(stderr, "walltool: %s\n", text.c_str());
    return EXIT_FAILURE;
}

bool write_new(const std::string &path, const std::string &text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return ::close(file) == 0 && whole;
}

/// The wall file.
std::string text_of(const Answers &answers) {
    const auto &at = [&](const char *name) { return answers.at(name); };
    const std::string unit = unit_of(at("bezel"));
    const bool turned = at("rotation") == "90" || at("rotation") == "270", in_mm = unit == "mm";
    const std::string pixels = pair(at("resolution"), 'x', turned), mm = pair(at("size"), 'x', turned);
    std::string text = "# A display wall. `walltool check` explains this file, docs/reference/wall-file.md describes all keys.\n"
                       "unit = \"" +
                       unit + "\"  # of all lengths in this file: \"px\" or \"mm\"\n\n[grid]\ncolumns = " +
                       at("columns") + "\nrows = " + at("rows") + "\n";
    text += "tile = " + (in_mm ? mm : pixels) + "  # width and height of a screen, as the viewer sees it\n";
    if (in_mm)
        text += "pixels = " + pixels + "  # the same in pixels\n";
    else if (!at("size").empty())
        text += "mm = " + mm + "  # the same in millimetres\n";
    text += "bezel = " + pair(without_unit(at("bezel")), ',', false) +
            "  # what lies between two screens: a number, or [across, down]\n";
    text += "rotation = " + at("rotation") + "  # degrees clockwise that the monitors are turned: 0, 90, 180, 270\n";
    text += at("hosts").empty() ? "# host = [\"left\", \"right\"]  # row by row, starting over at the end; here without it\n"
                                : texts("host", at("hosts"), "row by row, starting over at the end");
    text += at("displays").empty() ? "# display = \":0\"  # or \"wayland\"; without it: DISPLAY of the environment\n"
                                   : texts("display", at("displays"), "row by row, starting over at the end");
    text += "# mode = \"fullscreen\"  # \"window\", \"fullscreen\" or \"auto\"\n\n"
            "# One screen that differs from the others:\n"
            "# [[tile]]\n"
            "# column = 0\n"
            "# row = 0\n"
            "# nudge = [0, 0]  # moved to the right and down\n"
            "# brightness = 1\n";
    return text;
}

} // namespace

int make_new(const std::string &path, const Answers &given, bool only_usual) {
    if (!path.ends_with(".toml"))
        return complain("FILE: expected a name that ends with .toml, not '" + path + "'");
    if (::access(path.c_str(), F_OK) == 0)
        return complain("'" + path + "' exists, and is not overwritten");
    Answers answers = given;
    for (const Question &question : questions) {
        const auto found = answers.find(question.name);
        if (found == answers.end() && !only_usual) {
            const auto answer = ask(question, answers);
            if (!answer)
                return complain(std::string("standard input has ended: give --") + question.name +
                                ", or --defaults for all that is not given");
            answers[question.name] = *answer;
            continue;
        }
        const std::string value = found == answers.end() ? question.usual : found->second;
        if (const std::string expected = wrong_together(question, value, answers); !expected.empty())
            return complain(std::string("--") + question.name + ": expected " + expected +
                            (value.empty() ? "" : ", not '" + value + "'"));
        answers[question.name] = value;
    }
    const std::string text = text_of(answers);
    const pixmpi::WallResult wall = pixmpi::parse_wall(text, path);
    for (const std::string &line : wall.errors)
        complain(line);
    for (const std::string &line : wall.warnings)
        std::fprintf(stderr, "walltool: note: %s\n", line.c_str());
    if (!wall.wall)
        return EXIT_FAILURE;
    if (!write_new(path, text))
        return complain("cannot write '" + path + "': " + std::strerror(errno));
    std::printf("wrote %s: %zu tiles, %d x %d pixels. Next:\n    walltool doctor %s\n    mpiglutrun --wall %s -- walltool "
                "pattern\n",
                path.c_str(), wall.wall->tiles.size(), wall.wall->width, wall.wall->height, path.c_str(), path.c_str());
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace walltool
