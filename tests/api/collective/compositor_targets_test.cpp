// Where a frame of a compositor goes: tiles, several attachments, onto what pictures hold, by a codec; and what it tells
// about itself.
#include "collective/compositor_scene.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace api;

namespace {

std::unique_ptr<End> make_end(std::size_t kind, pixMPI_Format format, int width, int height) {
    return end_kinds()[(static_cast<std::size_t>(rank) + kind) % end_kinds().size()].make(format, width, height);
}

Picture make_drawn(const Scene &scene, std::size_t kind) {
    Picture drawn(make_end(kind, scene.color, scene.width, scene.height),
                  scene.depth ? make_end(kind, scene.depth, scene.width, scene.height) : nullptr);
    drawn.write(scene.drawn[static_cast<std::size_t>(rank)]);
    return drawn;
}

/// A rectangle of a picture's pixels.
Bytes part_of(const Bytes &all, int width, std::size_t pixel_bytes, const pixMPI_Rect &rect) {
    Bytes part;
    for (int y = rect.y; y < rect.y + rect.height; ++y) {
        const auto first =
            (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(rect.x)) *
            pixel_bytes;
        part.insert(part.end(), &all[first], &all[first] + static_cast<std::size_t>(rect.width) * pixel_bytes);
    }
    return part;
}

std::vector<pixMPI_Tile> random_tiles(const Scene &scene, std::mt19937_64 &random) {
    const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    std::vector<pixMPI_Tile> tiles;
    for (int i = 1 + up_to(2 * size); i > 0; --i) {
        const int x = up_to(scene.width), y = up_to(scene.height);
        tiles.push_back({up_to(size), {x, y, 1 + up_to(scene.width - x), 1 + up_to(scene.height - y)}});
    }
    if (random() % 3 == 0)
        tiles.push_back({up_to(size), {0, 0, scene.width, scene.height}});
    return tiles;
}

/// Of this rank, one after another.
std::vector<pixMPI_Rect> own_rects(const std::vector<pixMPI_Tile> &tiles) {
    std::vector<pixMPI_Rect> rects;
    for (const pixMPI_Tile &tile : tiles)
        if (tile.rank == rank)
            rects.push_back(tile.rect);
    return rects;
}

void check_part(const Scene &scene, const Bytes &seen, const Bytes &whole, std::size_t pixel_bytes,
                const pixMPI_Rect &rect) {
    Scene part = scene;
    part.width = rect.width;
    check_rows(part, seen, part_of(whole, scene.width, pixel_bytes, rect), pixel_bytes, 0, rect.height);
}

struct Kind {
    pixMPI_Op op;
    pixMPI_Format color, depth;
};
const Kind kinds[] = {{PIXMPI_NEAREST, PIXMPI_RGBA8, PIXMPI_DEPTH32F},
                      {PIXMPI_OVER, PIXMPI_RGBA32F, {}},
                      {PIXMPI_NEAREST, PIXMPI_RGBA16F, PIXMPI_DEPTH16},
                      {PIXMPI_MAX, PIXMPI_RGBA8, {}}};

std::string contents_of(const std::filesystem::path &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::size_t occurrences(const std::string &text, const std::string &what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++count;
    return count;
}

} // namespace

RANK_CASE(compositor, tiles, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 33));
    for (std::size_t turn = 0; turn < 16; ++turn) {
        const Kind &kind = kinds[turn % std::size(kinds)];
        const Scene scene = make_scene(kind.op, kind.color, kind.depth, turn % 5 ? 40 : 150, random());
        const std::vector<pixMPI_Tile> tiles = random_tiles(scene, random);
        const bool with_depth = turn % 3 == 0;
        Compositor compositor(kind.op, 0);
        NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, static_cast<pixMPI_Strategy>(turn % 6), 0));
        NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, scene.order.data()));
        NEED_OK(pixMPI_Compositor_set_tiles(compositor.handle, static_cast<int>(tiles.size()), tiles.data()));
        Picture drawn = make_drawn(scene, turn);
        std::vector<Picture> pictures;
        std::vector<pixMPI_Surface> surfaces;
        const bool deep = scene.depth && with_depth;
        for (const pixMPI_Rect &rect : own_rects(tiles)) {
            pictures.emplace_back(make_end(turn + pictures.size(), scene.color, rect.width, rect.height),
                                  deep ? make_end(turn + pictures.size(), scene.depth, rect.width, rect.height)
                                       : nullptr);
            surfaces.push_back(pictures.back().any());
        }
        const pixMPI_Surface one = drawn.any();
        if (surfaces.size() == 1)
            NEED_OK(pixMPI_Composite(one, PIXMPI_WHOLE, surfaces.front(), compositor.handle));
        else
            NEED_OK(pixMPI_Compositev(1, &one, PIXMPI_WHOLE, surfaces.data(), compositor.handle));
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            check_part(scene, pictures[i].read(), deep ? scene.merged : without_depth(scene, scene.merged),
                       deep ? scene.pixel_bytes() : scene.color_bytes(), own_rects(tiles)[i]);
            pictures[i].check_surroundings();
        }
    }
}

