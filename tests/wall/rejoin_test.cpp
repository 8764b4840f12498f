// Ranks that die and come back: the picture is that of a run without deaths.
#include "screen.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace wall_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::size_t count(const std::string &text, const std::string &part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
        ++times;
    return times;
}

const std::string until_back = "killed by signal 9 (Killed); the wall goes on without it until it is back",
                  back = ": is back after ";

class Rejoin : public testing::TestWithParam<Program> {
  protected:
    Rejoin() {
        std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
        std::ranges::replace(test, '/', '-');
        name_ = scratch_folder() + "/rejoin_" + test;
        fs::remove_all(name_);
        fs::create_directories(graves());
    }
    std::string graves() const { return name_ + "/graves"; }
    std::string file(const std::string &name) const { return name_ + "/" + name; }

    /// "3@5": rank 3 dies in frame 5. The wall waits one tick later until it is back, unless told otherwise.
    std::map<std::string, std::string> mortal(const std::string &deaths,
                                              std::map<std::string, std::string> more = {}) const {
        more.merge(wall_environment());
        more.merge(std::map<std::string, std::string>{{"LD_PRELOAD", MORTAL},
                                                      {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"},
                                                      {"MORTAL", deaths},
                                                      {"MORTAL_FOLDER", graves()},
                                                      {"MPIGLUT_REJOIN", "1"}});
        return more;
    }

    Finished run_program(const std::string &program, const std::map<std::string, std::string> &environment,
                         Words options, const Words &arguments = {}) const {
        options.insert(options.begin(), {"--headless", "--on-death", "rejoin"});
        Finished finished = run(wall_command(options, program, arguments), environment, longest_run);
        EXPECT_FALSE(finished.timed_out) << finished.errors;
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(count(finished.errors, "divergence"), 0U) << finished.errors;
        return finished;
    }

    /// The program's picture after these deaths is that of one window.
    Finished expect_picture(const Program &program, const std::string &deaths) const {
        const std::string picture_file = file("wall.png");
        Words options{"--wall",    "2x2",       "--clock", "step:60", "--frames", std::to_string(program.frames),
                      "--capture", picture_file};
        if (program.replay)
            options.insert(options.end(), {"--replay", source_path("input/" + program.name + ".jsonl")});
        if (program.reads)
            options.push_back("--behind=draw");
        Finished finished = run_program(program_path(program.name), mortal(deaths), options);
        Picture one_window, picture;
        std::string error;
        if (!cached_plain_picture(program, {}, one_window, error) || !read_png(picture_file, picture, error)) {
            ADD_FAILURE() << error << "\n" << finished.errors;
            return finished;
        }
        const auto wall = pixmpi::read_wall("2x2").wall.value().cut(one_window.width, one_window.height);
        const Difference difference = compare(one_window, picture, wall);
        EXPECT_TRUE(difference.acceptable(program.exact)) << picture_file << ": " << difference.text();
        return finished;
    }

  private:
    std::string name_;
};

/// Input by keys and mouse before the death and after; reads of the whole window; what goes on with earlier pictures.
TEST_P(Rejoin, ShowsOneWindow) {
    if (const std::string lacking = lacking_for(GetParam()); !lacking.empty())
        GTEST_SKIP() << lacking;
    const Finished finished = expect_picture(GetParam(), "3@2");
    EXPECT_EQ(count(finished.errors, until_back), 1U) << finished.errors;
    EXPECT_EQ(count(finished.errors, "tile (1,1))" + back), 1U) << finished.errors;
}

INSTANTIATE_TEST_SUITE_P(, Rejoin, testing::ValuesIn(programs({"accum_blur", "input_reactions", "read_pixel_pick"})),
                         [](const auto &each) { return each.param.name; });

TEST_F(Rejoin, OfTheSameTileTwiceAndOfAnother) {
    const Finished finished = expect_picture(programs({"input_reactions"}).front(), "3@2,1@4,3@6");
    EXPECT_EQ(count(finished.errors, until_back), 3U) << finished.errors;
    EXPECT_EQ(count(finished.errors, "tile (1,1))" + back), 2U) << finished.errors;
    EXPECT_EQ(count(finished.errors, "tile (1,0))" + back), 1U) << finished.errors;
}

TEST_F(Rejoin, OfAllAtOnce) {
    const Finished finished = expect_picture(programs({"input_reactions"}).front(), "1@3,2@3,3@3");
    EXPECT_EQ(count(finished.errors, back), 3U) << finished.errors;
}

/// What ends a rank again and again does so on its way, too: then its tile stays dark.
TEST_F(Rejoin, IsGivenUpWhenItFails) {
    const std::string picture = file("wall.png"), on_its_way = "on its way back; the wall goes on without it";
    Words command{"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"};
    for (const std::string &word : wall_command(
             {"--wall", "2x1@120x90", "--headless", "--clock", "step:60", "--on-death", "rejoin", "--capture", picture},
             support_path("dying")))
        command.push_back(word);
    Process process(command, mortal("1@3", {{"MORTAL_AGAIN", "1"}, {"MPIGLUT_REJOIN", "-1"}}));
    EXPECT_TRUE(process.wait_until([&] { return count(process.output_so_far(), on_its_way + "\n") > 0; }, longest_run));
    ::kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(count(finished.output, until_back), 1U) << finished.output;
    EXPECT_EQ(count(finished.output, on_its_way + " until it is back"), 1U) << finished.output;
    EXPECT_EQ(count(finished.output, on_its_way + "\n"), 1U) << finished.output;
    EXPECT_EQ(count(finished.output, back), 0U) << finished.output;
    Picture shown;
    std::string error;
    ASSERT_TRUE(read_png(picture, shown, error)) << error;
    const auto *right = shown.rgb.data() + 3 * (45 * 240 + 180);
    EXPECT_EQ(right[0] + right[1] + right[2], 0);
}

/// Standard input, files that the program appends to and removes, random numbers.
TEST_F(Rejoin, FindsWhatTheProgramFoundThen) {
    Picture pictures[2];
    for (const std::string deaths : {"", "1@4"}) {
        const std::string folder = file("files"), picture = file("memory.png");
        fs::remove_all(folder);
        fs::create_directories(folder);
        std::ofstream(folder + "/given") << "was there before";
        std::ofstream(folder + "/book") << "so was this";
        const auto command = wall_command({"--wall", "2x1@120x90", "--headless", "--clock", "step:60", "--frames", "8",
                                           "--on-death", "rejoin", "--capture", picture},
                                          support_path("remembering"), {folder});
        Words piped{"/bin/sh", "-c", "printf 'some words\\n' | \"$@\"", "sh"};
        piped.insert(piped.end(), command.begin(), command.end());
        const Finished finished = run(piped, mortal(deaths), longest_run);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(count(finished.errors, back), deaths.empty() ? 0U : 1U) << finished.errors;
        EXPECT_EQ(count(finished.errors, "divergence"), 0U) << finished.errors;
        std::string error;
        ASSERT_TRUE(read_png(picture, pictures[deaths.empty() ? 0 : 1], error)) << error;
    }
    EXPECT_EQ(pictures[0].rgb, pictures[1].rgb) << file("memory.png");
}

/// What they have told is told again.
TEST_F(Rejoin, StartsNoProgramAgain) {
    const std::string folder = file("commands");
    fs::create_directories(folder);
    const Finished finished =
        run_program(support_path("commands"), mortal("1@6"), {"--wall", "2x1", "--clock", "step:60"}, {folder});
    EXPECT_EQ(count(finished.errors, back), 1U) << finished.errors;
    for (const auto &[name, lines] : {std::pair("mails", 1), std::pair("runs", 1), std::pair("jobs", 3)}) {
        std::ifstream in(folder + "/" + name);
        EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), lines) << name;
    }
}

