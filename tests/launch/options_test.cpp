// The command line of mpiglutrun.
#include "job/placement.h"
#include "job/slurm.h"
#include "option/environment.h"
#include "option/option_values.h"
#include "option/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using namespace mpiglut::launcher;
using mpiglut::Behind;
using mpiglut::ClockMode;

std::string scratch(const std::string &name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

TEST(CommandLine, Defaults) {
    auto parsed = parse_command_line({"program", "--frames", "x"});
    ASSERT_TRUE(parsed.command) << parsed.errors.at(0);
    EXPECT_EQ(parsed.command->program, (std::vector<std::string>{"program", "--frames", "x"}));
    EXPECT_EQ(parsed.command->wall.tiles.size(), 1u);
    EXPECT_EQ(parsed.command->run.frames, 0);
    EXPECT_EQ(parsed.command->run.clock, ClockMode::wall);
    EXPECT_FALSE(parsed.command->all_output);
}

TEST(CommandLine, EverythingAtOnce) {
    std::string png = scratch("a@b.png"), input = scratch("in.jsonl");
    std::ofstream{input};
    auto parsed = parse_command_line({"--wall",
                                      "3x2@64x48+2",
                                      "--hosts",
                                      "a:4,b:2",
                                      "--mpiexec=mpirun",
                                      "--headless",
                                      "--frames",
                                      "9",
                                      "--capture",
                                      png + "@7",
                                      "--record",
                                      scratch("out.jsonl"),
                                      "--replay",
                                      input,
                                      "--output=all",
                                      "--stats",
                                      scratch("s.json"),
                                      "--clock",
                                      "step:59.94",
                                      "-v",
                                      "--behind",
                                      "draw",
                                      "--",
                                      "-odd-name",
                                      "--",
                                      "x"});
    ASSERT_TRUE(parsed.command) << parsed.errors.at(0);
    const CommandLine &c = *parsed.command;
    EXPECT_EQ(c.wall.tiles.size(), 6u);
    EXPECT_EQ(c.hosts.size(), 2u);
    EXPECT_EQ(c.hosts[1].slots, 2);
    EXPECT_EQ(c.mpiexec, "mpirun");
    EXPECT_TRUE(c.run.headless);
    EXPECT_EQ(c.run.frames, 9);
    EXPECT_EQ(c.run.captures, (std::vector<mpiglut::Capture>{{png, 7}}));
    EXPECT_EQ(c.run.replay, input);
    EXPECT_EQ(c.run.clock, ClockMode::step);
    EXPECT_EQ(c.run.step_hz, 59.94);
    EXPECT_EQ(c.run.behind, Behind::draw);
    EXPECT_TRUE(c.verbose);
    EXPECT_EQ(c.program, (std::vector<std::string>{"-odd-name", "--", "x"}));
    EXPECT_EQ(pixmpi::parse_wall(c.run.wall, "run").wall->tiles.size(), 6u);
}

TEST(CommandLine, BalanceTakesAWordOrNone) {
    const auto plain = parse_command_line({"--wall", "2x1", "--balance", "--helpers", "3", "--ship=jpeg:80", "show"});
    ASSERT_TRUE(plain.command) << plain.errors.at(0);
    EXPECT_TRUE(plain.command->run.balance);
    EXPECT_FALSE(plain.command->run.show_cuts);
    EXPECT_EQ(plain.command->run.ship, "jpeg:80");
    EXPECT_EQ(plain.command->wall.tiles.size(), 5u);
    EXPECT_EQ(plain.command->program, std::vector<std::string>{"show"});
    EXPECT_EQ(pixmpi::parse_wall(plain.command->run.wall, "run").wall->tiles.size(), 2u);
    // What belongs to the program stays as it is, also where mpiglutrun would read it in another way.
    const auto inner = parse_command_line({"--stats=s.json", "--balance", "--", "--balance", "show", "--frames="});
    ASSERT_TRUE(inner.command) << inner.errors.at(0);
    EXPECT_FALSE(inner.command->run.show_cuts);
    EXPECT_EQ(inner.command->program, (std::vector<std::string>{"--balance", "show", "--frames="}));
    for (const auto &words : {std::vector<std::string>{"--balance", "show", "x"}, {"--balance=show", "x"}}) {
        const auto shown = parse_command_line(words);
        ASSERT_TRUE(shown.command) << shown.errors.at(0);
        EXPECT_TRUE(shown.command->run.balance && shown.command->run.show_cuts);
        EXPECT_EQ(shown.command->program, std::vector<std::string>{"x"});
    }
}

TEST(CommandLine, BalanceTakesLatency) {
    struct {
        std::vector<std::string> words;
        int latency;
        bool shows;
    } const cases[] = {{{"--balance", "latency:1", "x"}, 1, false},
                       {{"--balance=latency:0", "x"}, 0, false},
                       {{"--balance", "show,latency:1", "x"}, 1, true},
                       {{"--balance", "latency:1,show", "x"}, 1, true}};
    for (const auto &[words, latency, shows] : cases) {
        const auto parsed = parse_command_line(words);
        ASSERT_TRUE(parsed.command) << parsed.errors.at(0);
        EXPECT_TRUE(parsed.command->run.balance);
        EXPECT_EQ(parsed.command->run.latency, latency) << words[1];
        EXPECT_EQ(parsed.command->run.show_cuts, shows) << words[1];
        EXPECT_EQ(parsed.command->program, std::vector<std::string>{"x"});
    }
}

TEST(CommandLine, CutTakesAMarginOrNone) {
    struct {
        std::vector<std::string> words;
        int margin;
    } const cases[] = {{{"x"}, -1}, {{"--cut", "x"}, 64}, {{"--cut=0", "x"}, 0}, {{"--cut", "9", "x"}, 9}};
    for (const auto &[words, margin] : cases) {
        const auto parsed = parse_command_line(words);
        ASSERT_TRUE(parsed.command) << parsed.errors.at(0);
        EXPECT_EQ(parsed.command->run.cut, margin) << words[0];
        EXPECT_EQ(parsed.command->program, std::vector<std::string>{"x"});
    }
    EXPECT_FALSE(parse_command_line({"--cut=wide", "x"}).command);
    EXPECT_FALSE(parse_command_line({"--cut", "--balance", "--", "x"}).command);
}

TEST(CommandLine, CommandsBesideAreInTheirOrder) {
    const auto parsed =
        parse_command_line({"--beside", "openbox", "--wall", "2x1@40x30", "--beside", "xterm -e top", "x"});
    ASSERT_TRUE(parsed.command) << parsed.errors.at(0);
    EXPECT_EQ(parsed.command->beside, (std::vector<std::string>{"openbox", "xterm -e top"}));
    EXPECT_EQ(parsed.command->program, std::vector<std::string>{"x"});
}

TEST(CommandLine, PathsBecomeAbsolute) {
    auto parsed = parse_command_line({"--stats", "s.json", "--capture", "picture@1.png", "true"});
    ASSERT_TRUE(parsed.command);
    EXPECT_EQ(parsed.command->run.stats, std::filesystem::current_path() / "s.json");
    const std::string expected = std::filesystem::current_path() / "picture@1.png";
    EXPECT_EQ(parsed.command->run.captures, (std::vector<mpiglut::Capture>{{expected}}));
}

TEST(CommandLine, CapturesComeInTheOrderOfTheirFrames) {
    const auto parsed = parse_command_line({"--capture", "/last.png", "--capture", "/b.png@12", "--capture", "/a.png@2",
                                            "--capture", "/again.png@12", "--capture-tiles", "true"});
    ASSERT_TRUE(parsed.command);
    EXPECT_EQ(parsed.command->run.captures,
              (std::vector<mpiglut::Capture>{{"/a.png", 2}, {"/b.png", 12}, {"/again.png", 12}, {"/last.png", 0}}));
    EXPECT_TRUE(parsed.command->run.capture_tiles);
}

TEST(CommandLine, HelpNamesEveryOptionInGroups) {
    std::string help = parse_command_line({"--help"}).answer;
    for (const char *name :
         {"--wall",       "--hosts",   "--hostfile", "--mpiexec", "--headless", "--frames", "--capture",
          "--record",     "--replay",  "--output",   "--files",   "--commands", "--stats",  "--clock",
          "--tsc",        "--behind",  "--balance",  "--cut",     "--helpers",  "--ship",   "--on-death", "--threads", "--beside",
          "--rejoin-log", "--control", "--listen",   "--verbose", "--version"})
        EXPECT_NE(help.find(name), std::string::npos) << name;
    std::size_t at = 0; // each option below its heading
    for (const char *line : {"\nThe wall\n", "\n  --wall ", "\nWhere it runs\n", "\n  --hosts ", "\nClock and input\n",
                             "\n  --clock ", "\nPictures and records\n", "\n  --capture ", "\nThe operator's page\n",
                             "\n  --control ", "\nPerformance\n", "\n  --balance ", "\nOther\n", "\n  --help "}) {
        const std::size_t next = help.find(line, at);
        ASSERT_NE(next, std::string::npos) << line << " is missing, or not in its place:\n" << help;
        at = next + 1;
    }
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 65);
    EXPECT_EQ(parse_command_line({"-h"}).answer, help);
    EXPECT_EQ(parse_command_line({"--version"}).answer, "mpiglutrun " MPIGLUT_VERSION "\n");
}

