// Files as the program of a wall sees them: rank 0's are the run's, the other ranks' are their own, and all ranks read
// the same random bytes. libmpiglut is preloaded as the launcher does it; there is no GLUT in this program.
#include "run/options.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using mpiglut::RunOptions;

namespace {

std::string text_of(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, std::string> contents(const fs::path &folder) {
    std::map<std::string, std::string> all;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        all[entry.path().lexically_relative(folder)] = entry.is_regular_file() ? text_of(entry.path()) : "(no file)";
    return all;
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

class Files : public testing::Test {
  protected:
    Files() {
        std::string pattern = (fs::temp_directory_path() / "files-test-XXXXXX").string();
        base = fs::canonical(mkdtemp(pattern.data()));
        options.pid = getpid();
        options.began_ns = now_ns() - 3'600'000'000'000;
        options.clock = mpiglut::ClockMode::step;
        options.stack_guard = "0123456789abcdef0123456789abcdef";
    }
    ~Files() override { fs::remove_all(base); }

    fs::path folder(const std::string &name) const {
        const fs::path path = base / name / "here";
        fs::create_directories(path);
        std::ofstream(path / "old.txt") << "old";
        std::ofstream(path / "victim.txt") << "victim";
        mkfifo((path / "pipe").c_str(), 0600);
        return path;
    }

    enum class As { plain, rank_0, rank_1 };
    /// What the program prints when it runs in that folder.
    std::string run(As as, const fs::path &where, const std::string &what) {
        std::string preload;
        if (as != As::plain) {
            options.private_folder = as == As::rank_1 ? base / "own" : "";
            const fs::path file = base / "run.json";
            std::ofstream(file) << to_json(options);
            preload =
                "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" MPIGLUT_LIBRARY " MPIGLUT_RUN=" + file.string() +
                " ";
        }
        const std::string command = "cd " + where.string() + " && " + preload + FILES_PROGRAM " " + what + " 2>&1";
        FILE *pipe = popen(command.c_str(), "r");
        std::string text;
        char part[4096];
        for (std::size_t size; (size = std::fread(part, 1, sizeof part, pipe)) > 0;)
            text.append(part, size);
        EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
        return text;
    }

    fs::path base;
    RunOptions options;
};

TEST_F(Files, OfRankZeroAreTheRuns) {
    const fs::path plain = folder("plain"), wall = folder("wall");
    options.began_ns = now_ns();
    EXPECT_EQ(run(As::rank_0, wall, "files"), run(As::plain, plain, "files"));
    EXPECT_EQ(contents(wall), contents(plain));
}

TEST_F(Files, OfAnotherRankAreItsOwn) {
    const fs::path plain = folder("plain"), wall = folder("wall");
    options.began_ns = now_ns();
    const auto before = contents(wall);
    EXPECT_EQ(run(As::rank_1, wall, "files"), run(As::plain, plain, "files"));
    EXPECT_EQ(contents(wall), before);
}

TEST_F(Files, ThatRankZeroHasMadeAreMadeByTheOthersToo) {
    const fs::path plain = folder("plain"), wall = folder("wall");
    options.began_ns = now_ns() - 10'000'000; // the kernel stamps files with the time of its last tick
    const std::string of_rank_0 = run(As::rank_0, wall, "lock");
    EXPECT_EQ(run(As::rank_1, wall, "lock"), of_rank_0);
    EXPECT_EQ(run(As::plain, plain, "lock"), of_rank_0);
}

/// However far ahead rank 0 is on the same host.
TEST_F(Files, AreForEachRankAsItHasLeftThem) {
    const fs::path plain = folder("plain"), wall = folder("wall");
    options.memory_folder = base / "before";
    const std::string of_rank_0 = run(As::rank_0, wall, "files");
    const auto after = contents(wall);
    EXPECT_EQ(of_rank_0, run(As::plain, plain, "files"));
    EXPECT_EQ(run(As::rank_1, wall, "files"), of_rank_0);
    EXPECT_EQ(contents(wall), after);
}

/// Rank 0 may be ahead, and listen at its name by now.
TEST_F(Files, ASocketThatWasLeftBehindIsNobodys) {
    const fs::path wall = folder("wall");
    options.memory_folder = base / "before";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (wall / "stale").string().copy(address.sun_path, sizeof address.sun_path - 1);
    const auto listen_there = [&] {
        fs::remove(wall / "stale");
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        EXPECT_EQ(listen(fd, 1), 0);
        return fd;
    };
    close(listen_there());
    const std::string of_rank_0 = run(As::rank_0, wall, "socket");
    EXPECT_NE(of_rank_0.find("nobody is there"), std::string::npos) << of_rank_0;
    const int fd = listen_there();
    EXPECT_EQ(run(As::rank_1, wall, "socket"), of_rank_0);
    close(fd);
}

TEST_F(Files, ThatEachHostHasOfItsOwnAreNotThere) {
    const fs::path wall = folder("wall");
    for (const char *name : {"device", "device0"})
        std::ofstream(wall / name) << "input";
    options.absent = "/nowhere/:" + (wall / "device").string();
    for (const As as : {As::rank_0, As::rank_1}) {
        const std::string found = run(as, wall, "device");
        EXPECT_NE(found.find("device: opened No such file or directory not there no stream\n"), std::string::npos)
            << found;
        EXPECT_NE(found.find("is not there for the program: each host has its own"), std::string::npos) << found;
    }
    options.absent.clear();
    EXPECT_NE(run(As::rank_0, wall, "device").find("device: opened opened there a stream\n"), std::string::npos);
}

TEST_F(Files, OfDevicesAndProcessesAreAlike) {
    const fs::path wall = folder("wall");
    const std::string of_rank_0 = run(As::rank_0, wall, "alike");
    EXPECT_EQ(run(As::rank_1, wall, "alike"), of_rank_0);
    EXPECT_NE(of_rank_0.find("its program: done files_program"), std::string::npos) << of_rank_0;
    EXPECT_NE(of_rank_0.find("by fread: 300000 bytes"), std::string::npos) << of_rank_0;
}

} // namespace