/// The program draws once. Its tile shows that when it is back, though nothing is drawn again.
TEST_F(Rejoin, ShowsWhatWasDrawnBefore) {
    const Program program = programs({"perspective_cubes"}).front();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, {}, one_window, error)) << error;
    const pixmpi::Wall wall = pixmpi::read_wall("2x2").wall.value().cut(one_window.width, one_window.height);
    const Xvfb server(1280, 1024);
    auto environment = mortal("2@1", {{"DISPLAY", server.display()}});
    Process process(
        wall_command({"--wall", "2x2", "--clock", "step:60", "--on-death", "rejoin"}, program_path(program.name)),
        environment);
    EXPECT_TRUE(process.wait_until(
        [&] { return compare(one_window, wall_on_screen(server.display(), wall), wall).acceptable(); }, longest_run));
    ::kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(count(finished.errors, "tile (0,1))" + back), 1U) << finished.errors;
}

/// Where ranks cannot come back that is said, and the wall goes on without them.
TEST_F(Rejoin, IsRefused) {
    const std::string why = "ranks that die from now on do not come back: ";
    struct Case {
        std::string program, said;
        Words options;
    };
    for (const Case &c :
         {Case{program_path("drawing_thread"), why + "a thread of the program draws", {"--clock", "step:60"}},
          Case{support_path("dying"),
               why + "the log of the run has grown to 1 MiB (--rejoin-log)",
               {"--clock", "step:60", "--rejoin-log", "1"}}}) {
        Words options{"--wall", "2x1@400x300", "--frames", "9"};
        options.insert(options.end(), c.options.begin(), c.options.end());
        const Finished finished = run_program(c.program, mortal("1@7", {{"MPIGLUT_REJOIN", "-1"}}), options, {"read"});
        EXPECT_EQ(count(finished.errors, c.said), 1U) << finished.errors;
        EXPECT_EQ(count(finished.errors, "the wall goes on without it\n"), 1U) << finished.errors;
        fs::remove_all(graves());
        fs::create_directories(graves());
    }
}

} // namespace
} // namespace wall_test
