// A number out of bytes that may lie anywhere.
#pragma once

#include <cstddef>
#include <cstring>

namespace pixmpi {

template <class T> constexpr T load(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace pixmpi
