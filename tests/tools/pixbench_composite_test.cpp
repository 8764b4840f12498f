// pixbench composite: rows, pictures, and what travels.
#include "pixbench/composite/composite_pictures.h"
#include "pixbench_rows.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>
#include <vector>

class pixbench_composite : public testing::TestWithParam<const char *> {};

/// pixbench itself ends the run where a strategy's picture is another one than that by hand.
TEST_P(pixbench_composite, has_a_row_for_each_picture_and_strategy) {
    const std::string api = GetParam();
    const Outcome o = bench(3, "composite --size 41x30" + briefly + "--api " + api);
    ASSERT_EQ(o.status, 0) << o.error;
    EXPECT_EQ(lines_beginning(o.out, "#  frames/s   frame ms"), 1) << o.out;
    std::set<std::string> expected, seen;
    for (const std::string picture : {"depth dense", "depth sparse", "over dense", "over sparse"})
        for (const std::string format : {"RGBA8", "RGBA32F"})
            for (const std::string strategy : {"auto", "direct", "swap", "radix", "tree", "hosts"})
                if (picture.starts_with("over") || format == "RGBA8")
                    expected.insert(picture + " 41x30 " + format + " " + strategy);
    for (const nlohmann::json &row : o.json["rows"]) {
        EXPECT_EQ(keys_of(row), usual_keys());
        seen.insert(row["case"]);
        for (const char *key : {"seconds", "naive_seconds", "ratio_naive", "frames_per_second", "critical_bytes"})
            EXPECT_GT(row[key].get<double>(), 0) << key << " of " << row["case"];
        EXPECT_EQ(row["route"], "shm") << row["case"];
        EXPECT_EQ(row["row_ranks"], 3);
    }
    EXPECT_EQ(seen, expected);
}