/// The depth of the first decides of all of them.
RANK_CASE(compositor, attachments, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 34));
    const pixMPI_Format formats[] = {PIXMPI_RGBA8, PIXMPI_RGBA32F, PIXMPI_RG16F};
    for (std::size_t turn = 0; turn < 8; ++turn) {
        const Scene first = make_scene(PIXMPI_NEAREST, PIXMPI_RGBA8, PIXMPI_DEPTH32F, 60, random());
        std::vector<Scene> scenes{first};
        for (std::size_t k = 1; k < std::size(formats); ++k) {
            Scene scene = first;
            scene.color = formats[k];
            for (std::size_t r = 0; r < scene.drawn.size(); ++r) {
                scene.drawn[r].assign(scene.pixels() * scene.pixel_bytes(), 0);
                for (std::size_t i = 0; i < scene.pixels(); ++i) {
                    std::uint8_t *const pixel = &scene.drawn[r][i * scene.pixel_bytes()];
                    const std::uint8_t *const depth = &first.drawn[r][i * first.pixel_bytes() + first.color_bytes()];
                    float z = 1;
                    std::memcpy(&z, depth, 4);
                    for (std::size_t b = 0; z < 1 && b < scene.color_bytes(); ++b)
                        pixel[b] = static_cast<std::uint8_t>(random() & 0x37);
                    std::memcpy(pixel + scene.color_bytes(), depth, 4);
                }
            }
            scene.merged = scene.drawn[static_cast<std::size_t>(scene.order.front())];
            for (int place = 1; place < size; ++place)
                fold_nearest(scene.color, scene.depth, scene.merged,
                             scene.drawn[static_cast<std::size_t>(scene.order[static_cast<std::size_t>(place)])]);
            scenes.push_back(std::move(scene));
        }
        const int result = turn % 3 == 0 ? PIXMPI_RESULT_ALL : static_cast<int>(turn) % size;
        const bool with_depth = turn % 2 == 0;
        Compositor compositor(PIXMPI_NEAREST, result);
        NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, static_cast<pixMPI_Strategy>(turn % 6), 0));
        NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, first.order.data()));
        Picture drawn = make_drawn(first, turn);
        std::vector<std::unique_ptr<End>> further;
        std::vector<Picture> pictures;
        std::vector<pixMPI_Surface> named{drawn.any()}, wanted;
        for (std::size_t k = 0; k < scenes.size(); ++k) {
            const Scene &scene = scenes[k];
            if (k > 0) {
                further.push_back(make_end(turn, scene.color, scene.width, scene.height));
                further.back()->write(without_depth(scene, scene.drawn[static_cast<std::size_t>(rank)]));
                named.push_back(further.back()->any());
            }
            pictures.emplace_back(make_end(turn + k, scene.color, scene.width, scene.height),
                                  with_depth && k == 0 ? make_end(turn, scene.depth, scene.width, scene.height)
                                                       : nullptr);
            wanted.push_back(pictures.back().any());
        }
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        NEED_OK(pixMPI_Icompositev(static_cast<int>(scenes.size()), named.data(), PIXMPI_WHOLE, wanted.data(),
                                   compositor.handle, &request));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        for (std::size_t k = 0; (result < 0 || result == rank) && k < scenes.size(); ++k) {
            const bool deep = with_depth && k == 0;
            check_rows(scenes[k], pictures[k].read(),
                       deep ? scenes[k].merged : without_depth(scenes[k], scenes[k].merged),
                       deep ? scenes[k].pixel_bytes() : scenes[k].color_bytes(), 0, scenes[k].height);
        }
        CHECK_PIXELS(drawn.read(), first.drawn[static_cast<std::size_t>(rank)], first.width,
                     static_cast<int>(first.pixel_bytes()));
    }
}