struct Bad {
    std::vector<std::string> arguments;
    const char *says;
};
void PrintTo(const Bad &bad, std::ostream *out) { *out << bad.says; }
class BadCommandLine : public testing::TestWithParam<Bad> {};

TEST_P(BadCommandLine, IsRefused) {
    auto arguments = GetParam().arguments;
    arguments.push_back("true");
    auto parsed = parse_command_line(arguments);
    EXPECT_FALSE(parsed.command);
    ASSERT_EQ(parsed.errors.size(), 1u);
    EXPECT_NE(parsed.errors[0].find(GetParam().says), std::string::npos) << parsed.errors[0];
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadCommandLine,
    testing::Values(Bad{{"--nonsense"}, "unknown option --nonsense"}, Bad{{"-x"}, "unknown option -x"},
                    Bad{{"--headless=1"}, "--headless: takes no value"},
                    Bad{{"--headless", "--headless"}, "--headless: given twice"},
                    Bad{{"-v", "--verbose"}, "--verbose: given twice"},
                    Bad{{"--frames", "0"}, "--frames: expected a number of frames greater than 0, not '0'"},
                    Bad{{"--frames", "-3"}, "not '-3'"}, Bad{{"--frames", "ten"}, "not 'ten'"},
                    Bad{{"--frames", "9999999999999999999999"}, "--frames"}, Bad{{"--frames="}, "not ''"},
                    Bad{{"--clock", "step"}, "--clock: expected wall, off or step:HZ"},
                    Bad{{"--clock", "step:0"}, "step:HZ"}, Bad{{"--clock", "step:-5"}, "step:HZ"},
                    Bad{{"--clock", "step:nan"}, "step:HZ"}, Bad{{"--clock", "step:inf"}, "step:HZ"},
                    Bad{{"--clock", "step:60x"}, "step:HZ"}, Bad{{"--clock", "step:1e7"}, "HZ from 0.001 to 1000000"},
                    Bad{{"--clock", "step:1e-4"}, "not 'step:1e-4'"}, Bad{{"--clock", "slow"}, "not 'slow'"},
                    Bad{{"--behind", "white"}, "--behind: expected auto, draw or black, not 'white'"},
                    Bad{{"--balance=no"},
                        "--balance: expected nothing, show, latency:0 (the default), latency:1, or "
                        "show,latency:1, not 'no'"},
                    Bad{{"--balance", "latency:2"}, "latency:1, or show,latency:1, not 'latency:2'"},
                    Bad{{"--balance=latency:1,latency:0"}, "not 'latency:1,latency:0'"},
                    Bad{{"--balance=show,"}, "expected a word after the comma of 'show,'"},
                    Bad{{"--balance", "latency:1", "--balance", "show"}, "--balance: given twice"},
                    Bad{{"--helpers", "2"}, "--helpers: expected --balance as well"},
                    Bad{{"--helpers", "0", "--balance"},
                        "--helpers: expected a number of ranks from 1 to 1000, not '0'"},
                    Bad{{"--on-death", "wait"}, "--on-death: expected end, continue or rejoin, not 'wait'"},
                    Bad{{"--rejoin-log", "9"}, "--rejoin-log: expected --on-death rejoin as well"},
                    Bad{{"--on-death", "rejoin"}, "--on-death rejoin: expected --clock step:HZ as well"},
                    Bad{{"--on-death", "rejoin", "--clock=off"}, "expected --clock step:HZ as well"},
                    Bad{{"--on-death", "rejoin", "--clock=step:60", "--balance"},
                        "--on-death rejoin: expected without --balance"},
                    Bad{{"--tsc", "--clock", "off"}, "--tsc: expected without --clock off"},
                    Bad{{"--listen", "127.0.0.1"}, "--listen: expected --control PORT as well"},
                    Bad{{"--captures", "/tmp"}, "--captures: expected --control PORT as well"},
                    Bad{{"--captures-limit", "5"}, "--captures-limit: expected --control PORT as well"},
                    Bad{{"--control", "0", "--captures-limit", "0"}, "--captures-limit: expected a number of MiB"},
                    Bad{{"--insecure"}, "--insecure: expected --control PORT as well"},
                    Bad{{"--control", "0", "--listen", "0.0.0.0"},
                        "--listen 0.0.0.0: expected --certificate and --key, or --insecure"},
                    Bad{{"--control", "0", "--listen", "127.example"}, "--listen 127.example: expected --certificate"},
                    Bad{{"--control", "0", "--certificate", "a"}, "--certificate: expected --key as well"},
                    Bad{{"--control", "0", "--key", "a"}, "--key: expected --certificate as well"},
                    Bad{{"--control", "0", "--insecure"}, "--insecure: expected --listen ADDRESS as well"},
                    Bad{{"--control", "0", "--insecure", "--listen=0.0.0.0", "--certificate=a", "--key=b"},
                        "--insecure: expected without --certificate"},
                    Bad{{"--rejoin-log", "0", "--on-death", "rejoin", "--clock", "step:60"},
                        "--rejoin-log: expected a number of MiB from 1 to 1048576, not '0'"},
                    Bad{{"--ship", "png", "--balance"}, "--ship: expected auto, raw, lz4 or jpeg:QUALITY"},
                    Bad{{"--ship", "jpeg:101", "--balance"}, "not 'jpeg:101'"},
                    Bad{{"--capture", "a.jpg"}, "expected FILE.png or FILE.png@FRAME"},
                    Bad{{"--capture", "a.png@0"}, "expected a frame greater than 0 after '@', not '0'"},
                    Bad{{"--capture", "a.png@"}, "after '@', not ''"},
                    Bad{{"--capture", "a.png@8", "--capture", "b.png", "--frames", "7"}, "8 is beyond --frames 7"},
                    Bad{{"--capture-tiles"}, "--capture-tiles: expected --capture as well"},
                    Bad{{"--replay", "/no/such/file"}, "--replay: cannot read '/no/such/file'"},
                    Bad{{"--stats", ""}, "--stats: expected the name of a file"},
                    Bad{{"--output", "some"}, "--output: expected first or all, not 'some'"},
                    Bad{{"--files", "none"}, "--files: expected private or every, not 'none'"},
                    Bad{{"--capture", "a.png", "--capture", "a.png@3"}, "a.png' twice"},
                    Bad{{"--beside", "", "--wall", "1x1@4x3"}, "--beside: expected a command"},
                    Bad{{"--beside", "openbox"}, "--beside: expected a wall with a size"},
                    Bad{{"--commands", "none"}, "--commands: expected first or every, not 'none'"},
                    Bad{{"--hosts", "a,,b"}, "--hosts: expected host names"}, Bad{{"--hosts", "a:0"}, "not 'a:0'"},
                    Bad{{"--hosts", "-oProxyCommand=x"}, "expected host names"},
                    Bad{{"--hostfile", "/no/such/file"}, "--hostfile: cannot read"},
                    Bad{{"--hostfile", "/dev/null"}, "names no host"}, Bad{{"--wall", "0x2"}, "--wall: "},
                    Bad{{"--wall", "/no/wall.toml"}, "--wall: "}));

