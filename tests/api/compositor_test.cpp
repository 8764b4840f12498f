// Frames of compositors against what one rank after the other would merge, between ends of all APIs.
#include "collective_ends.h"

#include <algorithm>
#include <cstring>
#include <pixmpi_compositor.h>

using namespace api;

namespace {

constexpr pixMPI_Strategy strategies[] = {PIXMPI_STRATEGY_AUTO,  PIXMPI_STRATEGY_DIRECT, PIXMPI_STRATEGY_SWAP,
                                          PIXMPI_STRATEGY_RADIX, PIXMPI_STRATEGY_TREE,   PIXMPI_STRATEGY_HOSTS};

/// What all ranks draw in a frame, and what becomes of it; the same on all ranks.
struct Scene {
    int width = 0, height = 0;
    pixMPI_Format color = PIXMPI_RGBA8, depth = PIXMPI_FORMAT_NONE;
    pixMPI_Op op = PIXMPI_NEAREST;
    std::vector<int> order;
    std::vector<pixMPI_Rect> active; ///< by rank
    std::vector<Bytes> drawn;        ///< by rank; a pixel with depth has it behind its colour
    Bytes merged;
    std::size_t color_bytes() const { return static_cast<std::size_t>(pixMPI_Format_bytes(color)); }
    std::size_t pixel_bytes() const { return color_bytes() + static_cast<std::size_t>(pixMPI_Format_bytes(depth)); }
    std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

/// A few depths, so that many are equal; the background is behind them all.
void put_depth(pixMPI_Format format, unsigned eighths, std::uint8_t *to) {
    const float real = eighths == 8 ? 1.0f : static_cast<float>(eighths) / 8;
    const std::uint16_t shorter = static_cast<std::uint16_t>(eighths == 8 ? 0xFFFF : eighths << 13);
    const std::uint32_t packed = eighths == 8 ? 0xFFFFFF00u : eighths << 29;
    if (format == PIXMPI_DEPTH16)
        std::memcpy(to, &shorter, sizeof shorter);
    else if (format == PIXMPI_DEPTH32F)
        std::memcpy(to, &real, sizeof real);
    else
        std::memcpy(to, &packed, sizeof packed);
}

/// Colours that are multiplied by their alpha.
void put_blended(pixMPI_Format format, std::mt19937_64 &random, std::uint8_t *to) {
    const float alpha = static_cast<float>(random() % 256) / 255;
    float color[4];
    for (float &channel : color)
        channel = static_cast<float>(random() % 256) / 255 * alpha;
    color[3] = alpha;
    for (int i = 0; i < 4; ++i)
        if (format == PIXMPI_RGBA8)
            to[i] = static_cast<std::uint8_t>(color[i] * 255 + 0.5f);
        else
            std::memcpy(to + 4 * i, &color[i], 4);
}

/// Any bits, but for halves: no NaN, and nothing subnormal.
void put_any(pixMPI_Format format, std::mt19937_64 &random, std::uint8_t *to, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        to[i] = static_cast<std::uint8_t>(random());
        if (format == PIXMPI_RGBA16F && i % 2 == 1)
            to[i] = static_cast<std::uint8_t>((to[i] & 0xBF) | 0x04);
    }
}

Bytes draw(const Scene &scene, const pixMPI_Rect &active, std::mt19937_64 &random) {
    Bytes all(scene.pixels() * scene.pixel_bytes());
    for (std::size_t i = 0; i < scene.pixels(); ++i) {
        const int x = static_cast<int>(i) % scene.width, y = static_cast<int>(i) / scene.width;
        const bool inside = x >= active.x && y >= active.y && x < active.x + active.width &&
                            y < active.y + active.height && random() % 3;
        std::uint8_t *const pixel = &all[i * scene.pixel_bytes()];
        if (inside && (scene.op == PIXMPI_OVER || scene.color == PIXMPI_RGBA32F))
            put_blended(scene.color, random, pixel);
        else if (inside)
            put_any(scene.color, random, pixel, scene.color_bytes());
        if (scene.depth)
            put_depth(scene.depth, inside ? static_cast<unsigned>(random() % 8) : 8, pixel + scene.color_bytes());
    }
    return all;
}

Scene make_scene(pixMPI_Op op, pixMPI_Format color, pixMPI_Format depth, int most, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    Scene scene{1 + up_to(most), 1 + up_to(most), color, depth, op, {}, {}, {}, {}};
    for (int r = 0; r < size; ++r)
        scene.order.push_back(r);
    std::shuffle(scene.order.begin(), scene.order.end(), random);
    for (int r = 0; r < size; ++r) {
        const int x = up_to(scene.width), y = up_to(scene.height);
        pixMPI_Rect active{x, y, 1 + up_to(scene.width - x), 1 + up_to(scene.height - y)};
        if (random() % 4 == 0)
            active = {0, 0, scene.width, scene.height};
        else if (random() % 4 == 0)
            active = {}; // it has drawn nothing
        scene.active.push_back(active);
        scene.drawn.push_back(draw(scene, active, random));
    }
    scene.merged = scene.drawn[static_cast<std::size_t>(scene.order.front())];
    for (int place = 1; place < size; ++place) {
        const Bytes &next = scene.drawn[static_cast<std::size_t>(scene.order[static_cast<std::size_t>(place)])];
        if (depth)
            fold_nearest(color, depth, scene.merged, next);
        else
            fold(op, color, scene.merged, next);
    }
    return scene;
}

Picture make_picture(const Scene &scene, std::size_t kind, bool with_depth) {
    const EndKind &end = end_kinds()[(static_cast<std::size_t>(rank) + kind) % end_kinds().size()];
    return Picture(end.make(scene.color, scene.width, scene.height),
                   with_depth && scene.depth ? end.make(scene.depth, scene.width, scene.height) : nullptr);
}

/// Blending in another order of the same neighbours is rounded otherwise: by half a level, or a last bit, a rank.
bool alike(const Scene &scene, const Bytes &seen, const Bytes &wanted, std::size_t first, std::size_t count) {
    if (scene.op != PIXMPI_OVER)
        return std::equal(&seen[first], &seen[first] + count, &wanted[first]);
    for (std::size_t at = first; at < first + count; at += scene.color == PIXMPI_RGBA8 ? 1 : 4) {
        float a = 0, b = 0;
        if (scene.color == PIXMPI_RGBA8) {
            if (std::abs(int{seen[at]} - int{wanted[at]}) > size)
                return false;
            continue;
        }
        std::memcpy(&a, &seen[at], 4);
        std::memcpy(&b, &wanted[at], 4);
        if (!(std::abs(a - b) <= 1e-5f))
            return false;
    }
    return true;
}

/// Row by row, so that a failure says which.
void check_rows(const Scene &scene, const Bytes &seen, const Bytes &wanted, std::size_t pixel_bytes, int first,
                int count) {
    const std::size_t row = static_cast<std::size_t>(scene.width) * pixel_bytes;
    for (int y = first; y < first + count; ++y)
        if (!alike(scene, seen, wanted, static_cast<std::size_t>(y) * row, row)) {
            api::failed(__FILE__, __LINE__, "row " + std::to_string(y) + " of the picture is wrong");
            return;
        }
}

Bytes without_depth(const Scene &scene, const Bytes &all) {
    Bytes colors;
    for (std::size_t at = 0; at < all.size(); at += scene.pixel_bytes())
        colors.insert(colors.end(), &all[at], &all[at] + scene.color_bytes());
    return colors;
}

/// One rank's part of a frame.
struct Running {
    const Scene &scene;
    int result;
    bool in_place, with_depth;
    Picture drawn, picture;
    Shape active;
    pixMPI_Request request = PIXMPI_REQUEST_NULL;

