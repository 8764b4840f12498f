// The grid that says where a picture is more than background, against the pixels themselves.
#include "base/format.h"
#include "composite/search.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace pixmpi;

namespace {

bool within(const Region &region, int x, int y) {
    for (const pixMPI_Rect &rect : region.rects)
        if (x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height)
            return true;
    return false;
}

constexpr int largest = std::numeric_limits<int>::max();
constexpr Extent extents[] = {{1, 1},    {7, 9},     {64, 16},     {1023, 8},    {1024, 1025},      {1025, 3},
                              {4099, 2}, {5, 3001},  {largest, 3}, {9, largest}, {largest, largest}};

TEST(Cells, CoverThePictureWithWhatTheyHaveBitsFor) {
    for (const Extent extent : extents) {
        Cells cells(extent);
        EXPECT_LE(cells.columns(), Cells::most);
        EXPECT_LE(cells.rows(), Cells::most);
        cells.activate({0, 0, extent.width, extent.height});
        const auto all = cells.region(0, extent.height);
        EXPECT_EQ(cells.pixels(), all->pixels);
        ASSERT_EQ(all->rects.size(), 1u);
        EXPECT_EQ(all->pixels, pixels_of(pixMPI_Rect{0, 0, extent.width, extent.height}));
        EXPECT_EQ(cells.inactive().region(0, extent.height)->pixels, 0u);
    }
}

/// Also beyond the 64th column, where the bits are another word's.
TEST(Cells, ARectangleActivatesAllThatItTouches) {
    std::mt19937 random(11);
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    for (int turn = 0; turn < 300; ++turn) {
        const Extent extent{1 + below(1100), 1 + below(300)};
        const int x = below(extent.width), y = below(extent.height);
        const pixMPI_Rect rect{x, y, below(extent.width - x + 1), below(extent.height - y + 1)};
        Cells cells(extent), expected(extent);
        cells.activate(rect);
        for (int row = 0; row < expected.rows(); ++row)
            for (int column = 0; column < expected.columns(); ++column)
                if (expected.left(column) < x + rect.width && expected.left(column + 1) > x &&
                    expected.top(row) < y + rect.height && expected.top(row + 1) > y && rect.width && rect.height)
                    expected.activate(column, row);
        ASSERT_EQ(cells.bits(), expected.bits()) << x << ',' << y << ' ' << rect.width << 'x' << rect.height;
        EXPECT_EQ(cells.pixels(), cells.region(0, extent.height)->pixels);
    }
}

TEST(Cells, RegionsAreTheActiveCellsOfTheRows) {
    std::mt19937 random(7);
    const Extent extent{203, 157};
    for (int turn = 0; turn < 20; ++turn) {
        Cells cells(extent), other(extent);
        for (int i = 0; i < 40; ++i)
            (i % 2 ? cells : other).activate(static_cast<int>(random() % static_cast<unsigned>(cells.columns())),
                                             static_cast<int>(random() % static_cast<unsigned>(cells.rows())));
        cells.add(other);
        const int top = static_cast<int>(random() % 157), bottom = top + static_cast<int>(random() % 60);
        EXPECT_EQ(cells.pixels(), cells.region(0, extent.height)->pixels);
        const auto region = cells.region(top, bottom, 5, 3), rest = cells.inactive().region(0, extent.height);
        for (int y = 0; y < extent.height; ++y)
            for (int x = 0; x < extent.width; ++x) {
                const bool active = cells.active(x / cells.width(), y / cells.height());
                ASSERT_EQ(within(*region, x - 5, y - 3), active && y >= top && y < bottom) << x << ',' << y;
                ASSERT_EQ(within(*rest, x, y), !active) << x << ',' << y;
            }
    }
}

struct Picture {
    const pixMPI_Format format;
    const Extent extent;
    const std::size_t pixel;
    std::vector<std::byte> bytes;
    Picture(pixMPI_Format format_, Extent extent_, int background)
        : format(format_), extent(extent_), pixel(static_cast<std::size_t>(format_info(format).bytes)),
          bytes(pixel * static_cast<std::size_t>(extent.width * extent.height), static_cast<std::byte>(background)) {}
    std::byte *at(int x, int y) { return &bytes[pixel * static_cast<std::size_t>(y * extent.width + x)]; }
    Cells find(const pixMPI_Rect &rect) {
        Cells found(extent);
        find_active({bytes.data(), static_cast<std::ptrdiff_t>(pixel) * extent.width}, format, rect, found);
        return found;
    }
};

/// One pixel alone, wherever it is.
TEST(Search, FindsTheCellOfEachPixel) {
    const Extent extent{37, 29};
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGBA8, PIXMPI_RGB8, PIXMPI_RGBA32F}) {
        Picture picture(format, extent, 0);
        EXPECT_EQ(picture.find({0, 0, 37, 29}).region(0, 29)->pixels, 0u);
        for (int y = 0; y < extent.height; ++y)
            for (int x = 0; x < extent.width; ++x) {
                std::byte &last = picture.at(x, y)[picture.pixel - 1];
                last = std::byte{1};
                const Cells found = picture.find({0, 0, 37, 29});
                last = std::byte{0};
                Cells wanted(extent);
                wanted.activate(x / wanted.width(), y / wanted.height());
                ASSERT_EQ(found.bits(), wanted.bits()) << format_info(format).name << ' ' << x << ',' << y;
            }
    }
}

