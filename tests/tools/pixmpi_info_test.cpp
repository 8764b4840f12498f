#include "command.h"

#include <gtest/gtest.h>

namespace {

Outcome info(int ranks, const std::string &arguments, const std::string &variables = "") {
    const Outcome o = run_ranks(ranks, PIXMPI_INFO, arguments + " --json {json}", variables);
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_TRUE(o.json.is_object()) << o.out << o.error;
    return o;
}

} // namespace

TEST(pixmpi_info, tells_of_every_rank_and_pair) {
    const Outcome o = info(3, "--quick");
    ASSERT_EQ(o.json["ranks"].size(), 3u);
    for (int rank = 0; rank < 3; ++rank) {
        const nlohmann::json &mine = o.json["ranks"][static_cast<std::size_t>(rank)];
        EXPECT_EQ(mine["rank"], rank);
        EXPECT_GT(mine["pid"], 0);
        EXPECT_FALSE(mine["host"].get<std::string>().empty());
        EXPECT_TRUE(mine["gl"].contains("renderer")) << mine["gl"];
        EXPECT_TRUE(mine["gl"].contains("device")) << mine["gl"];
        EXPECT_TRUE(mine["vk"].contains("device")) << mine["vk"];
        EXPECT_FALSE(mine["vk"]["devices"].empty()) << mine["vk"];
        ASSERT_EQ(mine["routes"].size(), 3u);
        for (int other = 0; other < 3; ++other)
            EXPECT_EQ(mine["routes"][static_cast<std::size_t>(other)], other == rank ? "self" : "shm");
        EXPECT_NE(o.out.find(std::to_string(mine["pid"].get<int>())), o.out.npos);
    }
}

TEST(pixmpi_info, shows_the_options_in_force) {
    const Outcome o = info(2, "--quick", "PIXMPI_ROUTE=mpi PIXMPI_STAGE=2M PIXMPI_BAND=128K");
    const nlohmann::json &options = o.json["ranks"][0]["options"];
    EXPECT_EQ(options["stage_bytes"], 2 << 20);
    EXPECT_EQ(options["band_bytes"], 128 << 10);
    EXPECT_EQ(options["routes"], "self,mpi");
    EXPECT_EQ(options["environment"]["PIXMPI_BAND"], "128K");
    EXPECT_EQ(o.json["ranks"][0]["routes"][1], "mpi");
}

TEST(pixmpi_info, names_variables_that_do_not_exist) {
    const Outcome o = run_ranks(1, PIXMPI_INFO, "--quick", "PIXMPI_ROUT=mpi PIXMPI_BAND=128K");
    EXPECT_EQ(o.status, 0) << o.error;
    EXPECT_NE(o.out.find("PIXMPI_ROUT=mpi in the environment: no such variable"), o.out.npos) << o.out;
    EXPECT_NE(o.out.find("PIXMPI_BAND=128K in the environment\n"), o.out.npos) << o.out;
}

// MPI is not begun for them, which takes a second and prints lines of its own where /sys is missing.
TEST(pixmpi_info, answers_questions_about_itself_once_and_without_mpi) {
    for (const char *question : {"--variables", "--help", "--version"}) {
        const Outcome alone = run_ranks(1, PIXMPI_INFO, question, "UCX_TLS=nonsense OMPI_MCA_pml=nonsense");
        EXPECT_EQ(alone.status, 0) << question << ": " << alone.error;
        EXPECT_FALSE(alone.out.empty()) << question;
        EXPECT_EQ(run_ranks(3, PIXMPI_INFO, question).out, alone.out) << question;
    }
    const Outcome wrong = run_ranks(3, PIXMPI_INFO, "--variable");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(lines_beginning(wrong.error, "pixmpi_info: "), 1) << wrong.error;
}

// The MPIs that this is tested with take no pointers to a GPU's memory, and have something to ask.
TEST(pixmpi_info, tells_whether_mpi_is_gpu_aware) {
    nlohmann::json options = info(1, "--quick").json["ranks"][0]["options"];
    EXPECT_EQ(options["gpu_aware"], false);
    EXPECT_EQ(options["gpu_aware_by"].get<std::string>().rfind("MPIX_", 0), 0u) << options;
    options = info(1, "--quick", "PIXMPI_GPU_AWARE=1").json["ranks"][0]["options"];
    EXPECT_EQ(options["gpu_aware"], true);
    EXPECT_EQ(options["gpu_aware_by"], "PIXMPI_GPU_AWARE");
    EXPECT_NE(run_ranks(1, PIXMPI_INFO, "--quick", "PIXMPI_GPU_AWARE=maybe").status, 0);
}

