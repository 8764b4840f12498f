#version 450
// Moves pixels between an image of plain integers and a buffer where they lie packed. A unit of work is a patch of 256
// pixels, or of words of several pixels: 32 invocations, 2^k wide and 2^(5-k) high, move it in 8 turns, each further down
// or further to the right than the one before, all loads before all stores. Patches of 8x32 where the image is written, of
// 32x8 where the buffer is, let neighbouring invocations share what memory is written in, and measured no slower than
// accesses of 16 bytes each. Little is computed for a pixel: on an H200, 30 operations each took longer than the memory does.
//
// A piece is covered by patches (core/src/region/worklist_units.h). It has rows that lie behind each other in the
// buffer, each shifted and longer than the one before by the same amount; so rectangles, triangles, diagonals, strided
// rows and columns are one.
//
// For OpenGL (the source begins behind the first line) and for Vulkan. BYTES: of a pixel, 1, 2, 4, 8 or 16. FORMAT: of
// the image. PACK: from the image to the buffer. FETCH: from an image that can be sampled only; DEPTH: likewise, from
// depths, of 4 bytes (floats) or, for OpenGL, 2 a pixel. BUFFER: rows of another buffer are in the place of the image.
// LAID: pixels do not lie packed in the buffer but in rows, as in the image, for Vulkan and 4 bytes and more.
// COMBINE: from the buffer to the image, together with what is there (combine.glsl; with USER, user_pixels.glsl, which
// stands before this); ONTO: with what is in a second image. COPY: from a second image instead of the buffer, `shift`
// further, for Vulkan. FLAG: the last workgroup writes a word when all is over, for OpenGL. HALVES: two words are four
// channels of 16 bits.
#if defined(FETCH) || (defined(DEPTH) && defined(VULKAN))
#extension GL_EXT_samplerless_texture_functions : require
#endif
#if defined(COMBINE) && defined(VULKAN) && !defined(USER)
#extension GL_GOOGLE_include_directive : require
#include "combine.glsl"
#endif
layout(local_size_x = 256) in;

#ifdef VULKAN
layout(push_constant) uniform Sizes {
    uvec4 sizes, only_a, only_b;
#if defined(BUFFER) || defined(LAID)
    // The first byte, of the other buffer or of what lies as pixel (0, 0); bytes from row to row.
    uvec2 place;
#elif defined(COPY)
    ivec2 shift;
#endif
};
#define IMAGE 4
#define BASE 6
#else
// Units; the buffer's first word, or first pixel when there are several in a word; workgroups in a row; which piece a unit
// is of: 0: only_a and only_b, 1: the unit's own, 2: owners[unit].
layout(location = 0) uniform uvec4 sizes;
layout(location = 1) uniform uvec4 only_a;
layout(location = 2) uniform uvec4 only_b;
#ifdef BUFFER
// Of the other buffer's pixels: the first byte, and bytes from row to row.
layout(location = 4) uniform uvec2 place;
#endif
#ifdef FLAG
layout(location = 5) uniform uvec3 flag; // workgroups of the dispatch; where the last one writes, and what
layout(std430, binding = 4) volatile buffer Flags { uint flags[]; };
layout(std430, binding = 5) coherent buffer Counts { uint counts[]; };
#endif
#define IMAGE 0
#define BASE 1
#endif
layout(std430, binding = 0) readonly buffer Pieces { uvec4 pieces[]; }; // two for each
#ifdef FLAG
#define SHOWN coherent
#else
#define SHOWN
#endif
layout(std430, binding = 1) SHOWN buffer Band { uint words[]; };
layout(std430, binding = 2) readonly buffer Owners { uint owners[]; };
#ifdef BUFFER
layout(std430, binding = 3) buffer Pixels { uint there[]; };
uint byte_of(ivec2 at) { return place.x + uint(at.y) * place.y + uint(at.x) * uint(BYTES); }
uvec4 load_pixel(ivec2 at) {
    uint byte = byte_of(at), k = byte / 4u;
#if BYTES < 4
    return uvec4(there[k] >> byte % 4u * 8u);
#elif BYTES == 4
    return uvec4(there[k]);
#elif BYTES == 8
    return uvec4(there[k], there[k + 1u], 0u, 0u);
#else
    return uvec4(there[k], there[k + 1u], there[k + 2u], there[k + 3u]);
#endif
}
void store_pixel(ivec2 at, uvec4 value) {
    uint byte = byte_of(at), k = byte / 4u;
#if BYTES < 4 // the word's other pixels are other invocations', or no pixels of the band
    uint shift = byte % 4u * 8u;
    atomicAnd(there[k], ~(((1u << uint(BYTES) * 8u) - 1u) << shift));
    atomicOr(there[k], value.x << shift);
#else
    there[k] = value.x;
#endif
#if BYTES > 4
    there[k + 1u] = value.y;
#endif
#if BYTES > 8
    there[k + 2u] = value.z;
    there[k + 3u] = value.w;
#endif
}
#define LOAD(at) load_pixel(at)
#define STORE(at, value) store_pixel(at, value)
#elif defined(FETCH)
layout(binding = 5) uniform utexture2D pixels;
#define LOAD(at) texelFetch(pixels, at, 0)
#elif defined(DEPTH)
#ifdef VULKAN
layout(binding = 5) uniform texture2D pixels;
#else
layout(location = 3) uniform sampler2D pixels;
#endif
#if BYTES == 2
#define LOAD(at) uvec4(uint(texelFetch(pixels, at, 0).x * 65535.0 + 0.5))
#else
#define LOAD(at) uvec4(floatBitsToUint(texelFetch(pixels, at, 0).x))
#endif
#elif defined(PACK)
layout(FORMAT, binding = IMAGE) readonly uniform uimage2D pixels;
#define LOAD(at) imageLoad(pixels, at)
#elif defined(COMBINE) && defined(ONTO)
layout(FORMAT, binding = IMAGE) SHOWN writeonly uniform uimage2D pixels;
layout(FORMAT, binding = BASE) readonly uniform uimage2D base;
#define LOAD(at) imageLoad(base, at)
#elif defined(COMBINE)
layout(FORMAT, binding = IMAGE) SHOWN uniform uimage2D pixels;
#define LOAD(at) imageLoad(pixels, at)
#elif defined(COPY)
layout(FORMAT, binding = IMAGE) SHOWN writeonly uniform uimage2D pixels;
layout(FORMAT, binding = BASE) readonly uniform uimage2D base;
#define LOAD(at) imageLoad(base, (at) + shift)
#else
layout(FORMAT, binding = IMAGE) SHOWN writeonly uniform uimage2D pixels;
#endif
#ifndef STORE
#define STORE(at, value) imageStore(pixels, at, value)
#endif

