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

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <sys/stat.h>
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

const std::string token_to_look = "fedcba9876543210";

/// Of a header "NAME=VALUE; ...".
std::string cookie_of(const std::string &header) { return header.substr(0, header.find(';')); }

TEST(Access, TakesTokensByHeaderAndLinkButAsNoCookie) {
    Access access(token, token_to_look, "wall");
    const auto role = [&](const Caller &caller) {
        Visitor visitor;
        const Verdict verdict = access.judge(caller, visitor);
        EXPECT_EQ(verdict, visitor.role == Role::none ? Verdict::unknown : Verdict::good);
        return visitor.role;
    };
    EXPECT_EQ(role(with("Bearer " + token)), Role::operate);
    EXPECT_EQ(role(with("Bearer " + token_to_look)), Role::look);
    EXPECT_EQ(role(with("", "", token)), Role::operate);
    EXPECT_EQ(role(with("", "", token_to_look)), Role::look);
    EXPECT_EQ(role(with("", "wall=" + token)), Role::none);
    EXPECT_EQ(role(with("Bearer " + token + "0")), Role::none);
    EXPECT_EQ(role(with("Bearer ")), Role::none);
    EXPECT_EQ(role(with("")), Role::none);
}

TEST(Access, SessionsEndByThemselvesAndByLoggingOut) {
    Access access(token, token_to_look, "wall");
    const Access::Clock::time_point start = Access::Clock::now(), late = start + Access::longest_session + std::chrono::seconds(1);
    const auto visitor = [&](const std::string &cookie, Access::Clock::time_point now) {
        Visitor found;
        access.judge(with("", "a=b; " + cookie), found, now);
        return found;
    };
    const std::string header = access.open_session(Role::look, true, start), looks = cookie_of(header);
    EXPECT_NE(header.find("; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"), std::string::npos) << header;
    EXPECT_EQ(header.find(token), std::string::npos);
    EXPECT_EQ(header.find(token_to_look), std::string::npos);
    const std::string operates = cookie_of(access.open_session(Role::operate, false, start));
    EXPECT_NE(looks, operates);
    EXPECT_EQ(visitor(looks, start).role, Role::look);
    EXPECT_EQ(visitor(operates, start).role, Role::operate);
    EXPECT_EQ(visitor("x" + operates, start).role, Role::none);
    const std::string session = visitor(operates, start).session;
    EXPECT_TRUE(access.is_open(session, start));
    EXPECT_NE(access.close_session(session, false).find("wall=; Path=/; Max-Age=0;"), std::string::npos);
    EXPECT_FALSE(access.is_open(session, start));
    EXPECT_EQ(visitor(operates, start).role, Role::none);
    EXPECT_EQ(visitor(looks, late).role, Role::none) << "it has been open for too long";
    for (int i = 0; i < 300; ++i)
        access.open_session(Role::operate, false, late);
    EXPECT_EQ(visitor(cookie_of(access.open_session(Role::look, false, late)), late).role, Role::look);
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
    Access access(token, token_to_look, "wall");
    Visitor visitor;
    int refused = 0;
    for (int i = 0; i < 100; ++i)
        refused += access.judge(with("Bearer " + std::to_string(i)), visitor) == Verdict::too_often;
    EXPECT_GE(refused, 70);
    EXPECT_EQ(access.judge(with("Bearer " + token), visitor), Verdict::good) << "who knows it is not kept out";
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

class CapturesFolder : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }
    static void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }
    static std::string read(const std::string &path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    const std::string folder = testing::TempDir() + "captures" + std::to_string(::getpid());
};

/// Others may write in that folder, too. What looks like a capture may be a link to any file that the server can read.
TEST_F(CapturesFolder, FollowsNoLinks) {
    const std::string secret = folder + "/secret", shot = folder + "/wall-20260102-030405-001.png";
    write(secret, "secret");
    std::filesystem::create_symlink(secret, shot);
    std::filesystem::create_directory(folder + "/wall-1.png");
    ASSERT_EQ(::mkfifo((folder + "/wall-2.png").c_str(), 0600), 0);
    Captures captures(folder);
    EXPECT_TRUE(captures.names().empty());
    for (const char *name : {"wall-20260102-030405-001.png", "wall-1.png", "wall-2.png"})
        EXPECT_EQ(captures.read(name), "") << name;
    errno = 0;
    EXPECT_FALSE(OwnFile::create(folder, "wall-20260102-030405-001.png"));
    EXPECT_EQ(errno, EEXIST) << "what is there is never written to";
    EXPECT_EQ(read(secret), "secret");
}

