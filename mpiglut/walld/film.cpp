#include "film.h"

#include <algorithm>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_bytes = 256u << 20, most_pictures = 100'000;

} // namespace

Film::Film(Captures &captures, int every) : captures_(captures), every_(every) {
    place_ = captures.create(".avi", file_, error_);
    runs_ = error_.empty();
}

std::optional<std::int64_t> Film::add(const Still &still) {
    if (!runs_)
        return std::nullopt;
    if (!still.error.empty()) {
        end(still.error);
        return std::nullopt;
    }
    last_ = Clock::now();
    if (!avi_) {
        first_ = last_;
        width_ = still.width;
        height_ = still.height;
        avi_ = std::make_unique<Avi>(std::move(place_), width_, height_);
    }
    const bool same = still.width == width_ && still.height == height_;
    if (!same || still.coded.empty())
        end(same ? "the wall is too large for a film" : "the wall got another size");
    else if (!avi_->add(still.coded))
        end("'" + captures_.path(file_) + "' cannot be written");
    else if (avi_->bytes() >= most_bytes || avi_->pictures() >= most_pictures)
        end("it has reached 256 MiB or 100,000 frames");
    return runs_ ? std::optional(still.frame + every_) : std::nullopt;
}

void Film::end(const std::string &error) {
    if (!std::exchange(runs_, false))
        return;
    error_ = error;
    if (!avi_)
        return captures_.remove(file_); // nothing is in it
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(last_ - first_).count();
    const auto gaps = static_cast<std::int64_t>(avi_->pictures()) - 1;
    if (!avi_->close(
            static_cast<std::uint32_t>(gaps > 0 ? std::clamp<std::int64_t>(took / gaps, 1, 60'000'000) : 1'000'000)) &&
        error_.empty())
        error_ = "'" + captures_.path(file_) + "' cannot be written";
}

} // namespace mpiglut::walld
