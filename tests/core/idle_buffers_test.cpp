// Buffers of a device's own that wait for their next use.
#include "device/idle_buffers.h"

#include <gtest/gtest.h>

using pixmpi::IdleBuffers;

namespace {

struct Sized {
    int name;
    std::size_t bytes;
};
std::size_t bytes_of(const Sized &one) { return one.bytes; }

using Idle = IdleBuffers<Sized>;

int name_of(const std::optional<Sized> &one) { return one ? one->name : -1; }

std::vector<int> names_of(const std::vector<Sized> &all) {
    std::vector<int> names;
    for (const Sized &one : all)
        names.push_back(one.name);
    return names;
}

using Names = std::vector<int>;

} // namespace

TEST(IdleBuffers, gives_the_smallest_that_fits_and_the_last_of_equal_ones) {
    Idle idle;
    for (const Sized &one : {Sized{1, 800}, Sized{2, 200}, Sized{3, 400}, Sized{4, 400}, Sized{5, 100}})
        EXPECT_TRUE(idle.give_back(one).empty());
    EXPECT_EQ(name_of(idle.pop(300)), 4);
    EXPECT_EQ(name_of(idle.pop(300)), 3);
    EXPECT_EQ(name_of(idle.pop(300)), 1);
    EXPECT_EQ(name_of(idle.pop(300)), -1);
    EXPECT_EQ(name_of(idle.pop(24)), -1) << "more than four times as large";
    EXPECT_EQ(name_of(idle.pop(25)), 5);
    EXPECT_EQ(name_of(idle.pop(200)), 2);
    EXPECT_TRUE(idle.empty());
}

TEST(IdleBuffers, drops_what_came_first_where_there_are_too_many) {
    Idle idle(2, 1000, 1000);
    EXPECT_EQ(names_of(idle.give_back({1, 10})), Names{});
    EXPECT_EQ(names_of(idle.give_back({2, 10})), Names{});
    EXPECT_EQ(names_of(idle.give_back({3, 10})), Names{1});
    EXPECT_EQ(names_of(idle.pop_all()), (Names{2, 3}));
}

TEST(IdleBuffers, drops_what_came_first_where_they_are_too_large_together) {
    Idle idle(9, 100, 150);
    EXPECT_EQ(names_of(idle.give_back({1, 101})), Names{1});
    EXPECT_EQ(names_of(idle.give_back({2, 50})), Names{});
    EXPECT_EQ(names_of(idle.give_back({3, 60})), Names{});
    EXPECT_EQ(names_of(idle.give_back({4, 40})), Names{});
    EXPECT_EQ(names_of(idle.give_back({5, 100})), (Names{2, 3}));
    EXPECT_EQ(name_of(idle.pop(100)), 5);
    EXPECT_EQ(names_of(idle.give_back({6, 100})), Names{});
    EXPECT_EQ(names_of(idle.pop_all()), (Names{4, 6}));
    EXPECT_EQ(names_of(idle.give_back({7, 100})), Names{});
    EXPECT_EQ(names_of(idle.give_back({8, 50})), Names{});
}

TEST(IdleBuffers, keeps_the_buffers_of_frames_that_take_turns) {
    Idle idle; // a frame that was looked through, and others: as of Vulkan, with depths
    int made = 0;
    for (int frame = 0; frame < 27; ++frame) {
        std::vector<Sized> used;
        for (int i = 0; i < (frame % 9 == 0 ? 10 : 8); ++i) {
            const std::size_t bytes = (std::size_t{1} << 20) * static_cast<std::size_t>(1 + i);
            const auto found = idle.pop(bytes);
            used.push_back(found ? *found : Sized{made++, bytes});
        }
        for (const Sized &one : used)
            EXPECT_TRUE(idle.give_back(one).empty());
    }
    EXPECT_EQ(made, 10);
}
