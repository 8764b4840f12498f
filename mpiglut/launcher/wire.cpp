#include "wire.h"

namespace mpiglut::launcher {

namespace {

constexpr std::size_t head_size = 5;

void put(std::string &bytes, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i)
        bytes.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t get(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
}

} // namespace

Writer &Writer::number(std::int64_t value) {
    put(bytes_, static_cast<std::uint64_t>(value), 8);
    return *this;
}

Writer &Writer::text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_.append(value);
    return *this;
}

Writer &Writer::texts(const std::vector<std::string> &values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const std::string &value : values)
        text(value);
    return *this;
}

Writer &Writer::numbers(const std::vector<std::int64_t> &values) {
    number(static_cast<std::int64_t>(values.size()));
    for (std::int64_t value : values)
        number(value);
    return *this;
}

std::string_view Reader::take(std::size_t size) {
    if (!good_ || size > rest_.size()) {
        good_ = false;
        rest_ = {};
        return {};
    }
    std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
}

std::int64_t Reader::number() { return static_cast<std::int64_t>(get(take(8))); }

std::string Reader::text() { return std::string(take(static_cast<std::size_t>(number()))); }

/// Of a list, which has no fewer parts than none.
std::int64_t Reader::count() {
    const std::int64_t count = number();
    good_ = good_ && count >= 0;
    return count;
}

std::vector<std::string> Reader::texts() {
    std::vector<std::string> values;
    for (std::int64_t left = count(); left > 0 && good_; --left)
        values.push_back(text());
    return values;
}

std::vector<std::int64_t> Reader::numbers() {
    std::vector<std::int64_t> values;
    for (std::int64_t left = count(); left > 0 && good_; --left)
        values.push_back(number());
    return values;
}

std::string encode(Type type, std::string_view payload) {
    std::string bytes;
    bytes.reserve(head_size + payload.size());
    put(bytes, payload.size(), 4);
    put(bytes, static_cast<std::uint8_t>(type), 1);
    bytes.append(payload);
    return bytes;
}

std::optional<Frame> Unframer::next() {
    if (broken_ || bytes_.size() < head_size)
        return {};
    std::size_t size = get(std::string_view(bytes_).substr(0, 4));
    if (size > longest_) {
        broken_ = true;
        return {};
    }
    if (bytes_.size() < head_size + size)
        return {};
    Frame frame{static_cast<Type>(bytes_[4]), bytes_.substr(head_size, size)};
    bytes_.erase(0, head_size + size);
    return frame;
}

} // namespace mpiglut::launcher
