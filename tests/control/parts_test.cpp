// What stands between the network and the wall, without a network.
#include "access.h"
#include "adjusted.h"
#include "board_watch.h"
#include "captures.h"
#include "film.h"
#include "input.h"
#include "outgoing.h"
#include "picture_coding.h"
#include "programs.h"
#include "recording.h"
#include "run/board.h"
#include "seats.h"
#include "stills.h"
#include "web.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unistd.h>

using namespace mpiglut;
using namespace mpiglut::walld;

namespace {

const std::string token = "0123456789abcdef";

Caller with(const std::string &authorization, const std::string &cookie = {}, const std::string &link = {}) {
    return {.address = "127.0.0.1",
            .host = "localhost:1",
            .origin = {},
            .authorization = authorization,
            .cookie = cookie,
            .token = link};
}

TEST(Access, TakesTheTokenByHeaderCookieAndLink) {
    Access access(token, "wall");
    EXPECT_EQ(access.judge(with("Bearer " + token)), Verdict::good);
    EXPECT_EQ(access.judge(with("", "a=b; wall=" + token)), Verdict::good);
    EXPECT_EQ(access.judge(with("", "", token)), Verdict::good);
    EXPECT_EQ(access.judge(with("Bearer " + token + "0")), Verdict::unknown);
    EXPECT_EQ(access.judge(with("Bearer ")), Verdict::unknown);
    EXPECT_EQ(access.judge(with("", "xwall=" + token)), Verdict::unknown);
    EXPECT_EQ(access.judge(with("")), Verdict::unknown);
}

TEST(Access, OtherOriginsGetNothing) {
    EXPECT_TRUE(same_origin("", "localhost:1"));
    EXPECT_TRUE(same_origin("http://localhost:1", "localhost:1"));
    EXPECT_FALSE(same_origin("http://localhost:2", "localhost:1"));
    EXPECT_FALSE(same_origin("http://localhost:1.evil", "localhost:1"));
    EXPECT_FALSE(same_origin("null", "localhost:1"));
    EXPECT_FALSE(same_origin("http://", ""));
}

TEST(Access, GuessingIsSlow) {
    Access access(token, "wall");
    int refused = 0;
    for (int i = 0; i < 100; ++i)
        refused += access.judge(with("Bearer " + std::to_string(i))) == Verdict::too_often;
    EXPECT_GE(refused, 70);
    EXPECT_EQ(access.judge(with("Bearer " + token)), Verdict::good) << "who knows it is not kept out";
}

TEST(Bucket, FillsAgain) {
    Bucket bucket(2, 10);
    const auto start = Bucket::Clock::now();
    EXPECT_TRUE(bucket.take(1, start));
    EXPECT_TRUE(bucket.take(1, start));
    EXPECT_FALSE(bucket.take(1, start));
    EXPECT_TRUE(bucket.take(1, start + std::chrono::milliseconds(110)));
    EXPECT_FALSE(bucket.take(2, start + std::chrono::milliseconds(210)));
    EXPECT_TRUE(bucket.take(2, start + std::chrono::milliseconds(410)));
}

TEST(Seats, TheOldestThatHasNotProvedItselfGivesWay) {
    Seats seats({.all = 4, .of_address = 4, .all_sockets = 1, .sockets_of_address = 1});
    for (Seats::Guest guest = 1; guest <= 6; ++guest)
        EXPECT_TRUE(seats.come(guest, "a"));
    seats.prove(1);
    EXPECT_EQ(seats.give_way(6), (std::vector<Seats::Guest>{2, 3}));
    EXPECT_TRUE(seats.give_way(7).empty()) << "four are left";
    seats.come(7, "a");
    EXPECT_TRUE(seats.give_way(4).empty()) << "those that have just come stay for now";
    seats.release(1);
    EXPECT_EQ(seats.give_way(8), std::vector<Seats::Guest>{1}) << "who has got an answer";
}

TEST(Seats, AnAddressHasItsShare) {
    Seats seats({.all = 8, .of_address = 6, .all_sockets = 3, .sockets_of_address = 2});
    for (Seats::Guest guest = 1; guest <= 3; ++guest)
        seats.come(guest, "proper");
    for (Seats::Guest guest = 11; guest <= 17; ++guest)
        seats.come(guest, "crowd");
    EXPECT_EQ(seats.give_way(20), (std::vector<Seats::Guest>{11, 12})) << "of the address that has most of them";
    for (Seats::Guest guest = 13; guest <= 17; ++guest)
        seats.prove(guest);
    EXPECT_TRUE(seats.come(18, "crowd"));
    seats.prove(18);
    EXPECT_FALSE(seats.come(19, "crowd")) << "all of its seats are taken";
    EXPECT_TRUE(seats.come(20, "other"));
    EXPECT_EQ(seats.give_way(30), (std::vector<Seats::Guest>{1, 2}));
    EXPECT_TRUE(seats.become_socket(13));
    EXPECT_TRUE(seats.become_socket(14));
    EXPECT_FALSE(seats.become_socket(15)) << "two sockets of an address";
    EXPECT_TRUE(seats.become_socket(20));
    EXPECT_FALSE(seats.become_socket(3)) << "three in all";
    seats.leave(13);
    EXPECT_TRUE(seats.become_socket(3)) << "one has gone";
}

Outgoing::Bytes bytes(const char *text) { return std::make_shared<const std::string>(text); }

TEST(Outgoing, TextsComeFirstAndPicturesTakeTurns) {
    const Outgoing::Clock::time_point now{};
    Outgoing outgoing;
    EXPECT_TRUE(outgoing.empty());
    EXPECT_EQ(outgoing.take(now).bytes, nullptr);
    outgoing.put_picture(7, bytes("old"), now);
    outgoing.put_picture(9, bytes("other"), now);
    outgoing.put_picture(7, bytes("new"), now);
    outgoing.put_text(bytes("one"));
    outgoing.put_text(bytes("two"));
    std::string sent;
    for (int i = 0; i < 3; ++i) {
        const Outgoing::Message message = outgoing.take(now);
        sent += *message.bytes + (message.text ? ", " : "; ");
    }
    EXPECT_EQ(sent, "one, two, new; ");
    outgoing.put_picture(7, bytes("newer"), now);
    EXPECT_EQ(*outgoing.take(now).bytes, "other") << "7 has had its turn";
    EXPECT_EQ(*outgoing.take(now).bytes, "newer");
    EXPECT_TRUE(outgoing.empty());
}

TEST(Outgoing, WhoTakesNothingIsFound) {
    const Outgoing::Clock::time_point start{};
    Outgoing outgoing;
    EXPECT_FALSE(outgoing.is_stuck(start + std::chrono::seconds(9))) << "there was none to take";
    outgoing.put_picture(1, bytes("a"), start + std::chrono::seconds(9));
    outgoing.put_picture(2, bytes("b"), start + std::chrono::seconds(10));
    EXPECT_FALSE(outgoing.is_stuck(start + std::chrono::seconds(11)));
    EXPECT_TRUE(outgoing.is_stuck(start + std::chrono::seconds(12)));
    outgoing.take(start + std::chrono::seconds(12));
    EXPECT_FALSE(outgoing.is_stuck(start + std::chrono::seconds(13))) << "it takes one after the other";
    for (int i = 0; i < 400; ++i)
        EXPECT_TRUE(outgoing.put_text(bytes("text")));
    EXPECT_FALSE(outgoing.put_text(bytes("one too many")));
}

TEST(Query, IsDecoded) {
    EXPECT_EQ(query_value("a=1&token=x%2Fy+z&b", "token"), "x/y z");
    EXPECT_EQ(query_value("token=%", "token"), "%");
    EXPECT_EQ(query_value("token=%4", "token"), "%4");
    EXPECT_EQ(query_value("tokens=1", "token"), "");
}

std::vector<Event> events(const std::string &text) {
    const auto object = read_json(text);
    EXPECT_EQ(object.error, "");
    auto read = read_input(object.value);
    EXPECT_EQ(read.error, "");
    return read.value;
}

TEST(Input, MenusAreWhatTheWallSaysOfThem) {
    const auto all = events(R"({"events":[{"type":"menu","menu":2,"item":3},{"type":"menu","item":0}]})");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(std::tie(all[0].a, all[0].b, all[1].a, all[1].b), std::tuple(3, 2, 0, 0));
    const std::string good = R"({"by":"tile","x":1,"y":2,"menu":1,"entries":[{"label":"a"},{"label":"b","submenu":)"
                             R"({"menu":2,"entries":[]}}]})";
    EXPECT_EQ(read_menu(good)["entries"].size(), 2u);
    for (const char *bad : {"", "[]", "{", R"({"by":"tile","x":1,"y":2,"menu":1})",
                            R"({"by":"tile","x":1,"y":2,"menu":1,"entries":[{"label":1}]})",
                            R"({"by":"tile","x":1,"y":2,"menu":1,"entries":[{"label":"b","submenu":7}]})"})
        EXPECT_TRUE(read_menu(bad).is_null()) << bad;
}

TEST(Input, KeysAreThoseOfGlut) {
    const auto all =
        events(R"({"events":[{"type":"key","key":"ä","down":true},{"type":"key","key":"Enter","down":false},
        {"type":"key","key":"c","down":true,"modifiers":2},{"type":"key","key":"ArrowUp","down":true}]})");
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].a, 0xe4);
    EXPECT_EQ(all[1].kind, Event::Kind::key_up);
    EXPECT_EQ(all[1].a, 13);
    EXPECT_EQ(all[2].a, 3);
    EXPECT_EQ(all[3].kind, Event::Kind::special);
    EXPECT_EQ(all[3].a, 101);
}

