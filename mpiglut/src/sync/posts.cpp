#include "sync/posts.h"

#include <algorithm>

namespace mpiglut {

void Posts::add(const Event &post, std::int64_t now_ns) {
    if (post.rank < 0)
        return;
    const auto rank = static_cast<std::size_t>(post.rank);
    if (rank >= by_rank_.size())
        by_rank_.resize(rank + 1);
    by_rank_[rank].push_back({post, now_ns});
}

void Posts::tell(std::deque<Post> &posts, std::vector<Event> &input) {
    const Event event = posts.front().event;
    posts.pop_front();
    const auto same = [&](const Event &other) { return other.kind == event.kind && other.window == event.window; };
    if (std::none_of(input.begin(), input.end(), same))
        input.push_back(event);
}

bool Posts::all_have_posted(int ranks, const std::function<bool(int)> &lives) const {
    for (int rank = 0; rank < ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        if (lives(rank) && (index >= by_rank_.size() || by_rank_[index].empty()))
            return false;
    }
    return true;
}

void Posts::release(int ranks, const std::function<bool(int)> &lives, std::int64_t now_ns, std::vector<Event> &input) {
    const auto is_empty = [](const auto &posts) { return posts.empty(); };
    if (std::all_of(by_rank_.begin(), by_rank_.end(), is_empty))
        return;
    while (all_have_posted(ranks, lives) && !std::all_of(by_rank_.begin(), by_rank_.end(), is_empty))
        for (auto &posts : by_rank_)
            if (!posts.empty())
                tell(posts, input);
    for (auto &posts : by_rank_)
        while (!posts.empty() && now_ns - posts.front().at >= longest_wait_ns)
            tell(posts, input);
}

} // namespace mpiglut
