// A band that is combined with pixels in buffers, as shaders/combine_buffer.comp and nearest.comp take it: a dispatch
// for each of its rectangles.
#pragma once

#include "combine/for_shader.h"
#include "combine/nearest.h"
#include "region/worklist.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pixmpi {

/// What one dispatch is told.
struct CombiningDispatch {
    std::array<std::uint32_t, 4> sizes, places; ///< the shader's
    std::uint32_t across, down;                 ///< workgroups
};

class CombiningBand {
  public:
    /// Of the pixels, or of one plane of them.
    struct Plane {
        std::uint64_t pixel_bytes = 0, row_bytes = 0; ///< row_bytes: from row to row in its buffer
        std::uint64_t in_band = 0;                    ///< where its pixels begin there
    };
    /// `how`: for_shader().
    CombiningBand(const ShaderCombination &how_, const Plane &pixels, const Region &region, std::uint64_t first,
                  std::uint64_t count)
        : CombiningBand(how_, pixels, {}, region, first, count) {}
    /// Colours by depth; `how`: nearest_for_shader(). No plane has gaps between its rows.
    CombiningBand(const ShaderCombination &how_, const Plane &colors, const Plane &depths, const Region &region,
                  std::uint64_t first, std::uint64_t count)
        : how(how_), planes_{colors, depths}, bytes_(count * (colors.pixel_bytes + depths.pixel_bytes)) {
        for_each_piece(region, first, count, [&](const Piece &piece) {
            if (count_ < pieces_.size())
                pieces_[count_] = piece;
            ++count_;
        });
        if (count_ > pieces_.size()) // many take longer than the CPU may
            count_ = 0;
    }

    ShaderCombination how;
    int pixel_bytes() const { return static_cast<int>(planes_[0].pixel_bytes); }
    bool has_depths() const { return planes_[1].pixel_bytes != 0; }
    std::uint64_t bytes() const { return bytes_; }
    /// WORDS of combine_buffer.comp.
    std::uint32_t words() const { return group_words(how, pixel_bytes()); }

    const Piece *begin() const { return pieces_.data(); }
    const Piece *end() const { return pieces_.data() + count_; }
    /// Where the rectangle is in the buffer of the pixels, of the depths.
    struct Bytes {
        std::uint64_t begin, size; ///< behind the first pixel of all; up to the end of the rectangle's last one
    };
    Bytes pixels(const pixMPI_Rect &rect) const { return bytes(planes_[0], rect); }
    Bytes depths(const pixMPI_Rect &rect) const { return bytes(planes_[1], rect); }

    /// Whether shaders that reach so many bytes of a buffer take all of it.
    bool possible(std::uint64_t most) const {
        return count_ > 0 && bytes_ <= most && std::all_of(begin(), end(), [&](const Piece &piece) {
                   const auto rows = static_cast<std::uint64_t>(piece.rect.height);
                   return pixels(piece.rect).size <= most && depths(piece.rect).size <= most &&
                          (joined(piece.rect) || rows <= most_groups);
               });
    }
    /// `here`, `depths_here`, `band`: bytes of what is bound, before the rectangle's first pixel, its first depth, the
    /// band.
    CombiningDispatch dispatch(const Piece &piece, std::uint64_t here, std::uint64_t depths_here,
                               std::uint64_t band) const {
        const auto [colors, depths] = planes_;
        const std::uint64_t there = band + colors.in_band + piece.at * colors.pixel_bytes;
        if (!has_depths()) // all sizes are bytes
            return divide(piece.rect, colors.pixel_bytes, colors.row_bytes, std::uint64_t{4} * words(),
                          {here, there, 0, 0});
        const std::uint64_t depth = depths.pixel_bytes == 2 ? 2 : 4,
                            depths_there = band + depths.in_band + piece.at * depths.pixel_bytes;
        return divide(piece.rect, 1, colors.row_bytes / colors.pixel_bytes, 1,
                      {here / 4, depths_here / depth, there / 4, depths_there / depth});
    }

  private:
    static constexpr std::uint64_t most_groups = 65535; ///< in each direction, for all graphics APIs
    static std::array<std::uint32_t, 4> words_of(const std::array<std::uint64_t, 4> &numbers) {
        std::array<std::uint32_t, 4> words;
        std::transform(numbers.begin(), numbers.end(), words.begin(),
                       [](std::uint64_t one) { return static_cast<std::uint32_t>(one); });
        return words;
    }
    /// `pixel`: how large one is; `pitch`: from row to row in the buffer; `group`: what an invocation does. Rows
    /// without gaps between them are one, cut as workgroups go: into as few as can be, all alike, since workgroups
    /// beyond the last pixel cost time, too.
    CombiningDispatch divide(const pixMPI_Rect &rect, std::uint64_t pixel, std::uint64_t pitch, std::uint64_t group,
                             const std::array<std::uint64_t, 4> &places) const {
        constexpr std::uint64_t invocations = 64;
        const auto rows = static_cast<std::uint64_t>(rect.height);
        const std::uint64_t row = pixel * static_cast<std::uint64_t>(rect.width), all = row * rows;
        const std::uint64_t side = invocations * group;
        std::uint64_t across = ((joined(rect) ? all : row) + side - 1) / side, down = rows, told_row = row;
        if (joined(rect)) {
            down = (across + most_groups - 1) / most_groups;
            across = (across + down - 1) / down;
            told_row = pitch = across * side;
        }
        return {words_of({all, told_row, pitch, 0}), words_of(places), static_cast<std::uint32_t>(across),
                static_cast<std::uint32_t>(down)};
    }
    static Bytes bytes(const Plane &plane, const pixMPI_Rect &rect) {
        const auto x = static_cast<std::uint64_t>(rect.x), y = static_cast<std::uint64_t>(rect.y),
                   width = static_cast<std::uint64_t>(rect.width), rows = static_cast<std::uint64_t>(rect.height);
        return {y * plane.row_bytes + x * plane.pixel_bytes, (rows - 1) * plane.row_bytes + width * plane.pixel_bytes};
    }
    bool joined(const pixMPI_Rect &rect) const {
        return rect.height == 1 ||
               static_cast<std::uint64_t>(rect.width) * planes_[0].pixel_bytes == planes_[0].row_bytes;
    }

    std::array<Plane, 2> planes_;
    std::uint64_t bytes_;
    std::array<Piece, 8> pieces_{};
    std::size_t count_ = 0;
};

} // namespace pixmpi