/// What a picture holds stands behind all ranks.
RANK_CASE(compositor, onto_what_is_there, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 35));
    for (std::size_t turn = 0; turn < 8; ++turn) {
        const bool deep = turn % 2 != 0;
        const Scene scene = deep ? make_scene(PIXMPI_NEAREST, PIXMPI_RGBA8, PIXMPI_DEPTH32F, 60, random())
                                 : make_scene(PIXMPI_OVER, PIXMPI_RGBA32F, {}, 60, random());
        const Scene behind = make_scene(scene.op, scene.color, scene.depth, 60, random());
        Scene base = scene; // pixels of another scene
        for (std::size_t i = 0; i < base.merged.size(); ++i)
            base.merged[i] = behind.merged[i % behind.merged.size()];
        Bytes expected = scene.merged;
        if (deep)
            fold_nearest(scene.color, scene.depth, expected, base.merged);
        else
            fold(scene.op, scene.color, expected, base.merged);
        const int result = turn % 4 < 2 ? PIXMPI_RESULT_ALL : static_cast<int>(turn) % size;
        Compositor compositor(scene.op, result);
        NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, scene.order.data()));
        NEED_OK(pixMPI_Compositor_set_onto(compositor.handle, 1));
        Picture drawn = make_drawn(scene, turn),
                picture(make_end(turn + 1, scene.color, scene.width, scene.height),
                        deep ? make_end(turn + 1, scene.depth, scene.width, scene.height) : nullptr);
        picture.write(base.merged);
        NEED_OK(pixMPI_Composite(drawn.any(), PIXMPI_WHOLE, picture.any(), compositor.handle));
        if (result < 0 || result == rank)
            check_rows(scene, picture.read(), expected, scene.pixel_bytes(), 0, scene.height);
    }
    Compositor compositor(PIXMPI_NEAREST, 0);
    NEED_OK(pixMPI_Compositor_set_onto(compositor.handle, 1));
    const auto colors = make_memory(PIXMPI_RGBA8, 5, 5), depths = make_memory(PIXMPI_DEPTH32F, 5, 5);
    const WithDepth drawn{colors->any(), depths->any()};
    const auto shallow = make_memory(PIXMPI_RGBA8, 5, 5);
    CHECK_FAILS(pixMPI_Composite(drawn, PIXMPI_WHOLE, shallow->any(), compositor.handle),
                rank == 0 ? PIXMPI_ERR_FORMAT : PIXMPI_ERR_PEER, rank == 0 ? "NEAREST depth" : "rank 0");
    CHECK_FAILS(pixMPI_Composite(drawn, PIXMPI_WHOLE, pixMPI_In_place(), compositor.handle),
                rank == 0 ? PIXMPI_ERR_SURFACE : PIXMPI_ERR_PEER, rank == 0 ? "in place onto" : "rank 0");
}

