// Rank 0: redisplays that the program asks for in other threads than the main loop's. Such a thread runs on every rank,
// and each rank's thread says when it has something new to show. So one redisplay belongs to one post of every rank: it
// comes when the last rank has posted, and the program draws as often as in one window. A rank that posts more or less
// often than the others keeps its redisplays, only later.
#pragma once

#include "sync/tick.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace mpiglut {

class Posts {
  public:
    /// How long a post waits for those of the other ranks.
    static constexpr std::int64_t longest_wait_ns = 100'000'000;

    /// An event `redisplay`, at a time of this host's clock.
    void add(const Event &post, std::int64_t now_ns);
    /// Adds to `input` the redisplays that are due, each window once.
    void release(int ranks, const std::function<bool(int)> &lives, std::int64_t now_ns, std::vector<Event> &input);

  private:
    struct Post {
        Event event;
        std::int64_t at;
    };
    void tell(std::deque<Post> &posts, std::vector<Event> &input);
    bool all_have_posted(int ranks, const std::function<bool(int)> &lives) const;

    std::vector<std::deque<Post>> by_rank_;
};

} // namespace mpiglut
