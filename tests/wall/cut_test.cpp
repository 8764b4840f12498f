// --cut: passes into framebuffer objects are drawn for the tile and a margin, and the picture stays what it was.
// Programs that look further are found, and drawn whole.
#include "picture_compare.h"
#include "processes.h"
#include "wall_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace wall_test {
namespace {

struct Seen {
    Picture picture;
    std::string lines;
    std::vector<double> drawn; ///< by tile, what of the passes it has drawn; empty if they were not compared
};

/// `words`: more options of mpiglutrun.
void show(const std::string &way, const std::string &name, const std::vector<std::string> &words, Seen &seen,
          const char *frames = "20") {
    const std::string file = scratch_folder() + "/cut_" + name;
    std::filesystem::remove(file + ".png");
    std::filesystem::remove(file + ".json");
    std::vector<std::string> options{"--wall", "2x2",       "--headless",  "--clock", "step:60",     "--frames",
                                     frames,   "--capture", file + ".png", "--stats", file + ".json"};
    options.insert(options.end(), words.begin(), words.end());
    const Finished finished =
        run(wall_command(options, support_path("passes"), {way}), wall_environment(), longest_run);
    seen.lines = finished.errors;
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    std::string error;
    ASSERT_TRUE(read_png(file + ".png", seen.picture, error)) << error << finished.errors;
    std::ifstream stats(file + ".json");
    const auto json = nlohmann::json::parse(stats, nullptr, false);
    ASSERT_TRUE(json.is_object());
    for (const auto &tile : json["tiles"])
        if (tile.contains("passes_drawn"))
            seen.drawn.push_back(tile["passes_drawn"]);
}

/// The same picture as without a cut.
void compare_with_whole(const std::string &way, const std::string &name, const std::vector<std::string> &words,
                        Seen &cut, const char *frames = "20") {
    Seen whole;
    const std::vector<std::string> plain =
        words.size() > 1 ? std::vector<std::string>{words.begin() + 1, words.end()} : std::vector<std::string>{};
    ASSERT_NO_FATAL_FAILURE(show(way, name + "_whole", plain, whole, frames));
    ASSERT_NO_FATAL_FAILURE(show(way, name, words, cut, frames));
    EXPECT_TRUE(whole.drawn.empty());
    const auto wall = pixmpi::parse_wall("[grid]\ncolumns = 2\nrows = 2\n", "wall").wall;
    const Difference difference =
        compare(whole.picture, cut.picture, wall->cut(whole.picture.width, whole.picture.height));
    EXPECT_TRUE(difference.acceptable(true)) << difference.text() << cut.lines;
}

void expect_about_a_quarter(const Seen &cut) {
    EXPECT_EQ(cut.drawn.size(), 4u) << cut.lines;
    for (const double drawn : cut.drawn) {
        EXPECT_GT(drawn, 0.15) << cut.lines;
        EXPECT_LT(drawn, 0.42) << cut.lines; // with a margin of 24 pixels, 31 % of the window
    }
}

class Cut : public testing::TestWithParam<std::string> {};

TEST_P(Cut, DrawsAboutAQuarterOnEachTile) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole(GetParam(), GetParam(), {"--cut=24"}, cut));
    EXPECT_NE(cut.lines.find("drawn for the tile and 24 pixels around it"), std::string::npos) << cut.lines;
    expect_about_a_quarter(cut);
}

std::string name_of(const testing::TestParamInfo<std::string> &one) { return one.param; }

INSTANTIATE_TEST_SUITE_P(Near, Cut, testing::Values("bloom", "deferred", "occlusion", "reader", "meter"), name_of);

TEST(CutOfSamples, EndsInThePassWhereTheyAreCounted) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole("counter", "counter", {"--cut=24"}, cut));
    const std::size_t drawn_cut = cut.lines.find("drawn for the tile and 24 pixels around it");
    ASSERT_NE(drawn_cut, std::string::npos) << cut.lines;
    EXPECT_NE(cut.lines.find("because it counts samples in framebuffer objects", drawn_cut), std::string::npos)
        << cut.lines;
}

TEST(CutOfX11, DrawsAboutAQuarterOnEachTile) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole("bloom", "x11", {"--cut=24", "--system", "x11"}, cut));
    expect_about_a_quarter(cut);
}

TEST(CutMargin, Grows) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole("occlusion", "grows", {"--cut=1"}, cut));
    EXPECT_NE(cut.lines.find("a margin of 1; 64 is tried"), std::string::npos) << cut.lines;
    EXPECT_NE(cut.lines.find("drawn for the tile and 64 pixels around it"), std::string::npos) << cut.lines;
}

class CutOfFar : public testing::TestWithParam<std::string> {};

TEST_P(CutOfFar, IsFoundAndDrawnWhole) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole(GetParam(), GetParam(), {"--cut"}, cut));
    EXPECT_NE(cut.lines.find("drawn whole on each tile, because tiles show other pixels"), std::string::npos)
        << cut.lines;
}

TEST(CutLater, IsFoundInAFrameThatIsCompared) {
    Seen cut;
    ASSERT_NO_FATAL_FAILURE(compare_with_whole("later", "later", {"--cut=24"}, cut, "90"));
    const std::size_t drawn_cut = cut.lines.find("drawn for the tile and 24 pixels around it");
    ASSERT_NE(drawn_cut, std::string::npos) << cut.lines;
    EXPECT_NE(cut.lines.find("drawn whole on each tile", drawn_cut), std::string::npos) << cut.lines;
}

INSTANTIATE_TEST_SUITE_P(Far, CutOfFar, testing::Values("mirror", "average", "history"), name_of);

} // namespace
} // namespace wall_test
