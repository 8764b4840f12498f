#include "wall_run.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace wall_test {

namespace fs = std::filesystem;

std::string program_path(const std::string &name) { return std::string(WALL_PROGRAMS) + "/" + name; }

std::string support_path(const std::string &name) { return std::string(WALL_SUPPORT) + "/" + name; }

std::string source_path(const std::string &name) { return std::string(WALL_SOURCES) + "/" + name; }

std::map<std::string, std::string> with_other_driver() {
    return {{"LD_PRELOAD", OTHER_DRIVER}, {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
}

std::string scratch_folder() {
    fs::create_directories(WALL_SCRATCH);
    return WALL_SCRATCH;
}

std::vector<std::string> wall_command(const std::vector<std::string> &options, const std::string &program,
                                      const std::vector<std::string> &arguments) {
    std::vector<std::string> command{MPIGLUTRUN};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.push_back(program);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

std::map<std::string, std::string> wall_environment() { return {{"LP_NUM_THREADS", "0"}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}}; }

Window window_for(const pixmpi::Wall &wall) {
    if (wall.from_window)
        return {};
    const std::string size = std::to_string(wall.width) + "x" + std::to_string(wall.height);
    return {size, size};
}

bool plain_picture(const Program &program, const Window &window, const std::map<std::string, std::string> &environment,
                   const std::string &file, std::string &error) {
    // A program that goes full screen finds a screen as large as the wall, as it does on the wall.
    int width = 1920, height = 1080;
    if (!window.size.empty()) {
        char x = 0;
        std::istringstream(window.size) >> width >> x >> height;
    }
    const Xvfb server(width, height);
    if (server.display().empty()) {
        error = "Xvfb did not start";
        return false;
    }
    std::map<std::string, std::string> all = environment;
    all["LP_NUM_THREADS"] = "0";
    all["DISPLAY"] = server.display();
    all["LD_PRELOAD"] = PLAIN_ORACLE;
    all["ORACLE_FRAMES"] = std::to_string(program.plain_frames ? program.plain_frames : program.frames);
    all["ORACLE_PICTURE"] = file;
    if (!window.size.empty())
        all["ORACLE_SIZE"] = window.size;
    if (window.apart)
        all["ORACLE_APART"] = "1";
    if (program.replay)
        all["ORACLE_REPLAY"] = source_path("input/" + program.name + ".jsonl");
    fs::remove(file);
    const Finished finished = run({program_path(program.name)}, all, longest_run);
    if (finished.status == 0 && fs::exists(file))
        return true;
    error = "the plain run of " + program.name + " gave no picture (exit status " + std::to_string(finished.status) +
            (finished.timed_out ? ", timed out" : "") + ")\n" + finished.output + finished.errors;
    return false;
}

bool cached_plain_picture(const Program &program, const Window &window, Picture &picture, std::string &error,
                          std::size_t number) {
    const std::string folder = scratch_folder() + "/plain";
    fs::create_directories(folder);
    const std::string file = folder + "/" + program.name + (window.name.empty() ? "" : "-" + window.name) +
                             (window.apart ? "-apart.png" : ".png");
    // One test makes the picture, the others wait for it; the lock goes when the process does.
    const int lock = open((file + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        error = file + ".lock: cannot be locked";
        return false;
    }
    std::vector<std::string> made_from{program_path(program.name), PLAIN_ORACLE, "/proc/self/exe"};
    if (program.replay)
        made_from.push_back(source_path("input/" + program.name + ".jsonl"));
    const std::string whole = file + ".made"; // after all of it: a test may be killed in between
    bool fresh = fs::exists(whole) && fs::exists(file);
    for (const std::string &source : made_from)
        fresh = fresh && fs::last_write_time(fs::canonical(source)) < fs::last_write_time(whole);
    if (!fresh)
        fs::remove(whole);
    const bool there = fresh || plain_picture(program, window, {}, file, error);
    if (there && !fresh)
        std::ofstream{whole};
    close(lock);
    return there && read_png(mpiglut::numbered(file, number), picture, error);
}

std::string lacking_for(const Program &program) {
    constexpr std::string_view says = "skipped: ";
    Picture picture;
    std::string error;
    if (!program.asks || cached_plain_picture(program, {}, picture, error))
        return {};
    const std::size_t at = error.find("(exit status 77)") == error.npos ? error.npos : error.find(says);
    return at == error.npos ? "" : error.substr(at + says.size(), error.find('\n', at) - at - says.size());
}

} // namespace wall_test
