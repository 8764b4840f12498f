// Input records: what is written is played at the same frames, and a bad line is named.

#include "run/record.h"
#include "scratch_file.h"

#include <gtest/gtest.h>

using mpiglut::Event;
using mpiglut::Recorder;
using mpiglut::Replayer;

namespace {

const std::string head = R"({"mpiglut":"input","version":1,"width":640,"height":480})"
                         "\n";

Event mouse(int x, int y) {
    Event event;
    event.kind = Event::Kind::mouse;
    event.window = 1;
    event.rank = 2;
    event.x = x;
    event.y = y;
    event.modifiers = 5;
    return event;
}

std::unique_ptr<Replayer> open_text(const ScratchFile &file) {
    std::string error;
    auto replayer = Replayer::open(file.path(), error);
    EXPECT_TRUE(replayer) << error;
    return replayer;
}

std::string error_of(const std::string &text) {
    const ScratchFile file(".jsonl", text);
    std::string error;
    EXPECT_FALSE(Replayer::open(file.path(), error)) << text;
    EXPECT_EQ(error.find(file.path()), 0u) << error;
    return error.substr(std::min(error.size(), file.path().size()));
}

} // namespace

TEST(Record, IsPlayedAsItWasWritten) {
    const ScratchFile file(".jsonl");
    std::string error;
    Event stick = mouse(-5, 70000);
    stick.kind = Event::Kind::joystick;
    stick.z = -1000;
    {
        auto recorder = Recorder::open(file.path(), 640, 480, error);
        ASSERT_TRUE(recorder) << error;
        recorder->write({3, 0, mouse(10, 20)});
        recorder->write({3, 2, mouse(11, 21)});
        recorder->write({5, 1, stick});
    }
    EXPECT_EQ(file.text().rfind(head, 0), 0u) << file.text();
    const auto replayer = open_text(file);
    ASSERT_TRUE(replayer);
    EXPECT_TRUE(replayer->due(2, 9, false).empty());
    EXPECT_EQ(replayer->due(3, 1, false), std::vector{mouse(10, 20)});
    EXPECT_TRUE(replayer->due(3, 1, false).empty());
    EXPECT_FALSE(replayer->finished());
    EXPECT_EQ(replayer->due(9, 0, false), (std::vector{mouse(11, 21), stick}));
    EXPECT_TRUE(replayer->finished());
    EXPECT_TRUE(replayer->due(9, 0, true).empty());
}

TEST(Record, CountsFromAnyFrame) {
    const auto replayer = Replayer::of({{0, 1, mouse(1, 2)}, {2, 0, mouse(3, 4)}}, 100);
    EXPECT_TRUE(replayer->due(99, 7, false).empty());
    EXPECT_TRUE(replayer->due(100, 0, false).empty());
    EXPECT_EQ(replayer->due(100, 1, false), std::vector{mouse(1, 2)});
    EXPECT_TRUE(replayer->due(101, 5, false).empty());
    EXPECT_EQ(replayer->due(102, 0, false), std::vector{mouse(3, 4)});
    EXPECT_TRUE(replayer->finished());
}

TEST(Record, LinesAreThereAtOnce) {
    const ScratchFile file(".jsonl");
    std::string error;
    auto recorder = Recorder::open(file.path(), 1, 1, error);
    ASSERT_TRUE(recorder) << error;
    recorder->write({12, 0, mouse(310, 42)});
    EXPECT_NE(file.text().find(R"({"frame":12,"after":0,"kind":"mouse","window":1,"rank":2,"x":310,"y":42,)"
                               R"("a":0,"b":0,"modifiers":5})"
                               "\n"),
              std::string::npos)
        << file.text();
}

TEST(Record, AnIdleProgramGetsTheNextInstantAndNoMore) {
    const ScratchFile file(".jsonl", head + R"({"frame":7,"after":1,"kind":"key","a":97})"
                                            "\n"
                                            R"({"frame":7,"after":1,"kind":"key_up","a":97})"
                                            "\n\n"
                                            R"({"frame":7,"after":2,"kind":"key","a":98})");
    const auto replayer = open_text(file);
    ASSERT_TRUE(replayer);
    EXPECT_EQ(replayer->due(0, 0, true).size(), 2u);
    const auto rest = replayer->due(0, 0, true);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].a, 98);
    EXPECT_TRUE(replayer->finished());
}

TEST(Record, BadHeadsAreNamed) {
    for (const char *text : {"", "\n", "hello\n", "[]\n", "{}\n", R"({"mpiglut":"stats","version":1})",
                             R"({"mpiglut":"input"})", R"({"mpiglut":"input","version":2})",
                             R"({"mpiglut":"input","version":"1"})", R"({"mpiglut":1,"version":1})"})
        EXPECT_EQ(error_of(text).rfind(":1: ", 0), 0u) << text << " -> " << error_of(text);
}

TEST(Record, BadLinesAreNamed) {
    const std::string good = R"({"frame":1,"after":0,"kind":"key"})"
                             "\n";
    const std::pair<const char *, const char *> bad[] = {
        {"nonsense", "object"},
        {"7", "object"},
        {R"({"after":0,"kind":"key"})", "frame: missing"},
        {R"({"frame":-1,"after":0,"kind":"key"})", "frame: expected"},
        {R"({"frame":1.5,"after":0,"kind":"key"})", "frame: expected"},
        {R"({"frame":99999999999999999999,"after":0,"kind":"key"})", "frame: expected"},
        {R"({"frame":18446744073709551615,"after":0,"kind":"key"})", "frame: expected"},
        {R"({"frame":1,"kind":"key"})", "after: missing"},
        {R"({"frame":1,"after":0})", "kind: missing"},
        {R"({"frame":1,"after":0,"kind":3})", "kind: expected"},
        {R"({"frame":1,"after":0,"kind":"kick"})", "kind: expected"},
        {R"({"frame":1,"after":0,"kind":"key","x":2147483648})", "x: expected"},
        {R"({"frame":1,"after":0,"kind":"key","window":-1})", "window: expected"},
        {R"({"frame":1,"after":0,"kind":"key","a":"a"})", "a: expected"},
        {R"({"frame":0,"after":9,"kind":"key"})", "order"}};
    for (const auto &[line, what] : bad) {
        const std::string error = error_of(head + good + line + "\n" + good);
        EXPECT_EQ(error.rfind(":3: ", 0), 0u) << line << " -> " << error;
        EXPECT_NE(error.find(what), std::string::npos) << line << " -> " << error;
    }
    EXPECT_EQ(error_of(head + good + std::string(100'000, '[') + "\n").rfind(":3: ", 0), 0u);
}

TEST(Record, FilesThatCannotBeOpenedAreNamed) {
    std::string error;
    EXPECT_FALSE(Replayer::open("/nowhere/at/all.jsonl", error));
    EXPECT_NE(error.find("/nowhere/at/all.jsonl: cannot be read"), std::string::npos) << error;
    EXPECT_FALSE(Recorder::open("/nowhere/at/all.jsonl", 1, 1, error));
    EXPECT_NE(error.find("/nowhere/at/all.jsonl: cannot be written"), std::string::npos) << error;
    EXPECT_FALSE(Replayer::open(testing::TempDir(), error)); // a folder
}