    Running(const Scene &scene_, std::size_t kind, int result_, bool in_place_, bool with_depth_)
        : scene(scene_), result(result_), in_place(in_place_ && has_picture()), with_depth(with_depth_ || in_place_),
          drawn(make_picture(scene, kind, true)), picture(make_picture(scene, 2 * kind + 1, with_depth)),
          active(list_of(rects())) {
        drawn.write(scene.drawn[static_cast<std::size_t>(rank)]);
        picture.write(
            Bytes(scene.pixels() * (with_depth ? scene.pixel_bytes() : scene.color_bytes()), std::uint8_t{0x5A}));
    }
    bool has_picture() const { return result < 0 || result == rank; }
    std::vector<pixMPI_Rect> rects() const {
        const pixMPI_Rect &rect = scene.active[static_cast<std::size_t>(rank)];
        return rect.width ? std::vector{rect} : std::vector<pixMPI_Rect>();
    }
    pixMPI_Surface surface() const {
        return !has_picture() ? pixMPI_No_surface() : in_place ? pixMPI_In_place() : picture.any();
    }
    void check(int first_row, int rows) {
        const Bytes &mine = scene.drawn[static_cast<std::size_t>(rank)];
        if (!in_place)
            CHECK_PIXELS(drawn.read(), mine, scene.width, static_cast<int>(scene.pixel_bytes()));
        if (!has_picture())
            return;
        const bool deep = in_place || with_depth;
        check_rows(scene, (in_place ? drawn : picture).read(), deep ? scene.merged : without_depth(scene, scene.merged),
                   deep ? scene.pixel_bytes() : scene.color_bytes(), first_row, rows);
        drawn.check_surroundings();
        picture.check_surroundings();
    }
};

struct Compositor {
    pixMPI_Compositor handle = PIXMPI_COMPOSITOR_NULL;
    Compositor(pixMPI_Op op, int result) { NEED_OK(pixMPI_Compositor_create(op, result, world(), &handle)); }
    ~Compositor() { CHECK_OK(pixMPI_Compositor_free(&handle)); }
    Compositor(const Compositor &) = delete;
};

void compose(const Compositor &compositor, const Scene &scene, std::size_t kind, int result, bool in_place,
             bool with_depth) {
    NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, scene.order.data()));
    Running frame(scene, kind, result, in_place, with_depth);
    // The library finds what is active, or is told, and looks for more, or does not.
    NEED_OK(pixMPI_Compositor_set_search(compositor.handle, static_cast<pixMPI_Search>(kind / 2 % 3)));
    const pixMPI_Region active = kind % 2 ? PIXMPI_WHOLE : static_cast<pixMPI_Region>(frame.active);
    NEED_OK(pixMPI_Composite(frame.drawn.any(), active, frame.surface(), compositor.handle));
    int first = 0, rows = scene.height;
    if (result == PIXMPI_RESULT_ROWS)
        NEED_OK(pixMPI_Compositor_rows(compositor.handle, scene.height, rank, &first, &rows));
    frame.check(first, rows);
}

