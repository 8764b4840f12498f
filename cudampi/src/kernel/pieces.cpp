#include "kernel/pieces.h"

namespace cudampi {

using kernels::Piece;

Blocks blocks_of(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, std::size_t pixel_bytes,
                 std::uint64_t row_bytes) {
    Blocks blocks;
    pixmpi::for_each_piece(region, first, count, [&](const pixmpi::Piece &piece) {
        const std::uint64_t width = static_cast<std::uint64_t>(piece.rect.width) * pixel_bytes,
                            rows = static_cast<std::uint64_t>(piece.rect.height),
                            begin = static_cast<std::uint64_t>(piece.rect.y) * row_bytes +
                                    static_cast<std::uint64_t>(piece.rect.x) * pixel_bytes;
        if (width == row_bytes)
            blocks.push_back({begin, width * rows, 1, width * rows});
        else
            blocks.push_back({begin, width, rows, row_bytes});
    });
    return blocks;
}

namespace {

/// Goes through blocks in packed order.
class Walk {
  public:
    Walk(const Blocks &blocks, bool only_whole_rows) : block_(blocks.data()), only_whole_rows_(only_whole_rows) {}
    std::uint64_t place() const { return block_->begin + row_ * block_->pitch + inside_; }
    std::uint64_t width() const { return block_->width; }
    std::uint64_t left_of_row() const { return block_->width - inside_; }
    bool at_row() const { return inside_ == 0; }
    /// How many rows of this width begin here, one `pitch` behind the other.
    std::uint64_t rows_of(std::uint64_t width, std::uint64_t &pitch) const {
        const bool whole = at_row() && width == block_->width;
        pitch = whole ? block_->pitch : width;
        return whole ? block_->rows - row_ : only_whole_rows_ ? left_of_row() >= width : left_of_row() / width;
    }
    void pass(std::uint64_t width, std::uint64_t rows) {
        if (at_row() && width == block_->width)
            row_ += rows;
        else
            inside_ += width * rows;
        if (inside_ == block_->width) {
            inside_ = 0;
            ++row_;
        }
        if (row_ == block_->rows) {
            row_ = 0;
            ++block_;
        }
    }

