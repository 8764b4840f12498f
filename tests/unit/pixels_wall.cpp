// A program that reads and copies its window in every way: on a wall, each rank has to get what one window has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Lines = std::vector<std::string>;

Lines output_of(const std::string &command, int &status) {
    Lines lines;
    std::string all;
    FILE *pipe = popen(("LP_NUM_THREADS=1 timeout 100 " + command + " 2>/dev/null").c_str(), "r");
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

const Lines &plain() {
    static const Lines lines = [] {
        int status = -1;
        Lines result = output_of(WITH_DISPLAY " " PIXELS_PROGRAM, status);
        return status == 0 ? result : Lines{};
    }();
    return lines;
}

class PixelsOnWall : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(PixelsOnWall, AreThoseOfOneWindow) {
    ASSERT_GT(plain().size(), 100u);
    int status = -1;
    const std::string spec = GetParam();
    const Lines all = output_of(MPIGLUTRUN " --headless --output all --wall " + spec + " " PIXELS_PROGRAM, status);
    EXPECT_EQ(status, 0);
    std::map<std::string, Lines> by_tile; // each line starts with its tile: "(1,0) ..."
    for (const std::string &line : all) {
        const std::size_t space = line.find(' ');
        const std::string rest = space == line.npos ? "" : line.substr(space + 1);
        if (rest.find("esa") == rest.npos) // the driver's own complaints come in between
            by_tile[line.substr(0, space)].push_back(rest);
    }
    const std::size_t tiles = static_cast<std::size_t>((spec[0] - '0') * (spec[2] - '0'));
    EXPECT_EQ(by_tile.size(), tiles);
    for (const auto &[tile, lines] : by_tile)
        EXPECT_EQ(lines, plain()) << tile;
}

INSTANTIATE_TEST_SUITE_P(Walls, PixelsOnWall, testing::Values("1x1", "2x1", "1x3", "2x2"));