struct Kind {
    pixMPI_Op op;
    pixMPI_Format color, depth;
};
const Kind kinds[] = {{PIXMPI_NEAREST, PIXMPI_RGBA8, PIXMPI_DEPTH32F}, {PIXMPI_OVER, PIXMPI_RGBA32F, {}},
                      {PIXMPI_NEAREST, PIXMPI_RGBA16F, PIXMPI_DEPTH16}, {PIXMPI_OVER, PIXMPI_RGBA8, {}},
                      {PIXMPI_MAX, PIXMPI_RGBA8, {}},
                      {PIXMPI_NEAREST, PIXMPI_RGB10_A2, PIXMPI_DEPTH24_STENCIL8}};

} // namespace

RANK_CASE(compositor, pictures, 1) {
    std::uint64_t seed = seed_of(run_seed(), 31);
    std::size_t turn = 0;
    for (const pixMPI_Strategy strategy : strategies)
        for (const Kind &kind : kinds)
            for (const int wish : {0, int{PIXMPI_RESULT_ALL}, int{PIXMPI_RESULT_ROWS}}) {
                const int result = wish == 0 ? static_cast<int>(turn) % size : wish;
                const Scene scene = make_scene(kind.op, kind.color, kind.depth, turn % 7 ? 30 : 200, ++seed);
                const bool in_place = turn % 5 == 0, with_depth = turn % 3 == 0;
                note("strategy %d, op %d, %s, %dx%d, result %d, seed %llu%s%s", static_cast<int>(strategy),
                     static_cast<int>(reinterpret_cast<std::uintptr_t>(kind.op)), pixMPI_Format_name(kind.color),
                     scene.width, scene.height, result, static_cast<unsigned long long>(seed),
                     in_place ? ", in place" : "", with_depth ? ", with depth" : "");
                Compositor compositor(kind.op, result);
                NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, strategy, turn % 2 ? 3 : 0));
                compose(compositor, scene, turn++, result, in_place, with_depth);
            }
}

