#include "terrain.h"

#include "shaders.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <pixmpi.h>

using demo::Point;

namespace {

struct Vertex {
    float height;
    std::int16_t x, z; ///< of the normal, in parts of 32767
};

std::uint32_t random_at(int x, int z) {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9E3779B1u ^ static_cast<std::uint32_t>(z) * 0x85EBCA77u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

/// About -1 to 1: a slope in some direction at each point of a grid where it is 0, smooth between them. (Perlin 2002)
float noise(float x, float z) {
    static constexpr float slopes[8][2] = {{1, 0.4f},   {0.4f, 1},   {-0.4f, 1}, {-1, 0.4f},
                                           {-1, -0.4f}, {-0.4f, -1}, {0.4f, -1}, {1, -0.4f}};
    const float left = std::floor(x), low = std::floor(z), u = x - left, v = z - low;
    const auto corner = [&](int i, int k) {
        const float *const slope = slopes[random_at(static_cast<int>(left) + i, static_cast<int>(low) + k) >> 29];
        return slope[0] * (u - static_cast<float>(i)) + slope[1] * (v - static_cast<float>(k));
    };
    const auto smooth = [](float t) { return t * t * t * (t * (6 * t - 15) + 10); };
    const float a = corner(0, 0), b = corner(1, 0), c = corner(0, 1), d = corner(1, 1);
    return 1.4f * (a + smooth(u) * (b - a) + smooth(v) * (c - a) + smooth(u) * smooth(v) * (a - b - c + d));
}

float hills(float x, float z) {
    float sum = 0, size = 1;
    for (int octave = 0; octave < 5; ++octave, x *= 2.03f, z *= 2.03f, size *= 0.5f)
        sum += size * noise(x, z);
    return sum;
}

/// Ridges where noise is 0, finer ones upon coarser ones: 0 to about 1. (Musgrave 1993)
float ridges(float x, float z) {
    float sum = 0, size = 0.56f, weight = 1;
    for (int octave = 0; octave < 9; ++octave, x *= 2.07f, z *= 2.07f, size *= 0.47f) {
        const float ridge = 1 - std::min(1.0f, std::abs(noise(x, z)));
        const float part = ridge * ridge * weight;
        sum += size * part;
        weight = std::clamp(1.7f * part, 0.12f, 1.0f);
    }
    return sum;
}

/// An island with mountains in its middle, and the sea's bottom around.
float land(float x, float z) {
    const float inland = 0.50f - 0.95f * (x * x + z * z) + 0.30f * hills(1.7f * x + 8, 1.7f * z + 2);
    const float bent_x = x + 0.05f * hills(3 * x + 5, 3 * z), bent_z = z + 0.05f * hills(3 * x, 3 * z + 9);
    const float high = std::clamp((inland - 0.02f) / 0.55f, 0.0f, 1.0f);
    return 0.07f * inland + 0.34f * high * ridges(2.6f * bent_x + 3, 2.6f * bent_z + 7) +
           0.008f * std::min(1.0f, 8 * std::abs(inland)) * hills(19 * x, 19 * z);
}

/// Every second bit of a number: where a block lies on a curve that goes from quarter to quarter.
int every_second_bit(int number) {
    int result = 0;
    for (int bit = 0; 1 << bit < Terrain::side; ++bit)
        result |= (number >> (2 * bit) & 1) << bit;
    return result;
}

} // namespace

Terrain::Terrain(int triangles, int first, int end)
    : quads_(static_cast<int>(std::ceil(std::sqrt(triangles / (2.0 * blocks))))),
      shader_(terrain_vertex_source, std::string(common_source) + terrain_source) {
    std::vector<std::uint32_t> indices;
    const auto across = static_cast<std::uint32_t>(quads_ + 1);
    for (std::uint32_t z = 0; z + 1 < across; ++z)
        for (std::uint32_t x = 0; x + 1 < across; ++x) {
            const std::uint32_t a = z * across + x, b = a + 1, c = a + across, d = c + 1;
            indices.insert(indices.end(), {a, c, b, b, c, d});
        }
    glGenBuffers(1, &indices_);
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, indices_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof indices[0]), indices.data(),
                 GL_STATIC_DRAW);
    for (int number = first; number < end; ++number)
        mine_.push_back(make(number));
    demo::check_gl("making the terrain");
}

Terrain::~Terrain() {
    for (const Block &block : mine_) {
        glDeleteVertexArrays(1, &block.layout);
        glDeleteBuffers(1, &block.vertices);
    }
    glDeleteBuffers(1, &indices_);
}

float Terrain::height(int x, int z) const { return std::max(0.0f, land(position(x), position(z))); }

Terrain::Block Terrain::make(int number) const {
    Block block{.x = quads_ * every_second_bit(number), .z = quads_ * every_second_bit(number >> 1)};
    const int across = quads_ + 1, wide = across + 2; // with a border, for the normals
    std::vector<float> heights(static_cast<std::size_t>(wide) * wide);
    for (int i = 0; i < wide * wide; ++i)
        heights[i] = height(block.x + i % wide - 1, block.z + i / wide - 1);
    const float both_ways = 2 * spacing();
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    std::vector<Vertex> vertices;
    for (int z = 1; z <= across; ++z)
        for (int x = 1; x <= across; ++x) {
            const float *const here = &heights[static_cast<std::size_t>(z) * wide + x];
            const Point normal = demo::normalize({here[-1] - here[1], both_ways, here[-wide] - here[wide]});
            vertices.push_back({*here, static_cast<std::int16_t>(std::lround(32767 * normal[0])),
                                static_cast<std::int16_t>(std::lround(32767 * normal[2]))});
            low = std::min(low, *here);
            high = std::max(high, *here);
        }
    block.box = {{position(block.x), low, position(block.z)},
                 {position(block.x + quads_), high, position(block.z + quads_)}};

    glGenVertexArrays(1, &block.layout);
    glBindVertexArray(block.layout);
    glGenBuffers(1, &block.vertices);
    glBindBuffer(GL_ARRAY_BUFFER, block.vertices);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof vertices[0]), vertices.data(),
                 GL_STATIC_DRAW);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribPointer(1, 2, GL_SHORT, GL_TRUE, sizeof(Vertex), reinterpret_cast<const void *>(sizeof(float)));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_);
    return block;
}

pixMPI_Rect Terrain::draw(const demo::Camera &camera, const demo::Target &target,
                          const std::function<void()> &after_block) const {
    target.clear();
    shader_.set("matrix", camera.matrix()).set("eye", camera.eye());
    shader_.set("across", quads_ + 1).set("spacing", spacing());
    pixMPI_Rect drawn{};
    for (const Block &block : mine_) {
        const pixMPI_Rect seen = camera.seen(block.box);
        if (seen.width == 0 || seen.height == 0)
            continue;
        drawn = demo::around(drawn, seen);
        glBindFramebuffer(GL_FRAMEBUFFER, target.color().framebuffer()); // the library may have been at work
        glViewport(0, 0, target.color().width(), target.color().height());
        glEnable(GL_DEPTH_TEST);
        shader_.set("origin", block.x, block.z);
        glBindVertexArray(block.layout);
        glDrawElements(GL_TRIANGLES, 6 * quads_ * quads_, GL_UNSIGNED_INT, nullptr);
        glDisable(GL_DEPTH_TEST);
        after_block();
    }
    demo::check_gl("drawing the terrain");
    return drawn;
}
