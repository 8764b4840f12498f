#version 450
// Quantised JPEG coefficients become packed pixels, in the integer arithmetic of libjpeg (its "islow" DCT and its
// "fancy" upsampling), bit for bit. In two passes, since chromas between two blocks are made of both: coefficients to
// samples (SAMPLES), samples to pixels.
#ifdef VULKAN
#extension GL_GOOGLE_include_directive : require
#include "jpeg.glsl"
#endif
layout(local_size_x = 8, local_size_y = 8) in;

#define picture sizes[0] // width, height, how many pixels there are, the buffer's first word
#define blocks sizes[1]  // columns and rows of luma's blocks, columns and rows of a chroma's
#define firsts sizes[2]  // the first block of each chroma, all blocks, work groups in a row

int rounded(int value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

#ifdef SAMPLES
// A work group takes 8 blocks, an invocation one of their columns and then one of their rows.
layout(std430, binding = 0) readonly buffer Coefficients { uint coefficients[]; }; // two in a word
layout(std430, binding = 1) writeonly buffer Samples { uint samples[]; };          // as blocks: row of blocks after row
layout(std430, binding = 2) readonly buffer Steps { uint steps[]; };               // 64 of luma, 64 of chroma

shared int numbers[8 * 64];

/// One column or row of a block; columns keep two bits more than they have.
int[8] transform(int s[8], int bits) {
    int t = (s[2] + s[6]) * 4433, c2 = t - s[6] * 15137, c3 = t + s[2] * 6270;
    int c0 = (s[0] + s[4]) << 13, c1 = (s[0] - s[4]) << 13;
    int even[4] = int[4](c0 + c3, c1 + c2, c1 - c2, c0 - c3);
    int z5 = (s[7] + s[3] + s[5] + s[1]) * 9633;
    int z1 = -7373 * (s[7] + s[1]), z2 = -20995 * (s[5] + s[3]);
    int z3 = -16069 * (s[7] + s[3]) + z5, z4 = -3196 * (s[5] + s[1]) + z5;
    int odd[4] = int[4](s[1] * 12299 + z1 + z4, s[3] * 25172 + z2 + z3, s[5] * 16819 + z2 + z4, s[7] * 2446 + z1 + z3);
    int result[8];
    for (int i = 0; i < 4; ++i) {
        result[i] = rounded(even[i] + odd[i], bits);
        result[7 - i] = rounded(even[i] - odd[i], bits);
    }
    return result;
}

void main() {
    uint lane = gl_LocalInvocationIndex, in_group = lane / 8u, line = lane % 8u;
    uint block = (gl_WorkGroupID.x + gl_WorkGroupID.y * firsts.w) * 8u + in_group;
    uint table = block < blocks.x * blocks.y ? 0u : 64u;
    int s[8];
    for (uint i = 0u; i < 8u; ++i) {
        uint at = 8u * i + line;
        uint word = block < firsts.z ? coefficients[block * 32u + at / 2u] : 0u;
        s[i] = bitfieldExtract(int(word), int(at % 2u) * 16, 16) * int(steps[table + at]);
    }
    s = transform(s, 11);
    for (uint i = 0u; i < 8u; ++i)
        numbers[in_group * 64u + 8u * i + line] = s[i];
    barrier();
    for (uint i = 0u; i < 8u; ++i)
        s[i] = numbers[in_group * 64u + 8u * line + i];
    s = transform(s, 18);
    uint bytes[2] = uint[2](0u, 0u);
    for (uint i = 0u; i < 8u; ++i)
        bytes[i / 4u] |= uint(clamp(s[i] + 128, 0, 255)) << i % 4u * 8u;
    if (block < firsts.z) {
        samples[block * 16u + line * 2u] = bytes[0];
        samples[block * 16u + line * 2u + 1u] = bytes[1];
    }
}

#else
// An invocation takes 4 pixels, so that words of the buffer are its own.
layout(std430, binding = 0) readonly buffer Samples { uint samples[]; };
layout(std430, binding = 1) writeonly buffer Pixels { uint words[]; }; // to the end of the last pixel's word

int sample_at(uint first, uint columns, uint x, uint y) {
    uint at = (first + y / 8u * columns + x / 8u) * 64u + y % 8u * 8u + x % 8u;
    return int(samples[at / 4u] >> at % 4u * 8u & 255u);
}

/// A chroma at a pixel: three parts of the nearest sample, one of the next nearest, in each direction.
int chroma(uint first, uint x, uint y) {
    if (ACROSS == 1u)
        return sample_at(first, blocks.z, x, y);
    uint width = (picture.x + 1u) / 2u, near = x / 2u;
    if (width <= 2u) // as libjpeg does
        return sample_at(first, blocks.z, near, y / DOWN);
    uint far = (x & 1u) == 0u ? max(near, 1u) - 1u : min(near + 1u, width - 1u);
    if (DOWN == 1u)
        return (3 * sample_at(first, blocks.z, near, y) + sample_at(first, blocks.z, far, y) + 1 + int(x & 1u)) >> 2;
    uint row = y / 2u, next = (y & 1u) == 0u ? max(row, 1u) - 1u : min(row + 1u, (picture.y + 1u) / 2u - 1u);
    int here = 3 * sample_at(first, blocks.z, near, row) + sample_at(first, blocks.z, near, next);
    int there = 3 * sample_at(first, blocks.z, far, row) + sample_at(first, blocks.z, far, next);
    return (3 * here + there + 8 - int(x & 1u)) >> 4;
}

/// The bytes of a pixel.
uint pixel(uint index) {
    uint x = index % picture.x, y = index / picture.x;
    int luma = sample_at(0u, blocks.x, x, y);
    if (BYTES == 1u)
        return uint(luma);
    int cb = chroma(firsts.x, x, y) - 128, cr = chroma(firsts.y, x, y) - 128;
    ivec3 colour = ivec3(luma + ((91881 * cr + 32768) >> 16), luma + ((-22554 * cb - 46802 * cr + 32768) >> 16),
                         luma + ((116130 * cb + 32768) >> 16));
    uvec3 c = uvec3(clamp(colour, ivec3(0), ivec3(255)));
    if (BLUE_FIRST == 1u)
        c = c.bgr;
    return c.r | c.g << 8 | c.b << 16 | 255u << 24;
}

void main() {
    uint index = ((gl_WorkGroupID.x + gl_WorkGroupID.y * firsts.w) * 64u + gl_LocalInvocationIndex) * 4u;
    if (index >= picture.z)
        return;
    uint some = min(4u, picture.z - index), four[4];
    for (uint i = 0u; i < 4u; ++i)
        four[i] = i < some ? pixel(index + i) : 0u;
    uint at = picture.w + index / 4u * BYTES;
    if (BYTES == 1u) {
        words[at] = four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24;
    } else if (BYTES == 3u) {
        words[at] = (four[0] & 0xffffffu) | four[1] << 24;
        if (some > 1u)
            words[at + 1u] = (four[1] & 0xffffffu) >> 8 | four[2] << 16;
        if (some > 2u)
            words[at + 2u] = (four[2] & 0xffffffu) >> 16 | four[3] << 8;
    } else {
        for (uint i = 0u; i < some; ++i)
            words[at + i] = four[i];
    }
}
#endif
