#version 450
// Moves pixels between an image of plain integers and a buffer in which they lie packed. A unit of work is a patch of
// 256 pixels, or words of several pixels, 2^k wide and 2^(8-k) high: 32 invocations move it, 8 each, all loads before all
// stores. Patches
// of 16x16 let neighbouring invocations share what image memory is read and written in (pairs of rows of 16 bytes), and
// measured no slower than accesses of 16 bytes each.
//
// A piece is as many patches as cover it (core/src/worklist.h): rows that lie behind each other in the buffer, each shifted
// and longer than the one before by the same amount; so rectangles, triangles, diagonals, strided rows and columns are one.
//
// For OpenGL, whose source begins behind the first line, and for Vulkan. BYTES: of a pixel, 1, 2, 4, 8 or 16. FORMAT: of the
// image. PACK: from the image to the buffer. FETCH: from an image that can be sampled only. HALVES: two words are four
// channels of 16 bits.
#ifdef FETCH
#extension GL_EXT_samplerless_texture_functions : require
#endif
layout(local_size_x = 256) in;

#ifdef VULKAN
layout(push_constant) uniform Sizes {
    uvec4 sizes, only_a, only_b;
};
#define IMAGE 3
#else
// Units; the buffer's first word, or first pixel when there are several in a word; workgroups in a row; which piece a unit
// is of: 0: the only one, 1: the unit's own, 2: owners[unit].
layout(location = 0) uniform uvec4 sizes;
layout(location = 1) uniform uvec4 only_a;
layout(location = 2) uniform uvec4 only_b;
#define IMAGE 0
#endif
layout(std430, binding = 0) readonly buffer Pieces { uvec4 pieces[]; }; // two for each
layout(std430, binding = 1) buffer Band { uint words[]; };
layout(std430, binding = 2) readonly buffer Owners { uint owners[]; };
#ifdef FETCH
layout(binding = 4) uniform utexture2D pixels;
#define LOAD(at) texelFetch(pixels, at, 0)
#elif defined(PACK)
layout(FORMAT, binding = IMAGE) readonly uniform uimage2D pixels;
#define LOAD(at) imageLoad(pixels, at)
#else
layout(FORMAT, binding = IMAGE) writeonly uniform uimage2D pixels;
#endif

#ifndef AT_ONCE // turns of the 32 invocations, of 8, whose loads come before their stores
#if BYTES < 4
#define AT_ONCE (2u * uint(BYTES))
#else
#define AT_ONCE 8u
#endif
#endif

#if BYTES < 4
const uint in_word = 4u / uint(BYTES), pixel_bits = uint(BYTES) * 8u, pixel_mask = (1u << pixel_bits) - 1u;
#else
const uint in_word = 1u;
#endif

/// The patch of these 32 invocations.
struct Patch {
    ivec2 corner, step; // of the piece's first row, and from row to row
    uint width, at;     // of its first row, pixels
    int growth;         // of the width, from row to row
    uint rows, shift, left, top;
};

Patch patch_of(uint unit) {
    uvec4 a = only_a, b = only_b;
    if (sizes.w != 0u) {
        uint piece = sizes.w == 1u ? unit : owners[unit];
        a = pieces[2u * piece];
        b = pieces[2u * piece + 1u];
    }
    uint inside = unit - a.w, columns = b.z & 0xffffffu;
    Patch p;
    p.corner = ivec2(a.x & 0xffffu, a.x >> 16);
    p.step = ivec2(bitfieldExtract(int(b.y), 0, 16), int(b.w));
    p.width = a.y;
    p.at = a.z;
    p.growth = int(b.y) >> 16;
    p.rows = b.x;
    p.shift = b.z >> 24;
    p.left = (inside % columns) << p.shift;
    p.top = (inside / columns) << (8u - p.shift);
    return p;
}

