// Digests see what differs between two ranks, the order of things included, and name it.

#include "sync/content.h"
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

/// Each says more than that values differ.
TEST(Content, NamesTheFirstValueThatDiffers) {
    namespace content = mpiglut::content;
    static constexpr content::Call colour("glColor"), place("glPlace");
    const float values[] = {1, 0.5F};
    const std::int32_t counts[] = {7};
    content::note(place, content::Type::ints, counts, sizeof counts);
    content::note(colour, content::Type::floats, values, sizeof values);
    Digest digest;
    content::finish_tick(3, digest);
    const std::string ours = content::samples(3);
    ASSERT_EQ(ours, "ints of glPlace, call 1 of the tick\t7\nfloats of glColor, call 2 of the tick\t1, 0.5\n");
    EXPECT_EQ(content::samples(4), "");
    const std::string first = ours.substr(0, ours.find('\n') + 1);
    EXPECT_EQ(content::difference(ours, first + "floats of glColor, call 2 of the tick\t1, 0.25\n"),
              "values: floats of glColor, call 2 of the tick: 1, 0.5 on rank 0, 1, 0.25 here");
    EXPECT_EQ(content::difference(ours, first + "floats of glOther, call 2 of the tick\t1\n"),
              "values: floats of glColor, call 2 of the tick: 1, 0.5 on rank 0, "
              "floats of glOther, call 2 of the tick: 1 here");
    EXPECT_EQ(content::difference(ours, first),
              "values: floats of glColor, call 2 of the tick: 1, 0.5 on rank 0, no further call here");
    EXPECT_EQ(content::difference(first, ours),
              "values: no further call on rank 0, floats of glColor, call 2 of the tick: 1, 0.5 here");
    EXPECT_EQ(content::difference("", ""), "values: those of this tick are not kept any more");
    EXPECT_EQ(content::difference(ours, ours), "values: equal ones as printed");
}