TEST(CommandLine, WhatItTakesTheLibraryTakes) {
    for (const char *clock : {"step:0.001", "step:1e6", "step:23.976", "wall", "off"}) {
        auto parsed = parse_command_line({"--clock", clock, "true"});
        ASSERT_TRUE(parsed.command) << clock;
        std::string error;
        EXPECT_TRUE(mpiglut::from_json(mpiglut::to_json(parsed.command->run), error)) << clock << ": " << error;
    }
}

TEST(CommandLine, VariablesOfTheEnvironmentAreChecked) {
    const std::pair<const char *, const char *> wrong[] = {
        {"MPIGLUT_LAUNCH_TIMEOUT", "abc"}, {"MPIGLUT_LAUNCH_TIMEOUT", "0"},   {"MPIGLUT_LAUNCH_TIMEOUT", "5s"},
        {"MPIGLUT_BALANCE", "forced"},     {"MPIGLUT_GPU_TIME", "1"},         {"MPIGLUT_PBUFFERS", "NO"},
        {"MPIGLUT_REJOIN", "soon"},        {"MPIGLUT_MAX_VIEWPORT", "1e3"}, {"MPIGLUT_SOUND", "on"}};
    for (const auto &[name, value] : wrong) {
        ::setenv(name, value, 1);
        const auto parsed = parse_command_line({"true"});
        ::setenv(name, "", 1);
        EXPECT_TRUE(parse_command_line({"true"}).command) << name;
        ::unsetenv(name);
        ASSERT_EQ(parsed.errors.size(), 1u) << name;
        EXPECT_TRUE(parsed.errors[0].starts_with(std::string(name) + ": expected ")) << parsed.errors[0];
        EXPECT_NE(parsed.errors[0].find("not '" + std::string(value) + "'"), std::string::npos) << parsed.errors[0];
    }
    ::setenv("MPIGLUT_LAUNCH_TIMEOUT", "7", 1);
    EXPECT_EQ(launch_patience(), std::chrono::seconds(7));
    ::unsetenv("MPIGLUT_LAUNCH_TIMEOUT");
    EXPECT_EQ(launch_patience(), std::chrono::seconds(30));
}