/// One word of the buffer, and which pixels it has: of one row, `count` of them, none when there is nothing to do.
struct Word {
    uint index, skipped, count; // pixels of the word that belong to other rows, and ours
    ivec2 from;
};

Word word_of(Patch p, uint turn) {
    uint i = turn * 32u + gl_LocalInvocationIndex % 32u;
    uint column = p.left + (i & ((1u << p.shift) - 1u)), row = p.top + (i >> p.shift);
    uint width = p.width + row * uint(p.growth);
    uint at = p.at + row * p.width + uint(p.growth) * (row * (row - 1u) / 2u);
    Word w;
    w.from = p.corner + int(row) * p.step;
#if BYTES < 4
    at += sizes.y;
    w.index = at / in_word + column;
    uint first = max(at, w.index * in_word), end = min(at + width, (w.index + 1u) * in_word);
    w.skipped = first % in_word;
    w.count = row < p.rows && first < end ? end - first : 0u;
    w.from.x += int(first - at);
#else
    w.index = sizes.y + (at + column) * (uint(BYTES) / 4u);
    w.skipped = 0u;
    w.count = row < p.rows && column < width ? 1u : 0u;
    w.from.x += int(column);
#endif
    return w;
}

#ifdef PACK
uvec4 load(Word w) {
#if BYTES < 4
    uint value = 0u;
    for (uint k = 0u; k < in_word; ++k)
        if (k < w.count)
            value |= (LOAD(w.from + ivec2(k, 0)).x & pixel_mask) << (w.skipped + k) * pixel_bits;
    return uvec4(value);
#else
    return w.count != 0u ? LOAD(w.from) : uvec4(0u);
#endif
}

void store(Word w, uvec4 value) {
    if (w.count == 0u)
        return;
#if BYTES < 4
    if (w.count < in_word) { // the others are written by other invocations at the same time, or belong to nobody
        uint mask = ((1u << w.count * pixel_bits) - 1u) << w.skipped * pixel_bits;
        atomicAnd(words[w.index], ~mask);
        atomicOr(words[w.index], value.x);
        return;
    }
#endif
#ifdef HALVES
    value.xy = uvec2(value.x | value.y << 16u, value.z | value.w << 16u);
#endif
    words[w.index] = value.x;
#if BYTES > 4
    words[w.index + 1u] = value.y;
#endif
#if BYTES > 8
    words[w.index + 2u] = value.z;
    words[w.index + 3u] = value.w;
#endif
}
#else
uvec4 load(Word w) {
    uvec4 value = uvec4(0u);
    if (w.count == 0u)
        return value;
    value.x = words[w.index];
#if BYTES > 4
    value.y = words[w.index + 1u];
#endif
#if BYTES > 8
    value.z = words[w.index + 2u];
    value.w = words[w.index + 3u];
#endif
#ifdef HALVES
    value = uvec4(value.x & 0xffffu, value.x >> 16u, value.y & 0xffffu, value.y >> 16u);
#endif
    return value;
}

void store(Word w, uvec4 value) {
#if BYTES < 4
    for (uint k = 0u; k < in_word; ++k)
        if (k < w.count)
            imageStore(pixels, w.from + ivec2(k, 0), uvec4(value.x >> (w.skipped + k) * pixel_bits & pixel_mask));
#else
    if (w.count != 0u)
        imageStore(pixels, w.from, value);
#endif
}
#endif

void main() {
    uint unit = (gl_WorkGroupID.x + gl_WorkGroupID.y * sizes.z) * 8u + gl_LocalInvocationIndex / 32u;
    if (unit >= sizes.x)
        return;
    Patch p = patch_of(unit);
    for (uint first = 0u; first < 8u; first += AT_ONCE) {
        uvec4 values[AT_ONCE];
        for (uint i = 0u; i < AT_ONCE; ++i)
            values[i] = load(word_of(p, first + i));
        for (uint i = 0u; i < AT_ONCE; ++i)
            store(word_of(p, first + i), values[i]);
    }
}
