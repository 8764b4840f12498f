#version 450
// Combines pixels of a band with those in a buffer (combine.glsl; with USER, user_pixels.glsl, which stands before it).
// An invocation for each group of pixels that are WORDS whole words together. Rows may begin and end at any byte, in
// the buffer and in the band: a group's words are put together from those that it touches. Bytes next to a row belong
// to other groups, which may write them at the same time.
//
// For OpenGL the source has the constants, numbers.glsl, combine.glsl and rectangles.glsl before this without its first
// line. For Vulkan the constants are specialization constants of the pipeline. BYTES: 16; with USER, of a pixel.
#if defined(VULKAN) && !defined(USER)
#extension GL_GOOGLE_include_directive : require
#include "combine.glsl"
#include "rectangles.glsl"
#endif
#ifndef WORDS
layout(constant_id = 3) const uint WORDS = 1u; // group_words() of core/src/combine/for_shader.h
#endif

// Sizes are bytes; places: the first byte in the buffer, in the band.
layout(std430, binding = 0) buffer Pixels { uint pixels[]; };
layout(std430, binding = 1) readonly buffer Band { uint words[]; };

const uint GROUP = 4u * WORDS;

/// The words that begin at byte `at` of these.
uvec4 words_at(uint all[5], uint at) {
    uint down = at % 4u * 8u;
    uvec4 even = uvec4(all[0], all[1], all[2], all[3]);
    return down == 0u ? even : even >> down | uvec4(all[1], all[2], all[3], all[4]) << (32u - down);
}

/// Flips bits of the `count` bytes from `here` on, and of no others.
void flip(uint here, uint count, uvec4 bits) {
    uint first = here / 4u, skipped = here % 4u, up = 8u * skipped, end = skipped + count;
    uvec4 low = bits << up, high = up == 0u ? uvec4(0u) : bits >> (32u - up);
    uint parts[5] = uint[5](low.x, low.y | high.x, low.z | high.y, low.w | high.z, high.w);
    for (uint k = 0u; 4u * k < end; ++k) {
        uint from = max(4u * k, skipped), to = min(4u * k + 4u, end);
        uint mask = 0xffffffffu >> (32u - 8u * (to - from)) << 8u * (from - 4u * k);
        atomicXor(pixels[first + k], parts[k] & mask);
    }
}

void main() {
    Part part = find_part(GROUP);
    if (!part.some)
        return;
    uint count = min(GROUP, min(part.sizes.y - part.column, part.sizes.x - part.at));
    uint here = part.places.x + part.row * part.sizes.z + part.column, there = part.places.y + part.at;
    uint last_here = (here + count - 1u) / 4u, last_there = (there + count - 1u) / 4u; // there may be no memory behind
    uint present[5] = uint[5](0u, 0u, 0u, 0u, 0u), incoming[5] = present;
    for (uint k = 0u; k < WORDS; ++k) {
        present[k] = pixels[min(here / 4u + k, last_here)];
        incoming[k] = words[min(there / 4u + k, last_there)];
    }
    if (here % 4u != 0u)
        present[WORDS] = pixels[last_here];
    if (there % 4u != 0u)
        incoming[WORDS] = words[last_there];
    uvec4 before = words_at(present, here), result = combine(before, words_at(incoming, there));
    if (here % 4u != 0u || count < GROUP) {
        flip(here, count, before ^ result);
        return;
    }
    for (uint k = 0u; k < WORDS; ++k)
        pixels[here / 4u + k] = result[k];
}
