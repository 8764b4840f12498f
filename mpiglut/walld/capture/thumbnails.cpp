#include "capture/thumbnails.h"
#include "link/picture_coding.h"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr int longest_side = 320;
constexpr std::int64_t most_pixels = 64 << 20;
constexpr std::size_t most_known = 300, most_waiting = 64;

/// Of the head of a PNG, big-endian.
int side_at(const std::string &png, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
        value = value << 8 | static_cast<unsigned char>(png[i]);
    return value > 1 << 24 ? 0 : static_cast<int>(value);
}

/// Each pixel is the mean of those that it stands for.
Picture shrink(const Picture &from, int longest) {
    const double scale = std::max(1.0, static_cast<double>(std::max(from.width, from.height)) / longest);
    Picture to(std::max(1, static_cast<int>(from.width / scale)), std::max(1, static_cast<int>(from.height / scale)));
    const auto edge = [](int i, int parts, int whole) {
        return static_cast<int>(static_cast<std::int64_t>(i) * whole / parts);
    };
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
            const int left = edge(x, to.width, from.width), right = edge(x + 1, to.width, from.width);
            const int top = edge(y, to.height, from.height), bottom = edge(y + 1, to.height, from.height);
            std::array<std::uint64_t, 3> sum{};
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column)
                    for (std::size_t part = 0; part < 3; ++part)
                        sum[part] += from.rgb[(static_cast<std::size_t>(row) * from.width + column) * 3 + part];
            for (std::size_t part = 0; part < 3; ++part)
                to.rgb[(static_cast<std::size_t>(y) * to.width + x) * 3 + part] =
                    static_cast<unsigned char>(sum[part] / static_cast<std::uint64_t>((right - left) * (bottom - top)));
        }
    return to;
}

} // namespace

std::string Thumbnails::make(const std::string &png, int longest) {
    constexpr std::size_t head = 24;
    if (png.size() < head || !png.starts_with("\x89PNG"))
        return {};
    const int width = side_at(png, 16), height = side_at(png, 20);
    if (width <= 0 || height <= 0 || std::int64_t{width} * height > most_pixels)
        return {};
    const auto picture = launcher::decode_png(png, width, height);
    if (!picture)
        return {};
    const Picture small = shrink(*picture, longest);
    return launcher::encode_jpeg(std::as_bytes(std::span(small.rgb)), small.width, small.height);
}

bool Thumbnails::get(const std::string &name, Answer answer) {
    if (const auto found = known_.find(name); found != known_.end())
        return answer(found->second), true;
    const bool asked = waiting_.contains(name);
    if (!asked && waiting_.size() >= most_waiting)
        return false;
    waiting_[name].push_back(std::move(answer));
    if (asked)
        return true;
    const auto file = std::make_shared<const OwnFile>(captures_.open(name));
    elsewhere_([this, name, file] {
        Jpeg jpeg;
        try {
            const bool readable = *file && file->size() <= std::uint64_t{256} << 20;
            std::string small = readable ? make(file->read_at(0, file->size()), longest_side) : std::string();
            if (!small.empty())
                jpeg = std::make_shared<const std::string>(std::move(small));
        } catch (const std::bad_alloc &) { // then there is none
        }
        return [this, name, jpeg] { made(name, jpeg); };
    });
    return true;
}

void Thumbnails::made(const std::string &name, const Jpeg &jpeg) {
    if (jpeg && known_.emplace(name, jpeg).second)
        order_.push_back(name);
    if (order_.size() > most_known) {
        known_.erase(order_.front());
        order_.pop_front();
    }
    if (const auto waiting = waiting_.extract(name))
        for (const Answer &answer : waiting.mapped())
            answer(jpeg);
}

void Thumbnails::forget(const std::string &name) {
    known_.erase(name);
    std::erase(order_, name);
}

} // namespace mpiglut::walld
