// A band that is combined with pixels in buffers, as shaders/combine_buffer.comp and nearest.comp read it: a dispatch
// for each of few rectangles, or one for a list of many (shaders/rectangles.glsl).
#pragma once

#include "combine/for_shader.h"
#include "combine/nearest.h"
#include "region/worklist.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pixmpi {

/// The parameters of one dispatch.
struct CombiningDispatch {
    std::array<std::uint32_t, 4> sizes, places; ///< the shader's
    std::uint32_t across, down;                 ///< workgroups
};

/// Many rectangles, and the dispatch for all of them.
struct CombiningList {
    struct Rectangle {
        std::array<std::uint32_t, 4> sizes, places;
    };
    std::vector<Rectangle> rectangles;
    CombiningDispatch dispatch;
    std::size_t bytes() const { return rectangles.size() * sizeof(Rectangle); }
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
        for_each_piece(region, first, count, [&](const Piece &piece) { pieces_.push_back(piece); });
    }

    ShaderCombination how;
    int pixel_bytes() const { return static_cast<int>(planes_[0].pixel_bytes); }
    bool has_depths() const { return planes_[1].pixel_bytes != 0; }
    std::uint64_t bytes() const { return bytes_; }
    /// WORDS of combine_buffer.comp.
    std::uint32_t words() const { return group_words(how, pixel_bytes()); }

    auto begin() const { return pieces_.begin(); }
    auto end() const { return pieces_.end(); }
    /// More rectangles than are worth a dispatch each.
    bool is_many() const { return pieces_.size() > few; }
    /// Where the rectangle is in the buffer of the pixels, of the depths.
    struct Bytes {
        std::uint64_t begin, size; ///< behind the first pixel of all; up to the end of the rectangle's last one
    };
    Bytes pixels(const pixMPI_Rect &rect) const { return bytes(planes_[0], rect); }
    Bytes depths(const pixMPI_Rect &rect) const { return bytes(planes_[1], rect); }
    /// Where all of them are.
    Bytes pixels() const { return bytes(planes_[0]); }
    Bytes depths() const { return bytes(planes_[1]); }

    /// Whether shaders that reach so many bytes of a buffer reach all of it.
    bool possible(std::uint64_t most) const {
        if (pieces_.empty() || bytes_ > most)
            return false;
        if (is_many())
            return pixels().size <= most && depths().size <= most &&
                   pieces_.size() * sizeof(CombiningList::Rectangle) <= most;
        return std::all_of(begin(), end(), [&](const Piece &piece) {
            const auto rows = static_cast<std::uint64_t>(piece.rect.height);
            return pixels(piece.rect).size <= most && depths(piece.rect).size <= most &&
                   (joined(piece.rect) || rows <= max_groups);
        });
    }
    /// `here`, `depths_here`, `band`: bytes of what is bound, before the rectangle's first pixel, its first depth, the
    /// band.
    CombiningDispatch dispatch(const Piece &piece, std::uint64_t here, std::uint64_t depths_here,
                               std::uint64_t band) const {
        const Unit unit = shader_unit();
        const std::uint64_t row = unit.pixel * static_cast<std::uint64_t>(piece.rect.width);
        const std::uint64_t all = row * static_cast<std::uint64_t>(piece.rect.height), side = invocations * unit.step;
        if (!joined(piece.rect))
            return {words_of({all, row, unit.pitch, 0}), places(piece, here, depths_here, band),
                    static_cast<std::uint32_t>((row + side - 1) / side), static_cast<std::uint32_t>(piece.rect.height)};
        const auto [across, down] = grid((all + side - 1) / side);
        return {words_of({all, across * side, across * side, 0}), places(piece, here, depths_here, band), across, down};
    }
    /// The same for all rectangles; `here`, `depths_here`: before the first pixel, the first depth of all.
    CombiningList list(std::uint64_t here, std::uint64_t depths_here, std::uint64_t band) const {
        CombiningList list;
        list.rectangles.reserve(pieces_.size());
        const Unit unit = shader_unit();
        const std::uint64_t first = pixels().begin, first_depth = depths().begin;
        std::uint64_t groups = 0;
        for (const Piece &piece : pieces_) {
            const bool one_row = joined(piece.rect);
            const std::uint64_t width = unit.pixel * static_cast<std::uint64_t>(piece.rect.width);
            const std::uint64_t all = width * static_cast<std::uint64_t>(piece.rect.height);
            const std::uint64_t row = one_row ? all : width, steps = (row + unit.step - 1) / unit.step * (all / row);
            list.rectangles.push_back({words_of({all, row, unit.pitch, groups}),
                                       places(piece, here + pixels(piece.rect).begin - first,
                                              depths_here + depths(piece.rect).begin - first_depth, band)});
            groups += (steps + invocations - 1) / invocations;
        }
        const auto [across, down] = grid(groups);
        list.dispatch = {words_of({groups, 0, 0, pieces_.size()}), {}, across, down};
        return list;
    }

  private:
    static constexpr std::size_t few = 8;
    static constexpr std::uint64_t max_groups = 65535; ///< in each direction, for all graphics APIs
    static constexpr std::uint64_t invocations = 64;   ///< of a workgroup
    /// What the shader counts in: bytes, or pixels with depths.
    struct Unit {
        std::uint64_t pixel, pitch, step; ///< a pixel; from row to row in the buffer; what an invocation does
    };
    Unit shader_unit() const {
        const Plane &colors = planes_[0];
        return has_depths() ? Unit{1, colors.row_bytes / colors.pixel_bytes, 1}
                            : Unit{colors.pixel_bytes, colors.row_bytes, std::uint64_t{4} * words()};
    }
    std::array<std::uint32_t, 4> places(const Piece &piece, std::uint64_t here, std::uint64_t depths_here,
                                        std::uint64_t band) const {
        const auto [colors, depths] = planes_;
        const std::uint64_t there = band + colors.in_band + piece.at * colors.pixel_bytes;
        if (!has_depths())
            return words_of({here, there, 0, 0});
        const std::uint64_t depth = depths.pixel_bytes == 2 ? 2 : 4,
                            depths_there = band + depths.in_band + piece.at * depths.pixel_bytes;
        return words_of({here / 4, depths_here / depth, there / 4, depths_there / depth});
    }
    /// In as few rows as can be, all alike, since workgroups beyond the last pixel also cost time.
    static std::array<std::uint32_t, 2> grid(std::uint64_t groups) {
        const std::uint64_t down = (groups + max_groups - 1) / max_groups;
        return {static_cast<std::uint32_t>((groups + down - 1) / down), static_cast<std::uint32_t>(down)};
    }
    static std::array<std::uint32_t, 4> words_of(const std::array<std::uint64_t, 4> &numbers) {
        std::array<std::uint32_t, 4> words;
        std::transform(numbers.begin(), numbers.end(), words.begin(),
                       [](std::uint64_t one) { return static_cast<std::uint32_t>(one); });
        return words;
    }
    static Bytes bytes(const Plane &plane, const pixMPI_Rect &rect) {
        const auto x = static_cast<std::uint64_t>(rect.x), y = static_cast<std::uint64_t>(rect.y),
                   width = static_cast<std::uint64_t>(rect.width), rows = static_cast<std::uint64_t>(rect.height);
        return {y * plane.row_bytes + x * plane.pixel_bytes, (rows - 1) * plane.row_bytes + width * plane.pixel_bytes};
    }
    Bytes bytes(const Plane &plane) const {
        Bytes all{UINT64_MAX, 0};
        std::uint64_t end = 0;
        for (const Piece &piece : pieces_) {
            const Bytes one = bytes(plane, piece.rect);
            all.begin = std::min(all.begin, one.begin);
            end = std::max(end, one.begin + one.size);
        }
        all.size = end - all.begin;
        return all;
    }
    /// Rows without gaps between them, which are one.
    bool joined(const pixMPI_Rect &rect) const {
        return rect.height == 1 ||
               static_cast<std::uint64_t>(rect.width) * planes_[0].pixel_bytes == planes_[0].row_bytes;
    }

    std::array<Plane, 2> planes_;
    std::uint64_t bytes_;
    std::vector<Piece> pieces_;
};

} // namespace pixmpi
