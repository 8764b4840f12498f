// Which of the posted receives an envelope finds: as MPI says, the first one posted that matches.
#include "request/posted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

using namespace pixmpi;

namespace {

/// The same by looking at one after another.
struct Model {
    std::list<std::pair<Address, Posted *>> all;
    Posted *find(const Address &envelope) const {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto &one) { return one.first.matches(envelope); });
        return found == all.end() ? nullptr : found->second;
    }
    void remove(Posted *one) {
        all.remove_if([&](const auto &each) { return each.second == one; });
    }
};

Address random_address(std::mt19937 &random, bool wildcards) {
    const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    Address address{any(2), any(4), any(6), random() % 2};
    if (wildcards && any(4) == 0)
        address.source = MPI_ANY_SOURCE;
    if (wildcards && any(4) == 0)
        address.tag = MPI_ANY_TAG;
    return address;
}

} // namespace

TEST(posted, first_that_matches) {
    std::mt19937 random(38);
    PostedTable table;
    Model model;
    std::list<Posted> receives;
    for (int step = 0; step < 20'000; ++step) {
        SCOPED_TRACE(step);
        const unsigned what = random() % 16;
        if (what < 8) {
            const Address address = random_address(random, true);
            table.add(receives.emplace_back(), address);
            model.all.emplace_back(address, &receives.back());
        } else if (what < 14) {
            const Address envelope = random_address(random, false);
            Posted *const found = table.find(envelope);
            ASSERT_EQ(found, model.find(envelope));
            if (found) {
                table.remove(*found);
                model.remove(found);
                ASSERT_FALSE(found->is_posted());
            }
        } else if (!model.all.empty()) {
            auto &chosen = *std::next(model.all.begin(), static_cast<long>(random() % model.all.size()));
            Posted *const one = chosen.second;
            if (what == 14) { // cancelled
                table.remove(*one);
                model.remove(one);
            } else {
                Posted &other = receives.emplace_back();
                table.replace(*one, other);
                chosen.second = &other;
            }
        }
        ASSERT_EQ(table.size(), model.all.size());
        ASSERT_EQ(table.first([](const Posted &) { return true; }),
                  model.all.empty() ? nullptr : model.all.front().second);
    }
}

TEST(posted, many_of_one_address_keep_their_order) {
    PostedTable table;
    std::vector<Posted> receives(10'000);
    for (Posted &one : receives)
        table.add(one, {0, 1, 2, 0});
    for (Posted &one : receives) {
        ASSERT_EQ(table.find({0, 1, 2, 0}), &one);
        table.remove(one);
    }
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.find({0, 1, 2, 0}), nullptr);
}
