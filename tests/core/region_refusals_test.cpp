// What the calls for regions refuse: the code, the argument's name in the text, and outputs left alone.
#include "regions.h"

#include <climits>
#include <gtest/gtest.h>
#include <string>

namespace {

/// What no call may overwrite when it fails.
pixMPI_Region untouched() { return reinterpret_cast<pixMPI_Region>(std::uintptr_t{0x5a0}); }

pixMPI_Region output;

void refused(int code, int expected, const std::string &call, const std::string &argument) {
    const std::string text = pixMPI_Error_text();
    EXPECT_EQ(code, expected) << text;
    EXPECT_NE(text.find("pixMPI_Region_" + call + ": " + argument), std::string::npos) << text;
    EXPECT_NE(text.find("expected"), std::string::npos) << text;
    EXPECT_EQ(output, untouched());
    output = untouched();
}

class RegionRefusals : public testing::Test {
  protected:
    void SetUp() override {
        output = untouched();
        ASSERT_EQ(pixMPI_Region_rect(0, 0, 4, 4, &region_), PIXMPI_SUCCESS);
        ASSERT_EQ(pixMPI_Region_rect(0, 0, 4, 4, &freed_), PIXMPI_SUCCESS);
        pixMPI_Region handle = freed_;
        ASSERT_EQ(pixMPI_Region_free(&handle), PIXMPI_SUCCESS);
    }
    void TearDown() override { EXPECT_EQ(pixMPI_Region_free(&region_), PIXMPI_SUCCESS); }

    /// All that is no region.
    std::vector<pixMPI_Region> no_regions() {
        return {PIXMPI_REGION_NULL,
                PIXMPI_WHOLE,
                freed_,
                reinterpret_cast<pixMPI_Region>(&foreign_),
                reinterpret_cast<pixMPI_Region>(std::uintptr_t{0xdeadbeef}),
                reinterpret_cast<pixMPI_Region>(~std::uintptr_t{0})};
    }

    pixMPI_Region region_ = PIXMPI_REGION_NULL, freed_ = PIXMPI_REGION_NULL;
    int foreign_ = 0;
};

} // namespace

TEST_F(RegionRefusals, null_outputs) {
    const pixMPI_Rect r{0, 0, 1, 1};
    const int zero = 0;
    refused(pixMPI_Region_rect(0, 0, 1, 1, nullptr), PIXMPI_ERR_ARGUMENT, "rect", "region");
    refused(pixMPI_Region_indexed(1, &r, nullptr), PIXMPI_ERR_ARGUMENT, "indexed", "region");
    refused(pixMPI_Region_strided(r, 1, 1, 1, 1, nullptr), PIXMPI_ERR_ARGUMENT, "strided", "region");
    refused(pixMPI_Region_rows(0, 1, 0, 1, 1, nullptr), PIXMPI_ERR_ARGUMENT, "rows", "region");
    refused(pixMPI_Region_columns(0, 1, 0, 1, 1, nullptr), PIXMPI_ERR_ARGUMENT, "columns", "region");
    refused(pixMPI_Region_triangle(PIXMPI_LOWER, 1, 0, 0, 3, nullptr), PIXMPI_ERR_ARGUMENT, "triangle", "region");
    refused(pixMPI_Region_nested(1, &zero, &zero, &region_, nullptr), PIXMPI_ERR_ARGUMENT, "nested", "region");
    refused(pixMPI_Region_clipped(region_, r, nullptr), PIXMPI_ERR_ARGUMENT, "clipped", "region");
    refused(pixMPI_Region_commit(nullptr), PIXMPI_ERR_ARGUMENT, "commit", "region");
    refused(pixMPI_Region_free(nullptr), PIXMPI_ERR_ARGUMENT, "free", "region");
    refused(pixMPI_Region_pixels(region_, nullptr), PIXMPI_ERR_ARGUMENT, "pixels", "pixels");
    refused(pixMPI_Region_bounds(region_, nullptr), PIXMPI_ERR_ARGUMENT, "bounds", "bounds");
    refused(pixMPI_Region_rects(region_, 0, nullptr, nullptr), PIXMPI_ERR_ARGUMENT, "rects", "count");
    int count = 77;
    refused(pixMPI_Region_rects(region_, 1, nullptr, &count), PIXMPI_ERR_ARGUMENT, "rects", "rects");
    refused(pixMPI_Region_rects(region_, -1, nullptr, &count), PIXMPI_ERR_ARGUMENT, "rects", "room");
    EXPECT_EQ(count, 77);
}

