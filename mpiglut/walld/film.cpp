#include "film.h"
#include "picture_coding.h"

#include <algorithm>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_bytes = 256u << 20, most_pictures = 100'000;
constexpr int longest_side = 65'500; // of a JPEG

} // namespace

std::optional<std::int64_t> Film::add(const Still &still) {
    if (!runs_)
        return std::nullopt;
    if (!still.error.empty()) {
        end(still.error);
        return std::nullopt;
    }
    const Picture &picture = still.picture;
    last_ = Clock::now();
    if (!avi_) {
        first_ = last_;
        width_ = picture.width;
        height_ = picture.height;
        avi_ = std::make_unique<Avi>(path_, width_, height_);
    }
    const bool same = picture.width == width_ && picture.height == height_;
    const std::string jpeg = same && std::max(width_, height_) <= longest_side
                                 ? launcher::encode_jpeg(std::as_bytes(std::span(picture.rgb)), width_, height_)
                                 : std::string();
    if (jpeg.empty())
        end(same ? "the wall is too large for a film" : "the wall got another size");
    else if (!avi_->add(jpeg))
        end("'" + path_ + "' cannot be written");
    else if (avi_->bytes() >= most_bytes || avi_->pictures() >= most_pictures)
        end("it has reached 256 MiB or 100,000 frames");
    return runs_ ? std::optional(still.frame + every_) : std::nullopt;
}

void Film::end(const std::string &error) {
    if (!std::exchange(runs_, false))
        return;
    error_ = error;
    if (!avi_)
        return;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(last_ - first_).count();
    const auto gaps = static_cast<std::int64_t>(avi_->pictures()) - 1;
    if (!avi_->close(
            static_cast<std::uint32_t>(gaps > 0 ? std::clamp<std::int64_t>(took / gaps, 1, 60'000'000) : 1'000'000)) &&
        error_.empty())
        error_ = "'" + path_ + "' cannot be written";
}

} // namespace mpiglut::walld
