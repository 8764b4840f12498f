// Wall files that are meant to make us fall over. Whatever comes, the answer is a sound wall or errors.
#include "walls.h"

#include <iostream>
#include <random>

using namespace pixmpi;

namespace {

std::string repeated(const std::string &text, int times) {
    std::string result;
    result.reserve(text.size() * times);
    while (times-- > 0)
        result += text;
    return result;
}

/// One random change: what editors, transfers and attackers do to files.
std::string mutate(const std::string &file, std::mt19937 &random) {
    static const std::vector<std::string> words{"0",
                                                "-1",
                                                "1e9",
                                                "4097",
                                                "1048577",
                                                "nan",
                                                "-inf",
                                                "9223372036854775807",
                                                "99999999999999999999",
                                                "1e308",
                                                "4.9e-324",
                                                "true",
                                                "\"\"",
                                                "\"x\"",
                                                "[]",
                                                "[[]]",
                                                "{}",
                                                "[1]",
                                                "[1, 2, 3]",
                                                "1979-05-27",
                                                "'''",
                                                "\"\"\"",
                                                "=",
                                                "[[tile]]\n",
                                                "[grid]\n",
                                                "#",
                                                "\n",
                                                "\r",
                                                "a.b.c",
                                                "rank = 0\n",
                                                "column = 0\n",
                                                "row = 0\n",
                                                "unit = \"mm\"\n",
                                                std::string("\0", 1),
                                                "\xff\xfe",
                                                "\xc3"};
    const auto below = [&](std::size_t n) { return n ? random() % n : 0; };
    std::string result = file;
    const std::size_t at = below(file.size() + 1), length = std::min<std::size_t>(below(12), file.size() - at);
    switch (below(6)) {
    case 0:
        return result.erase(at, length);
    case 1:
        return result.insert(at, words[below(words.size())]);
    case 2:
        return result.replace(at, length, words[below(words.size())]);
    case 3:
        return result.insert(at, file.substr(below(file.size()), below(80)));
    case 4:
        return result.substr(0, at);
    default:
        if (at < result.size())
            result[at] = static_cast<char>(random());
        return result;
    }
}

/// Replaces a whole value, which random bytes seldom hit.
std::string change_value(const std::string &file, std::mt19937 &random) {
    static const std::vector<std::string> values{"0",
                                                 "-1",
                                                 "1",
                                                 "2",
                                                 "5000",
                                                 "1000000000",
                                                 "1e9",
                                                 "nan",
                                                 "inf",
                                                 "-1e300",
                                                 "0.5",
                                                 "[0, 0]",
                                                 "[1e9, 1]",
                                                 "[-1, -1]",
                                                 "[nan, 1]",
                                                 "[1048576, 1048576]",
                                                 "[5, 5]",
                                                 "[0.01, 0.01]",
                                                 "[1e7, 1e7]",
                                                 "[1, 2, 3, 4]",
                                                 "{left = -1048576}",
                                                 "true",
                                                 "false",
                                                 "\"mm\"",
                                                 "\"a\""};
    std::vector<std::size_t> places;
    for (std::size_t at = file.find(" = "); at != file.npos; at = file.find(" = ", at + 1))
        places.push_back(at + 3);
    const std::size_t from = places[random() % places.size()];
    return file.substr(0, from) + values[random() % values.size()] +
           file.substr(std::min(file.size(), file.find('\n', from)));
}

} // namespace

TEST(HostileWall, DeepNesting) {
    const std::string files[] = {
        "a = " + repeated("[", 500000),
        "a = " + repeated("{a = ", 100000),
        "a" + repeated(".a", 400000) + " = 1",
        "[a" + repeated(".a", 400000) + "]",
        "a" + repeated(".a", 190) + " = " + repeated("{a" + repeated(".a", 10) + " = ", 15) + "1" + repeated("}", 15),
        repeated("[a" + repeated(".a", 199) + "]\nb" + repeated(".b", 199) + " = 1\n[[c]]\n", 100),
        "a = " + repeated("[{b" + repeated(".b", 199) + " = \n", 1000)};
    for (const std::string &file : files) {
        const WallResult result = parse_wall(file, "deep.toml");
        EXPECT_FALSE(result.wall);
        expect_sound(result);
    }
}