#ifndef AT_ONCE // turns of the 32 invocations, of 8, with all loads before their stores
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

/// Where an invocation is in its patch, and how it goes on from turn to turn.
struct Walk {
    ivec2 from, from_step;
    uint row, row_step, column, column_step;
    uint at, at_step, at_growth; // packed index; its step grows
    int room, room_step;         // rows, or pixels of the row, that are left
    int slack, slack_step;       // pixels of the row from here on
    uint rows, width, growth;    // of the piece, of its first row
};

Walk begin(uint unit) {
    uvec4 a = only_a, b = only_b;
    if (sizes.w != 0u) {
        uint piece = sizes.w == 1u ? unit : owners[unit];
        a = pieces[2u * piece];
        b = pieces[2u * piece + 1u];
    }
    uint inside = unit - a.w, columns = b.z & 0xffffffu, shift = b.z >> 24 & 7u, lane = gl_LocalInvocationIndex % 32u;
    bool right = b.z >> 31 != 0u;
    ivec2 step = ivec2(bitfieldExtract(int(b.y), 0, 16), int(b.w));
    Walk w;
    w.rows = b.x;
    w.growth = uint(int(b.y) >> 16);
    w.row = ((inside / columns) << ((right ? 5u : 8u) - shift)) + (lane >> shift);
    w.column = ((inside % columns) << ((right ? 3u : 0u) + shift)) + (lane & ((1u << shift) - 1u));
    w.row_step = right ? 0u : 32u >> shift;
    w.column_step = right ? 1u << shift : 0u;
    w.width = a.y;
    uint width = a.y + w.row * w.growth;
    w.at = a.z + w.row * a.y + w.growth * (w.row * (w.row - 1u) / 2u);
    w.from = ivec2(a.x & 0xffffu, a.x >> 16) + int(w.row) * step;
#if BYTES >= 4
    w.at += w.column;
    w.from.x += int(w.column);
#endif
    w.from_step = int(w.row_step) * step + ivec2(w.column_step, 0);
    w.at_step = w.row_step * width + w.growth * (w.row_step * (w.row_step - 1u) / 2u) + w.column_step;
    w.at_growth = w.row_step * w.row_step * w.growth;
    w.slack = int(width - w.column);
    w.slack_step = int(w.row_step * w.growth);
    w.room = right ? w.row < w.rows ? w.slack : 0 : int(w.rows - w.row);
    w.room_step = int(w.row_step + w.column_step);
    return w;
}

/// One word of the buffer, or the words of one pixel, and which pixels it has: of one row, `count` of them, none when there
/// is nothing to do.
struct Word {
    uint index, skipped, count; // pixels of the word that belong to other rows, and ours
    ivec2 from;
};

