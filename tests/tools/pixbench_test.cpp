#include "pixbench_rows.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

std::vector<std::int64_t> sizes_of(const nlohmann::json &all) {
    std::vector<std::int64_t> sizes;
    for (const nlohmann::json &row : all["rows"])
        sizes.push_back(row["bytes"]);
    return sizes;
}

} // namespace

class pixbench : public testing::TestWithParam<const char *> {};

TEST_P(pixbench, has_the_same_keys_in_every_mode) {
    const std::string api = GetParam();
    for (const std::string mode : {"pt2pt", "region", "stages --messages 200"}) { // and matrix and coll, below
        const Outcome o = bench(2, mode + briefly + "--size 64x48 --api " + api);
        ASSERT_EQ(o.status, 0) << mode << ": " << o.error;
        check_rows(o.json, api);
        if (mode == "region") {
            EXPECT_EQ(o.json["rows"].size(), api == "host" ? 9u : 8u);
        }
        EXPECT_EQ(lines_beginning(o.out, "#       Size     Latency   Bandwidth"), 1) << o.out;
        EXPECT_EQ(lines_beginning(o.out, "# pixbench " + mode.substr(0, mode.find(' ')) + ","), 1) << o.out;
    }
}

TEST_P(pixbench, has_a_row_for_every_pair_and_for_all_at_once) {
    const Outcome o = bench(3, std::string("matrix --size 64x64 --api ") + GetParam() + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    check_rows(o.json, GetParam());
    std::set<std::pair<int, int>> pairs;
    std::map<std::string, nlohmann::json> together;
    for (const nlohmann::json &row : o.json["rows"]) {
        if (row["source"].is_number()) {
            pairs.emplace(row["source"].get<int>(), row["dest"].get<int>());
            EXPECT_EQ(row["route"] == "self", row["source"] == row["dest"]);
        } else {
            together[row["case"]] = row;
        }
    }
    EXPECT_EQ(pairs.size(), 9u);
    constexpr int image = 64 * 64 * 4;
    const std::map<std::string, int> bytes = {{"64x64 ring, all at once", 3 * image},
                                              {"64x64 all pairs, at once", 6 * image}};
    ASSERT_EQ(together.size(), bytes.size());
    for (const auto &[name, total] : bytes) {
        const nlohmann::json &row = together[name];
        ASSERT_TRUE(row.is_object()) << name;
        EXPECT_EQ(row["bytes"], total) << name;
        EXPECT_EQ(row["route"], "shm") << name;
        EXPECT_EQ(row["format"], "RGBA8") << name;
        for (const char *key : {"repetitions", "readback_seconds", "upload_seconds", "band_bytes"})
            EXPECT_GT(row[key].get<double>(), 0) << key << " of " << name;
    }
}

TEST_P(pixbench, has_a_row_for_every_collective) {
    const Outcome o = bench(3, std::string("coll --size 33x30 --api ") + GetParam() + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    check_rows(o.json, GetParam());
    std::map<std::string, std::int64_t> bytes;
    for (const nlohmann::json &row : o.json["rows"])
        bytes[row["case"]] = row["bytes"];
    constexpr int part = 33 * 10 * 4, picture = 33 * 30;
    EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"Bcast 33x30 RGBA8", picture * 4},
                                                          {"Gather of 33x10 RGBA8", 3 * part},
                                                          {"Scatter of 33x10 RGBA8", 3 * part},
                                                          {"Allgather of 33x10 RGBA8", 3 * part},
                                                          {"Alltoall of 33x30 RGBA8", 3 * picture * 4},
                                                          {"Reduce NEAREST with depth 33x30 RGBA8", picture * 8},
                                                          {"Reduce SUM 33x30 RGBA32F", picture * 16},
                                                          {"Allreduce SUM 33x30 RGBA32F", picture * 16}}));
}