TEST(HostileWall, WhatTheTomlLibraryTripsOver) {
    for (const char *file : {"[=", "[", "[[", "[[,]]", "x = \xc3\xa9", "\xc3\xa9 = 1", "[\xc3\xa9]", "x\xc2\xad = 1",
                             "x = ", "x", "\xef\xbb\xbf", "x = 0x", "x = +", "x = 1e", "x = 1979-13-41",
                             "x = \"\\uD800\"", "x = \"\"\"", "a.b = 1\na = 2"}) {
        SCOPED_TRACE(file);
        const WallResult result = parse_wall(file, "trap.toml");
        EXPECT_FALSE(result.wall);
        expect_sound(result);
    }
}

TEST(HostileWall, LongAndMany) {
    const std::string files[] = {repeated("[[tile]]\n", 100000),
                                 repeated("[[tile]]\nposition = [0, 0]\nsize = [1, 1]\n", 4097),
                                 repeated("x", 1000000),
                                 repeated("\n", 1 << 20),
                                 repeated("\n", (1 << 20) + 1),
                                 "[grid]\ncolumns = 1\nrows = 1\nhost = \"" + repeated("x", 100000) + "\"\n",
                                 "[grid]\ncolumns = 1\nrows = 1\nhost = [" + repeated("\"x\",", 100000) + "]\n",
                                 "[grid]\ncolumns = 1\nrows = 1\n" + repeated("q", 100000) + " = 1\n",
                                 "[grid]\ncolumns = 1" + repeated("0", 100000) + "\nrows = 1\n",
                                 "[grid]\ncolumns = 4096\nrows = 4096\ntile = [1, 1]\n"};
    for (const std::string &file : files) {
        const WallResult result = parse_wall(file, "long.toml");
        EXPECT_FALSE(result.wall);
        expect_sound(result);
        for (const std::string &error : result.errors)
            EXPECT_LT(error.size(), 1000u);
    }
}

TEST(HostileWall, ManyDistinctUnknownKeysAreAnsweredSoon) {
    std::string file;
    for (int i = 0; i < 60000; ++i)
        file += "key" + std::to_string(i) + " = 1\n";
    expect_sound(parse_wall(file, "keys.toml"));
}

TEST(HostileWall, AsManyTilesAsAllowed) {
    std::string file;
    for (int i = 0; i < 4096; ++i)
        file += "[[tile]]\nposition = [" + std::to_string(i % 7) +
                ", 0]\nsize = [9, 9]\nrank = " + std::to_string(4095 - i) + "\n";
    const WallResult result = parse_wall(file, "many.toml");
    ASSERT_TRUE(result.wall) << joined(result.errors);
    expect_sound(result);
}

TEST(HostileWall, BytesThatAreNoText) {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        std::string bytes(random() % 300, '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(random());
        expect_sound(parse_wall(bytes, "bytes.toml"));
        expect_sound(read_wall(bytes));
    }
}

class MutatedWall : public testing::TestWithParam<unsigned> {};

TEST_P(MutatedWall, IsSoundOrRefused) {
    const unsigned first = GetParam() * 10000, rounds = 1500;
    std::cout << "seeds " << first << " to " << first + rounds - 1 << std::endl; // known even after a crash
    int accepted = 0;
    for (unsigned seed = first; seed < first + rounds; ++seed) {
        std::mt19937 random(seed);
        std::string file = samples()[random() % samples().size()];
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
            file = random() % 2 ? mutate(file, random) : change_value(file + " = 0\n", random);
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + file);
        const WallResult result = parse_wall(file, "mutated.toml");
        expect_sound(result);
        if (result.wall) {
            ++accepted;
            const WallResult again = parse_wall(format_wall(*result.wall), "again.toml");
            ASSERT_TRUE(again.wall) << joined(again.errors) << format_wall(*result.wall);
            expect_same(*again.wall, *result.wall);
        }
        if (HasFailure())
            return;
    }
    EXPECT_GT(accepted, 0) << "mutations that are never accepted test only the TOML library";
}

INSTANTIATE_TEST_SUITE_P(HostileWall, MutatedWall, testing::Range(1u, 7u));

TEST(HostileWall, MutatedSpecs) {
    for (unsigned seed = 1; seed <= 20000; ++seed) {
        std::mt19937 random(seed);
        std::string spec = "5x4@1680x1050+150+150";
        for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
            spec[random() % spec.size()] = "0123456789x@+-. e\n"[random() % 18];
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + spec);
        expect_sound(read_wall(spec));
        if (HasFailure())
            return;
    }
}
