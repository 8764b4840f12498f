// A band of a region as equal units of work, as shaders/pack_image.comp reads them: any shape becomes patches of 256
// pixels, or of words where several pixels make one.
#pragma once

#include "region/worklist.h"

#include <bit>
#include <cstdlib>
#include <vector>

namespace pixmpi {

/// How a band is divided.
struct Cut {
    std::uint32_t pixels_in_word; ///< of 4 bytes; 1 for larger pixels
    std::uint32_t side;           ///< how wide patches are, in pixels or words, where that takes no more of them

    /// What is written decides. Buffers like long rows; images, which lie in blocks of 64 bytes by 8 rows, high
    /// patches, except for pixels of less than a word.
    static Cut of(Direction direction, std::uint32_t pixel_bytes) {
        const std::uint32_t unpack_side = pixel_bytes < 4 ? 16 : 8;
        return {std::max(1u, 4 / pixel_bytes), direction == Direction::pack ? 32 : unpack_side};
    }
    /// Between two buffers.
    static Cut of_buffers(std::uint32_t pixel_bytes) { return of(Direction::pack, pixel_bytes); }
    bool operator==(const Cut &) const = default;
};

/// Rows that follow each other in packed order, each shifted and longer than the one before by the same amount: two
/// uvec4 of the shader.
struct WorkPiece {
    std::uint32_t corner;     ///< x and, in the upper half, y of the first row's first pixel
    std::uint32_t width, at;  ///< of the first row, pixels; packed index, counted from the band's beginning
    std::uint32_t first_unit; ///< units of the pieces before it
    std::uint32_t rows;
    std::uint32_t slant; ///< from row to row: to the right and, in the upper half, longer
    std::uint32_t shape; ///< columns of units; from bit 24 on log2 of how many invocations share a row; bit
                         ///< 31: turns go to the right
    std::int32_t down;   ///< from row to row

    /// How many units cover it; sets `shape`.
    std::uint32_t divide(const Cut &cut);
};

struct WorkList {
    static constexpr std::uint32_t unit = 256, group = 8; ///< pixels or words; units of a workgroup
    /// So many pieces, as bands of plain rectangles have them, need no list: each is its own dispatch.
    static constexpr std::size_t few = 3;
    std::vector<WorkPiece> pieces;
    std::vector<std::uint32_t> owners; ///< the piece of each unit; empty when there are few, or a unit for each
    std::uint32_t units = 0;           ///< 0: it cannot be done by the shader

    /// The shader's sizes.w.
    std::uint32_t kind() const { return pieces.size() <= few ? 0 : owners.empty() ? 1 : 2; }
};

/// Few pieces, each for itself.
struct FewPieces {
    std::size_t count = 0;
    WorkPiece pieces[WorkList::few]{};
    std::uint32_t units[WorkList::few]{};

    FewPieces() = default;
    explicit FewPieces(const WorkList &list) : count(std::min(list.pieces.size(), WorkList::few)) {
        for (std::size_t i = 0; i < count; ++i) {
            pieces[i] = list.pieces[i];
            units[i] = (i + 1 < list.pieces.size() ? list.pieces[i + 1].first_unit : list.units) - pieces[i].first_unit;
            pieces[i].first_unit = 0;
        }
    }
};

/// What a dispatch has to know of a list, and where in a buffer its pieces and owners lie.
struct WorkLayout {
    static constexpr std::size_t grain = 256; ///< as far as storage buffers' offsets ever ask
    std::uint32_t units = 0, kind = 0;
    FewPieces few; ///< of kind 0, which needs no buffer
    std::size_t pieces_bytes = 0, owners_at = 0, owners_bytes = 0;

    WorkLayout() = default;
    explicit WorkLayout(const WorkList &list)
        : units(list.units), kind(list.kind()), few(kind == 0 ? FewPieces(list) : FewPieces()),
          pieces_bytes(list.pieces.size() * sizeof(WorkPiece)), owners_at((pieces_bytes + grain - 1) / grain * grain),
          owners_bytes(list.owners.size() * sizeof(std::uint32_t)) {}
    bool needs_buffer() const { return units > 0 && kind != 0; }
    std::size_t bytes() const { return owners_at + owners_bytes; }
};

/// Workgroups for so many units.
inline std::uint32_t work_groups(std::uint32_t units) { return (units + WorkList::group - 1) / WorkList::group; }

inline std::uint32_t WorkPiece::divide(const Cut &cut) {
    constexpr std::uint32_t turns = 8, lanes = WorkList::unit / turns, usual = 16;
    const auto growth = static_cast<std::int16_t>(slant >> 16);
    const std::uint32_t widest = width + (growth > 0 ? (rows - 1) * static_cast<std::uint32_t>(growth) : 0);
    // Wherever in a word a row begins.
    const std::uint32_t per = cut.pixels_in_word, words = per == 1 ? widest : (widest + 2 * (per - 1)) / per;
    // Low ones to the right, others downwards.
    const bool right = rows == 1 || (rows <= turns && words > usual);
    const std::uint32_t low = std::bit_ceil(std::min(rows, 4u));
    std::uint32_t units = UINT32_MAX, columns = 0, lanes_wide = 0;
    for (const std::uint32_t side : {cut.side, usual}) {
        const std::uint32_t beside = std::min(std::bit_ceil(words), right ? lanes / low : side);
        const std::uint32_t wide = beside * (right ? turns : 1), high = WorkList::unit / wide;
        const std::uint32_t across = (words + wide - 1) / wide, all = across * ((rows + high - 1) / high);
        if (all < units) {
            units = all;
            columns = across;
            lanes_wide = beside;
        }
    }
    shape = columns | static_cast<std::uint32_t>(std::countr_zero(lanes_wide)) << 24 | (right ? 1u << 31 : 0);
    return units;
}

/// Joins what follows each other.
class WorkCutter {
  public:
    WorkCutter(WorkList &list, const Cut &cut) : list_(list), cut_(cut) {}

