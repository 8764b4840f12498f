// Digests see what differs between two ranks, the order of things included, and name it.

#include "sync/digest.h"

#include <gtest/gtest.h>

#include <set>

using mpiglut::Did;
using mpiglut::Digest;

TEST(Digest, EqualWhenTheSameWasDone) {
    Digest a, b;
    for (Digest *digest : {&a, &b}) {
        digest->note(Did::timers, 3, 4);
        digest->note(Did::windows, 1);
    }
    EXPECT_EQ(a, b);
    EXPECT_EQ(first_difference(a, b), "");
}

TEST(Digest, TellsHowOften) {
    Digest a, b;
    for (int i = 0; i < 4; ++i) {
        if (i < 3)
            a.note(Did::redisplays, 1);
        b.note(Did::redisplays, 1);
    }
    EXPECT_EQ(first_difference(a, b), "redisplays (3 times on rank 0, 4 here)");
}

TEST(Digest, SeesOrderAndValues) {
    Digest a, b, c;
    a.note(Did::callbacks, 1, 2);
    b.note(Did::callbacks, 2, 1);
    c.note(Did::callbacks, 1, std::uint64_t{2} << 56);
    EXPECT_NE(first_difference(a, b), "");
    EXPECT_NE(first_difference(a, c), "");
    EXPECT_NE(first_difference(a, b).find("callbacks"), std::string::npos);
}

TEST(Digest, NamesTheFirstOfSeveral) {
    Digest a, b;
    b.note(Did::frames, 1);
    b.note(Did::timers, 1);
    EXPECT_EQ(first_difference(a, b), "timers (0 times on rank 0, 1 here)");
}

TEST(Digest, EveryCategoryHasANameOfItsOwn) {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(Did::count); ++i)
        EXPECT_TRUE(names.insert(name(static_cast<Did>(i))).second) << name(static_cast<Did>(i));
}