TEST_F(RegionRefusals, negative_sizes_and_counts) {
    for (const int negative : {-1, INT_MIN}) {
        refused(pixMPI_Region_rect(0, 0, negative, 1, &output), PIXMPI_ERR_ARGUMENT, "rect", "width");
        refused(pixMPI_Region_rect(0, 0, 0, negative, &output), PIXMPI_ERR_ARGUMENT, "rect", "height");
        const pixMPI_Rect r{0, 0, 1, 1}, list[] = {r, {0, 0, 0, negative}};
        refused(pixMPI_Region_indexed(negative, list, &output), PIXMPI_ERR_ARGUMENT, "indexed", "count");
        refused(pixMPI_Region_indexed(2, list, &output), PIXMPI_ERR_ARGUMENT, "indexed", "rects[1]");
        refused(pixMPI_Region_strided({0, 0, negative, 1}, 1, 1, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "strided",
                "block.width");
        refused(pixMPI_Region_strided({0, 0, 1, negative}, 1, 1, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "strided",
                "block.height");
        refused(pixMPI_Region_strided(r, negative, 1, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "strided", "columns");
        refused(pixMPI_Region_strided(r, 1, negative, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "strided", "rows");
        refused(pixMPI_Region_rows(0, negative, 0, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "rows", "width");
        refused(pixMPI_Region_rows(0, 1, 0, negative, 1, &output), PIXMPI_ERR_ARGUMENT, "rows", "count");
        refused(pixMPI_Region_columns(0, negative, 0, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "columns", "height");
        refused(pixMPI_Region_columns(0, 1, 0, negative, 1, &output), PIXMPI_ERR_ARGUMENT, "columns", "count");
        refused(pixMPI_Region_triangle(PIXMPI_UPPER, 1, 0, 0, negative, &output), PIXMPI_ERR_ARGUMENT, "triangle", "n");
        refused(pixMPI_Region_nested(negative, nullptr, nullptr, nullptr, &output), PIXMPI_ERR_ARGUMENT, "nested",
                "count");
        refused(pixMPI_Region_clipped(region_, {0, 0, negative, 3}, &output), PIXMPI_ERR_ARGUMENT, "clipped", "bounds");
        refused(pixMPI_Region_clipped(region_, {0, 0, 3, negative}, &output), PIXMPI_ERR_ARGUMENT, "clipped", "bounds");
    }
}

TEST_F(RegionRefusals, coordinates_past_the_range_of_int) {
    const pixMPI_Rect r{0, 0, 1, 1};
    refused(pixMPI_Region_rect(INT_MAX, 0, 1, 1, &output), PIXMPI_ERR_ARGUMENT, "rect", "x, y, width, height");
    refused(pixMPI_Region_rect(0, 5, 1, INT_MAX, &output), PIXMPI_ERR_ARGUMENT, "rect", "x, y, width, height");
    const pixMPI_Rect apart[] = {{INT_MIN, 0, 1, 1}, {INT_MAX - 1, 0, 1, 1}};
    refused(pixMPI_Region_indexed(2, apart, &output), PIXMPI_ERR_ARGUMENT, "indexed", "rects[1]");
    refused(pixMPI_Region_strided(r, INT_MAX, INT_MAX, INT_MAX, INT_MAX, &output), PIXMPI_ERR_ARGUMENT, "strided",
            "block, columns, rows, strides");
    refused(pixMPI_Region_strided(r, INT_MAX, INT_MAX, INT_MIN, INT_MIN, &output), PIXMPI_ERR_ARGUMENT, "strided",
            "block, columns, rows, strides");
    refused(pixMPI_Region_strided({0, 0, INT_MAX, 1}, INT_MAX, 1, INT_MAX, 0, &output), PIXMPI_ERR_ARGUMENT, "strided",
            "block, columns, rows, strides");
    refused(pixMPI_Region_strided(r, INT_MAX, INT_MAX, 0, 0, &output), PIXMPI_ERR_ARGUMENT, "strided",
            "block, columns, rows, strides");
    refused(pixMPI_Region_rows(0, 1, 1, INT_MAX, 1, &output), PIXMPI_ERR_ARGUMENT, "rows", "x, width, y");
    refused(pixMPI_Region_columns(0, 1, -3, 2, INT_MIN, &output), PIXMPI_ERR_ARGUMENT, "columns", "y, height, x");
    refused(pixMPI_Region_triangle(PIXMPI_LOWER, 0, 1, 0, INT_MAX, &output), PIXMPI_ERR_ARGUMENT, "triangle",
            "x, y, n");
    refused(pixMPI_Region_clipped(region_, {2, 0, INT_MAX, 1}, &output), PIXMPI_ERR_ARGUMENT, "clipped", "bounds");
    const int most = INT_MAX, zero = 0;
    refused(pixMPI_Region_nested(1, &most, &zero, &region_, &output), PIXMPI_ERR_ARGUMENT, "nested", "regions[0]");
}

TEST_F(RegionRefusals, more_pixels_than_can_be_counted) {
    const pixMPI_Rect large{0, 0, INT_MAX, INT_MAX};
    const pixMPI_Rect twice[] = {large, large};
    refused(pixMPI_Region_indexed(2, twice, &output), PIXMPI_ERR_ARGUMENT, "indexed", "rects[1]");
}

TEST_F(RegionRefusals, values_that_mean_nothing) {
    for (const int nothing : {-1, 2})
        refused(pixMPI_Region_triangle(nothing, 1, 0, 0, 3, &output), PIXMPI_ERR_ARGUMENT, "triangle", "uplo");
    for (const int nothing : {-1, 2})
        refused(pixMPI_Region_triangle(PIXMPI_LOWER, nothing, 0, 0, 3, &output), PIXMPI_ERR_ARGUMENT, "triangle",
                "diagonal");
}

TEST_F(RegionRefusals, null_lists) {
    const int zero = 0;
    refused(pixMPI_Region_indexed(3, nullptr, &output), PIXMPI_ERR_ARGUMENT, "indexed", "rects");
    refused(pixMPI_Region_nested(1, nullptr, &zero, &region_, &output), PIXMPI_ERR_ARGUMENT, "nested", "dx");
    refused(pixMPI_Region_nested(1, &zero, nullptr, &region_, &output), PIXMPI_ERR_ARGUMENT, "nested", "dy");
    refused(pixMPI_Region_nested(1, &zero, &zero, nullptr, &output), PIXMPI_ERR_ARGUMENT, "nested", "regions");
}

TEST_F(RegionRefusals, what_is_no_region) {
    for (pixMPI_Region handle : no_regions()) {
        const int zeros[] = {0, 0};
        const pixMPI_Region parts[] = {region_, handle};
        refused(pixMPI_Region_nested(2, zeros, zeros, parts, &output), PIXMPI_ERR_REGION, "nested", "regions[1]");
        refused(pixMPI_Region_clipped(handle, {0, 0, 3, 3}, &output), PIXMPI_ERR_REGION, "clipped", "whole");
        int64_t pixels = 7;
        refused(pixMPI_Region_pixels(handle, &pixels), PIXMPI_ERR_REGION, "pixels", "region");
        pixMPI_Rect bounds{7, 7, 7, 7};
        refused(pixMPI_Region_bounds(handle, &bounds), PIXMPI_ERR_REGION, "bounds", "region");
        int count = 7;
        refused(pixMPI_Region_rects(handle, 0, nullptr, &count), PIXMPI_ERR_REGION, "rects", "region");
        pixMPI_Region same = handle;
        refused(pixMPI_Region_free(&same), PIXMPI_ERR_REGION, "free", "region");
        if (handle != PIXMPI_WHOLE) {
            refused(pixMPI_Region_commit(&same), PIXMPI_ERR_REGION, "commit", "region");
        }
        EXPECT_EQ(same, handle);
        EXPECT_EQ(pixels, 7);
        EXPECT_EQ(bounds, (pixMPI_Rect{7, 7, 7, 7}));
        EXPECT_EQ(count, 7);
    }
}