/// A background stands behind all ranks; by depth it is seen where no rank is nearer, whatever ranks have there.
RANK_CASE(compositor, backgrounds, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 41));
    for (std::size_t turn = 0; turn < 12; ++turn) {
        const Kind &kind = kinds[turn % std::size(kinds)];
        if (kind.op != PIXMPI_NEAREST && kind.op != PIXMPI_OVER)
            continue;
        const bool deep = kind.op == PIXMPI_NEAREST;
        const Scene scene = make_scene(kind.op, kind.color, kind.depth, 70, random());
        const Scene behind = make_scene(kind.op, kind.color, kind.depth, 60, random());
        Bytes base(scene.merged.size()), expected;
        for (std::size_t i = 0; i < base.size(); ++i)
            base[i] = behind.merged[i % behind.merged.size()];
        if (deep) { // where depths are equal the background is seen
            expected = base;
            fold_nearest(scene.color, scene.depth, expected, scene.merged);
        } else {
            expected = scene.merged;
            fold(scene.op, scene.color, expected, base);
        }
        const int result = turn % 4 == 1   ? PIXMPI_RESULT_ROWS
                           : turn % 4 == 3 ? PIXMPI_RESULT_ALL
                                           : static_cast<int>(turn) % size;
        const bool keeps_depth = deep && turn % 3 == 0;
        Compositor compositor(scene.op, result);
        NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, scene.order.data()));
        NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, static_cast<pixMPI_Strategy>(turn % 5), 0));
        Picture drawn = make_drawn(scene, turn),
                background(make_end(turn + 1, scene.color, scene.width, scene.height),
                           deep ? make_end(turn + 1, scene.depth, scene.width, scene.height) : nullptr),
                picture(make_end(turn + 2, scene.color, scene.width, scene.height),
                        keeps_depth ? make_end(turn + 2, scene.depth, scene.width, scene.height) : nullptr);
        background.write(base);
        const pixMPI_Surface named = background.any();
        NEED_OK(pixMPI_Compositor_set_background(compositor.handle, &named));
        const pixMPI_Rect &rect = scene.active[static_cast<std::size_t>(rank)];
        const Shape active = list_of(rect.width ? std::vector{rect} : std::vector<pixMPI_Rect>());
        NEED_OK(pixMPI_Composite(drawn.any(), active, picture.any(), compositor.handle));
        int first = 0, count = scene.height;
        if (result == PIXMPI_RESULT_ROWS)
            NEED_OK(pixMPI_Compositor_rows(compositor.handle, scene.height, rank, &first, &count));
        if (result < 0 || result == rank)
            check_rows(scene, picture.read(), keeps_depth || !deep ? expected : without_depth(scene, expected),
                       keeps_depth ? scene.pixel_bytes() : scene.color_bytes(), first, count);
        CHECK(drawn.read() == scene.drawn[static_cast<std::size_t>(rank)]);
    }
}

RANK_CASE(compositor, backgrounds_that_are_refused, 1) {
    const auto colors = make_memory(PIXMPI_RGBA8, 5, 5), wide = make_memory(PIXMPI_RGBA8, 6, 5);
    const pixMPI_Surface drawn = colors->any(), wrong = wide->any();
    Compositor compositor(PIXMPI_OVER, 0);
    NEED_OK(pixMPI_Compositor_set_background(compositor.handle, &wrong));
    CHECK_FAILS(pixMPI_Composite(drawn, PIXMPI_WHOLE, colors->any(), compositor.handle), PIXMPI_ERR_SURFACE,
                "background: 6x5");
    NEED_OK(pixMPI_Compositor_set_background(compositor.handle, rank == 0 ? &drawn : nullptr));
    const auto picture = make_memory(PIXMPI_RGBA8, 5, 5);
    if (size > 1)
        CHECK_FAILS(pixMPI_Composite(drawn, PIXMPI_WHOLE, picture->any(), compositor.handle), PIXMPI_ERR_ARGUMENT,
                    "background on rank 1");
    NEED_OK(pixMPI_Compositor_set_background(compositor.handle, nullptr));
    CHECK_OK(pixMPI_Composite(drawn, PIXMPI_WHOLE, picture->any(), compositor.handle));
    CHECK_FAILS(pixMPI_Compositor_set_background(PIXMPI_COMPOSITOR_NULL, nullptr), PIXMPI_ERR_ARGUMENT, "compositor");
}

