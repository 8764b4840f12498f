// Lines between strips: where they come to rest, what moves them, and what is refused.
#include "pixmpi_compositor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using Lines = std::vector<int>;
using Seconds = std::vector<double>;

Lines even_lines(int count, int extent) {
    Lines lines;
    for (int i = 0; i <= count; ++i)
        lines.push_back(static_cast<int>(std::int64_t{extent} * i / count));
    return lines;
}

/// What the strips take of rows with so much work each.
Seconds seconds_of(const Lines &lines, const Seconds &rows) {
    Seconds seconds;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        seconds.push_back(0);
        for (int row = lines[i]; row < lines[i + 1]; ++row)
            seconds.back() += rows[row];
    }
    return seconds;
}

double most_to_mean(const Seconds &seconds) {
    double sum = 0;
    for (const double one : seconds)
        sum += one;
    return *std::max_element(seconds.begin(), seconds.end()) * static_cast<double>(seconds.size()) / sum;
}

void expect_strips(const Lines &lines, int extent) {
    EXPECT_EQ(lines.front(), 0);
    EXPECT_EQ(lines.back(), extent);
    for (std::size_t i = 1; i < lines.size(); ++i)
        EXPECT_LT(lines[i - 1], lines[i]);
}

int balance(const Seconds &seconds, Lines &lines) {
    return pixMPI_Balance(static_cast<int>(seconds.size()), seconds.data(), lines.back(), lines.data());
}

/// Rows; some take a hundred times as long as others.
Seconds skewed(int extent) {
    Seconds rows;
    for (int row = 0; row < extent; ++row)
        rows.push_back(row > extent / 2 && row < extent * 3 / 4 ? 100 : 1 + 5.0 * row / extent);
    return rows;
}

TEST(Balance, ConvergesForASkewedLoad) {
    for (const int count : {1, 2, 3, 5, 8, 16, 64}) {
        constexpr int extent = 2160;
        Lines lines = even_lines(count, extent);
        const Seconds rows = skewed(extent);
        const double before = most_to_mean(seconds_of(lines, rows));
        for (int frame = 0; frame < 200; ++frame) {
            ASSERT_EQ(balance(seconds_of(lines, rows), lines), PIXMPI_SUCCESS);
            expect_strips(lines, extent);
        }
        const double after = most_to_mean(seconds_of(lines, rows));
        EXPECT_LE(after, count == 64 ? 1.3 : 1.1) << count << " strips, " << before << " before"; // 540 rows have all
        Lines next = lines;
        ASSERT_EQ(balance(seconds_of(lines, rows), next), PIXMPI_SUCCESS);
        for (int i = 0; i <= count; ++i)
            EXPECT_NEAR(next[i], lines[i], extent / 500) << count << " strips do not settle";
    }
}

TEST(Balance, StaysPutForAnEvenLoad) {
    for (const int count : {1, 2, 7, 100}) {
        const Lines before = even_lines(count, 1080);
        Lines lines = before;
        EXPECT_EQ(balance(Seconds(count, 0.016), lines), PIXMPI_SUCCESS);
        EXPECT_EQ(lines, before);
        EXPECT_EQ(balance(Seconds(count, 0), lines), PIXMPI_SUCCESS);
        EXPECT_EQ(lines, before);
        EXPECT_EQ(balance(Seconds(count, 1e308), lines), PIXMPI_SUCCESS);
        EXPECT_EQ(lines, before);
    }
}

/// Times that are wrong by a tenth move a line by less than a tenth of a strip.
TEST(Balance, NoiseDoesNotMakeLinesSwing) {
    constexpr int count = 8, extent = 1600;
    const Lines even = even_lines(count, extent);
    Lines lines = even;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> noise(0.9, 1.1);
    const Seconds rows(extent, 1);
    for (int frame = 0; frame < 200; ++frame) {
        Seconds seconds = seconds_of(lines, rows);
        for (double &one : seconds)
            one *= noise(random);
        ASSERT_EQ(balance(seconds, lines), PIXMPI_SUCCESS);
        for (int i = 0; i <= count; ++i)
            EXPECT_NEAR(lines[i], even[i], extent / count / 5) << "frame " << frame << ", line " << i;
    }
}

TEST(Balance, GoesHalfOfTheWay) {
    Lines lines{0, 50, 100};
    EXPECT_EQ(balance({1, 3}, lines), PIXMPI_SUCCESS); // even at 50 + 50 / 3
    EXPECT_EQ(lines, (Lines{0, 58, 100}));
    lines = {0, 50, 100};
    EXPECT_EQ(balance({0, 1}, lines), PIXMPI_SUCCESS); // even at 75
    EXPECT_TRUE(lines == (Lines{0, 62, 100}) || lines == (Lines{0, 63, 100})) << lines[1];
}

/// All work in one row: each strip keeps a row.
TEST(Balance, EachStripKeepsARow) {
    for (const int extent : {5, 6, 100}) {
        Lines lines = even_lines(5, extent);
        for (int frame = 0; frame < 30; ++frame) {
            Seconds rows(extent, 0);
            rows[extent - 1] = 1;
            ASSERT_EQ(balance(seconds_of(lines, rows), lines), PIXMPI_SUCCESS);
            expect_strips(lines, extent);
        }
        EXPECT_EQ(lines[4], extent - 1);
    }
}

/// Strips without rows, which a program may begin with, get one.
TEST(Balance, EmptyStripsGetARow) {
    Lines lines{0, 0, 0, 8};
    EXPECT_EQ(balance({0, 0, 1}, lines), PIXMPI_SUCCESS);
    expect_strips(lines, 8);
}

TEST(Balance, RefusesWrongArguments) {
    const Lines good{0, 4, 10};
    const auto refused = [&](int count, const Seconds &seconds, int extent, Lines lines, const char *says) {
        const Lines before = lines;
        EXPECT_EQ(pixMPI_Balance(count, seconds.data(), extent, lines.data()), PIXMPI_ERR_ARGUMENT);
        EXPECT_NE(std::string(pixMPI_Error_text()).find(says), std::string::npos) << pixMPI_Error_text();
        EXPECT_EQ(lines, before);
    };
    refused(0, {1, 1}, 10, good, "count: 0, expected from 1");
    refused(-1, {1, 1}, 10, good, "count: -1");
    refused(2, {1, 1}, 1, {0, 1, 1}, "extent: 1, expected from 2");
    refused(2, {1, 1}, 11, good, "lines[2]: 10, expected 11");
    refused(2, {1, 1}, 10, {1, 4, 10}, "lines[0]: 1, expected 0");
    refused(3, {1, 1, 1}, 10, {0, 6, 4, 10}, "lines[2]: 4, expected from 6");
    refused(2, {1, -1}, 10, good, "seconds[1]: -1, expected");
    refused(2, {std::nan(""), 1}, 10, good, "seconds[0]: nan");
    refused(2, {1, std::numeric_limits<double>::infinity()}, 10, good, "seconds[1]: inf");
    Lines lines = good;
    EXPECT_EQ(pixMPI_Balance(2, nullptr, 10, lines.data()), PIXMPI_ERR_ARGUMENT);
    EXPECT_NE(std::string(pixMPI_Error_text()).find("seconds: null, expected 2 numbers"), std::string::npos);
    EXPECT_EQ(pixMPI_Balance(2, Seconds{1, 1}.data(), 10, nullptr), PIXMPI_ERR_ARGUMENT);
    EXPECT_NE(std::string(pixMPI_Error_text()).find("lines: null, expected 3 numbers"), std::string::npos);
}

} // namespace
