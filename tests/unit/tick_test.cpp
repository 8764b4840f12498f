// Ticks and events there and back, and bytes that are neither.

#include "sync/operator_events.h"
#include "sync/tick.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <tuple>

using mpiglut::Event;
using mpiglut::CorrectedTile;
using mpiglut::MovedTile;
using mpiglut::ShownOver;
using mpiglut::WantedRecording;
using mpiglut::WantedStill;
using mpiglut::Tick;
using mpiglut::unpack_events;
using mpiglut::unpack_tick;

namespace {

using Bytes = std::vector<std::byte>;
using Limits = std::numeric_limits<std::int32_t>;

std::vector<Event> one_of_each_kind() {
    std::vector<Event> events;
    for (int i = 0; i < static_cast<int>(Event::Kind::count); ++i)
        events.push_back({static_cast<Event::Kind>(i), i, 2, -3, Limits::min(), Limits::max(), -1, 0x01020304, 7});
    return events;
}

Tick some_tick() {
    Tick tick;
    tick.number = 0xfedcba9876543210;
    tick.stamp = {1'700'000'000'000'000'000, -5, 17};
    tick.interrupted = true;
    tick.input = {0x123456789, true};
    tick.shows_late = true;
    tick.dead = {1, 7};
    tick.cuts = {3, -4};
    tick.events = one_of_each_kind();
    return tick;
}

void expect_equal(const Tick &a, const Tick &b) {
    EXPECT_EQ(a.number, b.number);
    EXPECT_EQ(a.stamp.realtime_ns, b.stamp.realtime_ns);
    EXPECT_EQ(a.stamp.monotonic_ns, b.stamp.monotonic_ns);
    EXPECT_EQ(a.stamp.readings, b.stamp.readings);
    EXPECT_EQ(a.interrupted, b.interrupted);
    EXPECT_EQ(a.input, b.input);
    EXPECT_EQ(a.shows_late, b.shows_late);
    EXPECT_EQ(a.dead, b.dead);
    EXPECT_EQ(a.cuts, b.cuts);
    EXPECT_EQ(a.events, b.events);
}

} // namespace

TEST(Tick, GoesThereAndBack) {
    const auto back = unpack_tick(pack(some_tick()));
    ASSERT_TRUE(back);
    expect_equal(*back, some_tick());
    const auto empty = unpack_tick(pack(Tick()));
    ASSERT_TRUE(empty);
    expect_equal(*empty, Tick());
}

TEST(Tick, EventsGoThereAndBack) {
    EXPECT_EQ(unpack_events(mpiglut::pack(one_of_each_kind())), one_of_each_kind());
    EXPECT_EQ(unpack_events(mpiglut::pack(std::vector<Event>())), std::vector<Event>());
}