TEST(Input, DepthIsLimited) {
    EXPECT_NE(read_json(R"({"a":[[[[[[[[[1]]]]]]]]]})").error, "");
    EXPECT_EQ(read_json(R"({"a":"[[[[[[[[[[[[[["})").error, "");
}

TEST(Apps, TellAllMistakes) {
    const Apps good =
        parse_apps("[[app]]\nname='one'\ncommand='./one'\narguments=['-a']\nautostart=true\n", "/walls/apps.toml");
    ASSERT_TRUE(good.errors.empty()) << good.errors.front();
    EXPECT_EQ(good.apps.at(0).command, "/walls/one");
    EXPECT_TRUE(good.apps.at(0).autostart);
    EXPECT_EQ(parse_apps("[[app]]\nname='a'\ncommand='a'\non_death='continue'\n", "f").apps.at(0).on_death, "continue");
    const std::string rejoin = "[[app]]\nname='a'\ncommand='a'\non_death='rejoin'\n";
    EXPECT_EQ(parse_apps(rejoin + "clock='step:60'", "f").errors, std::vector<std::string>());
    for (const char *clock : {"", "clock='wall'", "clock='sundial'"})
        EXPECT_EQ(parse_apps(rejoin + clock, "f").errors.size(), 1u) << clock;
    EXPECT_EQ(parse_apps("[[app]]\nname='a'\ncommand='a'\non_death='never'\n", "f").errors.size(), 1u);
    EXPECT_EQ(parse_apps("[[app]]\nname='a'\ncommand='a'\nrestart=3\n", "f").apps.at(0).restart, 3);
    for (const char *wrong : {"-1", "1.5", "'3'", "true", "1001"})
        EXPECT_EQ(parse_apps(std::string("[[app]]\nname='a'\ncommand='a'\nrestart=") + wrong, "f").errors.size(), 1u);
    const Apps bad = parse_apps("[[app]]\nname='a/b'\narguments='x'\nshell=true\n", "apps.toml");
    EXPECT_EQ(bad.errors.size(), 4u) << testing::PrintToString(bad.errors);
    EXPECT_EQ(parse_apps("[[app]]\nname='a'\ncommand='a'\n[[app]]\nname='a'\ncommand='b'\n", "f").errors.size(), 1u);
    EXPECT_EQ(parse_apps("=", "f").errors.size(), 1u);
    EXPECT_EQ(parse_apps("app = 3", "f").errors.size(), 1u);
}

TEST(Boards, TellWhoIsStoppedFromWhoWaits) {
    constexpr std::int64_t second = 1'000'000'000;
    int fd = -1;
    Board *one = make_board(0, fd);
    ASSERT_TRUE(one);
    one->now(Activity::others, 5 * second);
    one->looked_ns = 20 * second;
    EXPECT_EQ(one->doing(20 * second + second / 2), (std::pair{Activity::others, 5 * second}));
    EXPECT_EQ(one->doing(23 * second), (std::pair{Activity::program, 20 * second})) << "since it was stopped";
    one->now(Activity::others, 30 * second);
    EXPECT_EQ(one->doing(30 * second), (std::pair{Activity::others, 30 * second})) << "has not looked yet";
    one->now(Activity::program, 31 * second);
    EXPECT_EQ(one->doing(40 * second), (std::pair{Activity::program, 31 * second}));
    unmap(one, 0);
    ::close(fd);
}

/// A program that has run wild writes all over the board. Its agent goes on, and looks no further than the memory goes.
TEST(Boards, ThatAreFullOfNonsenseAreNoTrouble) {
    launcher::Loop loop;
    constexpr std::size_t room = 300;
    int pictures = 0, figures = 0;
    std::string still = "none";
    launcher::BoardWatch watch(loop, room,
                               {[&](const launcher::Figures &) { ++figures; },
                                [&](const launcher::PictureOfTile &picture) {
                                    ++pictures;
                                    still = picture.bytes;
                                },
                                [] { return false; }, [](const std::string &) {}, [](const std::string &) {}});
    ASSERT_TRUE(watch.good());
    EXPECT_NE(::ftruncate(watch.fd(), 0), 0) << "nobody makes it smaller";
    Board *const program = map_board(watch.fd());
    ASSERT_TRUE(program);
    for (const int byte : {0x00, 0x7f, 0x80, 0xff, 0x5a}) {
        auto *const bytes = reinterpret_cast<unsigned char *>(program);
        std::fill(bytes + sizeof program->magic, bytes + sizeof(Board), static_cast<unsigned char>(byte));
        program->still.facts = {.columns = 100'000, .rows = 100'000, .request = 7};
        program->still.state = Slot::filled;
        program->live[0].facts = {.columns = -1, .rows = 1};
        program->live[0].state = Slot::filled;
        loop.after(std::chrono::milliseconds(300), [&] { loop.stop(); });
        loop.run();
    }
    EXPECT_GE(figures, 5);
    EXPECT_EQ(pictures, 5) << "the screenshots alone are answered";
    EXPECT_EQ(still, "") << "by no picture";
    unmap(program, room);
}

TEST(Recordings, AreFilesThatCanBePlayed) {
    const std::string folder = testing::TempDir() + "recording" + std::to_string(::getpid());
    Captures captures(folder);
    Recording recording(captures, 10, 20);
    recording.add("{\"frame\":1,\"after\":0,\"kind\":\"key\",\"a\":97}\n{\"frame\":2,\"after\":3,\"kind\":\"quit\"}\n");
    recording.end();
    EXPECT_EQ(recording.events(), 2u);
    const auto replay = events_of_replay(captures, recording.file(), 7);
    EXPECT_EQ(replay.error, "");
    ASSERT_EQ(replay.value.size(), 4u) << "begin, an instant, its event, play; none of the operator's own";
    EXPECT_EQ(replay.value[2].a, 97);
    EXPECT_EQ(replay.value[3].b, 7);
    EXPECT_NE(events_of_replay(captures, "wall-none.jsonl", 1).error, "");
    EXPECT_NE(events_of_replay(captures, "../" + recording.file(), 1).error, "");
    recording.add("not a line\n");
    EXPECT_EQ(events_of_replay(captures, recording.file(), 1).error, "") << "what comes late is not kept";
    std::filesystem::remove_all(folder);
}

TEST(Adjusted, KeepsAFileThatSomebodyElseChanged) {
    const std::string folder = testing::TempDir() + "adjusted" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/lab.toml", text = "[grid]\ncolumns = 2\nrows = 1\ntile = [10, 10]\nbezel = 1\n";
    std::ofstream(file) << text;
    Captures captures(folder);
    launcher::Run facts;
    facts.wall_file = facts.wall_name = file;
    facts.wall = pixmpi::format_wall(*pixmpi::parse_wall(text, "lab").wall);
    Adjusted wall(facts);
    EXPECT_EQ(wall.nudge({.rank = -1, .x = 2, .y = 0}), "");
    EXPECT_TRUE(wall.changed());
    std::string saved;
    EXPECT_EQ(wall.save(captures, saved), "");
    EXPECT_EQ(saved, file);
    EXPECT_FALSE(wall.changed());
    EXPECT_EQ(wall.nudge({.rank = 0, .x = 0, .y = 1}), "");
    std::ofstream(file, std::ios::app) << "# mine\n";
    EXPECT_NE(wall.save(captures, saved).find("has changed"), std::string::npos);
    wall.reset();
    EXPECT_EQ(wall.wall().width, 23);
    facts.wall_file.clear();
    facts.wall_name = "2x1@10x10+1";
    Adjusted spec(facts);
    EXPECT_EQ(spec.recolour({.rank = 1, .brightness = 0.5}), "");
    EXPECT_EQ(spec.save(captures, saved), "");
    EXPECT_EQ(pixmpi::parse_wall(captures.read(saved), saved).wall->tiles[1].correction.brightness, 0.5);
    std::filesystem::remove_all(folder);
}

TEST(Captures, OpenNothingElse) {
    const Captures captures("/etc");
    for (const char *name :
         {"passwd", "../etc/passwd", "wall-/../passwd.png", "wall-..png", "wall-..avi", "wall-..toml", ""})
        EXPECT_EQ(captures.read(name), "");
}

TEST(Stills, FactsAreChecked) {
    EXPECT_FALSE(facts_from({1, 2, 3}));
    EXPECT_FALSE(facts_from(std::vector<std::int64_t>(13, 1ll << 40)));
    EXPECT_TRUE(facts_from(std::vector<std::int64_t>(13, 7)));
}

TEST(Stills, WaitForTheLivingAlone) {
    Stills stills;
    Still taken;
    int times = 0;
    const auto take = [&](const Still &still) { taken = still, ++times; };
    const auto tile = [](int request, int x) {
        return PictureFacts{.x = x,
                            .width = 1,
                            .height = 1,
                            .wall_width = 3,
                            .wall_height = 1,
                            .columns = 1,
                            .rows = 1,
                            .request = request,
                            .frame = 9};
    };
    const std::vector<std::byte> white(3, std::byte{255});
    const std::string png = mpiglut::launcher::encode_png(white, 1, 1);
    const int request = stills.begin({0, 1, 2}, take);
    stills.add(0, tile(request, 0), png);
    stills.add(2, tile(request, 2), png);
    EXPECT_EQ(times, 0);
    stills.lose(1);
    EXPECT_EQ(times, 1);
    EXPECT_EQ(taken.picture.rgb, (std::vector<unsigned char>{255, 255, 255, 0, 0, 0, 255, 255, 255}));
    EXPECT_TRUE(stills.idle());
}

std::uint32_t number_at(const std::string &bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number |= std::uint32_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    return number;
}

TEST(Film, IsOneFileWithAnIndex) {
    const std::string folder = testing::TempDir() + "film" + std::to_string(::getpid());
    Captures captures(folder);
    Film film(captures, 3);
    Still still{.picture = Picture(31, 17), .frame = 5, .error = {}};
    EXPECT_EQ(film.add(still), 8);
    still.frame = 9;
    EXPECT_EQ(film.add(still), 12);
    still.picture = Picture(30, 17);
    EXPECT_EQ(film.add(still), std::nullopt);
    EXPECT_FALSE(film.runs());
    EXPECT_NE(film.error(), "");
    EXPECT_EQ(film.frames(), 2u);
    EXPECT_EQ(captures.names(), std::vector{film.file()});
    const std::string bytes = captures.read(film.file());
    EXPECT_EQ(bytes.substr(0, 4) + bytes.substr(8, 4), "RIFFAVI ");
    EXPECT_EQ(number_at(bytes, 4), bytes.size() - 8);
    const std::size_t movie = bytes.find("movi"), index = bytes.find("idx1");
    ASSERT_NE(index, bytes.npos);
    EXPECT_EQ(number_at(bytes, movie - 4), index - movie);
    EXPECT_EQ(number_at(bytes, index + 4), 32u);
    for (std::size_t entry = index + 8; entry < bytes.size(); entry += 16) {
        const std::size_t at = movie + number_at(bytes, entry + 8);
        EXPECT_EQ(bytes.substr(at, 4), "00dc");
        EXPECT_EQ(bytes.substr(at + 8, 2), "\xff\xd8");
        EXPECT_EQ(number_at(bytes, at + 4), number_at(bytes, entry + 12));
    }
    std::filesystem::remove_all(folder);
}

} // namespace
