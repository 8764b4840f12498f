#include "web/outgoing.h"

#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_texts = 400;
constexpr std::chrono::seconds longest_pause(2);

} // namespace

bool Outgoing::put_text(Bytes text) {
    texts_.push_back(std::move(text));
    return texts_.size() <= most_texts;
}

void Outgoing::put_picture(std::uint64_t key, Bytes picture, Clock::time_point now) {
    if (pictures_.empty())
        moved_ = now;
    pictures_[key] = std::move(picture);
}

Outgoing::Message Outgoing::pop(Clock::time_point now) {
    Message next;
    if (!texts_.empty()) {
        next = {std::move(texts_.front()), true};
        texts_.pop_front();
    } else if (!pictures_.empty()) {
        auto picture = pictures_.upper_bound(last_);
        if (picture == pictures_.end())
            picture = pictures_.begin();
        last_ = picture->first;
        next.bytes = std::move(picture->second);
        pictures_.erase(picture);
        moved_ = now;
    }
    return next;
}

bool Outgoing::is_stuck(Clock::time_point now) const { return !pictures_.empty() && now - moved_ > longest_pause; }

} // namespace mpiglut::walld
