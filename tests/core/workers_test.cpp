// Threads that share work.
#include "codec/workers.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace pixmpi;

TEST(workers, each_piece_is_done_once) {
    for (const unsigned threads : {1, 2, 4}) {
        Workers workers(threads);
        EXPECT_EQ(workers.count(), threads);
        for (const std::size_t count : {0, 1, 2, 3, 1000}) {
            std::vector<std::atomic<int>> done(count);
            workers.for_all(count, [&](std::size_t i, Scratch &) { ++done[i]; });
            for (const auto &times : done)
                EXPECT_EQ(times, 1);
        }
    }
}

TEST(workers, as_many_threads_as_cores_and_no_more) {
    EXPECT_EQ(Workers().count(), std::max(1u, std::thread::hardware_concurrency()));
    Workers alone(1);
    std::set<std::thread::id> threads;
    alone.for_all(100, [&](std::size_t, Scratch &) { threads.insert(std::this_thread::get_id()); });
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(workers, threads_work_at_the_same_time) {
    // Each piece waits for the other one: one thread alone would never end.
    Workers workers(2);
    std::atomic<int> begun{0};
    workers.for_all(2, [&](std::size_t, Scratch &) {
        ++begun;
        begun.notify_all();
        for (int seen = begun; seen < 2; seen = begun)
            begun.wait(seen);
    });
    EXPECT_EQ(begun, 2);
}

TEST(workers, what_a_piece_throws_reaches_the_caller) {
    for (const unsigned threads : {1, 3}) {
        Workers workers(threads);
        const auto throws = [&] {
            workers.for_all(50, [](std::size_t i, Scratch &) {
                if (i == 20)
                    throw std::runtime_error("twenty");
            });
        };
        EXPECT_THROW(throws(), std::runtime_error);
        int done = 0;
        workers.for_all(1, [&](std::size_t, Scratch &) { ++done; });
        EXPECT_EQ(done, 1) << "they go on working";
    }
}

TEST(workers, calls_within_a_piece_and_beside_it_work_alone) {
    Workers workers(2);
    std::atomic<int> done{0};
    const auto within = [&] {
        workers.for_all(4, [&](std::size_t, Scratch &scratch) {
            std::byte *const kept = scratch.get(64);
            kept[0] = std::byte{1};
            workers.for_all(4, [&](std::size_t, Scratch &inner) {
                inner.get(64)[0] = std::byte{2};
                ++done;
            });
            EXPECT_EQ(kept[0], std::byte{1});
        });
    };
    std::thread other(within);
    within();
    other.join();
    EXPECT_EQ(done, 32);
}

TEST(workers, scratch_grows) {
    Scratch scratch;
    std::byte *const small = scratch.get(10);
    EXPECT_EQ(scratch.get(5), small);
    std::byte *const large = scratch.get(100000);
    large[99999] = std::byte{1};
    EXPECT_EQ(scratch.get(100000), large);
}
