#include "gl/context/parts.h"

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

struct PostedParts {
    std::mutex mutex;
    std::uint64_t posted = 0, agreed = 0;
    std::map<const Surface *, Kept> surfaces;
    std::vector<std::unique_ptr<Surface>> gone;
};

PostedParts &posted_parts() {
    static PostedParts *const the_parts = new PostedParts; // threads may still draw while static objects are destroyed
    return *the_parts;
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
    const std::lock_guard lock(posted_parts().mutex);
    std::deque<Post> &posts = posted_parts().surfaces[&surface].posts;
    posts.push_back({++posted_parts().posted, surface});
    if (posts.size() > most_kept)
        posts.pop_front();
}

std::uint64_t posted() {
    const std::lock_guard lock(posted_parts().mutex);
    return posted_parts().posted;
}

bool agree_on_parts(std::uint64_t posts) {
    const std::lock_guard lock(posted_parts().mutex);
    bool current_changed = false;
    posted_parts().agreed = posts;
    for (auto &[model, kept] : posted_parts().surfaces) {
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
    const std::lock_guard lock(posted_parts().mutex);
    Kept &kept = posted_parts().surfaces[model];
    if (!kept.copy)
        kept.copy = std::make_unique<Surface>(kept.posts.empty() ? *model : newest(kept.posts, posted_parts().agreed));
    return kept.copy.get();
}

void forget(const Surface &model) {
    const std::lock_guard lock(posted_parts().mutex);
    if (auto gone = posted_parts().surfaces.extract(&model))
        posted_parts().gone.push_back(std::move(gone.mapped().copy));
}

} // namespace mpiglut::gl
