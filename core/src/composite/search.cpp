#include "composite/search.h"

#include "base/format.h"

namespace pixmpi {
namespace {

template <class Word> Word load(const std::byte *from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

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

bool is_active(pixMPI_Format format, const std::byte *pixels, std::size_t count) {
    const auto nearer_real = [](float depth) { return depth < 1; };
    switch (format) {
    case PIXMPI_DEPTH16:
        return any_nearer<std::uint16_t, 2>(pixels, count, [](std::uint16_t depth) { return depth != 0xFFFF; });
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return any_nearer<std::uint32_t, 4>(pixels, count, [](std::uint32_t word) { return word < 0xFFFFFF00u; });
    case PIXMPI_DEPTH32F:
        return any_nearer<float, 4>(pixels, count, nearer_real);
    case PIXMPI_DEPTH32F_STENCIL8:
        return any_nearer<float, 8>(pixels, count, nearer_real);
    default:
        return any_bit(pixels, count * static_cast<std::size_t>(format_info(format).bytes));
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

// Row after row, and of each row only the cells in which nothing was found before.
void find_active(const Rows &pixels, pixMPI_Format format, const pixMPI_Rect &rect, Cells &found) {
    const auto bytes = static_cast<std::ptrdiff_t>(format_info(format).bytes);
    const int right = rect.x + rect.width, top = rect.y + rect.height;
    for (int y = rect.y; y < top;) {
        const int cell_row = y / found.height(), end_of_cells = std::min(top, (cell_row + 1) * found.height());
        const std::byte *const row = pixels.first + y * pixels.step;
        bool all = true;
        for (int x = rect.x; x < right;) {
            const int column = x / found.width(), end = std::min(right, (column + 1) * found.width());
            if (!found.active(column, cell_row)) {
                if (is_active(format, row + x * bytes, static_cast<std::size_t>(end - x)))
                    found.activate(column, cell_row);
                else
                    all = false;
            }
            x = end;
        }
        y = all ? end_of_cells : y + 1;
    }
}

} // namespace pixmpi
