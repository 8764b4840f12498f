// Messages as bytes: their members in the order in which their static function parts(message, visit) visits them, or
// each_member(message, visit) in their namespace. Numbers are little-endian and as wide as they are; texts and lists
// come behind how many there are, in 4 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpiglut {

/// `Bytes`: std::string, or a vector of std::byte.
template <class Bytes> class Writer {
  public:
    template <class... Parts> void operator()(const Parts &...parts) { (put(parts), ...); }
    Bytes finish() { return std::move(bytes_); }

  private:
    using Byte = typename Bytes::value_type;

    template <class T> void put(const T &value) {
        if constexpr (std::is_enum_v<T>) {
            put(static_cast<std::underlying_type_t<T>>(value));
        } else if constexpr (std::integral<T>) {
            std::array<Byte, sizeof value> bytes;
            for (std::size_t i = 0; i < sizeof value; ++i)
                bytes[i] = static_cast<Byte>(static_cast<std::uint64_t>(value) >> (8 * i));
            bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        } else if constexpr (std::same_as<T, std::string>) {
            put(static_cast<std::uint32_t>(value.size()));
            const auto *const first = reinterpret_cast<const Byte *>(value.data());
            bytes_.insert(bytes_.end(), first, first + value.size());
        } else if constexpr (requires { value.size(); }) {
            put(static_cast<std::uint32_t>(value.size()));
            for (const auto &one : value)
                put(one);
        } else if constexpr (requires { T::parts(value, *this); }) {
            T::parts(value, *this);
        } else {
            each_member(value, *this);
        }
    }

    Bytes bytes_;
};

/// After a read beyond the end everything is 0 or empty, and the bytes are not complete.
class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <class... Parts> void operator()(Parts &...parts) { (get(parts), ...); }
    /// Everything was there and made sense, and nothing is left over.
    bool complete() const { return good_ && rest_.empty(); }

  private:
    template <class T> void get(T &value) {
        if constexpr (std::same_as<T, bool>) {
            value = number<std::uint8_t>(1) == 1;
        } else if constexpr (std::is_enum_v<T>) {
            using Number = std::underlying_type_t<T>;
            value = static_cast<T>(number<Number>(static_cast<Number>(static_cast<Number>(T::count) - 1)));
        } else if constexpr (std::integral<T>) {
            value = number<T>();
        } else if constexpr (std::same_as<T, std::string>) {
            const std::span<const std::byte> bytes = read_bytes(number<std::uint32_t>());
            value.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        } else if constexpr (requires { value.emplace_back(); }) {
            value.clear(); // grows as its bytes come, so a count cannot ask for memory
            for (std::uint64_t left = number<std::uint32_t>(); left > 0 && good_; --left)
                get(value.emplace_back());
        } else if constexpr (requires { T::parts(value, *this); }) {
            T::parts(value, *this);
        } else {
            each_member(value, *this);
        }
    }

    template <std::integral T> T number() {
        std::uint64_t read = 0;
        int shift = 0;
        for (const std::byte byte : read_bytes(sizeof(T))) {
            read |= std::to_integer<std::uint64_t>(byte) << shift;
            shift += 8;
        }
        return static_cast<T>(read);
    }
    /// 0 for more than `most`, which makes no sense.
    template <std::integral T> T number(T most) {
        const T read = number<T>();
        good_ = good_ && read <= most;
        return good_ ? read : T{};
    }

    std::span<const std::byte> read_bytes(std::uint64_t size) {
        good_ = good_ && size <= rest_.size();
        const std::span<const std::byte> all = good_ ? rest_ : std::span<const std::byte>();
        const auto part = all.first(std::min<std::uint64_t>(size, all.size()));
        rest_ = all.subspan(part.size());
        return part;
    }

    std::span<const std::byte> rest_;
    bool good_ = true;
};

template <class Bytes, class Message> Bytes to_bytes(const Message &message) {
    Writer<Bytes> writer;
    writer(message);
    return writer.finish();
}

/// Nothing for bytes that are not exactly one such message.
template <class Message> std::optional<Message> from_bytes(std::span<const std::byte> bytes) {
    Reader reader(bytes);
    std::optional<Message> message(std::in_place);
    reader(*message);
    return reader.complete() ? std::move(message) : std::nullopt;
}

} // namespace mpiglut
