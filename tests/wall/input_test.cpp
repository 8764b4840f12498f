// Real input: what hands do at the windows of different tiles reaches every rank once, in one order.
#include "event_log.h"

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

TEST_F(Input, MenuOnATile) {
    start("2x2", {}, {"menu"});
    ASSERT_FALSE(HasFatalFailure());
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
