// Who merges what: at the end each row of the picture is with one place, merged of all places.
#include "composite/scheme.h"

#include <gtest/gtest.h>

#include <set>

namespace pixmpi {
namespace {

constexpr pixMPI_Strategy strategies[] = {PIXMPI_STRATEGY_AUTO,  PIXMPI_STRATEGY_DIRECT, PIXMPI_STRATEGY_SWAP,
                                          PIXMPI_STRATEGY_RADIX, PIXMPI_STRATEGY_TREE,   PIXMPI_STRATEGY_HOSTS};

void expect_whole(const Scheme &scheme, int rows) {
    std::vector<int> owners(static_cast<std::size_t>(rows));
    for (const Share &share : scheme.shares(rows, scheme.rounds()))
        for (int row = share.top; share.takes_part && row < share.bottom; ++row)
            ++owners[static_cast<std::size_t>(row)];
    EXPECT_EQ(owners, std::vector<int>(static_cast<std::size_t>(rows), 1));
}

TEST(Scheme, EndsWithAllPlacesMergedAndEachRowOnce) {
    for (const pixMPI_Strategy strategy : strategies)
        for (int places = 1; places <= 40; ++places)
            for (const int radix : {0, 2, 3, 8})
                for (const int rows : {0, 1, 7, 480}) {
                    SCOPED_TRACE(testing::Message() << "strategy " << strategy << ", " << places << " places, radix "
                                                    << radix << ", " << rows << " rows");
                    const Scheme scheme(places, {strategy, radix, places % 4 == 0 ? 4 : 0});
                    for (const Share &share : scheme.shares(rows, scheme.rounds()))
                        if (share.takes_part) {
                            EXPECT_EQ(share.front, 0);
                            EXPECT_EQ(share.back, places);
                        }
                    expect_whole(scheme, rows);
                }
}

/// Only what stands side by side may be merged: else an order from front to back would be lost.
TEST(Scheme, MergesNeighboursOfTheSameRows) {
    for (const pixMPI_Strategy strategy : strategies)
        for (int places = 2; places <= 24; ++places) {
            const Scheme scheme(places, {strategy, 0, places % 3 == 0 ? 3 : 0});
            for (std::size_t round = 0; round < scheme.rounds(); ++round) {
                const std::vector<Share> shares = scheme.shares(1000, round);
                std::set<const Group *> groups;
                for (int place = 0; place < places; ++place)
                    if (const Group *group = scheme.group_of(place, round))
                        groups.insert(group);
                for (const Group *group : groups)
                    for (std::size_t i = 1; i < group->places.size(); ++i) {
                        const Share &before = shares[static_cast<std::size_t>(group->places[i - 1])];
                        const Share &share = shares[static_cast<std::size_t>(group->places[i])];
                        EXPECT_TRUE(before.takes_part && share.takes_part);
                        EXPECT_EQ(before.back, share.front) << "strategy " << strategy << ", " << places << " places";
                        EXPECT_EQ(before.top, share.top);
                        EXPECT_EQ(before.bottom, share.bottom);
                    }
            }
        }
}

TEST(Scheme, TakesAsManyRoundsAsItsStrategySays) {
    const auto rounds = [](int places, pixMPI_Strategy strategy, int radix = 0, int on_host = 0) {
        return Scheme(places, {strategy, radix, on_host}).rounds();
    };
    EXPECT_EQ(rounds(1, PIXMPI_STRATEGY_DIRECT), 0u);
    EXPECT_EQ(rounds(9, PIXMPI_STRATEGY_DIRECT), 1u);
    EXPECT_EQ(rounds(8, PIXMPI_STRATEGY_SWAP), 3u);
    EXPECT_EQ(rounds(9, PIXMPI_STRATEGY_SWAP), 4u); // one more hands its picture over
    EXPECT_EQ(rounds(16, PIXMPI_STRATEGY_RADIX, 4), 2u);
    EXPECT_EQ(rounds(12, PIXMPI_STRATEGY_RADIX, 4), 2u);
    EXPECT_EQ(rounds(14, PIXMPI_STRATEGY_RADIX, 4), 2u); // 2 and 7
    EXPECT_EQ(rounds(5, PIXMPI_STRATEGY_TREE), 3u);
    EXPECT_EQ(rounds(12, PIXMPI_STRATEGY_HOSTS, 0, 4), 2u);
    EXPECT_EQ(rounds(12, PIXMPI_STRATEGY_HOSTS), 1u); // the hosts have not as many ranks each
}

} // namespace
} // namespace pixmpi
