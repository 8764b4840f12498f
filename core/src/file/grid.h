// Where the pixels of a picture lie in a file: in tiles, row after row. A raw picture is a single tile; strips are
// tiles as wide as the picture.
#pragma once

#include "device/device.h"

#include <algorithm>
#include <vector>

namespace pixmpi {

struct Grid {
    Extent extent;
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    int tile_width = 1, tile_height = 1;
    std::int64_t row_bytes = 0;      ///< from one row of a tile to the next
    std::vector<std::int64_t> tiles; ///< offset of each one's first pixel, or `unwritten`; row after row of tiles
    std::vector<std::byte> unwritten_pixel; ///< what each pixel is of tiles that are not in the file
    bool upside_down = false;               ///< y counts from the last row
    bool is_tiff = false;

    static constexpr std::int64_t unwritten = -1;
    bool is_sparse() const { return !unwritten_pixel.empty(); }

    std::int64_t pixel_bytes() const { return format_info(format).bytes; }
    int across() const { return parts(extent.width, tile_width); }
    int down() const { return parts(extent.height, tile_height); }
    /// Bytes of the file up to the picture's last pixel.
    std::int64_t end() const {
        std::int64_t most = 0;
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const int column = static_cast<int>(i % static_cast<std::size_t>(across())) * tile_width,
                      row = static_cast<int>(i / static_cast<std::size_t>(across())) * tile_height;
            const std::int64_t columns = std::min(tile_width, extent.width - column),
                               rows = std::min(tile_height, extent.height - row);
            if (tiles[i] == unwritten)
                continue;
            most = std::max(most, tiles[i] + (rows - 1) * row_bytes + columns * pixel_bytes());
        }
        return most;
    }
    /// Calls visit(offset, bytes) for the pixels of one row, from left to right; one call for each tile. The offset may
    /// be `unwritten`.
    template <class Visit> void for_each_span(int x, int y, int width, Visit visit) const {
        const int row = upside_down ? extent.height - 1 - y : y;
        for (int passed = 0; passed < width;) {
            const int column = x + passed, inside = column % tile_width;
            const int count = std::min(width - passed, tile_width - inside);
            const auto tile = static_cast<std::size_t>(row / tile_height) * static_cast<std::size_t>(across()) +
                              static_cast<std::size_t>(column / tile_width);
            const std::int64_t within = row % tile_height * row_bytes + inside * pixel_bytes();
            visit(tiles[tile] == unwritten ? unwritten : tiles[tile] + within,
                  static_cast<std::size_t>(count * pixel_bytes()));
            passed += count;
        }
    }

  private:
    static int parts(int all, int part) { return all / part + (all % part != 0); }
};

} // namespace pixmpi
