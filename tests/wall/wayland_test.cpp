// Tiles on a Wayland session: what its compositor shows, what hands do there, and what is left at the end. The session
// is a Weston in a window of an X server, whose screen and pointer stand for the monitor and the hand.
#include "pointer.h"
#include "screen.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <X11/Xlib.h>

namespace wall_test {
namespace {

namespace fs = std::filesystem;

constexpr int width = 400, height = 150; ///< of the monitors together

bool is_installed(const std::string &program) {
    return run({"sh", "-c", "command -v " + program}, {}, longest_run).status == 0;
}

/// The Xwaylands that show their screens on this session.
std::vector<pid_t> servers_of(const std::string &socket) {
    std::vector<pid_t> found;
    const std::string mark = '\0' + ("WAYLAND_DISPLAY=" + socket) + '\0';
    std::error_code gone;
    for (const auto &entry : fs::directory_iterator("/proc", gone)) {
        std::ifstream name(entry.path() / "comm"), environment(entry.path() / "environ");
        std::string comm, all(1, '\0');
        if (std::getline(name, comm) && comm == "Xwayland")
            all.append(std::istreambuf_iterator<char>(environment), {});
        if (all.find(mark) != std::string::npos)
            found.push_back(std::atoi(entry.path().filename().c_str()));
    }
    return found;
}

class Wayland : public testing::Test {
  protected:
    explicit Wayland(int monitors = 1) : screen_(800, 600), hand_(screen_.display()), monitors_(monitors) {}
    ~Wayland() override {
        weston_.reset();
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    void SetUp() override {
        for (const char *program : {"weston", "Xwayland"})
            if (!is_installed(program))
                GTEST_SKIP() << program << " is not installed";
        std::string folder = "/tmp/wayland-test-XXXXXX"; // short enough for a socket's name
        ASSERT_TRUE(mkdtemp(folder.data()));
        folder_ = folder;
        // A desktop has a panel, which an Xwayland that knows full screen covers. With two monitors Weston may raise one
        // panel when the other monitor's Xwayland appears, so there are none.
        std::ofstream(folder_ + "/weston.ini") << (monitors_ == 1 ? "" : "[shell]\npanel-position=none\n");
        const Finished help = run({"Xwayland", "-help"}, {}, longest_run);
        covers_panels_ = (help.output + help.errors).find("\n-fullscreen ") != std::string::npos;
        weston_ = std::make_unique<Process>(
            std::vector<std::string>{"weston", "--config=" + folder_ + "/weston.ini", "--backend=x11-backend.so",
                                     covers_panels_ ? "--shell=desktop-shell.so" : "--shell=kiosk-shell.so",
                                     "--use-pixman", "--socket=session",
                                     "--output-count=" + std::to_string(monitors_),
                                     "--width=" + std::to_string(width / monitors_), "--height=" + std::to_string(height)},
            std::map<std::string, std::string>{{"DISPLAY", screen_.display()}, {"XDG_RUNTIME_DIR", folder_}});
        ASSERT_TRUE(weston_->wait_until([&] { return fs::exists(folder_ + "/session"); }, longest_run));
    }

    std::map<std::string, std::string> environment() const {
        auto all = wall_environment();
        all["XDG_RUNTIME_DIR"] = folder_;
        all["WAYLAND_DISPLAY"] = "session";
        return all;
    }

    /// A wall file with two tiles, side by side on this display.
    std::string wall_file(const std::string &display) {
        const std::string file = folder_ + "/wall.toml";
        std::ofstream(file) << "[grid]\ncolumns = 2\nrows = 1\ntile = [" << width / 2 << ", " << height
                            << "]\ndisplay = [\"" << display << "\"]\n";
        return file;
    }

    void expect_nothing_left() {
        const auto none = [&] { return servers_of(folder_ + "/session").empty(); };
        EXPECT_TRUE(weston_->wait_until(none, longest_run) || none());
    }

    void expect_error(const std::string &display, const std::string &error,
                      std::map<std::string, std::string> environment);

    std::string folder_;
    bool covers_panels_ = false;
    Xvfb screen_;
    Hand hand_;
    int monitors_;
    std::unique_ptr<Process> weston_;
};

void Wayland::expect_error(const std::string &display, const std::string &error,
                           std::map<std::string, std::string> environment) {
    const Finished finished =
        run(wall_command({"--wall", wall_file(display)}, support_path("event_log")), environment, longest_run);
    EXPECT_EQ(finished.status, 1);
    EXPECT_NE(finished.errors.find(error), std::string::npos) << error << "\n" << finished.errors;
    expect_nothing_left();
}

// Without panels, and pixel by pixel.
TEST_F(Wayland, ShowsOneWindow) {
    const Program program = programs({"perspective_cubes"}).front();
    const std::string file = wall_file("wayland");
    const pixmpi::Wall wall = pixmpi::read_wall(file).wall.value();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, window_for(wall), one_window, error)) << error;
    Process process(wall_command({"--wall", file}, program_path(program.name)), environment());
    const auto shown = [&] { return compare(one_window, wall_on_screen(screen_.display(), wall), wall).acceptable(); };
    EXPECT_TRUE(process.wait_until(shown, longest_run))
        << compare(one_window, wall_on_screen(screen_.display(), wall), wall).text();
    EXPECT_EQ(servers_of(folder_ + "/session").size(), 1u);
    kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    const bool has_note = finished.errors.find("display 'wayland': the Xwayland of this host") != std::string::npos;
    EXPECT_NE(has_note, covers_panels_) << finished.errors;
    expect_nothing_left();
}

class WaylandMonitors : public Wayland {
  protected:
    WaylandMonitors() : Wayland(2) {}
};

/// Both are in one corner at first.
void move_second_monitor(const std::string &display_name) {
    Display *const display = XOpenDisplay(display_name.c_str());
    ASSERT_TRUE(display);
    ::Window root = 0, parent = 0, *all = nullptr;
    unsigned count = 0;
    XQueryTree(display, DefaultRootWindow(display), &root, &parent, &all, &count);
    std::vector<::Window> monitors;
    for (unsigned i = 0; i < count; ++i)
        if (XWindowAttributes is{}; XGetWindowAttributes(display, all[i], &is) && is.width == width / 2)
            monitors.push_back(all[i]);
    EXPECT_EQ(monitors.size(), 2u);
    if (!monitors.empty())
        XMoveWindow(display, monitors.back(), width / 2, 0);
    XFree(all);
    XCloseDisplay(display);
}

TEST_F(WaylandMonitors, AreChosenByName) {
    const std::string file = wall_file("wayland/screen0\", \"wayland/screen1");
    if (!covers_panels_) {
        const Finished finished =
            run(wall_command({"--wall", file}, support_path("event_log")), environment(), longest_run);
        EXPECT_EQ(finished.status, 1);
        EXPECT_NE(finished.errors.find("older than 23.1 and cannot choose one of several monitors"), std::string::npos)
            << finished.errors;
        return;
    }
    const Program program = programs({"perspective_cubes"}).front();
    const pixmpi::Wall wall = pixmpi::read_wall(file).wall.value();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, window_for(wall), one_window, error)) << error;
    move_second_monitor(screen_.display());
    Process process(wall_command({"--wall", file}, program_path(program.name)), environment());
    const auto shown = [&] { return compare(one_window, wall_on_screen(screen_.display(), wall), wall).acceptable(); };
    EXPECT_TRUE(process.wait_until(shown, longest_run));
    EXPECT_EQ(servers_of(folder_ + "/session").size(), 2u);
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
    expect_nothing_left();
}

