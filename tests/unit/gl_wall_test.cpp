// Programs that print what they read back of their window, and what GL says of it: on a wall, each rank has to print
// what one window does.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Lines = std::vector<std::string>;

Lines output_of(const std::string &command, int &status) {
    Lines lines;
    std::string all;
    FILE *pipe = popen(("LP_NUM_THREADS=0 timeout 100 env " + command + " 2>/dev/null").c_str(), "r");
    if (!pipe)
        return lines;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
        all.append(buffer, got);
    status = pclose(pipe);
    std::istringstream stream(all);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

struct Case {
    const char *name, *program, *wall, *environment;
    friend void PrintTo(const Case &one, std::ostream *out) { *out << one.name << " on " << one.wall; }
};

/// What the program prints in one window.
const Lines &plain(const std::string &program) {
    static std::map<std::string, Lines> known;
    auto found = known.find(program);
    if (found == known.end()) {
        int status = -1;
        Lines lines = output_of(WITH_DISPLAY " " + program, status);
        found = known.emplace(program, status == 0 ? lines : Lines{}).first;
    }
    return found->second;
}

/// Each line starts with its tile: "(1,0) ..."
std::map<std::string, Lines> lines_by_tile(const Lines &all) {
    std::map<std::string, Lines> by_tile;
    for (const std::string &line : all) {
        const std::size_t space = line.find(' ');
        const std::string rest = space == line.npos ? "" : line.substr(space + 1);
        if (rest.find("esa") == rest.npos) // the driver's own complaints come in between
            by_tile[line.substr(0, space)].push_back(rest);
    }
    return by_tile;
}

class GlOnWall : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(GlOnWall, SaysWhatOneWindowSays) {
    const Case &one = GetParam();
    const Lines expected = plain(one.program);
    ASSERT_GT(expected.size(), 20u);
    int status = -1;
    const std::string wall = one.wall;
    const Lines all = output_of(std::string(one.environment) + MPIGLUTRUN " --headless --output all --wall " + wall +
                                    " " + one.program,
                                status);
    EXPECT_EQ(status, 0);
    const auto by_tile = lines_by_tile(all);
    EXPECT_EQ(by_tile.size(), static_cast<std::size_t>((wall[0] - '0') * (wall[2] - '0')));
    for (const auto &[tile, lines] : by_tile)
        EXPECT_EQ(lines, expected) << tile;
}

TEST(FragmentShader, ThatItsTextDoesNotTellIsNamed) {
    int status = -1;
    const Lines lines =
        output_of("sh -c '" MPIGLUTRUN " --headless --wall 2x1 " SHADERS_PROGRAM " doubt 2>&1'", status);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const std::string &line) {
                                return line.find("the fragment shader 1 may be wrong: it asks whether") != line.npos;
                            }),
              1)
        << testing::PrintToString(lines);
}

TEST(ProgramBinary, OfAPlainRunIsRefused) {
    const std::string file = testing::TempDir() + "binary." + std::to_string(getpid());
    const auto program = [&](const char *from, const char *to) {
        return SHADERS_PROGRAM " " + file + from + " " + file + to;
    };
    int status = -1;
    const Lines expected = output_of(WITH_DISPLAY " " + program("none", "plain"), status);
    ASSERT_EQ(expected.size(), 1u);
    const auto expect_on_wall = [&](const char *from, const char *what) {
        const auto by_tile =
            lines_by_tile(output_of(MPIGLUTRUN " --headless --output all --wall 2x1 " + program(from, "wall"), status));
        EXPECT_EQ(by_tile.size(), 2u);
        for (const auto &[tile, lines] : by_tile)
            EXPECT_EQ(lines, (Lines{what, expected[0]})) << tile;
    };
    expect_on_wall("plain", "refused");
    expect_on_wall("wall", "taken");
    for (const char *which : {"plain", "wall"})
        EXPECT_EQ(unlink((file + which).c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Pixels, GlOnWall,
                         testing::Values(Case{"pixels", PIXELS_PROGRAM, "1x1", ""},
                                         Case{"pixels", PIXELS_PROGRAM, "2x1", ""},
                                         Case{"pixels", PIXELS_PROGRAM, "1x3", ""},
                                         Case{"pixels", PIXELS_PROGRAM, "2x2", ""}));
INSTANTIATE_TEST_SUITE_P(
    Shaders, GlOnWall,
    testing::Values(Case{"shaders", SHADERS_PROGRAM, "1x1", ""}, Case{"shaders", SHADERS_PROGRAM, "4x1", ""},
                    Case{"shaders", SHADERS_PROGRAM, "2x2", ""},
                    Case{"shaders, viewport too large", SHADERS_PROGRAM, "4x1", "MPIGLUT_MAX_VIEWPORT=90 "}));
INSTANTIATE_TEST_SUITE_P(Writes, GlOnWall,
                         testing::Values(Case{"writes", WRITES_PROGRAM, "1x1", ""},
                                         Case{"writes", WRITES_PROGRAM, "4x1", ""},
                                         Case{"writes", WRITES_PROGRAM, "2x2", ""},
                                         Case{"writes", WRITES_PROGRAM, "2x2@120x60+16+8 --behind draw", ""}));
