// What is kept for regions: found again by region, key and band, and dropped by cost and by age.
#include "region/region_cache.h"

#include <gtest/gtest.h>

using namespace pixmpi;

namespace {

using Cache = RegionCache<char, int>;

std::shared_ptr<const Region> make_region() {
    auto region = std::make_shared<Region>();
    region->add({0, 0, 4, 4});
    region->commit();
    return region;
}

int value_of(const int *found) { return found ? *found : -1; }

} // namespace

TEST(RegionCache, finds_what_was_added_for_region_key_and_band) {
    const auto one = make_region(), other = make_region();
    Cache cache(100);
    EXPECT_EQ(cache.find(one, 'a', 0, 8), nullptr);
    EXPECT_EQ(cache.add(one, 'a', 0, 8, 1, 1), 1);
    cache.add(one, 'a', 8, 8, 2, 1);
    cache.add(one, 'b', 0, 8, 3, 1);
    cache.add(other, 'a', 0, 8, 4, 1);
    for (int turn = 0; turn < 2; ++turn) { // in order, and back at the first
        EXPECT_EQ(value_of(cache.find(one, 'a', 0, 8)), 1);
        EXPECT_EQ(value_of(cache.find(one, 'a', 8, 8)), 2);
        EXPECT_EQ(value_of(cache.find(one, 'b', 0, 8)), 3);
        EXPECT_EQ(value_of(cache.find(other, 'a', 0, 8)), 4);
    }
    EXPECT_EQ(value_of(cache.find(one, 'a', 8, 8)), 2);
    EXPECT_EQ(value_of(cache.find(one, 'a', 8, 8)), 2);
    EXPECT_EQ(cache.find(one, 'a', 8, 4), nullptr);
    EXPECT_EQ(cache.find(one, 'c', 0, 8), nullptr);
    EXPECT_EQ(cache.find(other, 'a', 8, 8), nullptr);
    EXPECT_EQ(value_of(cache.find(one, 'a', 0, 8)), 1);
}

TEST(RegionCache, takes_a_new_region_at_an_old_ones_address_for_another) {
    Region memory;
    const auto named = [&] { return std::shared_ptr<const Region>(&memory, [](const Region *) {}); };
    auto region = named();
    Cache cache(100);
    cache.add(region, 'a', 0, 8, 1, 1);
    region = named();
    EXPECT_EQ(cache.find(region, 'a', 0, 8), nullptr);
}

TEST(RegionCache, drops_what_was_not_used_for_the_longest_time_when_it_costs_too_much) {
    const auto first = make_region(), second = make_region(), third = make_region();
    Cache cache(10);
    cache.add(first, 'a', 0, 8, 1, 4);
    cache.add(second, 'a', 0, 8, 2, 4);
    ASSERT_EQ(value_of(cache.find(first, 'a', 0, 8)), 1);
    cache.add(third, 'a', 0, 8, 3, 4);
    EXPECT_EQ(cache.find(second, 'a', 0, 8), nullptr);
    EXPECT_EQ(value_of(cache.find(first, 'a', 0, 8)), 1);
    EXPECT_EQ(value_of(cache.find(third, 'a', 0, 8)), 3);
    cache.add(second, 'a', 0, 8, 2, 11); // alone, it may cost more
    EXPECT_EQ(cache.find(first, 'a', 0, 8), nullptr);
    EXPECT_EQ(cache.find(third, 'a', 0, 8), nullptr);
    EXPECT_EQ(value_of(cache.find(second, 'a', 0, 8)), 2);
}

TEST(RegionCache, drops_what_belongs_to_regions_that_are_gone_first) {
    const auto first = make_region();
    auto gone = make_region();
    Cache cache(10);
    cache.add(first, 'a', 0, 8, 1, 4);
    cache.add(gone, 'a', 0, 8, 2, 3);
    cache.add(gone, 'a', 8, 8, 3, 3);
    gone.reset();
    std::vector<int> dropped;
    cache.make_room(6, [&](int value) { dropped.push_back(value); });
    EXPECT_EQ(dropped, (std::vector{2, 3}));
    EXPECT_EQ(value_of(cache.find(first, 'a', 0, 8)), 1);
    cache.clear([&](int value) { dropped.push_back(value); });
    EXPECT_EQ(dropped, (std::vector{2, 3, 1}));
    EXPECT_TRUE(cache.empty());
}

TEST(RegionCache, keeps_few_regions_whatever_they_cost) {
    std::vector<std::shared_ptr<const Region>> regions;
    Cache cache(1 << 20);
    for (int i = 0; i < 1000; ++i) {
        regions.push_back(make_region());
        cache.add(regions.back(), 'a', 0, 8, i, 0);
    }
    int kept = 0;
    for (const auto &region : regions)
        kept += cache.find(region, 'a', 0, 8) != nullptr;
    EXPECT_LT(kept, 300);
    EXPECT_EQ(value_of(cache.find(regions.back(), 'a', 0, 8)), 999);
}
