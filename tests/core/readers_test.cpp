// Several receivers of one host that unpack from the same slots: a slot is free when all have taken it. Who refuses or
// ends takes part no longer, and the others go on.
#include "port_rig.h"

#include <gtest/gtest.h>

using namespace ports;

namespace {

constexpr Place shared_places[] = {Place::host, Place::same_gpu, Place::through_host};

struct Readers {
    Readers(Place place, std::vector<std::shared_ptr<Peer>> peers)
        : shape(of_any_length(37, 50'000)), lengths(random_lengths(shape, 5)),
          ends(join(place, shape, std::move(peers))), packer(*ends.sender, shape, lengths) {
        for (const auto &receiver : ends.receivers)
            unpackers.emplace_back(*receiver, shape, lengths);
    }
    std::size_t count() const { return unpackers.size(); }
    /// One after another, receiver i in one of `each[i]` turns; 0: never. Until they have all and the sender may go.
    void run(const std::vector<int> &each, int from = 1) {
        bool over = false;
        for (int turn = from; !over; ++turn) {
            ASSERT_LT(turn, 1 << 22) << "band " << packer.bands() << " is to be packed";
            if (!packer.done()) {
                ASSERT_EQ(packer.step(), PIXMPI_SUCCESS);
            }
            for (std::size_t i = 0; i < count(); ++i)
                if (each[i] && turn % each[i] == 0) {
                    ASSERT_EQ(unpackers[i].step(), PIXMPI_SUCCESS);
                }
            if (packer.done()) {
                bool moved = false;
                ASSERT_EQ(ends.sender->advance(moved), PIXMPI_SUCCESS);
                ASSERT_EQ(ends.sender->over(over), PIXMPI_SUCCESS);
            }
            for (std::size_t i = 0; i < count(); ++i)
                over = over && (each[i] == 0 || unpackers[i].done());
        }
    }
    /// All receivers that `each` of run() lets go on have all bands.
    void expect_all(const std::vector<int> &each) const {
        for (std::size_t i = 0; i < count(); ++i)
            if (each[i]) {
                EXPECT_TRUE(unpackers[i].done()) << "receiver " << i;
                EXPECT_EQ(unpackers[i].wrong(), 0u) << "receiver " << i;
            }
    }
    const Shape shape;
    const std::vector<std::size_t> lengths;
    Ends ends;
    Packer packer;
    std::vector<Unpacker> unpackers;
};

/// The last receiver has taken some bands, and the sender's slots are full of others.
void consume_some(Readers &readers) {
    for (int turn = 0; turn < 20'000 && readers.unpackers.back().bands() < 5; ++turn) {
        ASSERT_EQ(readers.packer.step(), PIXMPI_SUCCESS);
        for (Unpacker &one : readers.unpackers)
            ASSERT_EQ(one.step(), PIXMPI_SUCCESS);
    }
    ASSERT_EQ(readers.unpackers.back().bands(), 5u);
    ASSERT_FALSE(readers.packer.done());
}

} // namespace

TEST(Readers, all_have_what_was_packed_once) {
    for (const Place place : shared_places)
        for (const std::size_t count : {2u, 3u, 4u}) {
            SCOPED_TRACE(testing::Message() << name_of(place) << ", " << count << " receivers");
            Readers readers(place, std::vector(count, self()));
            const std::vector<int> each(count, 1);
            readers.run(each);
            readers.expect_all(each);
        }
}

TEST(Readers, wait_for_the_slow_one) {
    Readers readers(Place::host, {self(), self(), self()});
    const std::vector<int> each{1, 97, 3};
    readers.run(each);
    readers.expect_all(each);
}

TEST(Readers, no_slot_is_free_before_all_have_taken_it) {
    Readers readers(Place::host, {self(), self()});
    for (int turn = 0; turn < 100; ++turn) {
        ASSERT_EQ(readers.packer.step(), PIXMPI_SUCCESS);
        ASSERT_EQ(readers.unpackers[0].step(), PIXMPI_SUCCESS);
    }
    EXPECT_EQ(readers.packer.bands(), readers.shape.plan.slots);
    EXPECT_EQ(readers.unpackers[0].bands(), readers.shape.plan.slots);
}

TEST(Readers, go_on_without_one_that_refuses) {
    for (const Place place : shared_places) {
        SCOPED_TRACE(name_of(place));
        Readers readers(place, {self(), self(), self()});
        consume_some(readers);
        readers.ends.receivers.back()->give_up();
        EXPECT_FALSE(readers.ends.sender->other_gave_up());
        const std::vector<int> each{1, 1, 0};
        readers.run(each);
        readers.expect_all(each);
    }
}

TEST(Readers, go_on_without_one_that_ends) {
    for (const Place place : shared_places)
        for (const bool at_once : {true, false}) {
            SCOPED_TRACE(testing::Message() << name_of(place) << (at_once ? ", before it matches" : ", amidst"));
            Child child;
            Readers readers(place, {self(), self(), child.peer()});
            if (!at_once)
                consume_some(readers);
            child.end();
            const std::vector<int> each{1, 1, 0};
            readers.run(each);
            readers.expect_all(each);
        }
}

TEST(Readers, nobody_is_left) {
    Child first, second;
    Readers readers(Place::host, {first.peer(), second.peer(), self()});
    consume_some(readers);
    first.end();
    readers.ends.receivers.back()->give_up();
    for (int turn = 0; turn < 5000; ++turn)
        ASSERT_EQ(readers.packer.step(), PIXMPI_SUCCESS) << "one is left";
    second.end();
    Status error = PIXMPI_SUCCESS;
    for (int turn = 0; turn < 5000 && !error; ++turn)
        error = readers.packer.step();
    EXPECT_EQ(error, PIXMPI_ERR_PEER);
    bool over = false;
    ASSERT_EQ(readers.ends.sender->over(over), PIXMPI_SUCCESS);
    EXPECT_TRUE(over);
}

TEST(Readers, nobody_wants_it) {
    Readers readers(Place::host, {self(), self()});
    consume_some(readers);
    for (const auto &one : readers.ends.receivers)
        one->give_up();
    EXPECT_TRUE(readers.ends.sender->other_gave_up());
    bool over = false;
    ASSERT_EQ(readers.ends.sender->over(over), PIXMPI_SUCCESS);
    EXPECT_TRUE(over);
}

TEST(Readers, are_told_when_the_sender_gives_up) {
    Readers readers(Place::host, {self(), self(), self()});
    consume_some(readers);
    readers.ends.sender->give_up();
    for (std::size_t i = 0; i < readers.count(); ++i) {
        Status error = PIXMPI_SUCCESS;
        for (int turn = 0; turn < 100 && !error; ++turn)
            error = readers.unpackers[i].step();
        EXPECT_EQ(error, PIXMPI_ERR_PEER) << "receiver " << i;
        readers.ends.receivers[i]->give_up();
    }
    bool over = false;
    ASSERT_EQ(readers.ends.sender->over(over), PIXMPI_SUCCESS);
    EXPECT_TRUE(over);
}
