// Frames of compositors against what one rank after the other would merge, between ends of all APIs.
#include "collective/compositor_scene.h"

using namespace api;

namespace {

constexpr pixMPI_Strategy strategies[] = {PIXMPI_STRATEGY_AUTO,  PIXMPI_STRATEGY_DIRECT, PIXMPI_STRATEGY_SWAP,
                                          PIXMPI_STRATEGY_RADIX, PIXMPI_STRATEGY_TREE,   PIXMPI_STRATEGY_HOSTS};

Picture make_picture(const Scene &scene, std::size_t kind, bool with_depth) {
    const EndKind &end = end_kinds()[(static_cast<std::size_t>(rank) + kind) % end_kinds().size()];
    return Picture(end.make(scene.color, scene.width, scene.height),
                   with_depth && scene.depth ? end.make(scene.depth, scene.width, scene.height) : nullptr);
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
    const WithDepth deep{square->any(), depth->any()};
    CHECK_FAILS(compose_with(last ? static_cast<pixMPI_Surface>(deep) : square->any(), pixMPI_In_place()),
                last ? PIXMPI_ERR_FORMAT : PIXMPI_ERR_PEER, last ? "OVER" : "rank");
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
    CHECK_FAILS(pixMPI_Compositor_set_strategy(handle, static_cast<pixMPI_Strategy>(7), 0), PIXMPI_ERR_ARGUMENT,
                "strategy 7");
    CHECK_FAILS(pixMPI_Compositor_set_strategy(handle, PIXMPI_STRATEGY_RADIX, 1), PIXMPI_ERR_ARGUMENT, "radix 1");
    CHECK_FAILS(pixMPI_Compositor_set_search(handle, static_cast<pixMPI_Search>(3)), PIXMPI_ERR_ARGUMENT, "search 3");
    CHECK_FAILS(pixMPI_Compositor_set_order(handle, size + 1, nullptr), PIXMPI_ERR_ARGUMENT, "count");
    CHECK_FAILS(pixMPI_Compositor_set_order(handle, size, nullptr), PIXMPI_ERR_ARGUMENT, "order null");
    int first = 0, count = 0;
    CHECK_FAILS(pixMPI_Compositor_rows(handle, 0, 0, &first, &count), PIXMPI_ERR_ARGUMENT, "height");
    CHECK_FAILS(pixMPI_Compositor_rows(handle, 5, size, &first, &count), PIXMPI_ERR_RANK, "rank");
}
