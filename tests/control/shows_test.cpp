// Presets and their file, and what the playlist decides, without waiting for any clock.
#include "access/own_file.h"
#include "show/shows.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace mpiglut::walld;

namespace {

using namespace std::chrono_literals;

/// A day in the test's own zone of time.
class PlaylistTest : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }
    static Playlist::Time at(int hours, int minutes, int seconds = 0) {
        return Playlist::Time(std::chrono::hours(24 * 20'000 + hours) + std::chrono::minutes(minutes) +
                              std::chrono::seconds(seconds));
    }
    std::string shown_;
    std::vector<std::string> said_;
    std::string broken_; ///< presets that cannot be applied
    Playlist list_{{[this](const std::string &name) {
                        shown_ = name;
                        return broken_.find(name) == broken_.npos ? std::string() : "it is broken";
                    },
                    [this](const std::string &line) { said_.push_back(line); }}};
};

TEST_F(PlaylistTest, GoesRound) {
    list_.entries({{"a", 60}, {"b", 10}}, at(12, 0));
    EXPECT_EQ(list_.next(at(12, 0)), "the playlist is not playing");
    EXPECT_EQ(list_.start(at(12, 0)), "");
    EXPECT_EQ(shown_, "a");
    list_.look(at(12, 0, 59));
    EXPECT_EQ(shown_, "a");
    list_.look(at(12, 1));
    EXPECT_EQ(shown_, "b");
    list_.look(at(12, 1, 10));
    EXPECT_EQ(shown_, "a");
    EXPECT_EQ(list_.next(at(12, 1, 11)), "");
    EXPECT_EQ(shown_, "b");
    list_.stop();
    list_.look(at(13, 0));
    EXPECT_EQ(shown_, "b");
    EXPECT_FALSE(list_.plays());
}

TEST_F(PlaylistTest, HeedsTheTimeOfDay) {
    list_.entries({{"morning", 600, 8 * 60}, {"a", 60}, {"night", 0, 18 * 60}, {"b", 60}}, at(7, 0));
    list_.start(at(7, 0));
    EXPECT_EQ(shown_, "a") << "no time of day has come yet";
    list_.look(at(7, 1));
    EXPECT_EQ(shown_, "b") << "an entry with a time of day is passed over";
    list_.look(at(8, 0));
    EXPECT_EQ(shown_, "morning");
    list_.look(at(8, 10));
    EXPECT_EQ(shown_, "a");
    list_.look(at(18, 0, 1));
    EXPECT_EQ(shown_, "night");
    list_.look(at(23, 0));
    EXPECT_EQ(shown_, "night") << "until the next time of day";
    list_.look(at(24 + 8, 5)); // the host has slept
    EXPECT_EQ(shown_, "morning");
    list_.stop();
    list_.start(at(20, 0));
    EXPECT_EQ(shown_, "night") << "what has been called last";
}

TEST_F(PlaylistTest, GoesOnAfterAFailure) {
    broken_ = "b";
    list_.entries({{"a", 60}, {"b", 60}, {"c", 60}}, at(12, 0));
    list_.start(at(12, 0));
    list_.look(at(12, 1));
    ASSERT_EQ(said_.size(), 1u);
    EXPECT_EQ(said_[0], "playlist: 'b': it is broken; 'c' is next, in 1 s");
    list_.look(at(12, 1, 1));
    EXPECT_EQ(shown_, "c");
    list_.ended("it ended with status 139", at(12, 1, 2));
    list_.ended("it ended with status 139", at(12, 1, 2));
    ASSERT_EQ(said_.size(), 2u) << "once for each end";
    EXPECT_NE(said_[1].find("status 139; 'a' is next"), std::string::npos) << said_[1];
    list_.look(at(12, 1, 3));
    EXPECT_EQ(shown_, "a");
}

TEST_F(PlaylistTest, DoesNotFlickerWhereAllFail) {
    broken_ = "ab";
    list_.entries({{"a", 60}, {"b", 60}}, at(12, 0));
    list_.start(at(12, 0));
    list_.look(at(12, 0, 1));
    EXPECT_NE(said_.back().find("in 30 s"), std::string::npos) << said_.back();
    for (int second = 2; second < 30; ++second)
        list_.look(at(12, 0, second));
    EXPECT_EQ(said_.size(), 2u);
}

TEST_F(PlaylistTest, IsChangedWhileItPlays) {
    list_.entries({{"a", 60}, {"b", 60}}, at(12, 0));
    list_.start(at(12, 0));
    list_.look(at(12, 1));
    shown_.clear();
    list_.entries({{"c", 60}, {"a", 60}, {"b", 60}}, at(12, 1, 30));
    EXPECT_EQ(shown_, "") << "b goes on";
    list_.look(at(12, 2));
    EXPECT_EQ(shown_, "c");
    list_.entries({}, at(12, 2));
    EXPECT_FALSE(list_.plays());
}

