// What stands between the network and the wall, without a network.
#include "access/access.h"
#include "agent/dashboard_reader.h"
#include "desk/input.h"
#include "desk/log.h"
#include "run/dashboard.h"
#include "show/programs.h"
#include "web/outgoing.h"
#include "web/seats.h"
#include "web/web.h"

#include <gtest/gtest.h>

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

const std::string token_to_look = "fedcba9876543210";

/// Of a header "NAME=VALUE; ...".
std::string cookie_of(const std::string &header) { return header.substr(0, header.find(';')); }

TEST(Access, TakesTokensByHeaderAndLinkButAsNoCookie) {
    Access access(token, token_to_look, Sessions());
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
    EXPECT_EQ(role(with("", Sessions().cookie_name() + "=" + token)), Role::none);
    EXPECT_EQ(role(with("Bearer " + token + "0")), Role::none);
    EXPECT_EQ(role(with("Bearer ")), Role::none);
    EXPECT_EQ(role(with("")), Role::none);
}

TEST(Access, SessionsEndByThemselvesAndByLoggingOut) {
    Access access(token, token_to_look, Sessions());
    const Access::Clock::time_point start = Access::Clock::now();
    const Access::Clock::time_point late = start + Access::longest_session + std::chrono::seconds(1);
    const auto visitor = [&](const std::string &cookie, Access::Clock::time_point now) {
        Visitor found;
        access.judge(with("", "a=b; " + cookie), found, now);
        return found;
    };
    const std::string header = access.open_session(Role::look, "", true, start), looks = cookie_of(header);
    EXPECT_NE(header.find("; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure"), std::string::npos) << header;
    EXPECT_EQ(header.find(token), std::string::npos);
    EXPECT_EQ(header.find(token_to_look), std::string::npos);
    const std::string operates = cookie_of(access.open_session(Role::operate, "", false, start));
    EXPECT_NE(looks, operates);
    EXPECT_EQ(visitor(looks, start).role, Role::look);
    EXPECT_EQ(visitor(operates, start).role, Role::operate);
    EXPECT_EQ(visitor("x" + operates, start).role, Role::none);
    const std::string session = visitor(operates, start).session;
    EXPECT_TRUE(access.is_open(session, start));
    EXPECT_NE(access.close_session(session, false).find("=; Path=/; Max-Age=0;"), std::string::npos);
    EXPECT_FALSE(access.is_open(session, start));
    EXPECT_EQ(visitor(operates, start).role, Role::none);
    EXPECT_EQ(visitor(looks, late).role, Role::none) << "it has been open for too long";
    // Those that may only look push out each other and no operator.
    const std::string operator_s = cookie_of(access.open_session(Role::operate, "", false, late));
    for (int i = 0; i < 300; ++i)
        access.open_session(Role::look, "", false, late);
    EXPECT_EQ(visitor(operator_s, late).role, Role::operate);
    // A browser that takes the link again has one session, not two.
    const std::string again = cookie_of(access.open_session(Role::operate, "a=b; " + operator_s, false, late));
    EXPECT_EQ(visitor(operator_s, late).role, Role::none);
    EXPECT_EQ(visitor(again, late).role, Role::operate);
}

TEST(Log, KeepsEarlierRunsAndHidesTokens) {
    Log log;
    log.begin_run();
    log.add(0, 1, "the first run\n");
    log.begin_run();
    log.add(0, 1, "see http://localhost:8080/?token=0123456789abcdef0123456789abcdef\n");
    log.add(1, 2, "no such scene\n");
    log.add(2, 2, "no such scene\n");
    log.add(-1, 2, "note: nothing to see\n");
    log.add(-1, Log::mark, "it ends\n");
    const auto lines = log.after(0);
    ASSERT_EQ(lines.size(), 6u);
    EXPECT_EQ(std::tuple(lines[0].run, lines[1].run), std::tuple(1, 2));
    EXPECT_EQ(lines[1].text, "see http://localhost:8080/?token=...");
    EXPECT_EQ(log.last_words(), std::vector<std::string>{"no such scene"}) << "once, without notes, of this run";
    log.begin_run();
    EXPECT_TRUE(log.last_words().empty());
}