/// The program draws again as soon as the call has returned.
RANK_CASE(compositor, snapshots, 1) {
    std::mt19937_64 random(seed_of(run_seed(), 36));
    for (std::size_t turn = 0; turn < 8; ++turn) {
        const Kind &kind = kinds[turn % std::size(kinds)];
        const Scene scenes[] = {make_scene(kind.op, kind.color, kind.depth, 90, random()),
                                make_scene(kind.op, kind.color, kind.depth, 90, random())};
        const int result = static_cast<int>(turn) % size;
        Compositor compositor(kind.op, result);
        NEED_OK(pixMPI_Compositor_set_snapshot(compositor.handle, 1));
        std::vector<Picture> pictures;
        std::vector<Picture> drawn;
        pixMPI_Request requests[2] = {};
        for (std::size_t i = 0; i < 2; ++i) {
            const Scene &scene = scenes[i];
            NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, scene.order.data()));
            pictures.emplace_back(make_end(turn + i, scene.color, scene.width, scene.height));
            drawn.push_back(make_drawn(scene, turn));
            const pixMPI_Rect &rect = scene.active[static_cast<std::size_t>(rank)];
            const Shape active = list_of(rect.width ? std::vector{rect} : std::vector<pixMPI_Rect>());
            NEED_OK(
                pixMPI_Icomposite(drawn.back().any(), active, pictures.back().any(), compositor.handle, &requests[i]));
            drawn.back().write(Bytes(scene.pixels() * scene.pixel_bytes(), std::uint8_t{0}));
        }
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; result == rank && i < 2; ++i)
            check_rows(scenes[i], pictures[i].read(), without_depth(scenes[i], scenes[i].merged),
                       scenes[i].color_bytes(), 0, scenes[i].height);
    }
}

