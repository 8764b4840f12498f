// What compositors need not do: write a background twice, read what nobody has drawn, take what one rank alone has drawn
// to another one first. All in host memory.
#include "collective/compositor_scene.h"

#include <algorithm>

using namespace api;

namespace {

constexpr int width = 90, height = 60;
constexpr std::uint32_t nothing = 0, behind = 0xFF102030, garbage = 0xC3C3C3C3;
constexpr pixMPI_Strategy strategies[] = {PIXMPI_STRATEGY_AUTO, PIXMPI_STRATEGY_DIRECT, PIXMPI_STRATEGY_SWAP,
                                          PIXMPI_STRATEGY_RADIX, PIXMPI_STRATEGY_TREE};

/// Colours, and depths for NEAREST.
struct Plane {
    explicit Plane(bool deep_, std::uint32_t color, float depth, int rows_ = height)
        : deep(deep_), rows(rows_), colors(static_cast<std::size_t>(width * rows), color),
          depths(static_cast<std::size_t>(width * rows), depth),
          first(pixMPI_Memory(colors.data(), PIXMPI_RGBA8, width, rows)),
          second(pixMPI_Memory(depths.data(), PIXMPI_DEPTH32F, width, rows)) {}
    Plane(const Plane &) = delete;
    pixMPI_Surface surface() const { return deep ? pixMPI_With_depth(&first, &second) : first; }
    std::uint32_t &at(int x, int y) { return colors[static_cast<std::size_t>(y * width + x)]; }
    void draw(const pixMPI_Rect &rect, std::uint32_t color, float depth) {
        for (int y = rect.y; y < rect.y + rect.height; ++y)
            for (int x = rect.x; x < rect.x + rect.width; ++x) {
                at(x, y) = color;
                depths[static_cast<std::size_t>(y * width + x)] = depth;
            }
    }
    const bool deep;
    const int rows;
    std::vector<std::uint32_t> colors;
    std::vector<float> depths;
    const pixMPI_Surface first, second;
};

/// Each rank's lies over a part of its neighbours'. Rank 1 has none.
pixMPI_Rect rect_of(int r, int frame) {
    return r == 1 ? pixMPI_Rect{0, 0, 0, 0} : pixMPI_Rect{3 + 7 * r + frame % 3, 2 + 3 * r + 5 * (frame % 4), 13, 17};
}
std::uint32_t color_of(int r) { return 0xFF000000u + 0x010305u * static_cast<std::uint32_t>(r + 1); }
/// The last rank is in front.
float depth_of(int r) { return 0.5f - 0.01f * static_cast<float>(r); }

Shape active_of(const pixMPI_Rect &rect) {
    return list_of(rect.width ? std::vector{rect} : std::vector<pixMPI_Rect>());
}

Compositor &prepared(Compositor &compositor, std::size_t turn) {
    std::vector<int> order;
    for (int r = size - 1; r >= 0; --r)
        order.push_back(r);
    NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, order.data()));
    NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, strategies[turn % std::size(strategies)], 0));
    return compositor;
}

/// What a frame shows.
std::vector<std::uint32_t> expected(int frame, std::uint32_t background) {
    Plane all(false, background, 1);
    for (int r = 0; r < size; ++r)
        all.draw(rect_of(r, frame), color_of(r), 0);
    return all.colors;
}

} // namespace

/// Where nothing has to be written a mark stays.
RANK_CASE(compositor, pictures_that_are_kept, 1) {
    for (const bool deep : {false, true})
        for (std::size_t turn = 0; turn < std::size(strategies); ++turn) {
            const int result = static_cast<int>(turn) % size;
            Compositor compositor(deep ? PIXMPI_NEAREST : PIXMPI_OVER, result);
            prepared(compositor, turn);
            const Plane background(deep, behind, 1, 1);
            const pixMPI_Surface row = background.surface();
            const bool has_background = deep || turn % 2;
            if (has_background)
                NEED_OK(pixMPI_Compositor_set_background(compositor.handle, &row));
            NEED_OK(pixMPI_Compositor_set_kept(compositor.handle, 1));
            Plane picture(deep && turn % 2, garbage, 0.25f);
            for (int frame = 0; frame < 6; ++frame) {
                const pixMPI_Rect rect = rect_of(rank, frame);
                Plane drawn(deep, nothing, 1);
                drawn.draw(rect, color_of(rank), depth_of(rank));
                if (frame == 5)
                    NEED_OK(pixMPI_Compositor_set_kept(compositor.handle, 1));
                NEED_OK(pixMPI_Composite(drawn.surface(), active_of(rect), picture.surface(), compositor.handle));
                if (rank != result)
                    continue;
                auto wanted = expected(frame, has_background ? behind : nothing);
                if (frame > 2 && frame < 5) // it is written before frame 3, and forgotten in frame 5
                    wanted[width - 1] = garbage;
                CHECK(picture.colors == wanted);
                if (frame == 2)
                    picture.at(width - 1, 0) = garbage;
            }
        }
}