// The session of the environment, without any wall file.
TEST_F(Wayland, HandsReachTheProgram) {
    Process process(wall_command({"--wall", "2x1@200x150", "--output", "all"}, support_path("event_log")),
                    environment());
    const auto said = [&](const std::string &line) {
        return process.wait_until(
            [&] {
                const std::string output = process.output_so_far();
                const std::size_t first = output.find(line);
                return first != std::string::npos && output.find(line, first + 1) != std::string::npos;
            },
            longest_run);
    };
    ASSERT_TRUE(said("ready"));
    hand_.move(250, 100); // the second tile
    EXPECT_TRUE(said("move to 250 100"));
    hand_.click(1);
    EXPECT_TRUE(said("button 0 up at 250 100 with 0"));
    hand_.type("a");
    EXPECT_TRUE(said("key 97 up at 250 100"));
    hand_.move(50, 40);
    hand_.type("F3");
    EXPECT_TRUE(said("special 3 up at 50 40"));
    hand_.type("q");
    const Finished finished = process.finish(longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find("DISPLAY is not set, so its tiles are on the Wayland session"), std::string::npos)
        << finished.errors;
    expect_nothing_left();
}

TEST_F(Wayland, NothingIsLeftOfWallsThatAreKilled) {
    struct {
        int signal;
        bool is_stopped; ///< the compositor, which then answers nothing
    } const ways[] = {{SIGINT, false}, {SIGKILL, false}, {SIGINT, true}};
    for (const auto &[signal, is_stopped] : ways) {
        Process process(
            wall_command({"--wall", wall_file("wayland"), "--output", "all"}, support_path("event_log")),
            environment());
        ASSERT_TRUE(process.wait_until(
            [&] { return process.output_so_far().find("ready") != std::string::npos; }, longest_run));
        EXPECT_EQ(servers_of(folder_ + "/session").size(), 1u);
        if (is_stopped)
            kill(weston_->pid(), SIGSTOP);
        kill(process.pid(), signal);
        EXPECT_EQ(process.finish(longest_run).status, 128 + signal);
        expect_nothing_left();
        kill(weston_->pid(), SIGCONT);
    }
}

TEST_F(Wayland, EndsWithItsCompositor) {
    Process process(wall_command({"--wall", wall_file("wayland"), "--output", "all"}, support_path("event_log")),
                    environment());
    ASSERT_TRUE(
        process.wait_until([&] { return process.output_so_far().find("ready") != std::string::npos; }, longest_run));
    kill(weston_->pid(), SIGKILL);
    const Finished finished = process.finish(longest_run);
    EXPECT_EQ(finished.status, 1) << finished.errors;
    EXPECT_NE(finished.errors.find("its Xwayland ended"), std::string::npos) << finished.errors;
    EXPECT_TRUE(servers_of(folder_ + "/session").empty());
}

TEST_F(Wayland, ErrorsNameTheDisplay) {
    auto where = environment();
    expect_error("wayland-none", "display 'wayland-none': no Wayland compositor at '" + folder_ + "/wayland-none'",
                 where);
    // One that accepts connections, and does not answer.
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder_ + "/wayland-deaf").copy(address.sun_path, sizeof address.sun_path - 1);
    const int deaf = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(deaf, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    ASSERT_EQ(listen(deaf, 4), 0);
    where["MPIGLUT_LAUNCH_TIMEOUT"] = "2";
    expect_error("wayland-deaf", "display 'wayland-deaf': the Wayland compositor at '" + folder_ +
                                     "/wayland-deaf' does not answer",
                 where);
    close(deaf);
    where.erase("MPIGLUT_LAUNCH_TIMEOUT");
    where["PATH"] = "/nonexistent";
    expect_error("wayland", "display 'wayland': Xwayland cannot be started (is the package xwayland installed?)",
                 where);
}

} // namespace
} // namespace wall_test