TEST_F(CapturesFolder, IsNotFilledWithoutEnd) {
    Captures captures(folder, 10);
    std::string name, error;
    OwnFile file = captures.create(".png", name, error);
    ASSERT_TRUE(file) << error;
    EXPECT_TRUE(file.append("0123456789"));
    EXPECT_EQ(captures.read(name), "0123456789");
    EXPECT_FALSE(captures.create(".png", name, error));
    EXPECT_NE(error.find("remove some"), std::string::npos) << error;
    Film film(captures, 1);
    EXPECT_FALSE(film.runs());
    EXPECT_EQ(film.error(), error);
    EXPECT_FALSE(Recording(captures, 1, 1).runs());
}

/// A link with the name of the new file was written through, and then took the wall file's place.
TEST_F(CapturesFolder, WallFilesAreReplacedNotWrittenThrough) {
    const std::string victim = folder + "/victim", file = folder + "/lab.toml", link = folder + "/link.toml";
    write(victim, "untouched");
    write(file, "old");
    std::filesystem::permissions(file, std::filesystem::perms(0640));
    std::filesystem::create_symlink(victim, file + ".new");
    std::filesystem::create_symlink(file, link);
    EXPECT_EQ(replace_file(link, "new"), "");
    EXPECT_EQ(read(victim), "untouched");
    EXPECT_EQ(read(file), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << "the user's own link stays";
    EXPECT_FALSE(std::filesystem::is_symlink(file));
    EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
    EXPECT_NE(replace_file(folder + "/none/lab.toml", "x"), "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 4) << "nothing is left lying about";
}

TEST(Stills, FactsAreChecked) {
    EXPECT_FALSE(facts_from({1, 2, 3}));
    EXPECT_FALSE(facts_from(std::vector<std::int64_t>(13, 1ll << 40)));
    EXPECT_TRUE(facts_from(std::vector<std::int64_t>(13, 7)));
}

TEST(Stills, WaitForTheLivingAlone) {
    std::vector<Stills::Work> elsewhere;
    Stills stills([&](Stills::Work work) { elsewhere.push_back(std::move(work)); });
    const auto as_it_is = [](std::span<const std::byte> rgb, int, int) {
        return std::string(reinterpret_cast<const char *>(rgb.data()), rgb.size());
    };
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
    const int request = stills.begin({0, 1, 2}, as_it_is, take);
    stills.add(0, tile(request, 0), png);
    stills.add(2, tile(request, 2), png);
    EXPECT_TRUE(elsewhere.empty());
    stills.lose(1);
    ASSERT_EQ(elsewhere.size(), 1u);
    EXPECT_EQ(times, 0) << "it is put together elsewhere";
    EXPECT_FALSE(stills.idle());
    elsewhere[0]()();
    EXPECT_EQ(times, 1);
    EXPECT_EQ(taken.coded, std::string("\xff\xff\xff\0\0\0\xff\xff\xff", 9));
    EXPECT_TRUE(stills.idle());
    const int late = stills.begin({0}, as_it_is, take);
    stills.add(0, tile(late, 0), png);
    stills.give_up_all("the run is over");
    EXPECT_EQ(std::tie(times, taken.error), std::tuple(2, "the run is over"));
    elsewhere[1]()();
    EXPECT_EQ(times, 2) << "nobody waits any more";
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
    const std::vector<std::byte> pixels(std::size_t{3} * 31 * 17);
    Still still{.coded = launcher::encode_jpeg(pixels, 31, 17), .width = 31, .height = 17, .frame = 5, .error = {}};
    EXPECT_EQ(film.add(still), 8);
    still.frame = 9;
    EXPECT_EQ(film.add(still), 12);
    still.width = 30;
    EXPECT_EQ(film.add(still), std::nullopt);
    EXPECT_FALSE(film.runs());
    EXPECT_NE(film.error(), "");
    EXPECT_EQ(film.frames(), 2u);
    {
        Film empty(captures, 1);
        EXPECT_EQ(captures.names().size(), 2u);
        empty.end();
    }
    EXPECT_EQ(captures.names(), std::vector{film.file()}) << "no frame, no film";
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
