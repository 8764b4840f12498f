#include "capture/film.h"

#include "link/picture_coding.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_bytes = 256u << 20, most_pictures = 100'000;

} // namespace

Film::Film(Captures &captures, int every, Making making)
    : captures_(captures), every_(every), making_(std::move(making)) {
    place_ = captures.create(making_.tool.ending, file_, error_);
    runs_ = error_.empty();
    if (runs_ && !making_.tool.encoder.empty())
        coder_ = std::make_shared<FilmCoder>(making_.tool, ::fcntl(place_.descriptor(), F_DUPFD_CLOEXEC, 3));
}

Stills::Coding Film::coding() const {
    if (!coder_)
        return launcher::encode_jpeg;
    return [coder = coder_](std::span<const std::byte> rgb, int columns, int rows) {
        return std::string(coder->add(rgb, columns, rows) ? "taken" : "");
    };
}

std::uint64_t Film::bytes() const {
    if (!coder_)
        return avi_ ? avi_->bytes() : 0;
    struct stat facts {};
    return ::fstat(place_.descriptor(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

/// Empty, or why the film ends with this picture.
std::string Film::keep(const Still &still) {
    if (coder_ && still.coded.empty())
        return coder_->error();
    if (frames_ == 0) {
        first_ = last_;
        width_ = still.width;
        height_ = still.height;
        if (!coder_)
            avi_ = std::make_unique<Avi>(std::move(place_), width_, height_);
    }
    if (still.width != width_ || still.height != height_)
        return "the wall got another size";
    if (still.coded.empty())
        return "the wall is too large for a film";
    if (avi_ && !avi_->add(still.coded))
        return "'" + captures_.path(file_) + "' cannot be written";
    ++frames_;
    return bytes() >= most_bytes || frames_ >= most_pictures ? "it has reached 256 MiB or 100,000 frames" : "";
}

std::optional<std::int64_t> Film::add(const Still &still) {
    if (!takes_frames())
        return std::nullopt;
    last_ = Clock::now();
    const std::string error = still.error.empty() ? keep(still) : still.error;
    if (error.empty())
        return still.frame + every_;
    end(error);
    return std::nullopt;
}

void Film::end(const std::string &error, Done then) {
    if (!takes_frames())
        return;
    error_ = error;
    if (then)
        then_.push_back(std::move(then));
    ending_ = true;
    if (!coder_) {
        close_avi();
        return complete();
    }
    making_.elsewhere([coder = coder_, life = std::weak_ptr(life_), this] {
        coder->finish();
        return [life, this] {
            if (!life.expired())
                complete();
        };
    });
}

void Film::close_avi() {
    if (!avi_)
        return;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(last_ - first_).count();
    const auto gaps = static_cast<std::int64_t>(avi_->pictures()) - 1;
    if (!avi_->close(
            static_cast<std::uint32_t>(gaps > 0 ? std::clamp<std::int64_t>(took / gaps, 1, 60'000'000) : 1'000'000)) &&
        error_.empty())
        error_ = "'" + captures_.path(file_) + "' cannot be written";
}

void Film::complete() {
    runs_ = ending_ = false;
    if (coder_ && error_.empty())
        error_ = coder_->error();
    if (frames_ == 0 || (coder_ && bytes() == 0)) {
        captures_.remove(file_); // nothing is in it
        frames_ = 0;
    }
    for (const Done &then : std::exchange(then_, {}))
        then(*this);
    if (making_.done)
        making_.done(*this);
}

} // namespace mpiglut::walld