RANK_CASE(compositor, garbage_around_what_is_active, 1) {
    for (const bool deep : {false, true})
        for (std::size_t turn = 0; turn < 2 * std::size(strategies); ++turn) {
            const bool in_place = turn % 3 == 1;
            const int result = turn % 4 == 0   ? PIXMPI_RESULT_ALL
                               : turn % 4 == 1 ? PIXMPI_RESULT_ROWS
                                               : static_cast<int>(turn) % size;
            Compositor compositor(deep ? PIXMPI_NEAREST : PIXMPI_OVER, result);
            prepared(compositor, turn);
            NEED_OK(pixMPI_Compositor_set_exact(compositor.handle, 1));
            const pixMPI_Rect rect = rect_of(rank, static_cast<int>(turn));
            Plane drawn(deep, garbage, 0), picture(false, garbage, 0);
            drawn.draw(rect, color_of(rank), depth_of(rank));
            NEED_OK(pixMPI_Composite(drawn.surface(), active_of(rect), in_place ? pixMPI_In_place() : picture.surface(),
                                     compositor.handle));
            if (result >= 0 && result != rank)
                continue;
            int first = 0, count = height;
            if (result == PIXMPI_RESULT_ROWS)
                NEED_OK(pixMPI_Compositor_rows(compositor.handle, height, rank, &first, &count));
            const auto wanted = expected(static_cast<int>(turn), nothing);
            const auto &seen = in_place ? drawn.colors : picture.colors;
            if (!in_place) // else what no rank has drawn stays as it is
                CHECK(std::equal(wanted.begin() + first * width, wanted.begin() + (first + count) * width,
                                 seen.begin() + first * width));
            for (int y = first; y < first + count; ++y)
                for (int x = 0; x < width; ++x) {
                    const auto at = static_cast<std::size_t>(y * width + x);
                    CHECK(wanted[at] == nothing || seen[at] == wanted[at]);
                }
        }
}

/// Where two ranks have drawn they exchange pixels; what else there is goes to the picture's rank alone.
RANK_CASE(compositor, what_one_rank_alone_has_drawn, 2) {
    for (const bool alone : {true, false}) {
        Compositor compositor(PIXMPI_NEAREST, 0);
        NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, PIXMPI_STRATEGY_DIRECT, 0));
        const pixMPI_Rect rect{alone ? 8 * rank : 8, 8, 8, 32};
        Plane drawn(true, nothing, 1), picture(false, garbage, 0), all(false, nothing, 1);
        drawn.draw(rect, color_of(rank), depth_of(rank));
        NEED_OK(pixMPI_Composite(drawn.surface(), PIXMPI_WHOLE, picture.surface(), compositor.handle));
        for (int r = 0; r < size; ++r)
            all.draw({alone ? 8 * r : 8, 8, 8, 32}, color_of(r), 0);
        CHECK(rank != 0 || picture.colors == all.colors);
        pixMPI_Frame_stats stats = PIXMPI_FRAME_STATS_INIT;
        const auto n = static_cast<std::size_t>(size);
        std::vector<std::uint64_t> sent(n), received(n);
        NEED_OK(pixMPI_Compositor_get_stats(compositor.handle, &stats, size, sent.data(), received.data()));
        const std::uint64_t colors = 8 * 32 * 4;
        if (alone)
            CHECK(stats.bytes_sent == (rank == 0 ? 0 : colors) && sent[0] == stats.bytes_sent);
        else
            CHECK(stats.bytes_sent > 0);
    }
}

RANK_CASE(compositor, switches_that_are_refused, 1) {
    CHECK_FAILS(pixMPI_Compositor_set_kept(PIXMPI_COMPOSITOR_NULL, 1), PIXMPI_ERR_ARGUMENT, "compositor");
    CHECK_FAILS(pixMPI_Compositor_set_exact(PIXMPI_COMPOSITOR_NULL, 1), PIXMPI_ERR_ARGUMENT, "compositor");
    const Plane drawn(false, nothing, 1), background(false, behind, 1, 2);
    const pixMPI_Surface rows = background.surface();
    Compositor compositor(PIXMPI_OVER, 0);
    NEED_OK(pixMPI_Compositor_set_background(compositor.handle, &rows));
    Plane picture(false, garbage, 1);
    CHECK_FAILS(pixMPI_Composite(drawn.surface(), PIXMPI_WHOLE, picture.surface(), compositor.handle),
                PIXMPI_ERR_SURFACE, "background: 90x2 one row");
}
