#include "codec/codec_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

struct Vec {
    float x = 0, y = 0, z = 0;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec operator*(float s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec normalise(Vec a) { return 1 / std::sqrt(dot(a, a)) * a; }
Vec mix(Vec a, Vec b, float t) { return (1 - t) * a + t * b; }

struct Ball {
    Vec centre;
    float radius;
    Vec colour;
    float mirror; ///< how much of what it shows is what is around it
};
constexpr std::array<Ball, 7> balls = {{{{0.0F, 1.0F, 0.0F}, 1.0F, {0.75F, 0.75F, 0.78F}, 0.7F},
                                        {{-2.1F, 0.7F, -0.6F}, 0.7F, {0.80F, 0.22F, 0.14F}, 0.1F},
                                        {{1.9F, 0.6F, -0.9F}, 0.6F, {0.16F, 0.42F, 0.75F}, 0.15F},
                                        {{0.9F, 0.35F, -1.9F}, 0.35F, {0.92F, 0.70F, 0.16F}, 0.05F},
                                        {{-0.9F, 0.3F, -1.8F}, 0.3F, {0.20F, 0.60F, 0.30F}, 0.05F},
                                        {{-4.2F, 1.3F, 3.0F}, 1.3F, {0.55F, 0.35F, 0.65F}, 0.2F},
                                        {{4.4F, 1.1F, 2.6F}, 1.1F, {0.85F, 0.82F, 0.70F}, 0.3F}}};
const Vec sun = normalise({-0.55F, 0.8F, -0.45F});
constexpr Vec eye{0.0F, 1.7F, -6.5F};
constexpr float near_plane = 0.1F, far_plane = 100;

struct Hit {
    float distance = 1e9F;
    const Ball *ball = nullptr; ///< null: the floor, or nothing
};

Hit meet(Vec from, Vec along, const Ball *but = nullptr) {
    Hit hit;
    if (along.y < -1e-4F)
        hit.distance = -from.y / along.y;
    for (const Ball &ball : balls) {
        if (&ball == but)
            continue;
        const Vec to = ball.centre - from;
        const float middle = dot(to, along), off = dot(to, to) - middle * middle;
        if (middle <= 0 || off >= ball.radius * ball.radius)
            continue;
        const float distance = middle - std::sqrt(ball.radius * ball.radius - off);
        if (distance > 1e-3F && distance < hit.distance)
            hit = {distance, &ball};
    }
    return hit;
}

Vec sky(Vec along) {
    const float high = std::clamp(along.y, 0.0F, 1.0F);
    const float glow = std::pow(std::max(dot(along, sun), 0.0F), 60.0F);
    return mix({0.80F, 0.86F, 0.93F}, {0.22F, 0.42F, 0.74F}, std::sqrt(high)) + glow * Vec{0.5F, 0.45F, 0.3F};
}

Vec floor_colour(Vec at) {
    const float x = std::floor(at.x * 1.25F), z = std::floor(at.z * 1.25F);
    const bool dark = (static_cast<int>(x) + static_cast<int>(z)) % 2 != 0;
    const float grout = std::min({at.x * 1.25F - x, x + 1 - at.x * 1.25F, at.z * 1.25F - z, z + 1 - at.z * 1.25F});
    const Vec tile = dark ? Vec{0.33F, 0.30F, 0.28F} : Vec{0.72F, 0.69F, 0.63F};
    return grout < 0.025F ? Vec{0.22F, 0.21F, 0.20F} : tile;
}

Vec shade(Vec from, Vec along, int mirrors, const Ball *but = nullptr) {
    const Hit hit = meet(from, along, but);
    if (hit.distance > far_plane)
        return sky(along);
    const Vec at = from + hit.distance * along;
    const Vec normal = hit.ball ? normalise(at - hit.ball->centre) : Vec{0, 1, 0};
    const Vec colour = hit.ball ? hit.ball->colour : floor_colour(at);
    const bool shadow = meet(at + 1e-3F * normal, sun, hit.ball).ball != nullptr;
    const float light = shadow ? 0.0F : std::max(dot(normal, sun), 0.0F);
    const Vec half = normalise(sun - along);
    const float shine = shadow || !hit.ball ? 0.0F : std::pow(std::max(dot(normal, half), 0.0F), 80.0F);
    Vec seen = (0.28F + 0.12F * normal.y) * colour + 0.75F * light * colour + 0.6F * shine * Vec{1, 1, 0.95F};
    const float mirror = hit.ball ? hit.ball->mirror : 0.0F;
    if (mirror > 0 && mirrors > 0) {
        const Vec back = along - 2 * dot(along, normal) * normal;
        seen = mix(seen, shade(at, back, mirrors - 1, hit.ball) * (0.5F * (colour + Vec{1, 1, 1})), mirror);
    }
    return hit.ball ? seen : mix(seen, sky(along), std::clamp(hit.distance / 60, 0.0F, 1.0F)); // haze
}

/// Through a point of the picture, from pixels counted from its upper left corner.
Vec ray(float x, float y, int width, int height) {
    const float scale = 1.1F / static_cast<float>(height);
    return normalise(
        {(x - 0.5F * static_cast<float>(width)) * scale, (0.5F * static_cast<float>(height) - y) * scale - 0.13F, 1});
}

std::uint32_t hash(std::uint32_t n) {
    n = (n ^ 61U ^ n >> 16) * 9U;
    n = (n ^ n >> 4) * 0x27d4eb2dU;
    return n ^ n >> 15;
}

/// Letters of 5x7 dots in cells of 6x10, words of some letters and lines of some words, that no one can read.
bool ink(int x, int y) {
    constexpr int left = 16, top = 14, lines = 9, columns = 46;
    x -= left;
    y -= top;
    if (x < 0 || y < 0 || x >= 6 * columns || y >= 10 * lines)
        return false;
    const auto column = static_cast<std::uint32_t>(x / 6), line = static_cast<std::uint32_t>(y / 10);
    const std::uint32_t letter = hash(line * 131U + column);
    const auto length = 12U + hash(line) % (columns - 12U);
    if (x % 6 == 5 || y % 10 >= 7 || column >= length || letter % 6 == 0)
        return false;
    return (hash(letter + static_cast<std::uint32_t>(y % 10)) >> (x % 6)) & 1U;
}

void put_colour(std::byte *pixel, int x, int y, int width, int height) {
    constexpr float offsets[4][2] = {{0.375F, 0.125F}, {0.875F, 0.375F}, {0.625F, 0.875F}, {0.125F, 0.625F}};
    Vec sum;
    for (const auto &offset : offsets) {
        const Vec seen =
            shade(eye, ray(static_cast<float>(x) + offset[0], static_cast<float>(y) + offset[1], width, height), 2);
        sum = sum + Vec{std::clamp(seen.x, 0.0F, 1.0F), std::clamp(seen.y, 0.0F, 1.0F), std::clamp(seen.z, 0.0F, 1.0F)};
    }
    Vec colour = 0.25F * sum;
    if (ink(x, y))
        colour = {0.95F, 0.96F, 0.92F};
    for (const float channel : {colour.x, colour.y, colour.z})
        *pixel++ = static_cast<std::byte>(std::lround(std::pow(channel, 1 / 1.4F) * 255));
    *pixel = std::byte{255};
}

void put_depth(std::byte *pixel, int x, int y, int width, int height) {
    const Vec along = ray(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F, width, height);
    const double z = double{meet(eye, along).distance} * along.z;
    const double depth = z >= far_plane ? 1.0 : (1 - near_plane / z) * far_plane / (far_plane - near_plane);
    const auto number = static_cast<float>(depth);
    std::memcpy(pixel, &number, sizeof number);
}

} // namespace

std::vector<std::byte> render_picture(pixMPI_Format format, int width, int height) {
    constexpr std::size_t pixel_bytes = 4; // of both
    std::vector<std::byte> pixels(pixel_bytes * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    std::byte *pixel = pixels.data();
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x, pixel += pixel_bytes) {
            if (format == PIXMPI_RGBA8)
                put_colour(pixel, x, y, width, height);
            else
                put_depth(pixel, x, y, width, height);
        }
    return pixels;
}