TEST(CommandLine, NoProgram) {
    auto parsed = parse_command_line({"--wall", "2x2"});
    ASSERT_EQ(parsed.errors.size(), 1u);
    EXPECT_NE(parsed.errors[0].find("no program given"), std::string::npos);
    EXPECT_NE(parse_command_line({"--wall"}).errors.at(0).find("--wall: expected SPEC"), std::string::npos);
}

TEST(CommandLine, HostsFromOnePlaceOnly) {
    std::string file = scratch("one-host");
    std::ofstream(file) << "a\n";
    auto parsed = parse_command_line({"--hosts", "a", "--hostfile", file, "true"});
    ASSERT_EQ(parsed.errors.size(), 1u);
    EXPECT_EQ(parsed.errors[0], "--hosts and --hostfile contradict each other: give one of them");
}

TEST(CommandLine, SeveralErrorsAtOnce) {
    EXPECT_EQ(parse_command_line({"--frames", "x", "--clock", "y", "--what", "true"}).errors.size(), 3u);
}

TEST(Hostfile, BothMpisWays) {
    std::string file = scratch("hosts");
    std::ofstream(file) << "# the wall\nleft\n\n right:3 \nnode7 slots=2 max_slots=4 # here\n[fe80::1]:2\n";
    std::vector<HostRanks> hosts;
    EXPECT_EQ(read_hostfile(file, hosts), "");
    ASSERT_EQ(hosts.size(), 4u);
    EXPECT_EQ(hosts[0].name, "left");
    EXPECT_EQ(hosts[1].slots, 3);
    EXPECT_EQ(hosts[2].slots, 2);
    EXPECT_EQ(hosts[3].name, "fe80::1");
    std::ofstream(file) << "left\nright slots=many\n";
    EXPECT_NE(read_hostfile(file, hosts).find(":2: expected"), std::string::npos);
}

