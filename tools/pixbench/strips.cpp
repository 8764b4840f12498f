#include "strips.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr std::size_t hot = 256 << 10;

/// Sizes that the compiler knows are copied without a call.
void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes) {
    switch (bytes) {
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 64:
        std::memcpy(to, from, 64);
        break;
    default:
        std::memcpy(to, from, bytes);
        break;
    }
}

} // namespace

Strips::Strips(const RegionCase &what, Naive &source, Naive &dest) : what_(what), source_(source), dest_(dest) {
    const Object &o = source.object();
    const auto pixel = static_cast<std::size_t>(o.pixel_bytes);
    row_bytes_ = o.row_bytes();
    strip_rows_ = static_cast<int>(std::max<std::size_t>(hot / row_bytes_, 1));
    std::size_t packed = 0, again = 0;
    for (const Run &run : runs_of(what)) {
        Part part = {static_cast<std::size_t>(run.at) * pixel, static_cast<std::size_t>(run.at % what.width) * pixel,
                     run.at / what.width, packed, static_cast<std::size_t>(run.length) * pixel};
        by_place_.push_back(part);
        part.packed = again;
        in_order_.push_back(part);
        packed += part.bytes;
        again = again + part.bytes < hot ? again + part.bytes : 0;
    }
    std::stable_sort(by_place_.begin(), by_place_.end(), [](const Part &a, const Part &b) { return a.at < b.at; });
    strip_.assign(row_bytes_ * static_cast<std::size_t>(strip_rows_), std::byte{1});
    packed_.assign(std::max(packed, hot + row_bytes_), std::byte{1});
    image_.assign(o.bytes(), std::byte{1});
}

/// The columns that the parts of a strip lie in.
Strips::Box Strips::box_of(Parts::const_iterator part, Parts::const_iterator last, int y, int rows) const {
    std::size_t left = row_bytes_, right = 0;
    for (; part != last; ++part) {
        left = std::min(left, part->column);
        right = std::max(right, part->column + part->bytes);
    }
    const std::size_t pixel = row_bytes_ / static_cast<std::size_t>(what_.width);
    return {{static_cast<int>(left / pixel), y, static_cast<int>((right - left) / pixel), rows}, left, right - left};
}

template <class Visit> void Strips::for_each_strip(Visit visit) {
    auto part = by_place_.begin();
    for (int y = 0; y < what_.height && part != by_place_.end(); y += strip_rows_) {
        const int rows = std::min(strip_rows_, what_.height - y);
        auto last = part;
        while (last != by_place_.end() && last->row < y + rows)
            ++last;
        if (part != last)
            visit(box_of(part, last, y, rows), part, last);
        part = last;
    }
}

void Strips::read() {
    for_each_strip([&](const Box &box, auto part, auto last) {
        source_.read(box.rect, strip_.data());
        for (; part != last; ++part)
            copy_bytes(packed_.data() + part->packed, strip_.data() + box.place(*part), part->bytes);
    });
}

void Strips::write() {
    for_each_strip([&](const Box &box, auto part, auto last) {
        for (; part != last; ++part)
            copy_bytes(strip_.data() + box.place(*part), packed_.data() + part->packed, part->bytes);
        dest_.write(box.rect, strip_.data());
    });
}

void Strips::pack() {
    for (const Part &part : in_order_)
        copy_bytes(packed_.data() + part.packed, image_.data() + part.at, part.bytes);
}

void Strips::unpack() {
    for (const Part &part : in_order_)
        copy_bytes(image_.data() + part.at, packed_.data() + part.packed, part.bytes);
}
