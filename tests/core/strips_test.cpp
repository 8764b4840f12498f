// Strips: every pixel of a region in exactly one place, and the same cut for regions that are alike.
#include "region/strips.h"
#include "regions.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace regions;
using pixmpi::cut_into_strips;
using pixmpi::Piece;
using pixmpi::Region;
using pixmpi::Strip;
using pixmpi::Strips;

namespace {

Region committed(const std::vector<pixMPI_Rect> &rects, int x = 0, int y = 0) {
    Region region;
    for (const pixMPI_Rect &rect : rects)
        region.add({rect.x + x, rect.y + y, rect.width, rect.height});
    region.commit();
    return region;
}

void add_pixels(std::map<std::pair<int, int>, int> &counts, const pixMPI_Rect &rect) {
    for (int y = 0; y < rect.height; ++y)
        for (int x = 0; x < rect.width; ++x)
            ++counts[{rect.x + x, rect.y + y}];
}

bool inside(const pixMPI_Rect &box, const pixMPI_Rect &rect) {
    return rect.x >= box.x && rect.y >= box.y && rect.x + rect.width <= box.x + box.width &&
           rect.y + rect.height <= box.y + box.height;
}

std::uint64_t area(const pixMPI_Rect &rect) { return static_cast<std::uint64_t>(rect.width) * rect.height; }

/// Parts within their boxes, one behind another, and holes where no part is.
void check(const Region &region, const Strips &strips) {
    std::map<std::pair<int, int>, int> wanted, seen;
    for (const pixMPI_Rect &rect : region.rects)
        add_pixels(wanted, rect);
    for (const Strip &strip : strips.strips) {
        std::map<std::pair<int, int>, int> here, holes;
        std::uint64_t at = 0;
        for (std::size_t i = strip.first; i < strip.first + strip.count; ++i) {
            const Piece &part = strips.parts[i];
            EXPECT_TRUE(inside(strip.box, part.rect)) << part.rect << " in " << strip.box;
            EXPECT_EQ(part.at, at);
            at += area(part.rect);
            add_pixels(seen, part.rect);
            add_pixels(here, part.rect);
        }
        EXPECT_EQ(strip.pixels, strip.whole ? area(strip.box) : at);
        EXPECT_LE(strip.pixels, strips.largest);
        EXPECT_LE(area(strip.box), strips.largest_box);
        for (std::size_t i = strip.first_hole; i < strip.first_hole + strip.hole_count; ++i) {
            EXPECT_TRUE(inside(strip.around_holes, strips.holes[i]));
            add_pixels(holes, strips.holes[i]);
        }
        EXPECT_EQ(strip.around_holes.width > 0, here.size() < area(strip.box));
        if (!strip.whole)
            continue;
        EXPECT_EQ(here.size() + holes.size(), area(strip.box));
        for (const auto &[pixel, count] : holes)
            EXPECT_EQ(count + here.count(pixel), 1u);
    }
    EXPECT_EQ(seen, wanted);
}

std::vector<pixMPI_Rect> lower_triangle(int n) {
    std::vector<pixMPI_Rect> rects;
    for (int y = 0; y < n; ++y)
        rects.push_back({0, y, y + 1, 1});
    return rects;
}

} // namespace

TEST(strips, triangle) {
    const Region region = committed(lower_triangle(400), 5, 7);
    const Strips strips = cut_into_strips(region, 4);
    check(region, strips);
    EXPECT_GE(strips.strips.size(), 8u);
    EXPECT_TRUE(strips.strips.back().whole);
    EXPECT_FALSE(strips.strips.front().whole);
}

TEST(strips, random_rectangles) {
    std::mt19937 random(4);
    for (int turn = 0; turn < 40; ++turn) {
        const auto number = [&](unsigned below) { return static_cast<int>(random() % below); };
        std::vector<pixMPI_Rect> rects;
        for (int i = 0; i < 3 + number(60); ++i)
            rects.push_back({number(300), number(300), 1 + number(turn % 2 ? 100 : 6), 1 + number(turn % 3 ? 3 : 90)});
        SCOPED_TRACE("turn " + std::to_string(turn));
        const Region region = committed(rects);
        check(region, cut_into_strips(region, 1 << turn % 5));
    }
}

TEST(strips, alike) {
    const std::vector<pixMPI_Rect> rects = lower_triangle(200);
    std::vector<pixMPI_Rect> other = rects;
    std::swap(other[3], other[100]);
    const std::uint64_t likeness = cut_into_strips(committed(rects), 4).likeness;
    EXPECT_NE(likeness, 0u);
    EXPECT_EQ(cut_into_strips(committed(rects, 1000, 33), 4).likeness, likeness);
    EXPECT_NE(cut_into_strips(committed(rects), 8).likeness, likeness);
    EXPECT_NE(cut_into_strips(committed(other), 4).likeness, likeness);
    other = rects;
    other.pop_back();
    EXPECT_NE(cut_into_strips(committed(other), 4).likeness, likeness);
    other = rects;
    std::swap(other[3].width, other[100].width); // as many pixels, from the same corners
    EXPECT_NE(cut_into_strips(committed(other), 4).likeness, likeness);
}

TEST(strips, huge_coordinates) {
    std::vector<pixMPI_Rect> rects;
    for (int i = 0; i < 20; ++i)
        rects.push_back({2'147'000'000 + i * 10, 2'147'000'000 + i * 3, 5, 2});
    const Region region = committed(rects);
    check(region, cut_into_strips(region, 16));
}