std::vector<std::string> placed(int tiles, const std::vector<HostRanks> &hosts, std::string &error) {
    pixmpi::Wall wall;
    wall.tiles.resize(static_cast<std::size_t>(tiles));
    return place(wall, hosts, {}, error).host_of_rank;
}

TEST(Placement, FillsOrShares) {
    using Names = std::vector<std::string>;
    std::string error;
    EXPECT_EQ(placed(5, {{"a.invalid", 2}, {"b.invalid", 4}}, error),
              (Names{"a.invalid", "a.invalid", "b.invalid", "b.invalid", "b.invalid"}));
    EXPECT_EQ(placed(3, {{"a.invalid", 0}, {"b.invalid", 0}}, error), (Names{"a.invalid", "a.invalid", "b.invalid"}));
    EXPECT_EQ(placed(2, {{"a.invalid", 0}, {"b.invalid", 0}, {"c.invalid", 0}}, error),
              (Names{"a.invalid", "b.invalid"}));
    EXPECT_EQ(error, "");
    placed(4, {{"a.invalid", 1}, {"b.invalid", 2}}, error);
    EXPECT_EQ(error, "not enough hosts: the wall has 4 tiles, the hosts have room for 3 ranks");
}

TEST(Placement, ThisHostByAnyName) {
    pixmpi::Wall wall;
    wall.tiles.resize(2);
    wall.tiles[0].host = "localhost";
    std::string error;
    EXPECT_TRUE(place(wall, {}, {}, error).all_here);
    EXPECT_TRUE(place(wall, {{"127.0.0.1", 0}}, {}, error).all_here);
    wall.tiles[1].host = "elsewhere.invalid";
    Placement placement = place(wall, {}, {}, error);
    EXPECT_FALSE(placement.all_here);
    EXPECT_NE(placement.host_of_rank[0], "localhost"); // it would mean something else to the others
    EXPECT_TRUE(place(wall, {{"localhost", 0}}, {}, error).all_here) << "the command line beats the wall file";
}