TEST(pixmpi_info, measures_formats_once_for_a_driver) {
    const Outcome o = info(2, "");
    EXPECT_FALSE(o.json["ranks"][1].contains("formats"));
    bool found = false;
    for (const nlohmann::json &row : o.json["ranks"][0]["formats"]) {
        EXPECT_GT(row["bytes"], 0);
        EXPECT_GT(row["host_gbps"], 0) << row;
        if (row["format"] != "RGBA8")
            continue;
        found = true;
        EXPECT_GT(row["gl_pack_gbps"], 0) << row;
        EXPECT_GT(row["gl_unpack_gbps"], 0) << row;
        EXPECT_GT(row["vk_pack_gbps"], 0) << row;
        EXPECT_GT(row["vk_unpack_gbps"], 0) << row;
    }
    EXPECT_TRUE(found);
}

TEST(pixmpi_info, counts_messages) {
    const Outcome o = info(2, "--quick --stats");
    for (const nlohmann::json &rank : o.json["ranks"]) {
        const nlohmann::json &host = rank["stats"]["host"], &gl = rank["stats"]["gl"];
        EXPECT_EQ(host["messages_sent"], 12);
        EXPECT_EQ(gl["messages_received"], 12);
        EXPECT_EQ(host["bytes_sent"], host["bytes_received"]);
        EXPECT_EQ(host["bytes_by_route"]["shm"], host["bytes_sent"]);
        EXPECT_EQ(gl["bytes_sent"], host["bytes_sent"]);
    }
}

// Host memory that the device has imported: the CPU copies nothing on the route shm.
TEST(pixmpi_info, counts_no_bytes_copied_for_vulkan) {
    Outcome o = info(2, "--quick --stats");
    for (const nlohmann::json &rank : o.json["ranks"]) {
        const nlohmann::json &vk = rank["stats"]["vk"];
        EXPECT_EQ(vk["messages_received"], 12);
        EXPECT_EQ(vk["bytes_sent"], rank["stats"]["host"]["bytes_sent"]);
        EXPECT_EQ(vk["bytes_by_route"]["shm"], vk["bytes_sent"]);
        EXPECT_EQ(vk["bytes_copied"], 0);
    }
    o = info(2, "--quick --stats", "PIXMPI_VK_PATH=copy"); // and the counter counts
    for (const nlohmann::json &rank : o.json["ranks"])
        EXPECT_GT(rank["stats"]["vk"]["bytes_copied"], 0);
}

TEST(pixmpi_info, works_without_vulkan) {
    for (const char *none : {"VK_ICD_FILENAMES=/dev/null", "VK_DRIVER_FILES=/dev/null"}) {
        const Outcome o = info(1, "--quick --stats", none);
        const nlohmann::json &mine = o.json["ranks"][0];
        EXPECT_TRUE(mine["vk"].contains("error")) << none;
        EXPECT_FALSE(mine["stats"].contains("vk")) << none;
        EXPECT_TRUE(mine["stats"].contains("gl")) << none;
    }
}

TEST(pixmpi_info, works_without_gl) {
    const Outcome o = info(1, "--stats", "__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null");
    const nlohmann::json &mine = o.json["ranks"][0];
    EXPECT_TRUE(mine["gl"].contains("error"));
    EXPECT_FALSE(mine["stats"].contains("gl"));
    ASSERT_FALSE(mine["formats"].empty());
    EXPECT_TRUE(mine["formats"][0]["gl_pack_gbps"].is_null());
    EXPECT_GT(mine["formats"][0]["host_gbps"], 0);
}

TEST(pixmpi_info, refuses_wrong_arguments_in_one_line) {
    const Outcome o = run_ranks(2, PIXMPI_INFO, "--quicker");
    EXPECT_NE(o.status, 0);
    EXPECT_EQ(lines_beginning(o.error, "pixmpi_info: "), 1) << o.error;
    EXPECT_NE(run_ranks(2, PIXMPI_INFO, "--quick --json /proc/no/such").status, 0);
}