/// LZ4 loses nothing, JPEG little of a smooth picture; the figures say how many bytes travelled.
RANK_CASE(compositor, codecs_and_figures, 2) {
    constexpr int side = 256;
    const auto drawn = make_memory(PIXMPI_RGBA8, side, side), picture = make_memory(PIXMPI_RGBA8, side, side);
    Bytes smooth(drawn->bytes());
    for (int y = 0; y < side && rank == size - 1; ++y)
        for (int x = 0; x < side; ++x) {
            std::uint8_t *const pixel = &smooth[static_cast<std::size_t>(4 * (y * side + x))];
            pixel[0] = static_cast<std::uint8_t>(x);
            pixel[1] = static_cast<std::uint8_t>(y);
            pixel[2] = 99;
            pixel[3] = 255;
        }
    drawn->write(smooth);
    Compositor compositor(PIXMPI_MAX, 0);
    NEED_OK(pixMPI_Compositor_set_strategy(compositor.handle, PIXMPI_STRATEGY_TREE, 0));
    pixMPI_Frame_stats stats = PIXMPI_FRAME_STATS_INIT;
    CHECK_FAILS(pixMPI_Compositor_get_stats(compositor.handle, &stats, 0, nullptr, nullptr), PIXMPI_ERR_REQUEST,
                "frame");
    const auto n = static_cast<std::size_t>(size);
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() /
        ("compositor_trace." + std::to_string(::getpid()) + "." + std::to_string(rank) + ".json");
    NEED_OK(pixMPI_Compositor_set_trace(compositor.handle, path.c_str()));
    // The last rank has drawn; in the order it stands first, so that it merges all and sends it to rank 0.
    std::vector<int> order;
    for (int r = size - 1; r >= 0; --r)
        order.push_back(r);
    NEED_OK(pixMPI_Compositor_set_order(compositor.handle, size, order.data()));
    std::uint64_t bytes[3] = {};
    for (std::size_t turn = 0; turn < 3; ++turn) {
        pixMPI_Codec codec = pixMPI_Codec_of(PIXMPI_CODEC_NONE, 0);
        if (turn == 1)
            codec.kind = PIXMPI_CODEC_LZ4;
        else if (turn == 2)
            codec = pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 90);
        codec.alpha = PIXMPI_ALPHA_BESIDE;
        NEED_OK(pixMPI_Compositor_set_codec(compositor.handle, codec));
        NEED_OK(pixMPI_Composite(drawn->any(), PIXMPI_WHOLE, picture->any(), compositor.handle));
        if (rank == 0) {
            const Bytes seen = picture->read(), wanted = [&] {
                Bytes all(seen.size());
                for (int y = 0; y < side; ++y)
                    for (int x = 0; x < side; ++x) {
                        const auto at = static_cast<std::size_t>(4 * (y * side + x));
                        all[at] = static_cast<std::uint8_t>(x);
                        all[at + 1] = static_cast<std::uint8_t>(y);
                        all[at + 2] = 99;
                        all[at + 3] = 255;
                    }
                return all;
            }();
            int most = 0;
            for (std::size_t i = 0; i < seen.size(); ++i)
                most = std::max(most, std::abs(int{seen[i]} - int{wanted[i]}));
            CHECK(turn == 2 ? most <= 6 : most == 0);
        }
        std::vector<std::uint64_t> sent(n), received(n);
        NEED_OK(pixMPI_Compositor_get_stats(compositor.handle, &stats, size, sent.data(), received.data()));
        CHECK(stats.frame == turn);
        CHECK(stats.active_pixels == (rank == size - 1 ? std::uint64_t{side} * side : 0));
        CHECK(stats.total > 0 && stats.total >= stats.wait && stats.total >= stats.blend);
        CHECK(stats.bytes_sent == (rank == size - 1 ? sent[0] : 0));
        if (rank == size - 1)
            bytes[turn] = sent[0];
        if (rank == 0)
            CHECK(received[n - 1] > 0 && stats.bytes_received == received[n - 1]);
        CHECK(stats.compress > 0 || turn == 0 || (rank != 0 && rank != size - 1));
    }
    if (rank == size - 1)
        CHECK(bytes[0] == drawn->bytes() && bytes[1] < bytes[0] && bytes[2] < bytes[0] / 4);
    NEED_OK(pixMPI_Compositor_set_trace(compositor.handle, nullptr));
    const std::string text = contents_of(path);
    std::filesystem::remove(path);
    CHECK(text.starts_with("[") && text.ends_with("]\n"));
    CHECK(occurrences(text, "{") == occurrences(text, "}"));
    CHECK(occurrences(text, "\"name\":\"frame\"") == 3 && occurrences(text, "\"name\":\"draw\"") == 2);
    CHECK(occurrences(text, "collect, to rank 0") == (rank == size - 1 ? 3 : 0));
    CHECK(occurrences(text, "collect, from rank " + std::to_string(size - 1)) == (rank == 0 ? 3 : 0));
}