TEST(Access, OtherOriginsGetNothing) {
    EXPECT_TRUE(same_origin("", "localhost:1"));
    EXPECT_TRUE(same_origin("http://localhost:1", "localhost:1"));
    EXPECT_FALSE(same_origin("http://localhost:2", "localhost:1"));
    EXPECT_FALSE(same_origin("http://localhost:1.evil", "localhost:1"));
    EXPECT_FALSE(same_origin("null", "localhost:1"));
    EXPECT_FALSE(same_origin("http://", ""));
}

/// A browser sends it to every port of the host, so that any page there can make a browser use it.
TEST(Access, ACookieAloneChangesNothing) {
    Access access(token, token_to_look, Sessions());
    const std::string cookie = cookie_of(access.open_session(Role::operate, "", false));
    for (const auto &[changes, origin, expected] :
         {std::tuple{true, "", Verdict::foreign}, std::tuple{false, "", Verdict::good},
          std::tuple{true, "http://localhost:1", Verdict::good}, std::tuple{true, "null", Verdict::foreign},
          std::tuple{true, "http://localhost:2", Verdict::foreign}}) {
        Visitor visitor;
        Caller page = with("", cookie);
        page.changes = changes;
        page.origin = origin;
        EXPECT_EQ(access.judge(page, visitor), expected) << origin;
        EXPECT_EQ(visitor.role, Role::operate);
    }
    Caller script = with("Bearer " + token);
    script.changes = true;
    Visitor visitor;
    EXPECT_EQ(access.judge(script, visitor), Verdict::good);
}

TEST(Access, GuessingIsSlow) {
    Access access(token, token_to_look, Sessions());
    Visitor visitor;
    int refused = 0;
    for (int i = 0; i < 100; ++i)
        refused += access.judge(with("Bearer " + std::to_string(i)), visitor) == Verdict::too_often;
    EXPECT_GE(refused, 70);
    EXPECT_EQ(access.judge(with("Bearer " + token), visitor), Verdict::good) << "who knows it is not kept out";
}

TEST(Access, WhoOnlyLooksUsesUpNoRequestsOfOperators) {
    Access access(token, token_to_look, Sessions());
    Visitor visitor;
    const auto now = Access::Clock::now();
    int refused = 0;
    for (int i = 0; i < 1000; ++i)
        refused += access.judge(with("Bearer " + token_to_look), visitor, now) == Verdict::too_often;
    EXPECT_EQ(refused, 600);
    EXPECT_EQ(access.judge(with("Bearer " + token), visitor, now), Verdict::good);
}

TEST(Bucket, FillsAgain) {
    Bucket bucket(2, 10);
    const auto start = Bucket::Clock::now();
    EXPECT_TRUE(bucket.spend(1, start));
    EXPECT_TRUE(bucket.spend(1, start));
    EXPECT_FALSE(bucket.spend(1, start));
    EXPECT_TRUE(bucket.spend(1, start + std::chrono::milliseconds(110)));
    EXPECT_FALSE(bucket.spend(2, start + std::chrono::milliseconds(210)));
    EXPECT_TRUE(bucket.spend(2, start + std::chrono::milliseconds(410)));
}