Word next(inout Walk walk) {
    Word w;
    w.from = walk.from;
#if BYTES < 4
    uint width = walk.width + walk.row * walk.growth, at = sizes.y + walk.at; // of the row
    w.index = at / in_word + walk.column;
    uint first = max(at, w.index * in_word), end = min(at + width, (w.index + 1u) * in_word);
    w.skipped = first % in_word;
    w.count = walk.row < walk.rows && first < end ? end - first : 0u;
    w.from.x += int(first - at);
    if (walk.row_step == 0u) {
        walk.column += walk.column_step;
        return w;
    }
    walk.row += walk.row_step;
    walk.from += walk.from_step;
    walk.at += walk.at_step;
    walk.at_step += walk.at_growth;
#else
#ifdef LAID
    w.index = (place.x + uint(walk.from.y) * place.y + uint(walk.from.x) * uint(BYTES)) / 4u;
#else
    w.index = sizes.y + walk.at * (uint(BYTES) / 4u);
#endif
    w.skipped = 0u;
    w.count = min(walk.room, walk.slack) > 0 ? 1u : 0u;
    walk.slack += walk.slack_step;
    walk.room -= walk.room_step;
    walk.from += walk.from_step;
    walk.at += walk.at_step;
    walk.at_step += walk.at_growth;
#endif
    return w;
}

#ifdef LOAD
/// Words as they lie in the buffer.
uvec4 load_image(Word w) {
#if BYTES < 4
    uint value = 0u;
    for (uint k = 0u; k < in_word; ++k)
        if (k < w.count)
            value |= (LOAD(w.from + ivec2(k, 0)).x & pixel_mask) << (w.skipped + k) * pixel_bits;
    return uvec4(value);
#else
    uvec4 value = w.count != 0u ? LOAD(w.from) : uvec4(0u);
#ifdef HALVES
    value.xy = uvec2(value.x | value.y << 16u, value.z | value.w << 16u);
#endif
    return value;
#endif
}
#endif

#ifdef PACK
void store_words(Word w, uvec4 value) {
    if (w.count == 0u)
        return;
#if BYTES < 4
    if (w.count < in_word) { // other invocations write the others at the same time, or they are not of the band
        uint mask = ((1u << w.count * pixel_bits) - 1u) << w.skipped * pixel_bits;
        atomicAnd(words[w.index], ~mask);
        atomicOr(words[w.index], value.x);
        return;
    }
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
uvec4 load_words(Word w) {
    // An invocation without work loads the band's first word: with a branch here NVIDIA's OpenGL takes 217 us for
    // 8192x8192 instead of 130.
    uint index = w.count != 0u ? w.index : sizes.y / in_word;
    uvec4 value = uvec4(words[index], 0u, 0u, 0u);
#if BYTES > 4
    value.y = words[index + 1u];
#endif
#if BYTES > 8
    value.z = words[index + 2u];
    value.w = words[index + 3u];
#endif
    return value;
}

void store_image(Word w, uvec4 value) {
#ifdef HALVES
    value = uvec4(value.x & 0xffffu, value.x >> 16u, value.y & 0xffffu, value.y >> 16u);
#endif
#if BYTES < 4
    for (uint k = 0u; k < in_word; ++k)
        if (k < w.count)
            STORE(w.from + ivec2(k, 0), uvec4(value.x >> (w.skipped + k) * pixel_bits & pixel_mask));
#else
    if (w.count != 0u)
        STORE(w.from, value);
#endif
}
#endif

#if defined(PACK)
#define TAKE(w) load_image(w)
#define PUT store_words
#elif defined(COMBINE)
uvec4 combined(Word w) { return combine(load_image(w), load_words(w)); }
#define TAKE(w) combined(w)
#define PUT store_image
#elif defined(COPY)
#define TAKE(w) load_image(w)
#define PUT store_image
#else
#define TAKE(w) load_words(w)
#define PUT store_image
#endif

void move_unit() {
    uint unit = (gl_WorkGroupID.x + gl_WorkGroupID.y * sizes.z) * 8u + gl_LocalInvocationIndex / 32u;
    if (unit >= sizes.x)
        return;
    Walk loads = begin(unit), stores = loads;
    for (uint turn = 0u; turn < 8u; turn += AT_ONCE) {
        uvec4 values[AT_ONCE];
        for (uint i = 0u; i < AT_ONCE; ++i)
            values[i] = TAKE(next(loads));
        for (uint i = 0u; i < AT_ONCE; ++i)
            PUT(next(stores), values[i]);
    }
}

void main() {
    move_unit();
#ifdef FLAG
    memoryBarrier();
    barrier();
    if (gl_LocalInvocationIndex == 0u && atomicAdd(counts[flag.y], 1u) == flag.x - 1u) {
        counts[flag.y] = 0u;
        memoryBarrier();
        flags[flag.y] = flag.z;
    }
#endif
}
