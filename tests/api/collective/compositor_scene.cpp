#include "collective/compositor_scene.h"

#include <algorithm>
#include <cstring>

namespace api {
namespace {

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

/// Any bits, except halves: no NaN, and nothing subnormal.
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

} // namespace

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

} // namespace api
