#include "stage/slot_plan.h"

#include <gtest/gtest.h>

using pixmpi::Bands;
using pixmpi::Layout;

namespace {

/// Every pixel in one band, in order, no band larger than `most` or empty.
void expect_cover(const Bands &bands) {
    SCOPED_TRACE(testing::Message() << bands.pixels << " pixels, most " << bands.most << ", steps " << bands.steps);
    ASSERT_TRUE(bands.valid());
    std::uint64_t next = 0;
    for (std::uint64_t k = 0; k < bands.count(); ++k) {
        ASSERT_EQ(bands.first(k), next);
        ASSERT_GT(bands.size(k), 0u);
        ASSERT_LE(bands.size(k), bands.most);
        next += bands.size(k);
    }
    EXPECT_EQ(next, bands.pixels);
    EXPECT_EQ(bands.first(bands.count()), bands.pixels);
}

std::vector<std::uint64_t> sizes(const Bands &bands) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t k = 0; k < bands.count(); ++k)
        all.push_back(bands.size(k));
    return all;
}

} // namespace

TEST(Bands, AllAlikeButTheLast) {
    EXPECT_EQ(sizes({10, 4, 0}), (std::vector<std::uint64_t>{4, 4, 2}));
    EXPECT_EQ(sizes({8, 4, 0}), (std::vector<std::uint64_t>{4, 4}));
    EXPECT_EQ(sizes({3, 4, 0}), (std::vector<std::uint64_t>{3}));
}

TEST(Bands, GrowAndShrink) {
    EXPECT_EQ(sizes({64, 16, 2}), (std::vector<std::uint64_t>{4, 8, 16, 16, 8, 8, 4}));
    EXPECT_EQ(sizes({24, 16, 2}), (std::vector<std::uint64_t>{4, 8, 8, 4}));
    EXPECT_EQ(sizes({25, 16, 2}), (std::vector<std::uint64_t>{4, 8, 1, 8, 4}));
    EXPECT_EQ(sizes({100, 33, 1}), (std::vector<std::uint64_t>{16, 33, 33, 2, 16}));
}

TEST(Bands, CoverAllPixels) {
    for (std::uint32_t steps = 0; steps < 4; ++steps)
        for (std::uint64_t most = 1; most < 40; ++most)
            for (std::uint64_t pixels = 1; pixels < 200; ++pixels)
                if (const Bands bands{pixels, most, steps}; bands.valid())
                    expect_cover(bands);
    expect_cover({std::uint64_t{1} << 62, (std::uint64_t{1} << 50) + 7, 3});
}

TEST(Bands, LieInSlotsByTurnsOrBehindEachOther) {
    Layout layout{{16, 64, 4, 2}, 64, 4}; // 4, 8, 16, 16, 8, 8, 4
    EXPECT_EQ(layout.place(5), 64u);
    EXPECT_EQ(layout.places(), 4u);
    layout.plan = {16, 256, 1, 2};
    EXPECT_EQ(layout.place(5), 0u) << "also where all of them had room";
    EXPECT_EQ((Layout{{0, 256, 2}, 10, 4}.place(3)), 256u) << "strips";
    layout.plan.together = true;
    EXPECT_EQ(layout.places(), 7u);
    std::uint64_t end = 0;
    for (std::uint64_t k = 0; k < layout.bands().count(); ++k) {
        EXPECT_EQ(layout.place(k), end);
        end += 4 * layout.bands().size(k);
    }
    EXPECT_EQ(end, 256u);
}

TEST(Bands, Refused) {
    EXPECT_FALSE((Bands{10, 0, 0}.valid()));
    EXPECT_FALSE((Bands{10, 3, 2}.valid())) << "the first band would be empty";
    EXPECT_FALSE((Bands{23, 16, 2}.valid())) << "too few pixels for all steps";
    EXPECT_FALSE((Bands{~std::uint64_t{0} / 4, ~std::uint64_t{0}, 40}.valid()));
    EXPECT_FALSE((Bands{10, ~std::uint64_t{0}, 1}.valid()));
}