/// One compositor for pictures of any size, orders and active parts that change; two frames at once.
RANK_CASE(compositor, frames_that_change, 1) {
    std::uint64_t seed = seed_of(run_seed(), 32);
    Compositor compositor(PIXMPI_NEAREST, 0);
    for (std::size_t turn = 0; turn < 12; ++turn) {
        const Scene scenes[] = {make_scene(PIXMPI_NEAREST, PIXMPI_RGBA8, PIXMPI_DEPTH32F, 80, ++seed),
                                make_scene(PIXMPI_NEAREST, PIXMPI_RGBA32F, PIXMPI_DEPTH16, 80, ++seed)};
        Running frames[] = {{scenes[0], turn, 0, false, false}, {scenes[1], turn + 3, 0, turn % 2 == 0, true}};
        for (Running &frame : frames) {
            NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, frame.scene.order.data()));
            NEED_OK(pixMPI_Icomposite(frame.drawn.any(), frame.active, frame.surface(), compositor.handle,
                                      &frame.request));
        }
        const std::size_t first = turn % 2;
        NEED_OK(pixMPI_Wait(&frames[first].request, MPI_STATUS_IGNORE));
        NEED_OK(pixMPI_Wait(&frames[1 - first].request, MPI_STATUS_IGNORE));
        for (Running &frame : frames)
            frame.check(0, frame.scene.height);
    }
}

RANK_CASE(compositor, rows_of_all_are_the_picture, 1) {
    for (const pixMPI_Strategy strategy : strategies) {
        Compositor compositor(PIXMPI_OVER, PIXMPI_RESULT_ROWS);
        NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, strategy, 0));
        for (const int height : {1, 5, 480}) {
            std::vector<int> owners(static_cast<std::size_t>(height));
            for (int r = 0; r < size; ++r) {
                int first = -1, count = -1;
                NEED_OK(pixMPI_Compositor_rows(compositor.handle, height, r, &first, &count));
                for (int row = first; row < first + count; ++row)
                    ++owners[static_cast<std::size_t>(row)];
            }
            CHECK(owners == std::vector<int>(static_cast<std::size_t>(height), 1));
        }
    }
}

