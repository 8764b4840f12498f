#include "composite/search.h"

#include "base/format.h"
#include "base/load.h"
#include "host/host_device.h"

#include <algorithm>
#include <cstring>

namespace pixmpi {
namespace {

/// Whether one of so many pixels is nearer than the farthest depth. Without a branch for each, so that compilers find
/// vectors.
template <class Word, std::size_t step, class Nearer>
bool any_nearer(const std::byte *pixels, std::size_t count, Nearer is_nearer) {
    bool any = false;
    for (std::size_t i = 0; i < count; ++i)
        any |= is_nearer(load<Word>(pixels + i * step));
    return any;
}

bool any_bit(const std::byte *bytes, std::size_t count) {
    std::uint64_t any = 0;
    std::size_t i = 0;
    for (; i + sizeof any <= count; i += sizeof any)
        any |= load<std::uint64_t>(bytes + i);
    for (; i < count; ++i)
        any |= static_cast<std::uint64_t>(bytes[i]);
    return any != 0;
}

/// Cell by cell, each until something is found in it. `is_active`: of so many pixels of a row.
template <class IsActive>
void look_through(const Rows &pixels, std::size_t pixel_bytes, const pixMPI_Rect &rect, Cells &found,
                  IsActive is_active) {
    const int right = rect.x + rect.width, top = rect.y + rect.height;
    for (int row = rect.y / found.height(); found.top(row) < top; ++row) {
        const int first = std::max(rect.y, found.top(row)), end = std::min(top, found.top(row + 1));
        for (int column = rect.x / found.width(); found.left(column) < right; ++column) {
            const int left = std::max(rect.x, found.left(column));
            const auto count = static_cast<std::size_t>(std::min(right, found.left(column + 1)) - left);
            const std::byte *at = pixels.first + first * pixels.step +
                                  static_cast<std::ptrdiff_t>(left) * static_cast<std::ptrdiff_t>(pixel_bytes);
            for (int y = first; y < end; ++y, at += pixels.step)
                if (is_active(at, count)) {
                    found.activate(column, row);
                    break;
                }
        }
    }
}

} // namespace

bool knows_background(Operation operation, pixMPI_Format color, pixMPI_Format depth) {
    const Numbers numbers = format_info(color).numbers;
    switch (operation) {
    case Operation::nearest:
        return depth != PIXMPI_FORMAT_NONE;
    case Operation::over:
    case Operation::over_straight:
    case Operation::sum:
    case Operation::bor:
    case Operation::bxor:
        return true;
    case Operation::max:
        return numbers == Numbers::unorm || numbers == Numbers::srgb || numbers == Numbers::uint;
    default:
        return false;
    }
}

void write_background(const Surface &plane) {
    const Rows &rows = pixels_of(plane);
    const auto bytes = static_cast<std::size_t>(plane.extent.width) * static_cast<std::size_t>(plane.pixel_bytes);
    const Numbers numbers = format_info(plane.format).numbers;
    const bool depths = numbers == Numbers::depth || numbers == Numbers::depth_stencil;
    const bool reals = plane.format == PIXMPI_DEPTH32F || plane.format == PIXMPI_DEPTH32F_STENCIL8;
    const float farthest = 1;
    for (std::ptrdiff_t y = 0; y < plane.extent.height; ++y) {
        std::byte *const row = rows.first + y * rows.step;
        std::memset(row, depths && !reals ? 0xFF : 0, bytes);
        for (std::size_t at = 0; reals && at < bytes; at += static_cast<std::size_t>(plane.pixel_bytes))
            std::memcpy(row + at, &farthest, sizeof farthest);
    }
}

void find_active(const Rows &pixels, pixMPI_Format format, const pixMPI_Rect &rect, Cells &found) {
    const auto bytes = static_cast<std::size_t>(format_info(format).bytes);
    const auto look = [&](auto is_active) { look_through(pixels, bytes, rect, found, is_active); };
    const auto nearer_real = [](float depth) { return depth < 1; };
    switch (format) {
    case PIXMPI_DEPTH16:
        return look([](const std::byte *at, std::size_t count) {
            return any_nearer<std::uint16_t, 2>(at, count, [](std::uint16_t depth) { return depth != 0xFFFF; });
        });
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return look([](const std::byte *at, std::size_t count) {
            return any_nearer<std::uint32_t, 4>(at, count, [](std::uint32_t word) { return word < 0xFFFFFF00u; });
        });
    case PIXMPI_DEPTH32F:
        return look(
            [&](const std::byte *at, std::size_t count) { return any_nearer<float, 4>(at, count, nearer_real); });
    case PIXMPI_DEPTH32F_STENCIL8:
        return look(
            [&](const std::byte *at, std::size_t count) { return any_nearer<float, 8>(at, count, nearer_real); });
    default:
        return look([&](const std::byte *at, std::size_t count) { return any_bit(at, count * bytes); });
    }
}

} // namespace pixmpi
