// Regions of all kinds, in all formats and in odd sizes.
#include "suite.h"

using namespace device_suite;

namespace {

using Rects = std::vector<pixMPI_Rect>;

struct Shape {
    std::string name;
    Rects rects;
};

Rects columns_of(Extent extent, int step) {
    Rects rects;
    for (int i = 0; i < extent.width; i += std::abs(step))
        rects.push_back({step > 0 ? i : extent.width - 1 - i, 0, 1, extent.height});
    return rects;
}

Rects rows_of(Extent extent, int step) {
    Rects rects;
    for (int i = 0; i < extent.height; i += std::abs(step))
        rects.push_back({0, step > 0 ? i : extent.height - 1 - i, extent.width, 1});
    return rects;
}

Rects blocks_of(Extent extent, int width, int height, int stride_x, int stride_y) {
    Rects rects;
    for (int y = 0; y + height <= extent.height; y += stride_y)
        for (int x = 0; x + width <= extent.width; x += stride_x)
            rects.push_back({x, y, width, height});
    return rects;
}

Rects triangle_of(Extent extent, bool lower) {
    Rects rects;
    const int n = std::min(extent.width, extent.height);
    for (int row = 0; row < n; ++row)
        rects.push_back(lower ? pixMPI_Rect{0, row, row + 1, 1} : pixMPI_Rect{row, row, n - row, 1});
    return rects;
}

/// None of them covers a pixel twice; some are empty in small surfaces.
std::vector<Shape> all_shapes_in(Extent extent) {
    const int w = extent.width, h = extent.height;
    return {{"whole", {{0, 0, w, h}}},
            {"nothing", {}},
            {"first pixel", {{0, 0, 1, 1}}},
            {"last pixel", {{w - 1, h - 1, 1, 1}}},
            {"inner rectangle", {{w / 3, h / 3, w - w / 3 - w / 5, h - h / 3 - h / 5}}},
            {"full rows", {{0, h / 4, w, h - h / 4}}},
            {"left half", {{0, 0, (w + 1) / 2, h}}},
            {"one column", {{w / 2, 0, 1, h}}},
            {"columns", columns_of(extent, 1)},
            {"columns backwards", columns_of(extent, -1)},
            {"every third column", columns_of(extent, 3)},
            {"rows upside down", rows_of(extent, -1)},
            {"every second row", rows_of(extent, 2)},
            {"two by two", blocks_of(extent, 2, 2, 2, 2)},
            {"blocks with gaps", blocks_of(extent, 5, 3, 7, 4)},
            {"tiles", blocks_of(extent, 16, 16, 16, 16)},
            {"narrow strips", blocks_of(extent, 2, std::max(1, h / 2), 2, std::max(1, h / 2))},
            {"lower triangle", triangle_of(extent, true)},
            {"upper triangle", triangle_of(extent, false)}};
}

bool same(const Rects &a, const Rects &b) {
    return std::ranges::equal(a, b, [](const pixMPI_Rect &r, const pixMPI_Rect &q) {
        return r.x == q.x && r.y == q.y && r.width == q.width && r.height == q.height;
    });
}

/// In small surfaces several shapes are the same rectangles: the first of them is enough.
std::vector<Shape> shapes_in(Extent extent) {
    std::vector<Shape> different;
    for (const Shape &shape : all_shapes_in(extent))
        if (std::ranges::none_of(different, [&](const Shape &one) { return same(one.rects, shape.rects); }))
            different.push_back(shape);
    return different;
}

class Shapes : public OnEachRig {};

} // namespace

TEST_P(Shapes, every_format) {
    for (const pixMPI_Format format : all_formats(*rig))
        for (const Extent extent : {Extent{3, 5}, {37, 21}}) {
            const std::uint64_t seed = seeds(1)[0];
            SCOPED_TRACE(how_to_repeat(seed));
            Random random(seed);
            const std::vector<Shape> shapes = shapes_in(extent);
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                // How colours move depends on their size, which several formats share: they share the shapes as well.
                const bool shares = extent.width > 3 || pixMPI_Format_named("DEPTH16") > format;
                if (shares && (i + format) % 3 != 0)
                    continue;
                const Shape &shape = shapes[i];
                SCOPED_TRACE(std::string(pixMPI_Format_name(format)) + ", " + shape.name);
                check_both(*rig, format, extent, shape.rects, random);
                if (HasFailure())
                    return;
            }
        }
}

TEST_P(Shapes, odd_sizes) {
    const std::vector<pixMPI_Format> formats = all_formats(*rig);
    for (const Extent extent :
         {Extent{1, 1}, {1, 61}, {61, 1}, {2, 2}, {3, 5}, {16, 16}, {64, 33}, {257, 33}, {33, 257}}) {
        if (std::max(extent.width, extent.height) > rig->largest())
            continue;
        const std::uint64_t seed = seeds(1)[0];
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        for (const Shape &shape : shapes_in(extent)) {
            const pixMPI_Format format = random.one_of(formats);
            SCOPED_TRACE(std::to_string(extent.width) + "x" + std::to_string(extent.height) + " " +
                         pixMPI_Format_name(format) + ", " + shape.name);
            check_both(*rig, format, extent, shape.rects, random);
            if (HasFailure())
                return;
        }
    }
}

ON_EACH_RIG(Shapes);
