// Programs of X11 that draw with OpenGL and bring no GLUT, however they come by its functions: four tiles show what one
// window shows, and the program reads the same pixels.
#include "event_log.h"
#include "picture_compare.h"
#include "processes.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace wall_test {
namespace {

struct GlWall {
    const char *name;
    const char *spec; ///< for --wall
    const char *toml; ///< the same
    bool behind = false, shares = false;
};

constexpr GlWall gl_walls[] = {
    {"cut", "2x2", "[grid]\ncolumns = 2\nrows = 2\n"},
    {"sized", "2x2@230x151", "[grid]\ncolumns = 2\nrows = 2\ntile = [230, 151]\n"},
    {"bezels", "2x2@200x120+7+5", "[grid]\ncolumns = 2\nrows = 2\ntile = [200, 120]\nbezel = [7, 5]\n", true},
};

std::string path_of(const std::string &program) { return std::string(X11_PROGRAMS) + "/" + program; }

/// One window on a plain X server.
bool plain(const std::string &program, const std::string &file, const std::string &way, Picture &picture,
           std::string &error) {
    const Xvfb server(640, 480);
    const Finished finished = run({path_of(program), file, way},
                                  {{"LP_NUM_THREADS", "0"}, {"DISPLAY", server.display()}}, longest_run);
    error = finished.errors;
    return finished.status == 0 && read_ppm(file, picture);
}

/// The window in the corner of the wall, which is black elsewhere.
Picture on_wall(const Picture &window, const pixmpi::Wall &wall) {
    Picture all(wall.width, wall.height);
    mpiglut::paste(all, window, 0, 0);
    return all;
}

/// A program, and its way if it has several.
struct GlProgram {
    const char *name;
    const char *way = "";
};

class X11Gl : public testing::TestWithParam<std::tuple<GlProgram, GlWall>> {};

TEST_P(X11Gl, EqualsOneWindow) {
    const auto &[program, shape] = GetParam();
    const std::string file = scratch_folder() + "/x11_" + program.name + program.way + "_" + shape.name;
    std::filesystem::remove(file + ".png");
    Picture window, captured, own;
    std::string error;
    ASSERT_TRUE(plain(program.name, file + "_plain.ppm", program.way, window, error)) << error;
    std::vector<std::string> options{"--wall",    shape.spec,    "--headless", "--system",
                                     "x11",       "--clock",     "step:60",    "--capture",
                                     file + ".png"};
    if (shape.behind)
        options.insert(options.end(), {"--behind", "draw"});
    if (shape.shares)
        options.push_back("--balance");
    const Finished finished = run(wall_command(options, path_of(program.name), {file + "_wall.ppm", program.way}),
                                  wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    ASSERT_TRUE(read_png(file + ".png", captured, error)) << error << finished.errors;
    pixmpi::WallResult parsed = pixmpi::parse_wall(shape.toml, "wall");
    ASSERT_TRUE(parsed.wall);
    const pixmpi::Wall wall = parsed.wall->cut(window.width, window.height);
    const Difference shown = compare(on_wall(window, wall), captured, wall);
    EXPECT_TRUE(shown.acceptable()) << shown.text();
    ASSERT_TRUE(read_ppm(file + "_wall.ppm", own)) << finished.errors;
    const auto one = pixmpi::parse_wall("[grid]\ncolumns = 1\nrows = 1\n", "one window").wall;
    const Difference read = compare(window, own, one->cut(window.width, window.height));
    EXPECT_TRUE(read.acceptable()) << "what the program read: " << read.text();
}

/// A tile over four others shows what these show. In a window of one size a frame is the same in both.
TEST(X11Capture, HasEachTileOfSeveralFrames) {
    const std::string file = scratch_folder() + "/x11_tiles", toml = file + ".toml";
    std::ofstream wall(toml);
    for (const auto &[rank, x, y, width, height] :
         {std::tuple(0, 0, 0, 230, 151), {1, 230, 0, 230, 151}, {2, 0, 151, 230, 151}, {3, 230, 151, 230, 151},
          {4, 0, 0, 460, 302}})
        wall << "[[tile]]\nname = \"" << rank << "\"\nrank = " << rank << "\nposition = [" << x << ", " << y
             << "]\nsize = [" << width << ", " << height << "]\n";
    wall.close();
    std::vector<std::string> options{"--wall", toml, "--headless", "--clock", "step:60", "--capture-tiles"};
    std::vector<std::string> parts{".png", ".tile0.png", ".tile3.png", ".tile4.png"};
    for (const char *frame : {"2", "4", "last"}) {
        for (const std::string &part : parts)
            std::filesystem::remove(file + frame + part);
        const std::string at = frame[1] ? "" : std::string("@") + frame;
        options.insert(options.end(), {"--capture", file + frame + ".png" + at});
    }
    const Finished finished = run(wall_command(options, path_of("glx_linked")), wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    Picture before(1, 1);
    for (const char *frame : {"2", "4", "last"}) {
        std::vector<Picture> pictures(parts.size());
        std::string error;
        for (std::size_t i = 0; i < parts.size(); ++i)
            ASSERT_TRUE(read_png(file + frame + parts[i], pictures[i], error)) << error << finished.errors;
        EXPECT_EQ(pictures[1].width, 230);
        Picture corner(230, 151), end(230, 151);
        mpiglut::paste(corner, pictures[0], 0, 0);
        mpiglut::paste(end, pictures[0], -230, -151);
        EXPECT_EQ(corner.rgb, pictures[1].rgb) << frame;
        EXPECT_EQ(end.rgb, pictures[2].rgb) << frame;
        const auto one = pixmpi::parse_wall("[grid]\ncolumns = 1\nrows = 1\n", "one window").wall;
        const Difference shown = compare(pictures[3], pictures[0], one->cut(460, 302));
        EXPECT_TRUE(shown.acceptable()) << frame << ": " << shown.text();
        EXPECT_NE(pictures[0].rgb, before.rgb) << frame << " is another frame than the one before";
        before = pictures[0];
    }
}

std::string name_of(const testing::TestParamInfo<X11Gl::ParamType> &one) {
    const auto &[program, shape] = one.param;
    return std::string(program.name) + "_" + (*program.way ? program.way : shape.name);
}

INSTANTIATE_TEST_SUITE_P(All, X11Gl,
                         testing::Combine(testing::Values(GlProgram{"glx_linked"}, GlProgram{"glx_loaded"},
                                                          GlProgram{"egl_xcb"}),
                                          testing::ValuesIn(gl_walls)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Shared, X11Gl,
                         testing::Combine(testing::Values(GlProgram{"egl_xcb"}),
                                          testing::Values(GlWall{"shared", "2x2", gl_walls[0].toml, false, true})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Ways, X11Gl,
                         testing::Combine(testing::Values(GlProgram{"egl_xcb", "reader"},
                                                          GlProgram{"glx_linked", "again"}),
                                          testing::Values(gl_walls[0])),
                         name_of);

class X11Errors : public testing::TestWithParam<const char *> {};

TEST_P(X11Errors, AreThoseOfAPlainServer) {
    const Xvfb server(640, 480);
    const Finished alone = run({path_of("gl_errors"), GetParam()},
                               {{"LP_NUM_THREADS", "0"}, {"DISPLAY", server.display()}}, longest_run);
    ASSERT_EQ(alone.status, 0) << alone.errors;
    const Finished finished = run(wall_command({"--wall", "2x1@100x80", "--headless", "--output", "all"},
                                               path_of("gl_errors"), {GetParam()}),
                                  wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    for (const char *tile : {"(0,0)", "(1,0)"}) {
        std::string told;
        for (const std::string &line : lines_of_tile(finished.output, tile))
            told += line + "\n";
        EXPECT_EQ(told, alone.output) << tile << finished.errors;
    }
}

INSTANTIATE_TEST_SUITE_P(All, X11Errors, testing::Values("glx", "egl"),
                         [](const auto &way) { return std::string(way.param); });

/// MPI, drivers and the wall allocate as each rank needs it. A program that sorts by address does so alike.
TEST(X11Memory, LiesAtTheSamePlaces) {
    if (is_sanitized)
        GTEST_SKIP() << "skipped: memory is the sanitizer's";
    const Finished finished =
        run(wall_command({"--wall", "2x2@200x150", "--headless", "--output", "all"}, path_of("glx_input"), {"memory"}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const std::vector<std::string> told = lines_of_tile(finished.output, "(0,0)");
    EXPECT_EQ(told.size(), 22u);
    for (const char *tile : {"(1,0)", "(0,1)", "(1,1)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), told) << tile;
}

/// Qt draws by EGL, as the wall's server has no GLX, and its programs still use GLEW.
TEST(X11Egl, HasADisplayForGlxToo) {
    const Finished finished = run(
        wall_command({"--wall", "2x1@100x80", "--headless", "--output", "all"}, path_of("gl_errors"), {"glew"}),
        wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    const std::vector<std::string> told{"before: no display", "current: the display", "released: no display", "done"};
    for (const char *tile : {"(0,0)", "(1,0)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), told) << tile << finished.errors;
}

class X11GlThreads : public testing::TestWithParam<const char *> {};

/// In which order the threads draw is another thing in each run, and the same on all ranks.
TEST_P(X11GlThreads, InOrderReadWhatOneWindowHas) {
    const Xvfb server(640, 480);
    const Finished alone = run({path_of("gl_threads"), GetParam(), "apart"},
                               {{"LP_NUM_THREADS", "0"}, {"DISPLAY", server.display()}}, longest_run);
    ASSERT_EQ(alone.status, 0) << alone.errors;
    std::vector<std::string> expected;
    const auto without_time = [](const std::string &line) { return line.substr(0, line.find(" at ")); };
    std::istringstream lines(alone.output);
    for (std::string line; std::getline(lines, line);)
        expected.push_back(without_time(line));
    ASSERT_EQ(expected.size(), 25u);
    std::ranges::sort(expected);
    const Finished finished =
        run(wall_command({"--wall", "2x2@130x40", "--headless", "--output", "all", "--threads", "ordered"},
                         path_of("gl_threads"), {GetParam()}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("mpiglutrun: rank"), std::string::npos) << finished.errors;
    std::vector<std::string> first = lines_of_tile(finished.output, "(0,0)");
    for (const char *tile : {"(1,0)", "(0,1)", "(1,1)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), first) << tile << finished.errors;
    std::ranges::transform(first, first.begin(), without_time);
    std::ranges::sort(first);
    EXPECT_EQ(first, expected) << finished.errors;
}

INSTANTIATE_TEST_SUITE_P(All, X11GlThreads, testing::Values("windows", "turns"),
                         [](const auto &way) { return std::string(way.param); });

struct Copies {
    const char *what;
    std::vector<std::string> told;              ///< by each rank
    std::vector<std::string> told_without_srgb; ///< if it differs where the tiles have no format of sRGB
};

/// A surface that stores colours as sRGB is refused where no format does.
Copies refused_copies() {
    Copies copies{"refused",
                  {"a negative size: refused 0x300c", "an unknown attribute: refused 0x3004",
                   "unknown colours: refused 0x3004", "an unknown texture: refused 0x3004",
                   "an unknown target: refused 0x3004", "no format: refused 0x3005",
                   "an unknown attribute of a pixmap: refused 0x3004", "a window as a pixmap: refused 0x300a",
                   "no format of a pixmap: refused 0x3005", "a pixmap of a platform: done 0x3000",
                   "its colours: 0x3089", "a pixmap as a texture: refused 0x300d",
                   "a window's surface: done 0x3000"},
                  {}};
    copies.told_without_srgb = copies.told;
    std::ranges::replace(copies.told_without_srgb, "a pixmap of a platform: done 0x3000",
                         "a pixmap of a platform: refused 0x3009");
    std::ranges::replace(copies.told_without_srgb, "its colours: 0x3089", "its colours: 0x0");
    return copies;
}

class X11Copies : public testing::TestWithParam<Copies> {};

TEST_P(X11Copies, HaveTheWholeWindow) {
    const Finished finished = run(wall_command({"--wall", "2x1@100x80", "--headless", "--output", "all"},
                                               path_of("gl_copies"), {GetParam().what}),
                                  wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    for (const char *tile : {"(0,0)", "(1,0)"}) {
        std::vector<std::string> told = lines_of_tile(finished.output, tile);
        const bool lacks_srgb = std::erase(told, "formats of sRGB: no") == 1;
        ASSERT_TRUE(lacks_srgb || std::erase(told, "formats of sRGB: yes") == 1) << finished.output;
        const bool differs = lacks_srgb && !GetParam().told_without_srgb.empty();
        EXPECT_EQ(told, differs ? GetParam().told_without_srgb : GetParam().told) << tile << finished.errors;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, X11Copies,
    testing::Values(
        Copies{"texture",
               {"a format without a target: refused 0x3009", "a window's surface: done 0x3000",
                "the largest pbuffer is as large as the driver says", "the largest texture has its shape",
                "a pbuffer for 0x305e of 0x305f",
                "a window as a texture: refused 0x300d", "a pbuffer as a texture: done 0x3000",
                "its texture: 000000 ff0000 00ff00 ffff00",
                "drawn to meanwhile: 0000ff ff00ff 00ffff ffffff", "no more a texture: done 0x3000",
                "again one: done 0x3000", "another texture: 0000ff ff00ff 00ffff ffffff",
                "beside one that is gone: 0000ff ff00ff 00ffff ffffff", "the end of a texture: done 0x3000",
                "read from the back buffer: 000000 ff0000 00ff00 ffff00", "twice a texture: refused 0x3002",
                "OpenGL: 0x0", "the end of a context: done 0x3000"}, {}},
        Copies{"copy",
               {"a window's surface: done 0x3000", "a copy: done 0x3000", "the copy: 00ff00 ffff00 000000 ff0000",
                "a copy: done 0x3000", "of the back buffer: 00ffff ffffff 0000ff ff00ff",
                "to a bitmap: refused 0x3009", "to nothing: refused 0x300a",
                "of a window that is gone: refused 0x300b"}, {}},
        Copies{"pixmap",
               {"a window's surface: done 0x3000", "drawn to 0x3085", "not drawn yet: done 0x3000",
                "the pixmap: 000000 000000 000000 000000", "drawn: done 0x3000", "the pixmap: 00ff00 ffff00 000000 ff0000"}, {}},
        Copies{"glx",
               {"after glXWaitGL: 00ff00 ffff00 000000 ff0000", "after glFinish: 00ffff ffffff 0000ff ff00ff",
                "after another drawable: 00ff66 ffff66 000066 ff0066"}, {}},
        Copies{"colours",
               {"a window's surface: done 0x3000", "sRGB: 000095 ff0095 00ff95 ffff95",
                "a window's surface: done 0x3000", "linear: 00004c ff004c 00ff4c ffff4c",
                "a window's surface: done 0x3000", "sRGB: 000095 ff0095 00ff95 ffff95",
                "a window's surface: done 0x3000", "sRGB after another: 000095 ff0095 00ff95 ffff95",
                "a window's surface: done 0x3000", "sRGB after another: 000095 ff0095 00ff95 ffff95",
                "a window's surface: done 0x3000", "linear after another: 00004c ff004c 00ff4c ffff4c"},
               {"a window's surface: refused 0x3009", "a window's surface: done 0x3000",
                "linear: 00004c ff004c 00ff4c ffff4c", "a window's surface: refused 0x3009",
                "a window's surface: refused 0x3009", "a window's surface: refused 0x3009",
                "a window's surface: done 0x3000", "linear after another: 00004c ff004c 00ff4c ffff4c"}},
        Copies{"es",
               {"a window's surface: done 0x3000", "of several samples: 000000 ff0000 00ff00 ffff00",
                "by one of several boxes: 0000ff ff00ff 00ffff ffffff", "a viewport is within bounds", "OpenGL: 0x0",
                "by indices: 00ffff 00ffff 00ffff 00ffff", "OpenGL: 0x0"}, {}},
        refused_copies()),
    [](const auto &one) { return std::string(one.param.what); });

TEST(X11Input, ComesFromTilesByTheWallsServer) {
    const std::vector<std::string> options{"--wall", "2x2@200x150", "--headless", "--system", "x11", "--output", "all",
                                           "--clock", "wall", "--replay", source_path("input/x11_input.jsonl")};
    const Finished finished = run(wall_command(options, path_of("glx_input")), wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const std::vector<std::string> told{"key a at 30 40",         "key Shift_L at 220 40",
                                        "key B at 220 40",        "key Up at 31 180",
                                        "key c at 32 43", // of a tile that shows something else there
                                        "button 1 down at 250 170",
                                        "button 1 up at 251 171", "button 4 down at 252 172",
                                        "button 4 up at 252 172", "key Escape at 252 172", "done"};
    for (const char *tile : {"(0,0)", "(1,0)", "(0,1)", "(1,1)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), told) << tile << finished.errors;
}

TEST(X11Input, ComesThoughAnotherWindowHadTheKeyboard) {
    const Xvfb server(1280, 1024);
    Hand hand(server.display());
    ASSERT_TRUE(hand.ready()) << "no X server with XTEST";
    hand.give_keyboard_away();
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(wall_command({"--wall", "2x1@400x150", "--system", "x11", "--output", "all", "--clock", "wall"},
                                 path_of("glx_input")),
                    environment);
    const auto hears = [&](int x, const char *key) {
        return process.wait_until(
            [&] {
                hand.move(x, 50);
                hand.type(key);
                return process.output_so_far().find(std::string("key ") + key + " at ") != std::string::npos;
            },
            longest_run);
    };
    EXPECT_TRUE(hears(50, "a"));
    hand.give_keyboard_away();
    hand.move(700, 50);
    hand.move(50, 50);
    EXPECT_TRUE(hears(50, "b"));
    hand.type("Escape");
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, 0) << finished.errors;
}

/// No frame ends meanwhile, and the program waits for no event. A replay gives one after the other where nothing
/// happens.
TEST(X11Input, ComesWhileTheProgramSleeps) {
    const std::string file = scratch_folder() + "/x11_asleep.jsonl";
    std::ofstream events(file);
    events << R"({"mpiglut":"input","version":1,"columns":2,"rows":1,"width":400,"height":150})" << "\n";
    for (int frame = 1000; frame < 3000; ++frame)
        events << R"({"frame":)" << frame << R"(,"after":0,"kind":")" << (frame % 2 ? "key_up" : "key")
               << R"(","window":1,"rank":1,"x":30,"y":40,"z":0,"a":97,"b":0,"modifiers":0})" << "\n";
    events.close();
    const std::vector<std::string> options{"--wall", "2x1@200x150", "--headless", "--output", "all",
                                           "--clock", "wall", "--replay", file};
    const Finished finished =
        run(wall_command(options, path_of("glx_input"), {"asleep"}), wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const std::vector<std::string> told = lines_of_tile(finished.output, "(0,0)");
    EXPECT_EQ(std::ranges::count(told, "something has come"), 1) << finished.output << finished.errors;
    EXPECT_EQ(told, lines_of_tile(finished.output, "(1,0)")) << finished.errors;
}

/// Xlib connects with a lock that the tile's own connection needs, too, where a window has just come there.
TEST(X11Input, ComesAlsoWhileTheProgramConnects) {
    const Finished finished = run(wall_command({"--wall", "2x1@200x150", "--headless", "--output", "all"},
                                               path_of("glx_input"), {"opens"}),
                                  wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    for (const char *tile : {"(0,0)", "(1,0)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), std::vector<std::string>{"done"}) << tile << finished.errors;
}

/// It has computed, and not waited in vain; and a key that is held down meanwhile does not repeat.
TEST(X11Input, OfAReplayComesInItsFrameThoughTheProgramIsSlow) {
    const std::string file = scratch_folder() + "/x11_slow.jsonl";
    std::ofstream events(file);
    events << R"({"mpiglut":"input","version":1,"columns":2,"rows":1,"width":400,"height":150})" << "\n";
    for (const auto &[frame, kind, key] : {std::tuple(3, "key", 'a'), {8, "key_up", 'a'}, {8, "key", 'b'},
                                           {9, "key_up", 'b'}, {10, "key", '\x1b'}})
        events << R"({"frame":)" << frame << R"(,"after":0,"kind":")" << kind
               << R"(","window":1,"rank":0,"x":30,"y":40,"a":)" << int{key} << R"(,"b":0,"modifiers":0})" << "\n";
    events.close();
    const std::vector<std::string> options{"--wall", "2x1@200x150", "--headless", "--output", "all",
                                           "--clock", "off", "--replay", file};
    const Finished finished =
        run(wall_command(options, path_of("glx_input"), {"slow"}), wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    const std::vector<std::string> told{"key a in frame 3", "key b in frame 8", "key Escape in frame 10", "done"};
    for (const char *tile : {"(0,0)", "(1,0)"})
        EXPECT_EQ(lines_of_tile(finished.output, tile), told) << tile << finished.errors;
}

/// No operation follows at which the other ranks would find that rank 0 has ended.
TEST(X11End, WaitsForTheEndOfASleep) {
    const Finished finished = run(wall_command({"--wall", "2x1@200x150", "--headless", "--output", "all"},
                                               path_of("glx_input"), {"asked"}),
                                  wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    const std::vector<std::string> told = lines_of_tile(finished.output, "(0,0)");
    EXPECT_EQ(std::ranges::count(told, "slept"), 1) << finished.output << finished.errors;
    EXPECT_EQ(told, lines_of_tile(finished.output, "(1,0)")) << finished.errors;
}

} // namespace
} // namespace wall_test