RANK_CASE(compositor, targets_that_do_not_fit, 2) {
    Compositor compositor(PIXMPI_OVER, 0);
    const pixMPI_Compositor handle = compositor.handle;
    const auto square = make_memory(PIXMPI_RGBA8, 20, 20), part = make_memory(PIXMPI_RGBA8, 10, 10);
    const pixMPI_Tile beyond{0, {15, 0, 6, 1}}, foreign{size, {0, 0, 1, 1}}, empty{0, {0, 0, 0, 1}};
    CHECK_FAILS(pixMPI_Compositor_set_tiles(handle, -1, nullptr), PIXMPI_ERR_ARGUMENT, "count");
    CHECK_FAILS(pixMPI_Compositor_set_tiles(handle, 1, nullptr), PIXMPI_ERR_ARGUMENT, "tiles null");
    CHECK_FAILS(pixMPI_Compositor_set_tiles(handle, 1, &foreign), PIXMPI_ERR_RANK, "tiles[0].rank");
    CHECK_FAILS(pixMPI_Compositor_set_tiles(handle, 1, &empty), PIXMPI_ERR_ARGUMENT, "tiles[0].rect 0x1");
    NEED_OK(pixMPI_Compositor_set_tiles(handle, 1, &beyond));
    CHECK_FAILS(pixMPI_Composite(square->any(), PIXMPI_WHOLE, part->any(), handle), PIXMPI_ERR_SURFACE,
                "drawn 20x20 tile 6x1 (15, 0)");
    const pixMPI_Tile fits{0, {5, 5, 10, 10}}, other{0, {5, 5, 10, 9}};
    NEED_OK(pixMPI_Compositor_set_tiles(handle, 1, rank == 0 ? &fits : &other));
    CHECK_FAILS(pixMPI_Composite(square->any(), PIXMPI_WHOLE, part->any(), handle), PIXMPI_ERR_ARGUMENT, "tiles same");
    NEED_OK(pixMPI_Compositor_set_tiles(handle, 1, &fits));
    CHECK_FAILS(pixMPI_Composite(square->any(), PIXMPI_WHOLE, square->any(), handle),
                rank == 0 ? PIXMPI_ERR_SURFACE : PIXMPI_ERR_PEER, rank == 0 ? "picture 20x20 10x10 tile" : "rank 0");
    const std::vector<pixMPI_Tile> many(64, fits);
    std::vector<pixMPI_Surface> pictures(many.size(), part->any());
    const pixMPI_Surface one = square->any(), two[] = {one, one};
    NEED_OK(pixMPI_Compositor_set_tiles(handle, static_cast<int>(many.size()), many.data()));
    CHECK_FAILS(pixMPI_Compositev(1, &one, PIXMPI_WHOLE, pictures.data(), handle), PIXMPI_ERR_ARGUMENT, "64 labels");
    NEED_OK(pixMPI_Compositor_set_tiles(handle, 0, nullptr));
    CHECK_FAILS(pixMPI_Compositev(0, &one, PIXMPI_WHOLE, &one, handle), PIXMPI_ERR_ARGUMENT, "attachments");
    CHECK_FAILS(pixMPI_Compositev(1, nullptr, PIXMPI_WHOLE, &one, handle), PIXMPI_ERR_ARGUMENT, "drawn null");
    CHECK_FAILS(pixMPI_Compositev(2, two, PIXMPI_WHOLE, two, handle), PIXMPI_ERR_FORMAT, "attachments depth");
    NEED_OK(pixMPI_Compositor_set_exact(handle, 1));
    CHECK_FAILS(pixMPI_Compositev(2, two, PIXMPI_WHOLE, two, handle), PIXMPI_ERR_SURFACE, "attachments exact");
    NEED_OK(pixMPI_Compositor_set_exact(handle, 0));
    CHECK_FAILS(pixMPI_Compositor_set_trace(handle, "/no/such/folder/trace.json"), PIXMPI_ERR_ARGUMENT, "path folder");
    CHECK_FAILS(pixMPI_Compositor_get_stats(handle, nullptr, 0, nullptr, nullptr), PIXMPI_ERR_ARGUMENT, "stats null");
    NEED_OK(pixMPI_Composite(square->any(), PIXMPI_WHOLE, pixMPI_In_place(), handle));
}
