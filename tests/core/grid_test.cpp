// Where pixels lie in files, for sizes that no test can write.
#include "file/grid.h"
#include "file/tiff.h"

#include <climits>
#include <gtest/gtest.h>
#include <utility>

using namespace pixmpi;

namespace {

using Spans = std::vector<std::pair<std::int64_t, std::size_t>>;

Spans spans(const Grid &grid, int x, int y, int width) {
    Spans all;
    grid.for_each_span(x, y, width, [&](std::int64_t offset, std::size_t bytes) { all.emplace_back(offset, bytes); });
    return all;
}

} // namespace

TEST(grid, sizes_up_to_the_largest_int) {
    Grid grid;
    grid.extent = {INT_MAX, INT_MAX};
    grid.format = PIXMPI_RGBA32F;
    grid.tile_width = INT_MAX - 5;
    grid.tile_height = INT_MAX - 7;
    grid.row_bytes = 16 * std::int64_t{grid.tile_width};
    EXPECT_EQ(grid.across(), 2);
    EXPECT_EQ(grid.down(), 2);
    grid.tiles = {100, 200, 300, 400};
    EXPECT_EQ(spans(grid, INT_MAX - 7, INT_MAX - 1, 7),
              (Spans{{300 + 6 * grid.row_bytes + 16 * (std::int64_t{INT_MAX} - 7), 2 * 16},
                     {400 + 6 * grid.row_bytes, 5 * 16}}));
    grid.tile_height = 1;
    EXPECT_EQ(grid.down(), INT_MAX);
}

TEST(grid, tiles_that_were_never_written_have_no_place) {
    Grid grid;
    grid.extent = {5, 2};
    grid.format = PIXMPI_R8;
    grid.tile_width = 2;
    grid.tile_height = 2;
    grid.row_bytes = 2;
    grid.tiles = {Grid::unwritten, 1000, Grid::unwritten};
    grid.unwritten_pixel = {std::byte{0}};
    EXPECT_EQ(spans(grid, 0, 1, 5), (Spans{{Grid::unwritten, 2}, {1002, 2}, {Grid::unwritten, 1}}));
    EXPECT_EQ(grid.end(), 1004);
    EXPECT_TRUE(grid.is_sparse());
}

TEST(grid, tiles_that_are_too_large_are_refused) {
    constexpr int most = INT_MAX / 16 * 16;
    for (const auto &[width, height] : {std::pair(most, most), std::pair(16, most), std::pair(most, 16)}) {
        Grid grid;
        TiffDirectory directory;
        const pixMPI_Picture picture = pixMPI_Tiff_picture(PIXMPI_RGBA32F, INT_MAX, INT_MAX, width, height);
        EXPECT_NE(lay_out_tiff(picture, grid, directory), PIXMPI_SUCCESS) << width << " x " << height;
        EXPECT_EQ(std::string(pixMPI_Error_text()).find("picture: ") == std::string::npos, false)
            << pixMPI_Error_text();
    }
}
