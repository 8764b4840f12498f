// RunOptions survive the way through the environment, and what is not one is turned away with a reason.

#include "run/options.h"

#include <cstdlib>
#include <gtest/gtest.h>

using mpiglut::Behind;
using mpiglut::ClockMode;
using mpiglut::OnDeath;
using mpiglut::RunOptions;

namespace {

std::string error_of(const std::string &json) {
    std::string error;
    EXPECT_FALSE(mpiglut::from_json(json, error)) << json;
    return error;
}

} // namespace

TEST(Options, GoThereAndBack) {
    RunOptions options;
    options.wall = "[grid]\ncolumns = 2\n\"quoted\" \\ \t";
    options.headless = true;
    options.frames = 1'000'000'000'000;
    options.captures = {{"/somewhere/\xff\xfe wall \xc3\xa4.png", 7}, {"/last.png", 0}}; // file names are bytes
    options.capture_tiles = true;
    options.record = "r";
    options.replay = "p";
    options.stats = "s";
    options.clock = ClockMode::step;
    options.step_hz = 59.94;
    options.behind = Behind::black;
    options.balance = options.show_cuts = true;
    options.latency = 1;
    options.cut = 17;
    options.helpers = 3;
    options.ship = "jpeg:90";
    options.start_realtime_ns = 1'700'000'000'123'456'789;
    options.start_monotonic_ns = 987'654'321;
    options.pid = 4711;
    options.processors = 96;
    options.private_files = false;
    options.absent = "/dev/input/:/dev/hidraw";
    options.every_command = true;
    options.system = mpiglut::System::x11;
    options.tile_display = "host:3.1";
    options.tile_authority = "/run/of/this tile/Xauthority";
    options.private_folder = "/somewhere/of/its own";
    options.local_ranks = 20;
    options.stack_guard = "0123456789abcdef";
    options.message_key = "00112233445566778899aabbccddeeff";
    options.elsewhere = "0110";
    options.on_death = OnDeath::rejoin;
    options.rejoin_mib = 17;
    options.began_ns = 1'700'000'000'123'456'789;
    options.memory_folder = "/somewhere/before";
    options.rejoin_fd = 13;
    options.stream_fd = 14;
    options.rank = 2;
    options.death_counts_fd = 12;
    options.report_fd = 9;
    const std::string json = to_json(options);
    EXPECT_EQ(json.find('\n'), std::string::npos);
    std::string error;
    const auto back = mpiglut::from_json(json, error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(to_json(*back), json);
    EXPECT_EQ(back->wall, options.wall);
    EXPECT_EQ(back->captures, options.captures);
    EXPECT_TRUE(back->capture_tiles);
    EXPECT_EQ(back->frames, options.frames);
    EXPECT_EQ(back->clock, options.clock);
    EXPECT_EQ(back->step_hz, options.step_hz);
    EXPECT_EQ(back->behind, options.behind);
    EXPECT_EQ(back->start_realtime_ns, options.start_realtime_ns);
    EXPECT_EQ(back->report_fd, options.report_fd);
    EXPECT_EQ(back->death_counts_fd, options.death_counts_fd);
    EXPECT_EQ(back->on_death, options.on_death);
    EXPECT_EQ(back->stream_fd, options.stream_fd);
    EXPECT_EQ(back->memory_folder, options.memory_folder);
    EXPECT_EQ(back->private_folder, options.private_folder);
    EXPECT_FALSE(back->private_files);
    EXPECT_TRUE(back->every_command);
    EXPECT_EQ(back->system, mpiglut::System::x11);
    EXPECT_EQ(back->tile_display, options.tile_display);
    EXPECT_EQ(back->tile_authority, options.tile_authority);
    EXPECT_TRUE(back->headless);
}

TEST(Options, ComeFromTheEnvironment) {
    std::string error;
    unsetenv(mpiglut::run_variable);
    EXPECT_FALSE(mpiglut::options_from_environment(error));
    EXPECT_EQ(error, "");
    setenv(mpiglut::run_variable, R"({"frames":3})", 1);
    ASSERT_TRUE(mpiglut::options_from_environment(error)) << error;
    EXPECT_EQ(mpiglut::options_from_environment(error)->frames, 3);
    setenv(mpiglut::run_variable, "/no/such/file", 1);
    EXPECT_FALSE(mpiglut::options_from_environment(error));
    EXPECT_EQ(error, "MPIGLUT_RUN: cannot read '/no/such/file'");
    unsetenv(mpiglut::run_variable);
}

TEST(Options, WhatIsMissingHasItsDefault) {
    std::string error;
    const auto options = mpiglut::from_json("{}", error);
    ASSERT_TRUE(options) << error;
    EXPECT_EQ(to_json(*options), to_json(RunOptions()));
}

TEST(Options, ErrorsNameTheMember) {
    for (const char *json : {"", "[]", "1", "{\"frames\":", "null"})
        EXPECT_NE(error_of(json).find("JSON object"), std::string::npos) << json;
    const std::pair<const char *, const char *> bad[] = {
        {R"({"frames":-1})", "frames"},
        {R"({"frames":1.5})", "frames"},
        {R"({"frames":"3"})", "frames"},
        {R"({"frames":18446744073709551615})", "frames"},
        {R"({"pid":4294967296})", "pid"},
        {R"({"local_ranks":0})", "local_ranks"},
        {R"({"report_fd":-2})", "report_fd"},
        {R"({"step_hz":0})", "step_hz"},
        {R"({"step_hz":1e999})", ""},
        {R"({"step_hz":-60})", "step_hz"},
        {R"({"clock":"sundial"})", "clock"},
        {R"({"clock":1})", "clock: expected \"wall\", \"step\" or \"off\""},
        {R"({"behind":"white"})", "behind: expected \"auto\", \"draw\" or \"black\""},
        {R"({"headless":1})", "headless"},
        {R"({"wall":["1x1"]})", "wall"},
        {R"({"captures":[["\u0000",1]]})", "captures"},
        {R"({"captures":[["\u4e00",1]]})", "captures"},
        {R"({"captures":[["a.png"]]})", "captures"},
        {R"({"captures":[["a.png",-1]]})", "captures"},
        {R"({"captures":"a.png"})", "captures"},
        {R"({"surprise":1})", "surprise"}};
    for (const auto &[json, member] : bad)
        EXPECT_NE(error_of(json).find(member), std::string::npos) << json << " -> " << error_of(json);
}