TEST(Seats, TheOldestThatHasNotProvedItselfGivesWay) {
    Seats seats({.all = 4, .of_address = 4, .all_sockets = 1, .sockets_of_address = 1});
    for (Seats::Guest guest = 1; guest <= 6; ++guest)
        EXPECT_TRUE(seats.come(guest, "a"));
    seats.prove(1, true);
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
        seats.prove(guest, true);
    EXPECT_TRUE(seats.come(18, "crowd"));
    seats.prove(18, true);
    EXPECT_FALSE(seats.come(19, "crowd")) << "all of its seats are taken";
    EXPECT_TRUE(seats.come(20, "other"));
    EXPECT_EQ(seats.give_way(30), (std::vector<Seats::Guest>{1, 2}));
    EXPECT_TRUE(seats.become_socket(13, true));
    EXPECT_TRUE(seats.become_socket(14, true));
    EXPECT_FALSE(seats.become_socket(15, true)) << "two sockets of an address";
    EXPECT_TRUE(seats.become_socket(20, true));
    EXPECT_FALSE(seats.become_socket(3, true)) << "three in all";
    seats.leave(13);
    EXPECT_TRUE(seats.become_socket(3, true)) << "one has gone";
}

/// All of them come from one address: that of a proxy, or of a laptop with many windows.
TEST(Seats, WhoOnlyLooksKeepsNoOperatorOut) {
    Seats seats({.all = 16, .of_address = 8, .all_sockets = 8, .sockets_of_address = 4});
    for (Seats::Guest guest = 1; guest <= 8; ++guest) {
        seats.come(guest, "a");
        seats.prove(guest, false);
    }
    EXPECT_EQ(seats.become_socket(1, false) + seats.become_socket(2, false) + seats.become_socket(3, false) +
                  seats.become_socket(4, false),
              3);
    ASSERT_TRUE(seats.come(9, "a"));
    seats.prove(9, true);
    EXPECT_EQ(seats.give_way(20), std::vector<Seats::Guest>{7}) << "six who look keep their seats";
    EXPECT_TRUE(seats.become_socket(9, true));
    ASSERT_TRUE(seats.come(10, "a"));
    seats.prove(10, false);
    EXPECT_FALSE(seats.become_socket(10, false));
}

Outgoing::Bytes bytes(const char *text) { return std::make_shared<const std::string>(text); }

