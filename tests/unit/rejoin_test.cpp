// What a rank that comes back is brought up by: a log of messages, a stream of them, a descriptor handed over.
#include "run/passing.h"
#include "sync/log.h"
#include "sync/stream.h"

#include <gtest/gtest.h>

#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace mpiglut;
using namespace mpiglut::transport;

namespace {

Bytes bytes_of(const std::string &text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Bytes message(std::uint64_t tick, const std::string &payload) {
    Header header{Type::tick};
    header.tick = tick;
    return encode(header, bytes_of(payload));
}

} // namespace

TEST(RejoinLog, GivesBackWhatItWasGiven) {
    Log log(testing::TempDir(), 1 << 20);
    Bytes all;
    std::string error;
    for (std::uint64_t tick = 0; tick < 1000; ++tick) {
        const Bytes one = message(tick, std::string(tick % 97, 'x'));
        ASSERT_TRUE(log.add(one, error)) << error;
        all.insert(all.end(), one.begin(), one.end());
        if (tick == 500) {
            EXPECT_EQ(log.read(0, all.size()), all); // and goes on
        }
    }
    EXPECT_EQ(log.size(), all.size());
    Bytes read;
    for (Bytes piece; !(piece = log.read(read.size(), 10'007)).empty();)
        read.insert(read.end(), piece.begin(), piece.end());
    EXPECT_EQ(read, all);
}

TEST(RejoinLog, IsBounded) {
    Log log(testing::TempDir(), 1 << 20);
    std::string error;
    const Bytes half = message(1, std::string(600'000, 'x'));
    EXPECT_TRUE(log.add(half, error));
    EXPECT_FALSE(log.add(half, error));
    EXPECT_EQ(error, "the log of the run has grown to 1 MiB (--rejoin-log)");
    EXPECT_FALSE(log.add(message(2, ""), error)) << "a gap in it";
    EXPECT_TRUE(log.read(0, 100).empty());
}

TEST(RejoinLog, SaysWhereItCannotBeKept) {
    Log log("/nowhere", 1 << 20);
    std::string error;
    EXPECT_FALSE(log.add(message(1, ""), error));
    EXPECT_NE(error.find("/nowhere"), error.npos) << error;
}

TEST(RejoinStream, MessagesComeWholeAndInOrder) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Stream near(ends[0]);
    std::vector<Message> come;
    {
        Stream far(ends[1]);
        const std::string large(3'000'000, 'y'); // more than the socket takes at once
        near.send(message(1, "one"));
        near.send(message(2, large));
        near.send(message(3, ""));
        EXPECT_GT(near.queued(), 0U);
        for (int turn = 0; turn < 10'000 && come.size() < 3; ++turn) {
            near.move();
            far.move();
            for (Message one; far.next(one);)
                come.push_back(one);
        }
        ASSERT_EQ(come.size(), 3U);
        EXPECT_EQ(near.queued(), 0U);
        EXPECT_EQ(come[0].payload, bytes_of("one"));
        EXPECT_EQ(come[1].payload, bytes_of(large));
        EXPECT_EQ(come[2].header.tick, 3U);
        far.send(message(4, "last words"));
    }
    near.move();
    Message last;
    EXPECT_TRUE(near.next(last));
    near.move();
    EXPECT_TRUE(near.lost());
}

TEST(Passing, HandsADescriptorOver) {
    int ends[2], pipe_ends[2];
    ASSERT_TRUE(make_passage(ends));
    ASSERT_EQ(::pipe(pipe_ends), 0);
    EXPECT_FALSE(receive_passed(ends[1]));
    ASSERT_TRUE(pass(ends[0], {7, pipe_ends[1]}));
    ::close(pipe_ends[1]);
    const auto passed = receive_passed(ends[1]);
    ASSERT_TRUE(passed);
    EXPECT_EQ(passed->number, 7);
    EXPECT_EQ(::write(passed->fd, "x", 1), 1);
    ::close(passed->fd);
    char byte = 0;
    EXPECT_EQ(::read(pipe_ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    ::close(ends[1]);
    EXPECT_FALSE(pass(ends[0], {7, pipe_ends[0]}));
    ::close(ends[0]);
    ::close(pipe_ends[0]);
}
