// First fit in units, for the cutting of allocations.
#include "region/units.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using pixmpi::Units;

TEST(Units, FirstFit) {
    Units units(10 * 64, 64);
    std::size_t a = 1, b = 1, c = 1;
    EXPECT_TRUE(units.allocate(65, 0, 640, a)); // two
    EXPECT_TRUE(units.allocate(64, 0, 640, b));
    EXPECT_TRUE(units.allocate(1, 0, 640, c));
    EXPECT_EQ(a, 0u);
    EXPECT_EQ(b, 128u);
    EXPECT_EQ(c, 192u);
    units.free(a, 65);
    EXPECT_TRUE(units.allocate(64, 0, 640, a));
    EXPECT_EQ(a, 0u);
    EXPECT_TRUE(units.allocate(128, 0, 640, a)); // one unit is not enough
    EXPECT_EQ(a, 256u);
}

TEST(Units, Limits) {
    Units units(10 * 64, 64);
    std::size_t offset = 7;
    EXPECT_FALSE(units.allocate(641, 0, 640, offset));
    EXPECT_FALSE(units.allocate(192, 320, 448, offset));
    EXPECT_EQ(offset, 7u);
    EXPECT_TRUE(units.allocate(128, 320, 448, offset));
    EXPECT_EQ(offset, 320u);
    EXPECT_FALSE(units.allocate(1, 320, 448, offset));
    EXPECT_TRUE(units.allocate(320, 0, 320, offset)); // the other half is untouched
    EXPECT_EQ(offset, 0u);
    EXPECT_TRUE(units.allocate(192, 0, 640, offset));
    EXPECT_EQ(offset, 448u);
    EXPECT_FALSE(units.allocate(0, 0, 640, offset)); // nothing takes a unit, too
}

TEST(Units, NothingToTake) {
    Units none, rest(100, 64);
    std::size_t offset = 0;
    EXPECT_FALSE(none.allocate(1, 0, 0, offset));
    EXPECT_EQ(rest.bytes(), 64u); // whole units only
    EXPECT_EQ(rest.rounded(65), 128u);
}

TEST(Units, NoTwoOverlap) {
    constexpr std::size_t unit = 16, all = 100 * unit;
    Units units(all, unit);
    std::map<std::size_t, std::size_t> allocated;
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 && !allocated.empty()) {
            const auto one = std::next(allocated.begin(), static_cast<std::ptrdiff_t>(random() % allocated.size()));
            units.free(one->first, one->second);
            allocated.erase(one);
            continue;
        }
        const std::size_t bytes = 1 + random() % (12 * unit);
        std::size_t offset = 0;
        if (!units.allocate(bytes, 0, all, offset))
            continue;
        const auto after = allocated.lower_bound(offset);
        ASSERT_TRUE(after == allocated.end() || after->first >= offset + bytes);
        if (after != allocated.begin()) {
            const auto &[start, length] = *std::prev(after);
            ASSERT_LE(start + length, offset);
        }
        ASSERT_LE(offset + bytes, all);
        ASSERT_EQ(offset % unit, 0u);
        allocated[offset] = bytes;
    }
    for (const auto &[offset, bytes] : allocated)
        units.free(offset, bytes);
    std::size_t offset = 1;
    EXPECT_TRUE(units.allocate(all, 0, all, offset));
}