    void add(const Piece &piece) {
        const pixMPI_Rect &r = piece.rect;
        if (joins(r)) {
            if (rows_ == 1)
                step_ = step_to(r);
            ++rows_;
            last_ = r;
            return;
        }
        close();
        first_ = last_ = r;
        step_ = {0, 1, 0};
        at_ = piece.at;
        rows_ = r.height;
        thin_ = r.height == 1;
    }

    void close() {
        if (rows_ == 0)
            return;
        const auto half = [](int n) { return static_cast<std::uint32_t>(static_cast<std::uint16_t>(n)); };
        WorkPiece piece{half(first_.x) | half(first_.y) << 16,
                        static_cast<std::uint32_t>(first_.width),
                        static_cast<std::uint32_t>(at_),
                        list_.units,
                        static_cast<std::uint32_t>(rows_),
                        half(step_.right) | half(step_.longer) << 16,
                        0,
                        step_.down};
        list_.units += piece.divide(cut_);
        list_.pieces.push_back(piece);
        rows_ = 0;
    }

  private:
    struct Step {
        int right, down, longer;
        bool operator==(const Step &) const = default;
    };
    Step step_to(const pixMPI_Rect &r) const { return {r.x - last_.x, r.y - last_.y, r.width - last_.width}; }

    // Single rows that step alike. Where they grow they are few and grow slowly, so that few units lie outside the
    // piece.
    bool joins(const pixMPI_Rect &r) const {
        constexpr int most = INT16_MAX, least_rows = 16, most_wider = 64;
        if (rows_ == 0 || !thin_ || r.height != 1)
            return false;
        const Step step = step_to(r);
        if (step.longer != 0 && rows_ >= std::max(least_rows, most_wider / std::abs(step.longer)))
            return false;
        if (rows_ > 1)
            return step == step_;
        return std::abs(step.right) <= most && std::abs(step.longer) <= std::max(16, first_.width / 4);
    }

    WorkList &list_;
    const Cut cut_;
    pixMPI_Rect first_{}, last_{};
    Step step_{};
    std::uint64_t at_ = 0;
    int rows_ = 0;
    bool thin_ = false;
};

/// Whether the shader supports pixels of such a size, which lie at this byte of a buffer and so many bytes below each
/// other.
inline bool shader_supports(std::uint64_t pixel_bytes, std::uint64_t at, std::uint64_t row_bytes) {
    return pixel_bytes <= 16 && std::has_single_bit(pixel_bytes) &&
           (at | row_bytes) % std::min<std::uint64_t>(pixel_bytes, 4) == 0;
}

/// Whether a band of so many pixels of the region is more copies of what lies together in a buffer than `most`.
inline bool is_scattered(const Region &region, std::uint64_t first, std::uint64_t count, std::uint64_t pixel_bytes,
                         std::uint64_t row_bytes, std::uint64_t most) {
    std::uint64_t copies = 0;
    for_each_piece(region, first, count, [&](const Piece &piece) {
        const bool joined = static_cast<std::uint64_t>(piece.rect.width) * pixel_bytes == row_bytes;
        copies += joined ? 1 : static_cast<std::uint64_t>(piece.rect.height);
    });
    return copies > most;
}

/// Whether the shader can do a band of so many pixels of the region.
inline bool has_work_list(const Region &region, std::uint64_t count) {
    const pixMPI_Rect &all = region.bounds;
    return count > 0 && count <= INT32_MAX && all.x + all.width <= UINT16_MAX && all.y + all.height <= UINT16_MAX;
}

/// The packed pixels [first, first + count) of a committed region.
inline WorkList cut_work(const Region &region, std::uint64_t first, std::uint64_t count, const Cut &cut) {
    WorkList list;
    if (!has_work_list(region, count))
        return list;
    WorkCutter cutter(list, cut);
    for_each_piece(region, first, count, [&](const Piece &piece) { cutter.add(piece); });
    cutter.close();
    if (list.pieces.size() > WorkList::few && list.units != list.pieces.size())
        for (std::size_t i = 0; i < list.pieces.size(); ++i)
            list.owners.resize(i + 1 < list.pieces.size() ? list.pieces[i + 1].first_unit : list.units,
                               static_cast<std::uint32_t>(i));
    return list;
}

} // namespace pixmpi
