// Ranks that part ways are caught at the right frame, whatever it is that one of them does, and the wall goes on.
#include "cases.h"
#include "wall_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace wall_test {
namespace {

struct Way {
    const char *name;
    const char *category; ///< what the report has to speak of
};

void PrintTo(const Way &way, std::ostream *out) { *out << way.name; }

nlohmann::json run_diverging(const std::string &how, Finished &finished, const std::string &clock = "step:60") {
    const std::string file = scratch_folder() + "/divergence-" + how + ".json";
    std::filesystem::remove(file);
    finished = run(wall_command({"--wall", "3x1", "--headless", "--clock", clock, "--frames", "12", "--stats", file},
                                support_path("diverging"), {how}),
                   wall_environment(), longest_run);
    std::ifstream stats(file);
    return nlohmann::json::parse(stats, nullptr, false);
}

class Divergence : public testing::TestWithParam<Way> {};

TEST_P(Divergence, IsCaughtAtItsFrame) {
    Finished finished;
    const nlohmann::json stats = run_diverging(GetParam().name, finished);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    ASSERT_FALSE(stats.is_discarded()) << finished.errors;
    EXPECT_GE(stats["frames"], 12);
    EXPECT_GE(stats["divergences"], 1);
    ASSERT_TRUE(stats["first_divergence"].is_object());
    EXPECT_EQ(stats["first_divergence"]["frame"], 5);
    EXPECT_EQ(stats["first_divergence"]["rank"], 1);
    EXPECT_NE(stats["first_divergence"].dump().find(GetParam().category), std::string::npos)
        << stats["first_divergence"];
    EXPECT_NE(finished.errors.find("divergence at frame 5: rank 1"), std::string::npos) << finished.errors;
    EXPECT_NE(finished.errors.find("mpiglutAgree"), std::string::npos) << "what to do: " << finished.errors;
#ifdef __x86_64__
    EXPECT_NE(finished.errors.find("its executable has rdrand"), std::string::npos) << finished.errors;
#endif
}

INSTANTIATE_TEST_SUITE_P(
    Wall, Divergence,
    testing::Values(Way{"viewport", "viewport"}, Way{"redisplay", "redisplays"}, Way{"clock", "clock"},
                    Way{"window", "callbacks"}, Way{"read", "pixels"}, Way{"swap", "frames"}, Way{"timer", "timers"},
                    Way{"matrix", "values: floats of glTranslatef, call 1 of the tick: 0.5, 0.25, 0 on rank 0, "
                                  "0.50000006, 0.25, 0 here"},
                    Way{"uniform", "values: floats of glUniform3f, call 1 of the tick: 1, 0.5, 0 on rank 0, 1, "
                                   "0.50000006, 0 here"},
                    Way{"upload", "values: floats of glBufferData, call 1 of the tick, byte 13328: 0.125, 0.5, "
                                  "0.125, 0.125 on rank 0"},
                    Way{"array", "values: floats of glDrawArrays, call 4 of the tick: 1, 0.5 on rank 0, 1, "
                                 "0.50000006 here"},
                    Way{"map", "floats of glUnmapBuffer, call 1 of the tick, byte 16: 0, 0.5, 0, 0 on rank 0"},
                    Way{"invalidate", "floats of glUnmapBuffer, call 1 of the tick, byte 16: 0, 0.5, 0, 0 on rank 0"},
                    Way{"flush", "floats of glFlushMappedBufferRange, call 1 of the tick: 0, 0.5, 0, 0 on rank 0"},
                    Way{"persistent", "floats of glDrawArrays, call 2 of the tick: 0, 0.5 on rank 0"},
                    Way{"attribute", "floats of glVertexAttrib3f, call 1 of the tick: 1, 0.5, 0 on rank 0"},
                    Way{"instanced", "floats of glDrawArraysInstanced, call"},
                    Way{"multi", "ints of glMultiDrawArrays, call 1 of the tick: 2, 2 on rank 0, 2, 1 here"},
                    Way{"indirect",
                        "ints of glDrawArraysIndirect, call 1 of the tick: 3, 1, 0, 0 on rank 0, 3, 1, 1, 0"},
                    Way{"elements", "floats of glDrawElementsInstancedBaseVertex, call"},
                    Way{"volume", "bytes of glTexImage3D, call 1 of the tick, byte 992: 0x"},
                    Way{"compressed", "bytes of glCompressedTexImage2D, call 1 of the tick, byte 992: 0x"}),
    [](const auto &param) { return param.param.name; });

/// One rank alone waits for the clock, at readings that the others never come to.
class LonelyWait : public testing::TestWithParam<const char *> {};

TEST_P(LonelyWait, Ends) {
    Finished finished;
    const nlohmann::json stats = run_diverging(GetParam(), finished, "wall");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    ASSERT_FALSE(stats.is_discarded()) << finished.errors;
    EXPECT_EQ(stats["frames"], 12);
    ASSERT_TRUE(stats["first_divergence"].is_object());
    EXPECT_EQ(stats["first_divergence"]["frame"], 5);
    EXPECT_NE(stats["first_divergence"].dump().find("clock"), std::string::npos) << stats["first_divergence"];
}

INSTANTIATE_TEST_SUITE_P(Wall, LonelyWait, testing::Values("wait", "wait0"),
                         [](const auto &param) { return std::string(param.param); });

TEST(NoDivergence, OfRanksThatAgree) {
    for (const char *how : {"none", "garbage"}) {
        Finished finished;
        const nlohmann::json stats = run_diverging(how, finished);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        ASSERT_FALSE(stats.is_discarded());
        EXPECT_EQ(stats["divergences"], 0) << stats["first_divergence"];
    }
}

/// It draws each tile's own rank, name and size.
TEST(NoDivergence, OfTheTestPicture) {
    const std::string file = scratch_folder() + "/divergence-pattern.json";
    std::filesystem::remove(file);
    const Finished finished =
        run(wall_command({"--wall", "2x2", "--headless", "--stats", file}, WALLTOOL, {"pattern", "--frames", "8"}),
            wall_environment(), longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    std::ifstream in(file);
    const auto stats = nlohmann::json::parse(in, nullptr, false);
    ASSERT_FALSE(stats.is_discarded()) << finished.errors;
    EXPECT_EQ(stats["frames"], 8);
    EXPECT_EQ(stats["divergences"], 0) << stats["first_divergence"];
}

Finished run_threaded(const std::vector<std::string> &arguments, std::vector<std::string> options = {}) {
    if (std::find(options.begin(), options.end(), "--wall") == options.end())
        options.insert(options.end(), {"--wall", "2x2"});
    options.push_back("--headless");
    return run(wall_command(options, support_path("threaded"), arguments), wall_environment(), longest_run);
}

/// One thread in addition to the main loop's may draw: by a clock that all ranks share, and it reads what all tiles
/// have.
TEST(OtherThread, DrawsInStep) {
    const Finished finished = run_threaded({});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    EXPECT_EQ(finished.errors.find("thread"), std::string::npos) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

/// A window that was handed over is shown by the thread alone, at whichever tick that begins on each rank.
TEST(OtherThread, BeginsLateOnARank) {
    const std::string file = scratch_folder() + "/thread-late.json";
    std::filesystem::remove(file);
    const Finished finished = run_threaded({"late"}, {"--stats", file});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    std::ifstream in(file);
    EXPECT_EQ(nlohmann::json::parse(in, nullptr, false).value("frames", -1), 20) << finished.errors;
}

/// What a third thread swaps and reads is out of step: it is named, each once, and neither hangs nor parts the ranks.
TEST(OtherThread, AfterThatIsNamed) {
    const Finished finished = run_threaded({"twice"});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    for (const char *call : {"glXSwapBuffers in a third thread", "reading pixels of the window in a third thread"}) {
        const auto at = finished.errors.find(call);
        EXPECT_NE(at, std::string::npos) << finished.errors;
        EXPECT_EQ(finished.errors.find(call, at + 1), std::string::npos) << finished.errors;
    }
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

/// What the model of windows changes with a tick, all ranks' threads go over to with a frame.
TEST(OtherThread, GoesOnInALargerWindow) {
    const Finished finished = run_threaded({"resize"});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

/// So they do where a window is drawn off screen, and every part of it is of another size again before it is drawn.
class OffScreen : public testing::TestWithParam<WallCase> {};

TEST_P(OffScreen, FollowsTheWindow) {
    const std::string &wall = GetParam().spec;
    const Finished finished =
        run_threaded({"second"}, {"--wall", wall.starts_with("walls/") ? source_path(wall) : wall, "--behind=draw"});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

INSTANTIATE_TEST_SUITE_P(OtherThread, OffScreen,
                         testing::Values(WallCase{"rotated", "walls/rotated.toml"},
                                         WallCase{"bezels", "2x2@200x150+21+23"},
                                         WallCase{"turned_bezels", "walls/turned_bezels.toml"}),
                         [](const auto &param) { return param.param.name; });

/// The main loop's thread, which knows of nothing, finds FreeGLUT as it was until the process is gone.
TEST(OtherThread, EndsTheProgram) {
    for (const char *wall : {"1x1", "2x2"}) {
        const Finished finished = run_threaded({"ends"}, {"--wall", wall});
        ASSERT_FALSE(finished.timed_out) << finished.errors;
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    }
}

/// FreeGLUT's exit handler may take the display from the thread, here as in one window; but no rank waits forever.
TEST(OtherThread, IsWaitedForByADestructor) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer does not see that a thread has ended by itself (SYS_exit), and joins it forever";
#endif
    const Finished finished = run_threaded({"joined"});
    EXPECT_FALSE(finished.timed_out) << finished.errors;
}

/// Ranks with drawing threads that part ways are told so, meet again with the next frame, and come to an end.
TEST(OtherThread, PartsWays) {
    const Finished finished = run_threaded({"parted"});
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find("divergence at frame 5: rank 1"), std::string::npos) << finished.errors;
}

} // namespace
} // namespace wall_test
