// Regions as messages get them: committed, within the surface, whole surfaces made once.
#include "regions.h"

#include <gtest/gtest.h>
#include <string>

using namespace pixmpi;

namespace {

pixMPI_Region rect(int x, int y, int width, int height, bool commit = true) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    EXPECT_EQ(pixMPI_Region_rect(x, y, width, height, &region), PIXMPI_SUCCESS);
    if (commit) {
        EXPECT_EQ(pixMPI_Region_commit(&region), PIXMPI_SUCCESS);
    }
    return region;
}

void refused(pixMPI_Region handle, Extent extent, const std::vector<std::string> &words) {
    std::shared_ptr<const Region> region;
    EXPECT_EQ(find_region(handle, extent, region), PIXMPI_ERR_REGION);
    EXPECT_EQ(region, nullptr);
    const std::string text = pixMPI_Error_text();
    for (const std::string &word : words)
        EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

} // namespace

TEST(find_region, committed_with_prefix_sums) {
    const pixMPI_Rect rects[] = {{0, 0, 4, 2}, {1, 5, 2, 3}, {7, 7, 1, 1}};
    pixMPI_Region handle = PIXMPI_REGION_NULL;
    ASSERT_EQ(pixMPI_Region_indexed(3, rects, &handle), PIXMPI_SUCCESS);
    for (int again = 0; again < 2; ++again) { // without and after pixMPI_Region_commit()
        std::shared_ptr<const Region> region;
        ASSERT_EQ(find_region(handle, {8, 8}, region), PIXMPI_SUCCESS);
        EXPECT_EQ(region->starts, (std::vector<std::uint64_t>{0, 8, 14, 15}));
        EXPECT_EQ(region->pixels, 15u);
        EXPECT_NE(region->rects.size(), 1u);
        ASSERT_EQ(pixMPI_Region_commit(&handle), PIXMPI_SUCCESS);
    }
    std::shared_ptr<const Region> kept;
    ASSERT_EQ(find_region(handle, {8, 8}, kept), PIXMPI_SUCCESS);
    pixMPI_Region freed = handle;
    ASSERT_EQ(pixMPI_Region_free(&handle), PIXMPI_SUCCESS);
    EXPECT_EQ(kept->rects.size(), 3u) << "messages keep what they need";
    refused(freed, {8, 8}, {"region", "freed"});
}

TEST(find_region, moved_regions_are_made_once) {
    const auto region = region_of({{0, 0, 4, 2}, {1, 5, 2, 3}});
    EXPECT_EQ(moved(region, 0, 0), region);
    const auto there = moved(region, 10, 20);
    EXPECT_EQ(there->rects, (std::vector<pixMPI_Rect>{{10, 20, 4, 2}, {11, 25, 2, 3}}));
    EXPECT_EQ(there->bounds, (pixMPI_Rect{10, 20, 4, 8}));
    EXPECT_EQ(there->starts, region->starts);
    EXPECT_EQ(moved(region, 10, 20), there);
    EXPECT_NE(moved(region, 10, 21), there);
    EXPECT_NE(moved(region_of({{0, 0, 4, 2}}), 10, 20), there);
}

TEST(find_region, bounds) {
    struct Case {
        pixMPI_Rect rect;
        bool within;
    };
    for (const Case &c : {Case{{0, 0, 10, 6}, true},
                          {{9, 5, 1, 1}, true},
                          {{0, 0, 11, 6}, false},
                          {{0, 0, 10, 7}, false},
                          {{-1, 0, 2, 2}, false},
                          {{0, -1, 2, 2}, false},
                          {{10, 0, 1, 1}, false}}) {
        const pixMPI_Region handle = rect(c.rect.x, c.rect.y, c.rect.width, c.rect.height);
        std::shared_ptr<const Region> region;
        EXPECT_EQ(find_region(handle, {10, 6}, region) == PIXMPI_SUCCESS, c.within) << c.rect;
    }
    std::shared_ptr<const Region> region;
    EXPECT_EQ(find_region(rect(1000, 1000, 0, 0), {10, 6}, region), PIXMPI_SUCCESS) << "no pixels lie nowhere";
    EXPECT_EQ(region->pixels, 0u);
    EXPECT_EQ(region->starts, (std::vector<std::uint64_t>{0}));
}

TEST(find_region, text_names_rectangle_and_surface) {
    const pixMPI_Rect rects[] = {{0, 0, 4, 2}, {5, 5, 20, 3}, {7, 7, 100, 1}};
    pixMPI_Region handle = PIXMPI_REGION_NULL;
    ASSERT_EQ(pixMPI_Region_indexed(3, rects, &handle), PIXMPI_SUCCESS);
    ASSERT_EQ(pixMPI_Region_commit(&handle), PIXMPI_SUCCESS);
    refused(handle, {16, 9}, {"rectangle 2 of 3", "20x3 pixels at (5, 5)", "expected", "16x9 pixels"});
}

TEST(find_region, whole) {
    pixMPI_Region whole = PIXMPI_WHOLE;
    EXPECT_EQ(pixMPI_Region_commit(&whole), PIXMPI_SUCCESS) << "predefined and committed";
    std::shared_ptr<const Region> region, again;
    ASSERT_EQ(find_region(PIXMPI_WHOLE, {30, 20}, region), PIXMPI_SUCCESS);
    ASSERT_EQ(find_region(PIXMPI_WHOLE, {30, 20}, again), PIXMPI_SUCCESS);
    EXPECT_EQ(region, again) << "nothing new is made for the same size";
    EXPECT_TRUE(region->committed);
    ASSERT_EQ(region->rects.size(), 1u);
    EXPECT_EQ(region->rects[0], (pixMPI_Rect{0, 0, 30, 20}));
    EXPECT_EQ(region->starts, (std::vector<std::uint64_t>{0, 600}));
    for (int i = 0; i < 100; ++i) { // more sizes than are kept
        ASSERT_EQ(find_region(PIXMPI_WHOLE, {i, 3}, again), PIXMPI_SUCCESS);
        EXPECT_EQ(again->pixels, static_cast<std::uint64_t>(3 * i));
    }
    EXPECT_EQ(region->rects[0], (pixMPI_Rect{0, 0, 30, 20}));
}

TEST(find_region, what_is_no_region) {
    refused(PIXMPI_REGION_NULL, {4, 4}, {"region", "PIXMPI_REGION_NULL", "expected"});
    int foreign = 0;
    refused(reinterpret_cast<pixMPI_Region>(&foreign), {4, 4}, {"region", "foreign", "expected"});
}