/// What differs between ranks is the same error on all; what is wrong on one is an error on all. The next frame is right.
RANK_CASE(compositor, what_does_not_fit, 2) {
    Compositor compositor(PIXMPI_OVER, 0);
    const auto square = make_memory(PIXMPI_RGBA8, 20, 20), other = make_memory(PIXMPI_RGBA8, 20, 21),
               floats = make_memory(PIXMPI_RGBA32F, 20, 20), depth = make_memory(PIXMPI_DEPTH32F, 20, 20);
    const bool last = rank == size - 1;
    const auto compose_with = [&](const pixMPI_Surface &drawn, const pixMPI_Surface &picture) {
        return pixMPI_Composite(drawn, PIXMPI_WHOLE, picture, compositor.handle);
    };
    const auto one = [&](End &mine) { return last ? mine.any() : square->any(); };
    CHECK_FAILS(compose_with(one(*other), pixMPI_In_place()), PIXMPI_ERR_SURFACE, "drawn 20x21 20x20 same");
    CHECK_FAILS(compose_with(one(*floats), pixMPI_In_place()), PIXMPI_ERR_FORMAT, "drawn RGBA32F RGBA8 same");
    const pixMPI_Surface deep = pixMPI_With_depth(square->any(), depth->any());
    CHECK_FAILS(compose_with(last ? deep : square->any(), pixMPI_In_place()), last ? PIXMPI_ERR_FORMAT : PIXMPI_ERR_PEER,
                last ? "OVER" : "rank");
    CHECK_FAILS(compose_with(square->any(), other->any()), rank == 0 ? PIXMPI_ERR_SURFACE : PIXMPI_ERR_PEER,
                rank == 0 ? "picture 20x21 20x20" : "rank 0");
    NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, last ? PIXMPI_STRATEGY_TREE : PIXMPI_STRATEGY_SWAP, 0));
    CHECK_FAILS(compose_with(square->any(), pixMPI_In_place()), PIXMPI_ERR_ARGUMENT, "compositor strategy same");
    NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, PIXMPI_STRATEGY_AUTO, 0));

    pixMPI_Request requests[3] = {};
    for (int i = 0; i < 2; ++i)
        NEED_OK(pixMPI_Icomposite(square->any(), PIXMPI_WHOLE, pixMPI_In_place(), compositor.handle, &requests[i]));
    CHECK_FAILS(pixMPI_Icomposite(square->any(), PIXMPI_WHOLE, pixMPI_In_place(), compositor.handle, &requests[2]),
                PIXMPI_ERR_REQUEST, "frames completed");
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    compose(compositor, make_scene(PIXMPI_OVER, PIXMPI_RGBA8, {}, 50, 77), 1, 0, false, false);
}

RANK_CASE(compositor, wrong_arguments, 1) {
    pixMPI_Compositor handle = PIXMPI_COMPOSITOR_NULL;
    CHECK_FAILS(pixMPI_Compositor_create(PIXMPI_OP_NULL, 0, world(), &handle), PIXMPI_ERR_ARGUMENT, "op NULL");
    CHECK_FAILS(pixMPI_Compositor_create(PIXMPI_OVER, size, world(), &handle), PIXMPI_ERR_RANK, "result");
    CHECK_FAILS(pixMPI_Compositor_create(PIXMPI_OVER, -3, world(), &handle), PIXMPI_ERR_RANK, "result -3");
    CHECK_FAILS(pixMPI_Compositor_create(PIXMPI_OVER, 0, world(), nullptr), PIXMPI_ERR_ARGUMENT, "compositor null");
    CHECK_FAILS(pixMPI_Compositor_free(&handle), PIXMPI_ERR_ARGUMENT, "compositor");
    const pixMPI_Surface nothing = pixMPI_No_surface();
    CHECK_FAILS(pixMPI_Composite(nothing, PIXMPI_WHOLE, nothing, handle), PIXMPI_ERR_ARGUMENT, "compositor NULL");
    Compositor compositor(PIXMPI_OVER, 0);
    handle = compositor.handle;
    CHECK_FAILS(pixMPI_Compositor_set_strategy(handle, static_cast<pixMPI_Strategy>(9), 0), PIXMPI_ERR_ARGUMENT,
                "strategy 9");
    CHECK_FAILS(pixMPI_Compositor_set_strategy(handle, PIXMPI_STRATEGY_RADIX, 1), PIXMPI_ERR_ARGUMENT, "radix 1");
    CHECK_FAILS(pixMPI_Compositor_set_search(handle, static_cast<pixMPI_Search>(3)), PIXMPI_ERR_ARGUMENT, "search 3");
    CHECK_FAILS(pixMPI_Compositor_set_order(handle, size + 1, nullptr), PIXMPI_ERR_ARGUMENT, "count");
    CHECK_FAILS(pixMPI_Compositor_set_order(handle, size, nullptr), PIXMPI_ERR_ARGUMENT, "order null");
    int first = 0, count = 0;
    CHECK_FAILS(pixMPI_Compositor_rows(handle, 0, 0, &first, &count), PIXMPI_ERR_ARGUMENT, "height");
    CHECK_FAILS(pixMPI_Compositor_rows(handle, 5, size, &first, &count), PIXMPI_ERR_RANK, "rank");
}
