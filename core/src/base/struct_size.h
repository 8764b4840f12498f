// Structures of the public headers that begin with struct_size: those of older programs are shorter, and those of newer
// ones longer, than this library's. docs/reference/abi.md has the promise.
#pragma once

#include "base/status.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace pixmpi {

namespace detail {

constexpr std::size_t largest_struct = 64 << 10;

/// A member that was not set is rarely a good size, and never a small multiple of four bytes by chance alone.
inline Status check_struct_size(const char *argument, std::size_t size, std::size_t ours) {
    if (size >= sizeof(std::size_t) && size <= largest_struct && size % 4 == 0)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_ARGUMENT,
                "%s.struct_size: %zu, expected %zu: the structure is not initialised, its _INIT macro does that",
                argument, size, ours);
}

} // namespace detail

/// The caller's structure as one of this library's: what it does not have is zero. A null pointer: all of it.
template <class Struct> Status read_struct(const char *argument, const Struct *given, Struct &ours) {
    ours = {};
    ours.struct_size = sizeof(Struct);
    if (!given)
        return PIXMPI_SUCCESS;
    const std::size_t size = given->struct_size;
    if (const Status error = detail::check_struct_size(argument, size, sizeof(Struct)))
        return error;
    const auto *const bytes = reinterpret_cast<const unsigned char *>(given);
    if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size, [](auto byte) { return byte != 0; }))
        return fail(PIXMPI_ERR_ARGUMENT,
                    "%s: says something in the %zu bytes that this version of the library does not know, expected zeros",
                    argument, size - sizeof(Struct));
    std::memcpy(&ours, given, std::min(size, sizeof(Struct)));
    ours.struct_size = sizeof(Struct);
    return PIXMPI_SUCCESS;
}

/// That write_struct() may follow.
template <class Struct> Status check_struct(const char *argument, const Struct *given) {
    if (!given)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer", argument);
    return detail::check_struct_size(argument, given->struct_size, sizeof(Struct));
}

/// As much of it as the caller's structure has; what this library does not know is zero. It has been checked.
template <class Struct> void write_struct(const Struct &ours, Struct *given) {
    const std::size_t size = given->struct_size, known = std::min(size, sizeof(Struct));
    std::memcpy(given, &ours, known);
    std::memset(reinterpret_cast<unsigned char *>(given) + known, 0, size - known);
    given->struct_size = size;
}

} // namespace pixmpi
