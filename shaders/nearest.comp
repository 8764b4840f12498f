#version 450
// Colours by depth, from a band in a buffer to planes in two others: core/src/combine/nearest.cpp, bit for bit. An
// invocation for each pixel of a rectangle. For OpenGL the source has the constants, rectangles.glsl and then this
// without its first line. For Vulkan the constants are specialization constants of the pipeline.
#ifdef VULKAN
#extension GL_GOOGLE_include_directive : require
#include "rectangles.glsl"
layout(constant_id = 0) const uint COLOR_WORDS = 1u; // of a pixel
layout(constant_id = 1) const uint DEPTH = 0u;
layout(constant_id = 2) const uint PRESENT_FIRST = 0u;
#endif
// Sizes are pixels; places: of the first colour and the first depth that are there, and of those that come; in words,
// depths of 16 bits in halves of these.
layout(std430, binding = 0) buffer Colors { uint colors[]; };
layout(std430, binding = 1) readonly buffer Band { uint band[]; };
layout(std430, binding = 2) buffer Depths { uint depths[]; };

// DEPTH, as core/src/combine/for_shader.h has it.
const uint UNORM16 = 0u, UNORM24 = 1u, REAL = 2u, REAL_STENCIL = 3u;

/// In the order of depths.
int key(uint bits) {
    if (DEPTH == UNORM16)
        return int(bits);
    if (DEPTH == UNORM24)
        return int(bits >> 8);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fffffff;
    return (bits >> 31) != 0u ? -1 - int(bits & 0x7fffffffu) : int(bits);
}

uint half_of(uint word, uint at) { return word >> (at & 1u) * 16u & 0xffffu; }

void main() {
    Part part = find_part(1u);
    if (!part.some)
        return;
    uint pixel = part.row * part.sizes.z + part.column, depth_words = DEPTH == REAL_STENCIL ? 2u : 1u;
    uint here = part.places.y + pixel * depth_words, there = part.places.w + part.at * depth_words;
    uint old, come;
    if (DEPTH == UNORM16) {
        old = half_of(depths[here / 2u], here);
        come = half_of(band[there / 2u], there);
    } else {
        old = depths[here];
        come = band[there];
    }
    if (PRESENT_FIRST != 0u ? key(come) >= key(old) : key(come) > key(old))
        return;
    if (DEPTH == UNORM16) // the word's other half is another invocation's
        atomicXor(depths[here / 2u], (old ^ come) << (here & 1u) * 16u);
    else
        depths[here] = come;
    if (DEPTH == REAL_STENCIL)
        depths[here + 1u] = band[there + 1u];
    for (uint k = 0u; k < COLOR_WORDS; ++k)
        colors[part.places.x + pixel * COLOR_WORDS + k] = band[part.places.z + part.at * COLOR_WORDS + k];
}