TEST_P(pixbench_composite, overlaps_drawing_and_composing) {
    const Outcome o =
        bench(2, std::string("composite --overlap --strategy swap --size 41x30 --api ") + GetParam() + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    ASSERT_EQ(o.json["rows"].size(), 2u);
    for (const nlohmann::json &row : o.json["rows"]) {
        const double drawing = row["computation_seconds"], composing = row["network_seconds"];
        EXPECT_EQ(row["limit_seconds"], std::max(drawing, composing));
        EXPECT_GT(std::min(drawing, composing), 0);
        EXPECT_GT(row["seconds"].get<double>(), 0);
    }
}
INSTANTIATE_TEST_SUITE_P(apis, pixbench_composite, testing::Values("gl", "host", "vk"));

class pixbench_composite_pictures : public testing::TestWithParam<int> {};

TEST_P(pixbench_composite_pictures, show_every_rank) {
    const int ranks = GetParam();
    constexpr int width = 160, height = 90;
    for (const Cover cover : {Cover::dense, Cover::sparse}) {
        std::vector<int> covered(static_cast<std::size_t>(ranks)), in_front = covered;
        int twice = 0;
        for (int i = 0; i < width * height; ++i) {
            const int x = i % width, y = i / width;
            float nearest = 1;
            std::size_t front = 0;
            int here = 0;
            for (std::size_t rank = 0; rank < covered.size(); ++rank) {
                const CompositePicture picture{cover, width, height, static_cast<int>(rank), ranks};
                const CompositePicture::Box box = picture.box();
                const bool in_box = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
                unsigned char color[4];
                picture.translucent(x, y, color);
                ASSERT_TRUE(in_box || !picture.covers(x, y));
                ASSERT_EQ(picture.covers(x, y), color[3] > 0);
                ASSERT_EQ(picture.covers(x, y), picture.depth(x, y) < 1);
                for (int k = 0; k < 3; ++k)
                    ASSERT_LE(color[k], color[3]) << "is multiplied by alpha";
                here += picture.covers(x, y);
                covered[rank] += picture.covers(x, y);
                if (picture.depth(x, y) < nearest) {
                    nearest = picture.depth(x, y);
                    front = rank;
                }
            }
            in_front[front] += here > 0;
            twice += here > 1;
        }
        for (std::size_t rank = 0; rank < covered.size(); ++rank) {
            EXPECT_GT(in_front[rank], 0) << rank;
            if (cover == Cover::dense) {
                EXPECT_EQ(covered[rank], width * height);
            } else if (ranks > 1) { // one rank's disc is as large as fits
                EXPECT_NEAR(covered[rank], width * height / ranks, width * height / ranks / 5);
            }
        }
        EXPECT_EQ(twice > 0, ranks > 1);
    }
}
INSTANTIATE_TEST_SUITE_P(all, pixbench_composite_pictures, testing::Values(1, 2, 3, 4, 8, 13));

class pixbench_composite_ranks : public testing::TestWithParam<int> {};

/// Each rank's first words to all others, little more than the 2 KB of its active cells, travel as well.
TEST_P(pixbench_composite_ranks, send_the_bytes_of_the_scheme) {
    const int ranks = GetParam();
    constexpr int pixels = 40 * 60;
    const Outcome o = bench(ranks, "composite --only dense --format RGBA32F --api host --size 40x60" + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    for (const nlohmann::json &row : o.json["rows"]) {
        const std::string name = row["case"];
        const bool tree = name.ends_with("tree");
        if (tree || name.ends_with("direct")) {
            // Whole pictures; or parts, from all to all and then from all to rank 0.
            const int sent = tree ? (ranks - 1) * pixels : (ranks + 1) * (ranks - 1) * (pixels / ranks);
            const double more = row["exchanged_bytes"].get<double>() - 16.0 * sent;
            EXPECT_GE(more, 2048 * ranks * (ranks - 1)) << name;
            EXPECT_LE(more, 2148 * ranks * (ranks - 1)) << name;
        }
        const int rounds = row["rounds"];
        if (tree) {
            EXPECT_EQ(rounds, ranks > 4 ? 3 : ranks > 2 ? 2 : ranks - 1) << name;
        } else if (name.ends_with("direct")) {
            EXPECT_EQ(rounds, ranks > 1 ? 2 : 0) << name;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(all, pixbench_composite_ranks, testing::Values(1, 2, 3, 4, 5));

TEST(pixbench_composite, writes_the_columns_of_other_compositors) {
    const std::string path = testing::TempDir() + "composite-" + std::to_string(::getpid()) + ".csv";
    const Outcome o =
        bench(2, "composite --strategy swap --api host --size 20x10 --seconds 0.001 --repetitions 2 --csv " + path);
    ASSERT_EQ(o.status, 0) << o.error;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    EXPECT_TRUE(line.starts_with("HEADER,num processes,multi-tile strategy,single-image strategy,")) << line;
    const auto commas = [](const std::string &text) { return std::count(text.begin(), text.end(), ','); };
    const auto columns = commas(line);
    std::map<std::string, int> lines;
    while (std::getline(file, line)) {
        EXPECT_EQ(commas(line), columns) << line;
        ++lines[line.substr(0, line.find(",1,1,"))];
    }
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines["LOG,2,pixmpi,naive"], lines["LOG,2,pixmpi,swap"]);
    EXPECT_GE(lines["LOG,2,pixmpi,swap"], 6); // pictures
    std::remove(path.c_str());
}

TEST(pixbench_composite, traces_the_frames_of_each_rank) {
    const std::filesystem::path folder = testing::TempDir() + "composite-" + std::to_string(::getpid()) + ".traces";
    std::filesystem::create_directory(folder);
    const Outcome o = bench(2, "composite --strategy swap --api host --size 20x10 --format RGBA8 --seconds 0.001"
                               " --repetitions 2 --trace " +
                                   folder.string());
    ASSERT_EQ(o.status, 0) << o.error;
    for (const char *const name : {"depth-dense", "depth-sparse", "over-dense", "over-sparse"})
        for (const char *const rank : {"0", "1"}) {
            const auto path = folder / (name + std::string("-20x10-RGBA8-swap.") + rank + ".json");
            std::ifstream file(path);
            const auto events = nlohmann::json::parse(file, nullptr, false);
            ASSERT_TRUE(events.is_array()) << path;
            EXPECT_GE(std::count_if(events.begin(), events.end(), [](const auto &e) { return e["name"] == "frame"; }),
                      3)
                << path;
        }
    std::filesystem::remove_all(folder);
}
