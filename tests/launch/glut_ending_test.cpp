// The ways for a GLUT program on a wall to end, with the real libmpiglut and the MPI that it was built with.
#include "launch.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <X11/Xlib.h>

namespace {

using Words = std::vector<std::string>;

const std::map<std::string, std::string> real_library{{"MPIGLUT_LIB", ""}};

Words subject(Words words, Words options = {}) {
    options.insert(options.end(), {"--headless", "--wall", "2x1", "--output", "all", "--", GLUT_SUBJECT});
    options.insert(options.end(), words.begin(), words.end());
    return options;
}

TEST(GlutEnding, ExitInACallback) {
    Launch run(subject({"exit=3"}), real_library);
    EXPECT_EQ(run.wait(), 3) << run.err();
    EXPECT_EQ(count(run.err(), "mpiglutrun: rank"), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

/// A program that is built with a sanitizer, which has to come before the library, and which UCX would get in the way of.
TEST(GlutEnding, OfAProgramWithASanitizer) {
    for (const char *program : std::initializer_list<const char *>{SANITIZED_SUBJECTS}) {
        auto environment = real_library;
        environment["TSAN_OPTIONS"] = "report_bugs=0"; // of drivers
        Launch run({"--headless", "--wall", "2x1", "--", program, "exit=3"}, environment);
        EXPECT_EQ(run.wait(), 3) << program << "\n" << run.err();
        EXPECT_EQ(count(run.err(), "anitizer"), 0) << run.err();
        EXPECT_TRUE(run.gone());
    }
}

TEST(GlutEnding, RanksThatLeaveLaterThanOthers) {
    for (int status : {0, 3}) {
        Launch run(subject({"exit=" + std::to_string(status), "linger"}), real_library);
        EXPECT_EQ(run.wait(), status) << run.err();
        EXPECT_EQ(count(run.err(), "mpiglutrun: rank"), 0) << run.err();
        EXPECT_TRUE(run.gone());
    }
}

TEST(GlutEnding, OfChildrenIsNoEnd) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer hands on no signals in children of a process with threads, and stops for ever in "
                    "its parent now and then";
#endif
    Launch run(subject({"children"}, {"--frames", "30"}), real_library);
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "children 3 4 -15 5 6 7\n"), 2) << run.out();
    EXPECT_EQ(count(run.err(), "mpiglutrun: rank"), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST(GlutEnding, WithoutExitHandlers) {
    const std::string base = testing::TempDir() + "/launch-glut-" + std::to_string(::getpid());
    for (const std::string way : {"_exit", "quick_exit"}) {
        const std::string png = base + way + ".png", stats = base + way + ".json";
        Launch run(subject({way + "=3"}, {"--capture", png, "--stats", stats}), real_library);
        EXPECT_EQ(run.wait(), 3) << run.err();
        EXPECT_EQ(count(run.err(), "mpiglutrun: rank"), 0) << run.err();
        EXPECT_TRUE(std::filesystem::exists(png)) << way;
        EXPECT_TRUE(std::filesystem::exists(stats)) << way;
        std::filesystem::remove(png);
        std::filesystem::remove(stats);
        EXPECT_TRUE(run.gone());
    }
}

TEST(GlutEnding, ExitOfOneRank) {
    Launch run(subject({"exit-one"}), real_library);
    EXPECT_NE(run.wait(), -1000) << run.err();
    EXPECT_EQ(count(run.err(), ", tile (1,0)): exited with status 5"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST(GlutEnding, CrashOfOneRank) {
    Launch run(subject({"abort-one"}), real_library);
    EXPECT_EQ(run.wait(), 128 + SIGABRT) << run.err();
    EXPECT_EQ(count(run.err(), ", tile (1,0)): killed by signal 6 (Aborted)"), 1) << run.err();
    EXPECT_TRUE(run.gone());
}

/// In an exit handler, so that the other rank waits for it at the end.
TEST(GlutEnding, CrashOfOneRankAfterASignal) {
    Launch run(subject({"crash-one"}), real_library);
    ASSERT_TRUE(run.wait_for("tenth frame", 2)) << run.err();
    ::kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.wait(), 128 + SIGTERM) << run.err();
    EXPECT_EQ(count(run.err(), "could not save"), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

class GlutKilled : public testing::TestWithParam<const char *> {};

TEST_P(GlutKilled, NothingIsLeft) {
    Launch run(subject({}), real_library);
    ASSERT_TRUE(run.wait_for("tenth frame", 2)) << run.err();
    std::string name = std::filesystem::path(GetParam()).filename();
    auto victims = run.processes(name);
    ASSERT_FALSE(victims.empty());
    ::kill(victims.back().pid, SIGKILL);
    EXPECT_NE(run.wait(), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

INSTANTIATE_TEST_SUITE_P(Of, GlutKilled, testing::Values(GLUT_SUBJECT, "Xvfb", "mpiglutrun-agent", "mpiglutrun"),
                         [](const auto &test) {
                             std::string name = std::filesystem::path(test.param).filename();
                             return name == "mpiglutrun-agent" ? "agent" : name;
                         });

TEST(GlutEnding, SignalsToTheLauncher) {
    std::string stats = testing::TempDir() + "/launch-glut-stats-" + std::to_string(::getpid()) + ".json";
    for (auto [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}, std::pair{SIGHUP, 129}}) {
        Launch run(subject({}, {"--stats", stats}), real_library);
        ASSERT_TRUE(run.wait_for("tenth frame", 2)) << run.err();
        ::kill(run.pid(), signal);
        EXPECT_EQ(run.wait(), status) << run.err();
        EXPECT_TRUE(run.gone());
        EXPECT_TRUE(std::filesystem::exists(stats)) << "an interrupted run ends in an orderly way";
        std::filesystem::remove(stats);
    }
}

TEST(GlutEnding, ASignalInALongFrame) {
    const std::string stats = testing::TempDir() + "/launch-glut-long-" + std::to_string(::getpid()) + ".json";
    Launch run(subject({"slow"}, {"--stats", stats}), real_library);
    ASSERT_TRUE(run.wait_for("long frame", 2)) << run.err();
    ::kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.wait(), 128 + SIGTERM) << run.err();
    EXPECT_TRUE(std::filesystem::exists(stats)) << "it ends when the frame does\n" << run.err();
    std::filesystem::remove(stats);
    EXPECT_TRUE(run.gone());
}

std::string variable(pid_t pid, const std::string &name) {
    const std::string all = '\0' + slurp("/proc/" + std::to_string(pid) + "/environ");
    auto at = all.find('\0' + name + "=");
    return at == all.npos ? "" : std::string(all.c_str() + at + name.size() + 2);
}

/// Every window that wants to be asked before it is closed.
std::vector<Window> closable(Display *display, Window parent, Atom wish) {
    std::vector<Window> found;
    Window root, above, *children = nullptr;
    unsigned n = 0;
    if (!XQueryTree(display, parent, &root, &above, &children, &n))
        return found;
    for (unsigned i = 0; i < n; ++i) {
        Atom *atoms = nullptr;
        int count = 0;
        if (XGetWMProtocols(display, children[i], &atoms, &count)) {
            for (int k = 0; k < count; ++k)
                if (atoms[k] == wish)
                    found.push_back(children[i]);
            XFree(atoms);
        }
    }
    XFree(children);
    return found;
}

TEST(GlutEnding, ClosingATilesWindow) {
    for (std::size_t which : {0u, 1u}) {
        Launch run(subject({}), real_library);
        ASSERT_TRUE(run.wait_for("tenth frame", 2)) << run.err();
        auto programs = run.processes(std::filesystem::path(GLUT_SUBJECT).filename());
        ASSERT_EQ(programs.size(), 2u);
        ::setenv("XAUTHORITY", variable(programs[0].pid, "XAUTHORITY").c_str(), 1);
        Display *display = XOpenDisplay(variable(programs[0].pid, "DISPLAY").c_str());
        ASSERT_TRUE(display);
        Atom wish = XInternAtom(display, "WM_DELETE_WINDOW", False);
        auto windows = closable(display, DefaultRootWindow(display), wish);
        ASSERT_EQ(windows.size(), 2u);
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = windows[which];
        event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
        event.xclient.format = 32;
        event.xclient.data.l[0] = static_cast<long>(wish);
        XSendEvent(display, windows[which], False, NoEventMask, &event);
        XCloseDisplay(display);
        EXPECT_EQ(run.wait(), 0) << run.err(); // as FreeGLUT ends a program when its window is closed
        EXPECT_EQ(count(run.err(), "mpiglutrun: rank"), 0) << run.err();
        EXPECT_TRUE(run.gone());
    }
}

TEST(GlutEnding, TheGivenNumberOfFrames) {
    std::string png = testing::TempDir() + "/launch-glut-" + std::to_string(::getpid()) + ".png";
    Launch run(subject({}, {"--frames", "12", "--capture", png}), real_library);
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "tenth frame"), 2);
    EXPECT_TRUE(std::filesystem::exists(png));
    std::filesystem::remove(png);
    EXPECT_TRUE(run.gone());
}

/// `display` in a wall file is for a wall with screens.
TEST(GlutEnding, OfAHeadlessWallWhoseFileNamesADisplay) {
    const std::string file = testing::TempDir() + "/launch-glut-" + std::to_string(::getpid()) + ".toml";
    std::ofstream(file) << "[grid]\ncolumns = 2\nrows = 1\ntile = [100, 80]\ndisplay = \":nowhere\"\n";
    Launch run({"--headless", "--wall", file, "--frames", "3", "--", GLUT_SUBJECT}, real_library);
    EXPECT_EQ(run.wait(), 0) << run.err();
    std::filesystem::remove(file);
    EXPECT_TRUE(run.gone());
}

} // namespace
