#include "capture/avi.h"

#include <algorithm>
#include <utility>

namespace mpiglut::walld {

namespace {

std::string number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>(value >> shift);
    return bytes;
}

std::string numbers(std::initializer_list<std::uint32_t> values) {
    std::string bytes;
    for (std::uint32_t value : values)
        bytes += number(value);
    return bytes;
}

std::string chunk(const char *name, const std::string &content) {
    return name + number(static_cast<std::uint32_t>(content.size())) + content;
}

constexpr std::uint32_t has_index = 0x10, key_picture = 0x10;

} // namespace

Avi::Avi(OwnFile file, int columns, int rows) : file_(std::move(file)), columns_(columns), rows_(rows) {
    write_head(1);
}

/// The lengths in it are those of the pictures and the index as far as they are known.
bool Avi::write_head(std::uint32_t microseconds) {
    const auto count = static_cast<std::uint32_t>(index_.size());
    const auto columns = static_cast<std::uint32_t>(columns_), rows = static_cast<std::uint32_t>(rows_);
    const std::string main =
        chunk("avih", numbers({microseconds, 0, 0, has_index, count, 0, 1, largest_, columns, rows, 0, 0, 0, 0}));
    const std::string stream = chunk(
        "strh", "vidsMJPG" + numbers({0, 0, 0, microseconds, 1'000'000, 0, count, largest_, 0xffffffff, 0, 0, 0}));
    const std::string format =
        chunk("strf", numbers({40, columns, rows, 24u << 16 | 1}) + "MJPG" + numbers({3 * columns * rows, 0, 0, 0, 0}));
    const std::string lists = chunk("LIST", "hdrl" + main + chunk("LIST", "strl" + stream + format));
    const auto movie = static_cast<std::uint32_t>(4 + bytes_);
    const std::string head = "RIFF" +
                             number(static_cast<std::uint32_t>(4 + lists.size() + 8 + movie + 8 + 16 * count)) +
                             "AVI " + lists + "LIST" + number(movie) + "movi";
    return file_.write_at(0, head);
}

bool Avi::add(std::string_view jpeg) {
    const auto length = static_cast<std::uint32_t>(jpeg.size());
    index_.push_back({static_cast<std::uint32_t>(4 + bytes_), length});
    largest_ = std::max(largest_, length);
    bytes_ += 8 + length + length % 2;
    std::string piece = "00dc" + number(length) + std::string(jpeg);
    piece.resize(piece.size() + length % 2);
    return file_.append(piece);
}

bool Avi::close(std::uint32_t microseconds) {
    std::string index;
    for (const Place &place : index_)
        index += "00dc" + numbers({key_picture, place.offset, place.length});
    return file_.append(chunk("idx1", index)) && write_head(microseconds);
}

} // namespace mpiglut::walld