TEST(Tick, IsLittleEndianWhereverItComesFrom) {
    Event event;
    event.kind = Event::Kind::mouse;
    event.rank = 0x01020304;
    const Bytes bytes = mpiglut::pack(std::span<const Event>(&event, 1));
    ASSERT_EQ(bytes.size(), 4u + 33u);
    const int expected[] = {1, 0, 0, 0, static_cast<int>(Event::Kind::mouse), 4, 3, 2, 1};
    for (std::size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(std::to_integer<int>(bytes[i]), expected[i]) << i;
}

TEST(Tick, NothingShorterOrLongerIsRead) {
    Bytes tick = pack(some_tick()), events = mpiglut::pack(one_of_each_kind());
    for (std::size_t size = 0; size < tick.size(); ++size)
        EXPECT_FALSE(unpack_tick({tick.data(), size})) << size;
    for (std::size_t size = 0; size < events.size(); ++size)
        EXPECT_FALSE(unpack_events({events.data(), size})) << size;
    tick.push_back({});
    events.push_back({});
    EXPECT_FALSE(unpack_tick(tick));
    EXPECT_FALSE(unpack_events(events));
}

TEST(Tick, HugeCountsAskForNoMemory) {
    Bytes events(4 + 33, std::byte{0});
    // The last times 33 wraps around to one event's size.
    for (unsigned count : {0u, 2u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80000001u}) {
        for (int i = 0; i < 4; ++i)
            events[i] = static_cast<std::byte>(count >> (8 * i));
        EXPECT_FALSE(unpack_events(events)) << count;
    }
}

TEST(Tick, KindsAndFlagsAreChecked) {
    Bytes events = mpiglut::pack(std::vector<Event>(1));
    events[4] = static_cast<std::byte>(Event::Kind::count);
    EXPECT_FALSE(unpack_events(events));
    events[4] = std::byte{255};
    EXPECT_FALSE(unpack_events(events));
    Bytes tick = pack(Tick());
    tick[32] = std::byte{2}; // `interrupted`, after four numbers
    EXPECT_FALSE(unpack_tick(tick));
}

TEST(Tick, NoiseIsHarmless) {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        Bytes bytes(random() % 120);
        for (std::byte &byte : bytes)
            byte = static_cast<std::byte>(random() % 3 ? 0 : random());
        if (const auto tick = unpack_tick(bytes)) {
            EXPECT_EQ(pack(*tick), bytes);
        }
        if (const auto events = unpack_events(bytes)) {
            EXPECT_EQ(mpiglut::pack(*events), bytes);
        }
    }
}

/// Whatever the operator's events say comes out as it went in, also on its way as bytes.
TEST(OperatorEvents, SayByNamesWhatWentIn) {
    const auto travelled = [](const Event &event) { return unpack_events(pack(std::span(&event, 1)))->at(0); };
    const MovedTile moved = MovedTile::of(travelled(MovedTile{3, -7, 8, 1920, 1080, true}.event()));
    EXPECT_EQ(std::tie(moved.rank, moved.x, moved.y, moved.wall_width, moved.wall_height, moved.last),
              std::make_tuple(3, -7, 8, 1920, 1080, true));
    const pixmpi::Correction correction{.brightness = 0.5, .gamma = 2.2, .red = 1, .green = 0.875, .blue = 0};
    const CorrectedTile corrected = CorrectedTile::of(travelled(CorrectedTile{2, correction}.event()));
    EXPECT_EQ(corrected.rank, 2);
    EXPECT_EQ(corrected.correction, correction);
    EXPECT_EQ(CorrectedTile::of(CorrectedTile{0, {.gamma = 0}}.event()).correction.gamma, pixmpi::least_gamma);
    const WantedStill still = WantedStill::of(travelled(WantedStill{9, std::int64_t{1} << 40}.event()));
    EXPECT_EQ(still.request, 9);
    EXPECT_EQ(still.frame, 0x7fffffff); // the last that it can say
    EXPECT_EQ(ShownOver::of(travelled(ShownOver{4}.event())).what, 4);
    EXPECT_TRUE(WantedRecording::of(travelled(WantedRecording{true}.event())).runs);
    for (const Event &event : {moved.event(), corrected.event(), still.event(), ShownOver{}.event()})
        EXPECT_TRUE(is_of_operator(event.kind));
}

TEST(Tick, KindsHaveNames) {
    for (int i = 0; i < static_cast<int>(Event::Kind::count); ++i) {
        const auto kind = static_cast<Event::Kind>(i);
        EXPECT_EQ(mpiglut::kind_from_name(name(kind)), kind);
    }
    EXPECT_STREQ(name(Event::Kind::special_up), "special_up");
    EXPECT_STREQ(name(Event::Kind::damage), "damage");
    EXPECT_FALSE(mpiglut::kind_from_name(""));
    EXPECT_FALSE(mpiglut::kind_from_name("Key"));
    EXPECT_FALSE(mpiglut::kind_from_name(name(Event::Kind::count)));
}
