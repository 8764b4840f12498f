// Real input: what hands do at the windows of different tiles reaches every rank once, in one order.
#include "event_log.h"

#include <algorithm>
#include <fstream>

namespace wall_test {
namespace {

class Input : public EventLog {
  protected:
    void end_with_q(int x, int y) {
        hand_.move(x, y);
        hand_.type("q");
    }

    /// Every rank said the same, passive motion and all; what rank 0 said, without that.
    std::vector<std::string> common_log() {
        const auto all = finish();
        for (std::size_t rank = 1; rank < all.size(); ++rank)
            EXPECT_EQ(all[rank], all[0]) << "rank " << rank;
        return without(without(all[0], "move"), "ready");
    }
};

// The four windows stand side by side on the screen as the tiles on the wall, so that screen and wall have the same
// coordinates, and a drag goes from one window into the next.
TEST_F(Input, KeysClicksAndDragsOnFourTiles) {
    start("2x2", {}, {});
    ASSERT_FALSE(HasFatalFailure());
    hand_.move(50, 40);
    hand_.click(1);
    expect_everywhere("button 0 up at 50 40 with 0");
    hand_.move(300, 220);
    hand_.type("a");
    expect_everywhere("key 97 up at 300 220");
    hand_.move(310, 60);
    hand_.key("Shift_L", true);
    hand_.type("b");
    hand_.key("Shift_L", false);
    expect_everywhere("key 66 up at 310 60");
    hand_.type("F3");
    expect_everywhere("special 3 up at 310 60");
    hand_.move(100, 100);
    hand_.press(1);
    expect_everywhere("button 0 down at 100 100 with 0");
    for (const auto &[x, y] : {std::pair{150, 120}, {260, 140}, {350, 250}}) {
        hand_.move(x, y);
        expect_everywhere("drag to " + std::to_string(x) + " " + std::to_string(y));
    }
    hand_.release(1);
    expect_everywhere("button 0 up at 350 250 with 0");
    hand_.move(40, 250);
    hand_.click(4);
    expect_everywhere("wheel 0 1 at 40 250");
    end_with_q(210, 160);

    const std::vector<std::string> said = common_log();
    std::vector<std::string> presses;
    for (const std::string &line : said)
        if (line.rfind("special 112", 0) != 0 &&
            line.rfind("special 113", 0) != 0) // Shift by itself, where FreeGLUT tells
            presses.push_back(line);
    const std::vector<std::string> expected = {"button 0 down at 50 40 with 0",
                                               "button 0 up at 50 40 with 0",
                                               "key 97 at 300 220 with 0",
                                               "key 97 up at 300 220",
                                               "key 66 at 310 60 with 1",
                                               "key 66 up at 310 60",
                                               "special 3 at 310 60 with 0",
                                               "special 3 up at 310 60",
                                               "button 0 down at 100 100 with 0",
                                               "drag to 150 120",
                                               "drag to 260 140",
                                               "drag to 350 250",
                                               "button 0 up at 350 250 with 0",
                                               "wheel 0 1 at 40 250",
                                               "key 113 at 210 160 with 0"};
    EXPECT_EQ(presses, expected);
}

// Panels of window managers are above windows that they look after. Who is left alone by them is not given the keyboard.
TEST_F(Input, ComesToTilesThatCoverTheirScreens) {
    hand_.give_keyboard_away();
    start("walls/full_screen.toml", {}, {});
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_EQ(hand_.windows_left_alone(400, 300), 2);
    hand_.move(50, 40);
    expect_everywhere("move to 50 40");
    hand_.type("a");
    expect_everywhere("key 97 up at 50 40");
    hand_.give_keyboard_away();
    hand_.click(1);
    expect_everywhere("button 0 up at 50 40 with 0");
    hand_.type("b");
    expect_everywhere("key 98 up at 50 40");
    hand_.move(450, 40);
    expect_everywhere("move to 450 40");
    hand_.type("q");
    common_log();
}

/// A main loop of the program, which sleeps until the X server has something for it: on every tile.
class InputWait : public Input, public testing::WithParamInterface<const char *> {};

TEST_P(InputWait, EndsOnAllRanksWithWhatComesToAnyTile) {
    start("2x1", {}, {std::string("wait=") + GetParam()});
    ASSERT_FALSE(HasFatalFailure());
    hand_.move(300, 100); // the tile that is not rank 0's
    hand_.press(1);
    expect_everywhere("button 0 down at 300 100");
    hand_.release(1);
    expect_everywhere("button 0 up at 300 100");
    end_with_q(310, 120);
    const std::vector<std::string> said = common_log();
    for (const char *line : {"pointer at 300 100 with 256", "pointer at 300 100 with 0"})
        EXPECT_EQ(std::count(said.begin(), said.end(), line), 1) << line;
    EXPECT_EQ(std::count(said.begin(), said.end(), "translated to 301 202"), 2);
}

INSTANTIATE_TEST_SUITE_P(, InputWait,
                         testing::Values("select", "pselect", "poll", "ppoll", "epoll_wait", "epoll_pwait"),
                         [](const auto &param) { return std::string(param.param); });

class InputMenu : public Input {
  protected:
    void choose_first();
};

void InputMenu::choose_first() {
    hand_.move(250, 60); // the upper right tile
    hand_.click(3);
    expect_everywhere("menu opened");
    hand_.move(265, 70); // the first entry, below and right of where the menu opened
    hand_.click(1);
    expect_everywhere("menu closed");
    expect_everywhere("menu 11");
    end_with_q(60, 200);
    const std::vector<std::string> said = common_log();
    EXPECT_EQ(std::count(said.begin(), said.end(), "menu opened"), 1);
    EXPECT_EQ(std::count(said.begin(), said.end(), "menu 11"), 1);
    EXPECT_EQ(std::count(said.begin(), said.end(), "menu closed"), 1);
}

TEST_F(InputMenu, OnATile) {
    start("2x2", {}, {"menu"});
    ASSERT_FALSE(HasFatalFailure());
    choose_first();
}

// One tile's menu is open before the program knows of it.
TEST_F(InputMenu, ChangedWhileItOpens) {
    start("2x1", {}, {"menu", "relabel"});
    ASSERT_FALSE(HasFatalFailure());
    choose_first();
}

TEST_F(Input, SecondWindowOnFourTiles) {
    start("2x2", {}, {"second"});
    ASSERT_FALSE(HasFatalFailure());
    hand_.move(450 + 150, 40 + 100); // its lower right tile, outside the first window
    hand_.click(1);
    expect_everywhere("second button 0 up at 150 100 with 0");
    hand_.move(450 + 20, 40 + 30);
    hand_.press(1);
    expect_everywhere("second button 0 down at 20 30 with 0");
    hand_.move(450 + 180, 40 + 140);
    expect_everywhere("second drag to 180 140");
    hand_.release(1);
    expect_everywhere("second button 0 up at 180 140 with 0");
    hand_.move(300, 220);
    hand_.type("a");
    expect_everywhere("key 97 up at 300 220");
    end_with_q(450 + 10, 40 + 140);
    const std::vector<std::string> said = common_log();
    EXPECT_EQ(said.back(), "second key 113 at 10 140 with 0");
    // In FreeGLUT's order, each once; and no window is in another's way.
    std::vector<std::string> starts;
    for (const std::string &line : said)
        for (const char *start : {"second at", "second has", "seen", "second seen", "unseen", "second unseen"})
            if (line.rfind(start, 0) == 0)
                starts.push_back(line);
    std::erase(starts, "seen"); // the first window's; these two come by themselves
    const std::vector<std::string> expected = {"second at 450 40", "second has 203 151", "second seen"};
    EXPECT_EQ(starts, expected);
}

TEST(Warnings, OfFreeGLUTAreHeard) {
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless", "--frames", "1"}, support_path("event_log"), {"wrong"}),
            wall_environment(), longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    for (const char *warning : {"unable to parse game mode string `no mode'", "glutFullScreen called on a child"})
        EXPECT_NE(finished.errors.find(warning), std::string::npos) << finished.errors;
}

// From tile to tile the pointer stays in the window.
TEST_F(Input, PointerComesAndGoesOnce) {
    hand_.move(700, 500);
    start("2x2", {}, {"entry"});
    ASSERT_FALSE(HasFatalFailure());
    for (const auto &[x, y] : {std::pair{100, 100}, {300, 100}, {300, 250}, {100, 250}, {100, 101}}) {
        hand_.move(x, y);
        expect_everywhere("move to " + std::to_string(x) + " " + std::to_string(y));
    }
    hand_.move(700, 500);
    expect_everywhere("left");
    end_with_q(300, 250);
    const std::vector<std::string> expected = {"entered", "left", "entered", "key 113 at 300 250 with 0"};
    EXPECT_EQ(common_log(), expected);
}

// The program warps the pointer to the middle of the wall, where the pointer cannot go: motion goes on from there.
class InputLook : public Input {
  protected:
    void look_around(int middle_x, int middle_y);
};

// The middle is that of the tile that the pointer is on.
void InputLook::look_around(int middle_x, int middle_y) {
    hand_.move(101, 100);
    expect_everywhere("turn -100 -50");
    for (const auto &[x, y] : {std::pair{7, 3}, {-20, 11}, {60, -40}, {60, 40}}) {
        ASSERT_TRUE(process_->wait_until([&] { return hand_.is_at(middle_x, middle_y); }, longest_run));
        hand_.move_by(x, y);
        expect_everywhere("turn " + std::to_string(x) + " " + std::to_string(y));
    }
    hand_.type("q");
    common_log();
}

TEST_F(InputLook, FromBehindABezel) {
    start("2x2@200x150+3+1", {}, {"look"});
    ASSERT_FALSE(HasFatalFailure());
    look_around(100, 75);
}

TEST_F(InputLook, FromAnotherDisplay) {
    const Xvfb other(640, 480);
    const std::string file = scratch_folder() + "/two_displays.toml";
    std::ofstream(file) << "[grid]\ncolumns = 2\nrows = 1\ntile = [201, 301]\n"
                        << "display = [\"" << server_.display() << "\", \"" << other.display() << "\"]\n";
    start(file, {}, {"look"});
    ASSERT_FALSE(HasFatalFailure());
    look_around(100, 150);
}

// The same corner of each monitor's own window is another corner of the tile, as the monitor is turned.
TEST_F(Input, ClicksOnTurnedTiles) {
    start("walls/rotated.toml", {}, {});
    ASSERT_FALSE(HasFatalFailure());
    pixmpi::Rect screen;
    const std::vector<pixmpi::Rect> windows = pixmpi::arrange_on_screen(wall_.tiles, screen);
    std::vector<std::string> expected;
    for (const pixmpi::Tile &tile : wall_.tiles) {
        const auto rank = static_cast<std::size_t>(tile.rank);
        constexpr int right = 11, down = 27;
        const pixmpi::Rect &r = tile.rect;
        // Turned clockwise by a quarter, the monitor's top edge is on the right; by a half, at the bottom.
        const std::pair<int, int> at[] = {{r.x + right, r.y + down},
                                          {r.right() - 1 - down, r.y + right},
                                          {r.right() - 1 - right, r.bottom() - 1 - down},
                                          {r.x + down, r.bottom() - 1 - right}};
        const auto &[x, y] = at[tile.rotation / 90];
        const std::string place = "at " + std::to_string(x) + " " + std::to_string(y) + " with 0";
        expected.push_back("button 0 down " + place);
        expected.push_back("button 0 up " + place);
        hand_.move(windows[rank].x + right, windows[rank].y + down);
        hand_.click(1);
        expect_everywhere(expected.back());
    }
    hand_.type("q");
    std::vector<std::string> said = common_log();
    ASSERT_FALSE(said.empty());
    said.pop_back(); // the q
    EXPECT_EQ(said, expected);
}

} // namespace
} // namespace wall_test
