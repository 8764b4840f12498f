// What the ranks of a host would otherwise do twice: write a file, play a sound. With the real libmpiglut,
// and a shell as the program.
#include "launch.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace {

const std::map<std::string, std::string> real_library{{"MPIGLUT_LIB", ""}};
const std::string rank = "$PMI_RANK$OMPI_COMM_WORLD_RANK";

std::vector<std::string> shell(std::vector<std::string> options, const std::string &script) {
    options.insert(options.end(), {"--headless", "--wall", "3x1", "--output", "all", "--", "/bin/sh", "-c", script});
    return options;
}

std::string text_of(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Sharing, FilesAreRankZerosAndEveryRankReadsItsOwn) {
    const std::string file = testing::TempDir() + "/launch-sharing-" + std::to_string(::getpid());
    std::ofstream(file) << "before\n";
    const std::string write = "echo rank " + rank + " >>" + file + "; ";
    Launch run(shell({}, write + "while read line; do echo has $line; done <" + file), real_library);
    EXPECT_EQ(run.wait(), 0) << run.err();
    for (const char *line : {"(0,0) has rank 0\n", "(1,0) has rank 1\n", "(2,0) has rank 2\n"})
        EXPECT_EQ(count(run.out(), line), 1) << run.out();
    EXPECT_EQ(text_of(file), "before\nrank 0\n");
    EXPECT_TRUE(run.gone());

    Launch all(shell({"--files", "every"}, write), real_library);
    EXPECT_EQ(all.wait(), 0) << all.err();
    const std::string text = text_of(file);
    EXPECT_TRUE(text.starts_with("before\nrank 0\n")) << text;
    EXPECT_EQ(count(text, "\n"), 5) << text;
    for (const auto &[line, times] : {std::pair{"rank 0\n", 2}, {"rank 1\n", 1}, {"rank 2\n", 1}}) // in any order
        EXPECT_EQ(count(text, line), times) << text;
    std::filesystem::remove(file);
}

TEST(Sharing, SoundIsRankZeros) {
    const auto names = shell({}, "echo $SDL_AUDIODRIVER $ALSOFT_DRIVERS and $SDL_AUDIO_DRIVER");
    std::map<std::string, std::string> environment = real_library;
    environment["MPIGLUT_SOUND"] = "no"; // as on a host without a sound card
    Launch silent(names, environment);
    EXPECT_EQ(silent.wait(), 0) << silent.err();
    EXPECT_EQ(count(silent.out(), "dummy null and dummy\n"), 3) << "all find the same: " << silent.out();

    environment["MPIGLUT_SOUND"] = "yes";
    Launch run(names, environment);
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "(0,0) and\n"), 1) << run.out();
    EXPECT_EQ(count(run.out(), "dummy null and dummy\n"), 2) << run.out();
    EXPECT_TRUE(run.gone());
}

/// What that tile's program printed.
std::string lines_of(const std::string &all, const std::string &tile) {
    std::istringstream text(all);
    std::string lines;
    for (std::string line; std::getline(text, line);)
        if (line.starts_with(tile))
            lines += line.substr(tile.size()) + "\n";
    return lines;
}

TEST(Sharing, StandardInputComesToAllInTheSameFrames) {
    const std::string input = "hello\n" + std::string(2'000'000, 'x');
    Launch run({"--headless", "--wall", "3x1", "--output", "all", "--", GLUT_SUBJECT, "input"}, real_library, input);
    EXPECT_EQ(run.wait(), 0) << run.err();
    const std::string first = lines_of(run.out(), "(0,0) ");
    EXPECT_TRUE(first.starts_with("first hello\n")) << first;
    EXPECT_EQ(count(first, ": 2000000 bytes, the end\n"), 3) << first;
    EXPECT_EQ(lines_of(run.out(), "(1,0) "), first);
    EXPECT_EQ(lines_of(run.out(), "(2,0) "), first);
    EXPECT_EQ(count(run.err(), "divergence"), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST(Sharing, StandardInputComesToMainBesideTheThreadOfGlut) {
    std::string input;
    for (int i = 0; i < 3000; ++i)
        input += std::string(static_cast<std::size_t>(i % 70), 'x') + "\n";
    Launch run({"--headless", "--wall", "2x1", "--output", "all", "--frames", "30", "--", GLUT_SUBJECT, "thread"},
               real_library, input);
    EXPECT_EQ(run.wait(), 0) << run.err();
    const std::string first = lines_of(run.out(), "(0,0) ");
    EXPECT_TRUE(first.ends_with("frame 30: 3000 lines\n")) << first;
    EXPECT_EQ(lines_of(run.out(), "(1,0) "), first);
    EXPECT_EQ(count(run.err(), "divergence"), 0) << run.err();
}

TEST(Sharing, StandardInputComesToAProgramThatWaitsForIt) {
    Launch run({"--headless", "--wall", "2x1", "--output", "all", "--frames", "12", "--", GLUT_SUBJECT, "slurp"},
               real_library, std::string(2'000'000, 'x'));
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "all 2000000 bytes\n"), 2) << run.out();
}

TEST(Sharing, JoysticksAreRankZeros) {
    std::map<std::string, std::string> environment = real_library;
    environment["LD_PRELOAD"] = FAKE_JOYSTICK;
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"; // of the preset dev
    Launch run({"--headless", "--wall", "3x1", "--output", "all", "--frames", "40", "--", GLUT_SUBJECT, "joystick"},
               environment);
    EXPECT_EQ(run.wait(), 0) << run.err();
    const int all = count(run.out(), "buttons "), ranks = 3;
    EXPECT_GE(all, ranks) << run.out();
    EXPECT_EQ(count(run.out(), "buttons 1\n"), all) << run.out();
    EXPECT_EQ(count(run.out(), "(0,0) buttons 1\n") * ranks, all) << run.out();
    EXPECT_EQ(count(run.err(), "divergence"), 0) << run.err();
    EXPECT_TRUE(run.gone());
}

TEST(Sharing, APortIsBoundOnceAndTheOthersAreNamed) {
    // None of those that the system gives to other processes that ask for any.
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in free{};
    free.sin_family = AF_INET;
    std::random_device random;
    do
        free.sin_port = htons(static_cast<std::uint16_t>(10'000 + random() % 10'000));
    while (::bind(probe, reinterpret_cast<sockaddr *>(&free), sizeof free) != 0);
    ::close(probe);
    const std::string port = std::to_string(ntohs(free.sin_port));
    Launch run({"--headless", "--wall", "3x1", "--output", "all", "--frames", "20", "--", GLUT_SUBJECT, "bind=" + port},
               real_library);
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_EQ(count(run.out(), "bind 0\n"), 1) << run.out();
    EXPECT_EQ(count(run.out(), "bind -1\n"), 2) << run.out();
    EXPECT_EQ(count(run.err(), "mpiglutrun: port " + port + " is taken: "), 1) << run.err();
}

} // namespace