TEST(Outgoing, TextsComeFirstAndPicturesTakeTurns) {
    const Outgoing::Clock::time_point now{};
    Outgoing outgoing;
    EXPECT_TRUE(outgoing.empty());
    EXPECT_EQ(outgoing.pop(now).bytes, nullptr);
    outgoing.put_picture(7, bytes("old"), now);
    outgoing.put_picture(9, bytes("other"), now);
    outgoing.put_picture(7, bytes("new"), now);
    outgoing.put_text(bytes("one"));
    outgoing.put_text(bytes("two"));
    std::string sent;
    for (int i = 0; i < 3; ++i) {
        const Outgoing::Message message = outgoing.pop(now);
        sent += *message.bytes + (message.text ? ", " : "; ");
    }
    EXPECT_EQ(sent, "one, two, new; ");
    outgoing.put_picture(7, bytes("newer"), now);
    EXPECT_EQ(*outgoing.pop(now).bytes, "other") << "7 has had its turn";
    EXPECT_EQ(*outgoing.pop(now).bytes, "newer");
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
    outgoing.pop(start + std::chrono::seconds(12));
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
    // It is copied and written again and again, and each level takes stack.
    const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
    EXPECT_TRUE(read_menu(R"({"by":"tile","x":1,"y":2,"menu":1,"entries":[],"more":)" + deep + "}").is_null());
    std::string menus = R"({"menu":9,"entries":[]})";
    for (int level = 0; level < 8; ++level)
        menus = R"({"by":"tile","x":1,"y":2,"menu":1,"entries":[{"label":"a","submenu":)" + menus + "}]}";
    EXPECT_FALSE(read_menu(menus).is_null()) << "menus of menus are none too deep";
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

/// The library's own tables call such letters unreachable code.
TEST(Apps, LettersOutsideOfTextsAreMistakes) {
    for (const char *text : {"[[app]]\nname = \"a\"\u019f{\n", "\u00e9 = 1\n", "[[app]]\n\u2003name = 1\n"})
        EXPECT_FALSE(parse_apps(text, "apps.toml").errors.empty()) << text;
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

TEST(Apps, MayHaveOptionsOfTheirOwn) {
    const std::string app = "[[app]]\nname='a'\ncommand='a'\n";
    const Apps good = parse_apps(app + "options=['--threads', 'ordered', '--beside', 'openbox']", "f");
    ASSERT_TRUE(good.errors.empty()) << good.errors.front();
    EXPECT_EQ(good.apps.at(0).options, (std::vector<std::string>{"--threads", "ordered", "--beside", "openbox"}));
    EXPECT_TRUE(parse_apps(app + "options=[]", "f").errors.empty());
    const std::string rejoining = app + "on_death='rejoin'\nclock='step:60'\noptions=['--rejoin-log', '9']";
    EXPECT_TRUE(parse_apps(rejoining, "f").errors.empty());
    struct {
        const char *options, *error;
    } const wrong[] = {{"3", "options: expected a list of texts"},
                       {"['--nonsense']", "f:4: options: unknown option --nonsense"},
                       {"['--threads']", "options: --threads: expected"},
                       {"['--clock', 'wall']", "options: --clock: given twice"},
                       {"['--wall', '1x1']", "options: --wall: given twice"},
                       {"['--control', '8080']", "options: --control: the page is there already"},
                       {"['--rejoin-log', '9']", "options: --rejoin-log: expected --on-death rejoin"},
                       {"['--headless']", "options: --headless: expected at walld"},
                       {"['--beside']", "options: "},
                       {"['--']", "options: expected options and their values alone"},
                       {"['ordered']", "options: expected options and their values alone"}};
    for (const auto &[options, error] : wrong) {
        const auto errors = parse_apps(app + "options=" + options, "f").errors;
        ASSERT_EQ(errors.size(), 1u) << options;
        EXPECT_NE(errors[0].find(error), std::string::npos) << errors[0];
    }
}

TEST(Boards, TellWhoIsStoppedFromWhoWaits) {
    constexpr std::int64_t second = 1'000'000'000;
    int fd = -1;
    Dashboard *one = make_dashboard(0, fd);
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

/// A program that has run wild writes all over the dashboard. Its agent goes on, and looks no further than the memory
/// goes.
TEST(Boards, ThatAreFullOfNonsenseAreNoTrouble) {
    launcher::Loop loop;
    constexpr std::size_t room = 300;
    int pictures = 0, figures = 0;
    std::string still = "none";
    launcher::DashboardReader watch(loop, room,
                                    {[&](const launcher::Figures &) { ++figures; },
                                     [&](const launcher::PictureOfTile &picture) {
                                         ++pictures;
                                         still = picture.bytes;
                                     },
                                     [] { return false; }, [](const std::string &) {}, [](const std::string &) {}});
    ASSERT_TRUE(watch.good());
    EXPECT_NE(::ftruncate(watch.fd(), 0), 0) << "nobody makes it smaller";
    Dashboard *const program = map_dashboard(watch.fd());
    ASSERT_TRUE(program);
    for (const int byte : {0x00, 0x7f, 0x80, 0xff, 0x5a}) {
        auto *const bytes = reinterpret_cast<unsigned char *>(program);
        std::fill(bytes + sizeof program->magic, bytes + sizeof(Dashboard), static_cast<unsigned char>(byte));
        program->still.facts = {.columns = 100'000, .rows = 100'000, .request = 7};
        program->still.state = PictureSlot::filled;
        program->live[0].facts = {.columns = -1, .rows = 1};
        program->live[0].state = PictureSlot::filled;
        loop.after(std::chrono::milliseconds(300), [&] { loop.stop(); });
        loop.run();
    }
    EXPECT_GE(figures, 5);
    EXPECT_EQ(pictures, 5) << "the screenshots alone are answered";
    EXPECT_EQ(still, "") << "by no picture";
    unmap(program, room);
}

} // namespace