TEST(Search, LooksNowhereElse) {
    Picture picture(PIXMPI_RGBA8, {40, 40}, 1);
    const Cells found = picture.find({9, 17, 6, 6});
    Cells wanted({40, 40});
    wanted.activate(1, 2);
    EXPECT_EQ(found.bits(), wanted.bits());
}

template <class Word> void expect_background(pixMPI_Format format, Word farthest, Word nearer) {
    const Extent extent{16, 8};
    Picture picture(format, extent, 0);
    for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x)
            std::memcpy(picture.at(x, y), &farthest, sizeof farthest);
    EXPECT_EQ(picture.find({0, 0, 16, 8}).region(0, 8)->pixels, 0u) << format_info(format).name;
    std::memcpy(picture.at(15, 7), &nearer, sizeof nearer);
    EXPECT_EQ(picture.find({0, 0, 16, 8}).region(0, 8)->pixels, 64u) << format_info(format).name;
}

TEST(Search, BackgroundIsTheFarthestDepth) {
    expect_background<std::uint16_t>(PIXMPI_DEPTH16, 0xFFFF, 0xFFFE);
    expect_background<std::uint32_t>(PIXMPI_DEPTH24, 0xFFFFFF03u, 0xFFFFFE03u);
    expect_background<std::uint32_t>(PIXMPI_DEPTH24_STENCIL8, 0xFFFFFF80u, 0xFFFFFE80u);
    expect_background<float>(PIXMPI_DEPTH32F, 1.0f, 0.99999994f);
    expect_background<float>(PIXMPI_DEPTH32F_STENCIL8, 1.0f, 0.0f);
}

TEST(Search, KnowsBackgroundOnlyWhereItChangesNothing) {
    EXPECT_TRUE(knows_background(Operation::nearest, PIXMPI_RGBA8, PIXMPI_DEPTH32F));
    EXPECT_TRUE(knows_background(Operation::over, PIXMPI_RGBA32F, PIXMPI_FORMAT_NONE));
    EXPECT_TRUE(knows_background(Operation::max, PIXMPI_RGBA8, PIXMPI_FORMAT_NONE));
    EXPECT_FALSE(knows_background(Operation::max, PIXMPI_RGBA32F, PIXMPI_FORMAT_NONE));
    EXPECT_FALSE(knows_background(Operation::min, PIXMPI_RGBA8, PIXMPI_FORMAT_NONE));
    EXPECT_FALSE(knows_background(Operation::prod, PIXMPI_RGBA8, PIXMPI_FORMAT_NONE));
    EXPECT_FALSE(knows_background(Operation::user, PIXMPI_RGBA8, PIXMPI_FORMAT_NONE));
}

} // namespace