TEST(Slurm, ReadsTheTasksOfEachNode) {
    using Tasks = std::vector<int>;
    EXPECT_EQ(tasks_per_node("4"), Tasks{4});
    EXPECT_EQ(tasks_per_node("2(x3),1"), (Tasks{2, 2, 2, 1}));
    EXPECT_EQ(tasks_per_node("12,3(x2)"), (Tasks{12, 3, 3}));
    for (const char *wrong : {"", "x", "2(x3", "2(3)", "2,,1", "2,", "0", "-1", "2(x0)", "2(x99999999999)", "2 "})
        EXPECT_EQ(tasks_per_node(wrong), Tasks{}) << wrong;
}

TEST(Slurm, NodesShareTheRanksByTheirTasks) {
    using Names = std::vector<std::string>;
    std::string error;
    auto shared = [&error](int tiles, const std::vector<HostRanks> &nodes) {
        pixmpi::Wall wall;
        wall.tiles.resize(static_cast<std::size_t>(tiles));
        return place(wall, {}, nodes, error).host_of_rank;
    };
    EXPECT_EQ(shared(4, {{"a.invalid", 3}, {"b.invalid", 1}}),
              (Names{"a.invalid", "a.invalid", "a.invalid", "b.invalid"}));
    EXPECT_EQ(shared(4, {{"a.invalid", 8}, {"b.invalid", 8}}),
              (Names{"a.invalid", "a.invalid", "b.invalid", "b.invalid"}));
    EXPECT_EQ(shared(3, {{"a.invalid", 1}, {"b.invalid", 1}}), (Names{"a.invalid", "a.invalid", "b.invalid"}));
    EXPECT_EQ(shared(2, {{"a.invalid", 9}, {"b.invalid", 1}, {"c.invalid", 1}}), (Names{"a.invalid", "b.invalid"}));
    EXPECT_EQ(error, "");
}

TEST(Slurm, StartsTheRanksOnItsNodesOnly) {
    pixmpi::Wall wall;
    wall.tiles.resize(2);
    std::string error;
    const std::vector<HostRanks> nodes{{"a.invalid", 1}, {"b.invalid", 1}};
    EXPECT_EQ(place(wall, {}, nodes, error).remote, Remote::by_slurm);
    EXPECT_EQ(place(wall, {{"b.invalid", 0}}, nodes, error).remote, Remote::by_slurm);
    EXPECT_TRUE(place(wall, {{"a.invalid", 1}, {"b.invalid", 1}}, nodes, error).in_order);
    EXPECT_FALSE(place(wall, {{"b.invalid", 1}, {"a.invalid", 1}}, nodes, error).in_order);
    EXPECT_EQ(place(wall, {{"c.invalid", 0}}, nodes, error).remote, Remote::by_ssh);
    EXPECT_EQ(place(wall, {{"localhost", 0}}, nodes, error).remote, Remote::by_ssh);
    EXPECT_EQ(place(wall, {{"c.invalid", 0}}, {}, error).remote, Remote::by_mpiexec);
}

} // namespace
