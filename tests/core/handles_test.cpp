// Handles: found while they live, and never followed.
#include "base/handles.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <thread>

using pixmpi::HandleTable;

namespace {

void *number(std::uintptr_t bits) { return reinterpret_cast<void *>(bits); }

} // namespace

TEST(handles, found_until_erased) {
    HandleTable<int> table;
    void *const one = table.insert(std::make_shared<int>(1));
    void *const two = table.insert(std::make_shared<int>(2));
    ASSERT_TRUE(table.find(one) && table.find(two));
    EXPECT_EQ(*table.find(one), 1);
    EXPECT_EQ(*table.find(two), 2);
    EXPECT_EQ(table.size(), 2u);
    const auto erased = table.erase(one);
    ASSERT_TRUE(erased);
    EXPECT_EQ(*erased, 1);
    EXPECT_EQ(erased.use_count(), 1) << "the table has let go";
    EXPECT_FALSE(table.find(one));
    EXPECT_FALSE(table.erase(one));
    EXPECT_EQ(table.size(), 1u);
    EXPECT_EQ(*table.find(two), 2);
}

TEST(handles, a_slot_used_again_has_another_handle) {
    HandleTable<int> table;
    std::set<void *> seen;
    for (int i = 0; i < 1000; ++i) {
        void *const handle = table.insert(std::make_shared<int>(i));
        EXPECT_TRUE(seen.insert(handle).second);
        for (void *old : {*seen.begin(), *seen.rbegin()})
            if (old != handle) {
                EXPECT_FALSE(table.find(old));
            }
        table.erase(handle);
    }
    EXPECT_EQ(table.size(), 0u);
}

TEST(handles, foreign_ones_are_not_found) {
    HandleTable<int> table, other;
    void *const handle = table.insert(std::make_shared<int>(1));
    void *const others = other.insert(std::make_shared<int>(2));
    EXPECT_NE(handle, others);
    EXPECT_FALSE(table.find(others));
    EXPECT_FALSE(other.find(handle));
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    EXPECT_GT(bits, 1u) << "0 and 1 have a meaning of their own";
    for (std::uintptr_t bad :
         {std::uintptr_t{0}, std::uintptr_t{1}, ~std::uintptr_t{0}, bits ^ 1u, bits + 0x100, bits ^ 0xffff00,
          bits ^ (std::uintptr_t{1} << 63), bits & 0xffffffff, reinterpret_cast<std::uintptr_t>(&table)})
        EXPECT_FALSE(table.find(number(bad))) << std::hex << bad;
    for (int bit = 0; bit < 64; ++bit)
        EXPECT_FALSE(table.find(number(bits ^ (std::uintptr_t{1} << bit)))) << bit;
    EXPECT_TRUE(table.find(handle));
}

TEST(handles, first_handles_of_an_empty_table_are_not_found) {
    const HandleTable<int> table;
    for (std::uintptr_t low = 0; low < 0x10000; ++low)
        ASSERT_FALSE(table.find(number(low | std::uintptr_t{1} << 32)));
}

TEST(handles, many_at_random) {
    HandleTable<int> table;
    std::vector<std::pair<void *, int>> live;
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        if (live.empty() || random() % 3 != 0) {
            live.emplace_back(table.insert(std::make_shared<int>(i)), i);
        } else {
            std::swap(live[random() % live.size()], live.back());
            const auto erased = table.erase(live.back().first);
            ASSERT_TRUE(erased);
            EXPECT_EQ(*erased, live.back().second);
            live.pop_back();
        }
    }
    EXPECT_EQ(table.size(), live.size());
    for (const auto &[handle, value] : live) {
        ASSERT_TRUE(table.find(handle));
        EXPECT_EQ(*table.find(handle), value);
    }
}

TEST(handles, threads) {
    HandleTable<int> table;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&table, t] {
            for (int i = 0; i < 2000; ++i) {
                void *const handle = table.insert(std::make_shared<int>(1000 * t + i));
                const auto found = table.find(handle);
                ASSERT_TRUE(found);
                EXPECT_EQ(*found, 1000 * t + i);
                EXPECT_TRUE(table.erase(handle));
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(table.size(), 0u);
}
