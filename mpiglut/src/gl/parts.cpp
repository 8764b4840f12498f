#include "gl/parts.h"

#include "clock/role.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace mpiglut::gl {
namespace {

constexpr std::size_t most_kept = 64; ///< of a surface; ranks are a tick or two apart

struct Post {
    std::uint64_t number;
    Surface surface;
};

struct Kept {
    std::deque<Post> posts;
    std::unique_ptr<Surface> copy;
};

struct Board {
    std::mutex mutex;
    std::uint64_t posted = 0, agreed = 0;
    std::map<const Surface *, Kept> surfaces;
    std::vector<std::unique_ptr<Surface>> gone;
};

Board &board() {
    static Board *const the_board = new Board; // threads may still draw while static objects are destroyed
    return *the_board;
}

/// As of the posts that were agreed on, or the oldest that is kept.
const Surface &newest(const std::deque<Post> &posts, std::uint64_t agreed) {
    const Post *found = &posts.front();
    for (const Post &post : posts)
        if (post.number <= agreed)
            found = &post;
    return found->surface;
}

bool same(const Surface &a, const Surface &b) { return a.part == b.part && a.parts == b.parts; }

} // namespace

void post(const Surface &surface) {
    const std::lock_guard lock(board().mutex);
    std::deque<Post> &posts = board().surfaces[&surface].posts;
    posts.push_back({++board().posted, surface});
    if (posts.size() > most_kept)
        posts.pop_front();
}

std::uint64_t posted() {
    const std::lock_guard lock(board().mutex);
    return board().posted;
}

bool agree_on_parts(std::uint64_t posts) {
    const std::lock_guard lock(board().mutex);
    bool current_changed = false;
    board().agreed = posts;
    for (auto &[model, kept] : board().surfaces) {
        if (!kept.copy)
            continue;
        const Surface &now = newest(kept.posts, posts);
        if (same(*kept.copy, now))
            continue;
        *kept.copy = now;
        current_changed |= kept.copy.get() == current_surface();
    }
    return current_changed;
}

Surface *seen_here(Surface *model) {
    if (role() != Role::drawing)
        return model;
    const std::lock_guard lock(board().mutex);
    Kept &kept = board().surfaces[model];
    if (!kept.copy)
        kept.copy = std::make_unique<Surface>(kept.posts.empty() ? *model : newest(kept.posts, board().agreed));
    return kept.copy.get();
}

void forget(const Surface &model) {
    const std::lock_guard lock(board().mutex);
    if (auto gone = board().surfaces.extract(&model))
        board().gone.push_back(std::move(gone.mapped().copy));
}

} // namespace mpiglut::gl