/// Cases with their bytes, and figures that are there and go together.
std::map<std::string, std::int64_t> check_brief_rows(const nlohmann::json &all, bool with_limit) {
    std::map<std::string, std::int64_t> bytes;
    for (const nlohmann::json &row : all["rows"]) {
        bytes[row["case"]] = row["bytes"];
        EXPECT_GT(row["seconds"].get<double>(), 0) << row["case"];
        EXPECT_GT(row["naive_seconds"].get<double>(), 0) << row["case"];
        if (with_limit) {
            EXPECT_GT(row["limit_seconds"].get<double>(), 0) << row["case"];
        }
    }
    return bytes;
}

TEST_P(pixbench, has_a_row_for_every_copy) {
    const std::string api = GetParam();
    const Outcome o = bench(1, "copy --size 64x48 --api " + api + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    constexpr int picture = 64 * 48 * 4;
    EXPECT_EQ(
        check_brief_rows(o.json, true),
        (std::map<std::string, std::int64_t>{
            {"64x48 " + api + " to host memory", picture},
            {"64x48 host memory to " + api, picture},
            {"64x48 " + api + " to " + api + " of another context" + (api == "gl" ? " and thread" : ""), picture}}));
    if (api == "host") {
        EXPECT_EQ(bench(2, "copy --size 64x48 --api host" + briefly).status, 2);
    }
}

TEST_P(pixbench, has_a_row_for_every_use_of_shared_memory) {
    const Outcome o = bench(1, std::string("shared --size 640x48 --api ") + GetParam() + briefly);
    if (GetParam() == std::string("host")) {
        EXPECT_EQ(o.status, 2);
        EXPECT_NE(o.error.find("--api: host has no device"), std::string::npos) << o.error;
        return;
    }
    ASSERT_EQ(o.status, 0) << o.error;
    const std::map<std::string, std::int64_t> rows = check_brief_rows(o.json, false);
    for (const char *faults : {"as it is", "signal"}) // not every system allows the third
        for (const char *use :
             {"the CPU writes a page in 1000, the device uses it", "the CPU writes all, the device uses it",
              "the device writes, the CPU reads a page in 1000", "the device writes, the CPU reads all"})
            EXPECT_EQ(rows.count(std::string("640x48 ") + faults + ": " + use), 1u) << faults << ", " << use;
}

TEST_P(pixbench, has_a_row_for_every_way_to_a_disk) {
    const std::string api = GetParam();
    Outcome o = bench(1, "file --size 640x480 --api " + api + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    constexpr int picture = 640 * 480 * 4;
    EXPECT_EQ(check_brief_rows(o.json, false),
              (std::map<std::string, std::int64_t>{{"640x480 disk to surface, cold", picture},
                                                   {"640x480 page cache to surface", picture},
                                                   {"640x480 surface to disk", picture}}));
    o = bench(2, "file --size 640x480 --api " + api + briefly);
    ASSERT_EQ(o.status, 0) << o.error;
    EXPECT_EQ(check_brief_rows(o.json, false),
              (std::map<std::string, std::int64_t>{{"640x480 2 ranks to one file", picture}}));
    if (api == "host") {
        EXPECT_EQ(bench(1, "file --size 640x480 --folder /proc/nowhere --api host" + briefly).status, 2);
    }
}
INSTANTIATE_TEST_SUITE_P(apis, pixbench, testing::Values("gl", "host", "vk"));

TEST(pixbench, runs_the_cases_of_the_table_without_sizes) {
    Outcome o = bench(2, "pt2pt --api host --seconds 0.001 --repetitions 1 --json {json}");
    ASSERT_EQ(o.status, 0) << o.error;
    EXPECT_EQ(sizes_of(o.json), (std::vector<std::int64_t>{67108864, 134217728, 8294400, 16384}));
    // The other shapes take seconds at that size.
    o = bench(2, "region --api host --only column --seconds 0.001 --repetitions 1 --json {json}");
    ASSERT_EQ(o.status, 0) << o.error;
    EXPECT_EQ(sizes_of(o.json), std::vector<std::int64_t>{8192});
}

TEST(pixbench, measures_the_cases_that_are_asked_for) {
    const Outcome o = bench(2, "pt2pt --api host --size 64x64 --seconds 0.001 --only frame");
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_NE(o.out.find("64x64 persistent, every frame"), o.out.npos) << o.out;
    EXPECT_EQ(o.out.find("one way"), o.out.npos) << o.out;
}

TEST(pixbench, measures_every_object_and_other_formats) {
    const std::multimap<std::string, std::string> cases = {
        {"gl", "--object framebuffer"},   {"gl", "--object buffer"},
        {"gl", "--format RGBA32F"},       {"gl", "--object framebuffer --format DEPTH32F"},
        {"gl", "--format BGRA8"},         {"gl", "--object buffer --format RGB8"},
        {"vk", "--object image"},         {"vk", "--object buffer"},
        {"vk", "--format RGBA32F"},       {"vk", "--object image --format DEPTH32F"},
        {"vk", "--format BGRA8"},         {"vk", "--object buffer --format RGB8"},
        {"vk", "--format R8 --device 0"},
    };
    // Objects with a format in one mode, the others in the other one.
    for (const auto &[api, what] : cases) {
        const bool both = what.starts_with("--object") && what.find("--format") != what.npos;
        const std::string options =
            (both ? "pt2pt --size 33x21" : "region --size 40x40") + briefly + "--api " + api + " " + what;
        const Outcome o = bench(2, options);
        EXPECT_EQ(o.status, 0) << options << ": " << o.error;
        check_rows(o.json, api);
    }
}

struct Pixels {
    const char *api;
    int ranks;
    std::vector<int> rows;                ///< ranks of each
    std::vector<std::int64_t> edge_bytes; ///< that all of them send, blocks of 64x48 RGBA8 side by side
};

class pixbench_pixels : public testing::TestWithParam<Pixels> {};

TEST_P(pixbench_pixels, has_a_row_for_each_power_of_two) {
    const Pixels &what = GetParam();
    const Outcome o = bench(what.ranks, "pixels --size 64x48 --work 5" + briefly + "--api " + what.api);
    ASSERT_EQ(o.status, 0) << o.error;
    check_rows(o.json, what.api);
    EXPECT_EQ(o.json["work"], 5);
    ASSERT_EQ(o.json["rows"].size(), what.rows.size());
    for (std::size_t i = 0; i < what.rows.size(); ++i) {
        const nlohmann::json &row = o.json["rows"][i];
        EXPECT_EQ(row["row_ranks"], what.rows[i]);
        EXPECT_EQ(row["exchanged_bytes"], what.edge_bytes[i]);
        EXPECT_EQ(row["bytes"], 64 * 48 * 4 * what.rows[i]);
        EXPECT_EQ(row["route"], what.rows[i] == 1 ? "none" : "shm");
        const double seconds = row["seconds"], computation = row["computation_seconds"],
                     network = row["network_seconds"];
        EXPECT_NEAR(row["pixels_per_second"].get<double>() * seconds, 64 * 48 * what.rows[i], 1e-3);
        EXPECT_GE(network, 0);
        EXPECT_NEAR(row["efficiency"], computation / (computation + network), 1e-9);
        EXPECT_GE(computation + network, seconds * (1 - 1e-9));
    }
    EXPECT_EQ(lines_beginning(o.out, "# ranks   Gpixel/s  computation    network efficiency"), 1) << o.out;
}
INSTANTIATE_TEST_SUITE_P(all, pixbench_pixels,
                         testing::Values(Pixels{"host", 4, {1, 2, 4}, {0, 384, 1792}},
                                         Pixels{"gl", 3, {1, 2, 3}, {0, 384, 768}}, Pixels{"vk", 2, {1, 2}, {0, 384}}));

// Every way is compared with numbers that the processor finds, so an end status of 0 says that shaders compute the
// same.
TEST(pixbench, fills_every_size_of_pixels) {
    for (const char *what : {"gl --object buffer", "gl --object framebuffer --format RGBA16F", "gl --format RGBA32F",
                             "vk --object buffer --format RGBA32F", "vk --object buffer --format RG32F",
                             "vk --format RGBA16", "vk --format BGRA8", "vk --format RGBA32F", "host --format RG32F"}) {
        const Outcome o = bench(2, "pixels --size 9x17" + briefly + "--api " + what);
        EXPECT_EQ(o.status, 0) << what << ": " << o.error;
    }
}

TEST(pixbench, tells_which_route_was_taken) {
    const Outcome o = bench(2, "pt2pt --size 64x64 --api host" + briefly, "PIXMPI_ROUTE=mpi");
    ASSERT_EQ(o.status, 0) << o.error;
    for (const nlohmann::json &row : o.json["rows"])
        EXPECT_EQ(row["route"], "mpi");
    // Also of what the first rank only receives.
    const Outcome coll = bench(2, "coll --size 33x30 --only Gather --api host" + briefly, "PIXMPI_ROUTE=mpi");
    ASSERT_EQ(coll.status, 0) << coll.error;
    for (const nlohmann::json &row : coll.json["rows"])
        EXPECT_EQ(row["route"], "mpi");
}

TEST(pixbench, counts_the_memory_of_the_stage) {
    const Outcome o = bench(2, "stages --size 512x512 --messages 100 --api host" + briefly, "PIXMPI_STAGE=2M");
    ASSERT_EQ(o.status, 0) << o.error;
    for (const nlohmann::json &row : o.json["rows"]) {
        EXPECT_GT(row["stage_bytes_most"], 0);
        EXPECT_LE(row["stage_bytes_most"], 2 << 20);
    }
}

class pixbench_pack : public testing::TestWithParam<const char *> {};

TEST_P(pixbench_pack, has_a_row_for_each_way_beside_copies) {
    const std::string api = GetParam();
    for (const std::string more : {"", " --format R8", " --format RGBA32F"})
        for (const std::string pack : {"", "PIXMPI_VK_PACK=shader PIXMPI_GL_PATH=pbo PIXMPI_GL_PACK=shader"}) {
            const Outcome o = bench(1, "pack" + briefly + "--size 40x30 --api " + api + more, pack);
            ASSERT_EQ(o.status, 0) << more << ": " << o.error;
            ASSERT_EQ(o.json["rows"].size(), 8u);
            for (const nlohmann::json &row : o.json["rows"]) {
                const bool packs = row["case"].get<std::string>().starts_with("pack ");
                EXPECT_EQ(row["pack_seconds"].is_number(), packs) << row;
                EXPECT_EQ(row["unpack_seconds"].is_number(), !packs) << row;
                for (const char *key : {"bytes", "seconds", "naive_seconds", "limit_seconds", "copy_command_seconds"})
                    EXPECT_GT(row[key].get<double>(), 0) << key << " of " << row["case"];
                EXPECT_LE(row["limit_seconds"], row["copy_command_seconds"]) << row;
            }
        }
}
INSTANTIATE_TEST_SUITE_P(apis, pixbench_pack, testing::Values("gl", "vk"));

class pixbench_jpeg : public testing::TestWithParam<const char *> {};

TEST_P(pixbench_jpeg, has_streams_that_libjpeg_decodes) {
    const std::string api = GetParam();
    const Outcome o = bench(1, "jpeg" + briefly + "--size 70x50 --api " + api, "PIXMPI_GL_PATH=pbo");
    ASSERT_EQ(o.status, 0) << o.error;
    const bool on_card = api != "host";
    ASSERT_EQ(o.json["rows"].size(), on_card ? 10u : 6u);
    for (const nlohmann::json &row : o.json["rows"]) {
        for (const char *key :
             {"bytes", "seconds", "naive_seconds", "cpu_seconds", "naive_cpu_seconds", "stream_bytes"})
            EXPECT_GT(row[key].get<double>(), 0) << key << " of " << row["case"];
        EXPECT_GT(row["psnr"], 30) << row["case"];
    }
}
INSTANTIATE_TEST_SUITE_P(apis, pixbench_jpeg, testing::Values("gl", "host", "vk"));

class pixbench_links : public testing::TestWithParam<const char *> {};

/// pixbench itself ends the run where pixels come that are others than were sent.
TEST_P(pixbench_links, has_a_row_for_each_picture_and_codec) {
    const std::string api = GetParam();
    for (const std::string route : {"shm", "mpi"}) {
        const Outcome o = bench(2, "codec --size 161x90" + briefly + "--api " + api, "PIXMPI_ROUTE=" + route);
        ASSERT_EQ(o.status, 0) << route << o.error;
        check_rows(o.json, api);
        EXPECT_EQ(lines_beginning(o.out, "# frames/s     pixels       link"), 1) << o.out;
        ASSERT_EQ(o.json["rows"].size(), 9u);
        for (const nlohmann::json &row : o.json["rows"]) {
            const std::string name = row["case"];
            const std::string codec = name.substr(name.rfind(' ') + 1);
            EXPECT_EQ(row["route"], route) << name;
            EXPECT_EQ(row["bytes"], 161 * 90 * 4) << name;
            const std::int64_t bytes = row["stream_bytes"];
            if (codec == "none") {
                EXPECT_EQ(bytes, row["bytes"]) << name;
            } else if (codec == "lz4") {
                EXPECT_LT(bytes, row["bytes"].get<int>() / 2) << name;
            } else if (codec.starts_with("jpeg")) {
                EXPECT_LT(bytes, row["bytes"].get<int>() / 4) << name;
                EXPECT_GT(row["psnr"].get<double>(), 30) << name;
            }
            if (codec == "none" || codec == "lz4" || codec == "auto") {
                EXPECT_TRUE(row["psnr"].is_null()) << name << " loses something";
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(apis, pixbench_links, testing::Values("gl", "host", "vk"));

TEST(pixbench, still_measures_waiting) {
    const Outcome o = bench(2, "wait --repetitions 1 --seconds 0.001 --json {json}");
    ASSERT_EQ(o.status, 0) << o.error;
    ASSERT_EQ(o.json["rows"].size(), 3u);
    EXPECT_EQ(keys_of(o.json["rows"][0]),
              (std::set<std::string>{"name", "us", "least_us", "most_us", "cpu_us", "times_faster"}));
}

TEST(pixbench, measures_messages_of_shaders) {
    for (const int ranks : {1, 2}) {
        const Outcome o = bench(ranks, "device --repetitions 1 --seconds 0.001 --json {json}");
        ASSERT_EQ(o.status, 0) << o.error;
        std::set<std::string> cases;
        for (const nlohmann::json &row : o.json["rows"]) {
            cases.insert(row["name"]);
            EXPECT_EQ(keys_of(row), (std::set<std::string>{"name", "shader_us", "host_us"}));
            EXPECT_GT(row["shader_us"].get<double>(), 0) << row;
            EXPECT_GT(row["host_us"].get<double>(), 0) << row;
        }
        EXPECT_EQ(cases, (std::set<std::string>{
                             "8 bytes, half a round trip", "1 KB, half a round trip", "16 KB in the ring",
                             "16 KB, half a round trip", "256 KB, half a round trip", "4 MB, half a round trip",
                             "8 bytes, slot to host rank", "16 KB put with a signal", "256 KB put with a signal",
                             "4 MB put with a signal", "barrier, 1 workgroup a slot", "barrier, 64 workgroups",
                             "broadcast of 1 KB", "suspension and resumption", "a signal, of 64 workgroups"}));
    }
}

struct Wrong {
    int ranks;
    const char *arguments, *named, *variables;
};

class pixbench_arguments : public testing::TestWithParam<Wrong> {};

TEST_P(pixbench_arguments, are_refused_in_one_line) {
    const Wrong &wrong = GetParam();
    const Outcome o = bench(wrong.ranks, wrong.arguments, wrong.variables);
    EXPECT_NE(o.status, 0);
    EXPECT_NE(o.status, 124) << "it hung";
    EXPECT_EQ(lines_beginning(o.error, "pixbench: "), 1) << o.error;
    EXPECT_NE(o.error.find(wrong.named), o.error.npos) << o.error;
}
INSTANTIATE_TEST_SUITE_P(
    all, pixbench_arguments,
    testing::Values(
        Wrong{2, "pt2pt --api dx", "--api: dx", ""}, Wrong{2, "pt2pt --object fish", "--object: fish", ""},
        Wrong{2, "pt2pt --size 12", "--size: 12", ""}, Wrong{2, "pt2pt --size 0x12", "--size: 0x12", ""},
        Wrong{2, "region --size 12x13y", "--size: 12x13y", ""}, Wrong{2, "stages --format RGB9", "--format: RGB9", ""},
        Wrong{2, "matrix --seconds -1", "--seconds", ""}, Wrong{2, "pt2pt --api host --object buffer", "--object", ""},
        Wrong{2, "pt2pt --api host --json /proc/no/such", "--json: /proc/no/such", ""},
        Wrong{2, "pt2pt --api host --size 30000x30000", "--size", ""}, Wrong{2, "", "expected a mode", ""},
        Wrong{2, "hop", "expected a mode", ""}, Wrong{1, "pt2pt", "1 rank, expected 2", ""},
        Wrong{3, "pt2pt", "3 ranks, expected 2", ""}, Wrong{3, "region", "3 ranks, expected 2", ""},
        Wrong{3, "codec", "3 ranks, expected 2", ""}, Wrong{2, "codec --format RGB8", "--format: RGB8", ""},
        Wrong{1, "stages --api host", "1 rank, expected 2", ""}, Wrong{1, "matrix", "expected at least 2", ""},
        Wrong{2, "pt2pt --api vk --object texture", "--object", ""}, Wrong{2, "pack", "2 ranks, expected 1", ""},
        Wrong{2, "jpeg", "2 ranks, expected 1", ""}, Wrong{1, "jpeg --format R16", "--format: ", ""},
        Wrong{1, "pack --api host", "has no GPU", ""}, Wrong{1, "pack --object buffer", "--object", ""},
        Wrong{2, "pt2pt --api vk --size 64x64 --format BGR8", "--format: BGR8", ""},
        Wrong{2, "pt2pt --api vk --size 64x64 --format DEPTH24_STENCIL8", "--format: DEPTH24_STENCIL8", ""},
        Wrong{2, "pt2pt --api host --size 9x9 --only no-such", "--only: ", ""},
        Wrong{2, "matrix --api host --size 9x9 --only no-such", "--only: ", ""},
        Wrong{2, "pt2pt --api host --size 9x9 --peer ./no-such-nccl.so", "--peer: ", ""},
        Wrong{2, "composite --strategy fish", "--strategy: fish is none, expected auto", ""},
        Wrong{2, "composite --format R8", "--format: R8", ""},
        Wrong{2, "composite --api host --csv /proc/no/such", "--csv: /proc/no/such", ""},
        Wrong{2, "composite --api host --overlap --csv /tmp", "--csv: not with --overlap", ""},
        Wrong{2, "composite --api host --overlap --trace /tmp", "--trace: not with --overlap", ""},
        Wrong{2, "composite --api host --trace /proc/no/such", "--trace: /proc/no/such cannot be written to", ""},
        Wrong{2, "composite --api host --size 9x9 --only no-such", "--only: ", ""},
        Wrong{2, "pixels --work -1", "--work", ""}, Wrong{2, "pixels --api host --format R8", "--format: ", ""},
        Wrong{2, "pixels --size 9x9 --format BGRA8", "expected RGBA8", ""},
        Wrong{2, "pixels --size 9x9 --format DEPTH32F", "--format: ", ""},
        Wrong{2, "pixels --size 9x9 --api vk --format DEPTH32F", "--format: ", ""},
        Wrong{2, "pt2pt --api vk --device 97", "PIXMPI_VK_DEVICE: \"97\"", ""},
        Wrong{2, "pt2pt --api vk", "Vulkan", "VK_ICD_FILENAMES=/dev/null VK_DRIVER_FILES=/dev/null"},
        Wrong{2, "pt2pt", "OpenGL", "__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null"}));