class PresetsTest : public testing::Test {
  protected:
    std::string folder_ = testing::TempDir() + "presets." + std::to_string(::getpid());
    std::string file_ = folder_ + "/lab.presets.json";
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(PresetsTest, AreKept) {
    Presets presets(file_);
    EXPECT_EQ(presets.load(), "") << "there is none yet";
    EXPECT_EQ(presets.put({"b", "flight", "step:60", 0.5}), "");
    EXPECT_EQ(presets.put({"a", "", "", 1}), "");
    EXPECT_EQ(presets.put({"b", "flight", "", 2}), "");
    EXPECT_EQ(presets.set_entries({{"a", 60}, {"b", 0, 510}}), "");
    EXPECT_EQ(presets.set_plays(true), "");
    Presets again(file_);
    EXPECT_EQ(again.load(), "");
    ASSERT_EQ(again.all().size(), 2u);
    EXPECT_EQ(again.all()[1].program, "flight");
    EXPECT_EQ(again.all()[1].brightness, 2);
    EXPECT_EQ(again.entries(), presets.entries());
    EXPECT_TRUE(again.plays());
    EXPECT_NE(again.remove("a").find("the playlist has 'a'"), std::string::npos);
    EXPECT_EQ(again.set_entries({{"none", 1}}), "'none' is no preset");
    EXPECT_EQ(again.set_entries({}), "");
    EXPECT_EQ(again.remove("a"), "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "nothing else is left there";
}

TEST_F(PresetsTest, OfAFileThatIsWrongAreNotOverwritten) {
    for (const char *text : {"{", "[]", R"({"presets": 1})", R"({"presets": [{"name": "a/b"}]})",
                             R"({"presets": [{"name": "a", "brightness": 5}]})",
                             R"({"presets": [], "entries": [{"preset": "a"}]})"}) {
        std::ofstream(file_) << text;
        Presets presets(file_);
        EXPECT_NE(presets.load(), "") << text;
        EXPECT_NE(presets.put({"b", "", "", 1}), "") << text;
        std::ifstream file(file_);
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
    }
}

TEST_F(PresetsTest, OfAPipeAreNotWaitedFor) {
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    Presets presets(file_);
    EXPECT_NE(presets.load().find("cannot be read"), std::string::npos);
    EXPECT_NE(presets.put({"b", "", "", 1}), "");
}

TEST_F(PresetsTest, HaveTheNamesThatWereGiven) {
    Presets presets(file_);
    EXPECT_EQ(presets.put({"Vorf\u00fchrung", "", "", 1}), "");
    EXPECT_NE(presets.put({"a\xff", "", "", 1}), "") << "it would be another one when it is read again";
    EXPECT_EQ(presets.all().size(), 1u);
}

TEST_F(PresetsTest, LieBesideTheWallFile) {
    EXPECT_EQ(presets_file(folder_ + "/lab.toml", "/elsewhere"), file_);
    EXPECT_EQ(presets_file("2x2@64x48", "/elsewhere"), "/elsewhere/wall.presets.json");
    EXPECT_EQ(presets_file(folder_ + "/none/lab.toml", ""), "./wall.presets.json");
}

TEST(PresetRequests, SayWhatIsWrong) {
    const auto entries = [](const char *text) { return read_entries(nlohmann::json::parse(text)).error; };
    EXPECT_EQ(entries(R"({"entries": [{"preset": "a", "seconds": 1}, {"preset": "a", "at": "23:59"}]})"), "");
    for (const auto &[text, expected] : {std::pair{R"({})", "entries: expected a list"},
                                         {R"({"entries": [1]})", "entries[0].preset"},
                                         {R"({"entries": [{"preset": "a"}]})", "entries[0].seconds"},
                                         {R"({"entries": [{"preset": "a", "seconds": 0}]})", "entries[0].seconds"},
                                         {R"({"entries": [{"preset": "a", "seconds": 1.5}]})", "entries[0].seconds"},
                                         {R"({"entries": [{"preset": "a", "at": "24:00"}]})", "entries[0].at"},
                                         {R"({"entries": [{"preset": "a", "at": "8:30"}]})", "entries[0].at"}})
        EXPECT_NE(entries(text).find(expected), std::string::npos) << text << ": " << entries(text);
    const auto preset = [](const char *text) { return read_preset(nlohmann::json::parse(text)).error; };
    EXPECT_EQ(preset(R"({"program": null, "clock": "step:60", "brightness": 0.5})"), "");
    EXPECT_NE(preset(R"({"program": 1})").find("program"), std::string::npos);
    EXPECT_NE(preset(R"({"clock": "x"})").find("clock"), std::string::npos);
    EXPECT_NE(preset(R"({"brightness": 4.5})").find("brightness"), std::string::npos);
}

} // namespace