  private:
    const Block *block_;
    const bool only_whole_rows_;
    std::uint64_t row_ = 0, inside_ = 0;
};

std::uint64_t bytes_of(const Blocks &blocks) {
    std::uint64_t sum = 0;
    for (const Block &block : blocks)
        sum += block.width * block.rows;
    return sum;
}

/// Memory answers sooner where neighbours are asked for at about the same time.
void put_in_order(std::vector<Piece> &pieces) {
    const auto before = [](const Piece &a, const Piece &b) { return a.here < b.here; };
    if (std::is_sorted(pieces.begin(), pieces.end(), before))
        return;
    std::sort(pieces.begin(), pieces.end(), before);
    std::uint32_t at = 0;
    for (Piece &piece : pieces) {
        const std::uint32_t count = piece.end - piece.at;
        piece.at = at;
        piece.end = at += count;
    }
}

/// 0 where it does not divide each number below `count` rightly: it is too large by less than `width` / 2^32.
std::uint32_t reciprocal_of(std::uint64_t width, std::uint64_t count) {
    const std::uint64_t rounded = (array_pitch + width - 1) / width, excess = rounded * width - array_pitch;
    return width > 1 && (excess == 0 || count <= array_pitch / excess) ? static_cast<std::uint32_t>(rounded) : 0;
}

void add_piece(const CommonRows &one, bool tiles, std::uint32_t element_bytes, std::vector<Piece> &pieces) {
    const std::uint64_t width = one.width / element_bytes, count = width * one.rows,
                        tile = kernels::tile_width * kernels::tile_rows;
    const std::uint32_t begin = pieces.empty() ? 0 : pieces.back().end;
    pieces.push_back({one.here, one.there, begin, begin + static_cast<std::uint32_t>(count),
                      static_cast<std::uint32_t>(width),
                      tiles ? reciprocal_of(width / kernels::tile_width, count / tile) : reciprocal_of(width, count),
                      tiles ? kernels::in_tiles : static_cast<std::uint32_t>(one.here_skip),
                      static_cast<std::uint32_t>(one.there_skip)});
}

} // namespace

std::vector<CommonRows> common_rows(const Blocks &here, const Blocks &there, bool array) {
    std::vector<CommonRows> all;
    Walk a(here, array), b(there, false);
    for (std::uint64_t left = bytes_of(here); left > 0;) {
        std::uint64_t pitch_a = 0, pitch_b = 0, width = a.width();
        if (!a.at_row() || b.rows_of(width, pitch_b) == 0) {
            width = b.width();
            if (!b.at_row() || a.rows_of(width, pitch_a) == 0)
                width = std::min(a.left_of_row(), b.left_of_row());
        }
        const std::uint64_t rows = std::min(a.rows_of(width, pitch_a), b.rows_of(width, pitch_b));
        all.push_back({a.place(), b.place(), width, rows, array || rows == 1 ? 0 : pitch_a - width,
                       rows == 1 ? 0 : pitch_b - width});
        a.pass(width, rows);
        b.pass(width, rows);
        left -= width * rows;
    }
    return all;
}

std::vector<kernels::Chunk> make_chunks(const std::vector<Piece> &pieces, std::uint32_t element_bytes,
                                        std::uint32_t most) {
    const std::uint64_t enough =
        std::min<std::uint64_t>(((pieces.back().end - 1) / most + 1) * std::uint64_t{5} / 4, UINT32_MAX / most);
    std::vector<kernels::Chunk> chunks;
    for (const Piece &piece : pieces) {
        const bool one_row = (piece.here_skip | piece.there_skip) == 0;
        const std::uint32_t all = piece.end - piece.at, width = one_row ? all : piece.width, rows = all / width;
        const std::uint32_t at_once = std::max(1u, most / width); // rows
        for (std::uint32_t row = 0; row < rows; row += at_once)
            for (std::uint32_t x = 0; x < width; x += most) {
                const std::uint32_t height = std::min(at_once, rows - row), count = std::min(most, width - x) * height;
                const std::uint64_t first = (std::uint64_t{row} * width + x) * element_bytes;
                const auto reciprocal = static_cast<std::uint32_t>((array_pitch + width - 1) / width - 1);
                chunks.push_back({piece.here + first + std::uint64_t{row} * piece.here_skip,
                                  piece.there + first + std::uint64_t{row} * piece.there_skip, piece.here_skip,
                                  piece.there_skip, height > 1 ? reciprocal : 0, count});
                if (chunks.size() > enough)
                    return {};
            }
    }
    return chunks;
}

bool make_pieces(const std::vector<CommonRows> &rows, bool array, std::uint32_t most, std::vector<Piece> &pieces,
                 std::uint32_t &element_bytes) {
    constexpr std::uint64_t too_many = UINT32_MAX - kernels::threads * kernels::turns_of(1),
                            much = std::uint64_t{16} << 20; // caches have the rest in any order
    Evenness evenness;
    evenness.add(most);
    std::uint64_t bytes = 0;
    for (const CommonRows &one : rows) {
        for (const std::uint64_t number : {one.here, one.there, one.width, one.here_skip, one.there_skip})
            evenness.add(number);
        if (one.here_skip > UINT32_MAX || one.there_skip > UINT32_MAX)
            return false;
        bytes += one.width * one.rows;
    }
    element_bytes = evenness.bytes();
    if (bytes / element_bytes > too_many)
        return false;
    for (CommonRows one : rows) {
        if (const std::uint64_t tiles = one.rows / kernels::tile_rows;
            array && tiles > 0 && one.width / element_bytes % kernels::tile_width == 0) {
            CommonRows tiled = one;
            tiled.rows = tiles * kernels::tile_rows;
            add_piece(tiled, true, element_bytes, pieces);
            one.here += tiled.rows << 32;
            one.there += tiled.rows * (one.width + one.there_skip);
            one.rows -= tiled.rows;
        }
        if (one.rows > 0)
            add_piece(one, false, element_bytes, pieces);
    }
    if (!array && bytes > much && pieces.size() > kernels::few)
        put_in_order(pieces);
    return true;
}

} // namespace cudampi
