#version 450
// Packed pixels become quantised JPEG coefficients: colour conversion, subsampling, DCT and quantisation, in the
// integer arithmetic of libjpeg (its "islow"), bit for bit, so that a stream is the same wherever it is made. What is
// left is entropy coding (jpeg_entropy.comp).
//
// A work group takes 16 x 16 pixels: 4 blocks of luma and 8, 4 or 2 of chroma. Pixels and blocks beyond the picture
// repeat its last column and row; those that the grid (JpegGrid) has no place for are left out.
//
// The DCT is that of C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical fast 1-D DCT algorithms with 11
// multiplications", ICASSP 1989.
#ifdef VULKAN
#extension GL_GOOGLE_include_directive : require
#include "jpeg.glsl"
#endif
layout(local_size_x = 8, local_size_y = 8) in;

#define picture sizes[0] // width, height, how many pixels there are, the buffer's first word
#define blocks sizes[1]  // columns and rows of luma's blocks, columns and rows of a chroma's
#define firsts sizes[2]  // the first block of each chroma

layout(std430, binding = 0) readonly buffer Pixels { uint words[]; };
layout(std430, binding = 1) writeonly buffer Coefficients { uint coefficients[]; }; // two in a word
layout(std430, binding = 2) readonly buffer Steps { uint steps[]; };               // 64 of luma, 64 of chroma

const bool grey = BYTES == 1u;
const uint across = 2u / ACROSS, down = 2u / DOWN; // blocks of a chroma in a tile
const uint chromas = across * down;
const uint count = grey ? 4u : 4u + 2u * chromas; // blocks in a tile

shared int planes[3 * 256];
shared int numbers[12 * 64];

uint byte_at(uint at) { return words[picture.w + at / 4u] >> (at % 4u) * 8u & 255u; }

/// Red, green and blue of the pixel at (x, y), or of the nearest one that there is.
ivec3 pixel(uint x, uint y) {
    uint index = min(y, picture.y - 1u) * picture.x + min(x, picture.x - 1u);
    index -= index < picture.z ? 0u : picture.x; // the last row may be short
    if (grey)
        return ivec3(byte_at(index));
    ivec3 colour;
    if (BYTES == 4u) {
        uint word = words[picture.w + index];
        colour = ivec3(word & 255u, word >> 8 & 255u, word >> 16 & 255u);
    } else {
        colour = ivec3(byte_at(3u * index), byte_at(3u * index + 1u), byte_at(3u * index + 2u));
    }
    return BLUE_FIRST == 1u ? colour.bgr : colour;
}

/// The tile's pixels as Y, Cb and Cr, 0 to 255.
void convert(uint lane, uvec2 corner) {
    for (uint i = lane; i < 256u; i += 64u) {
        ivec3 c = pixel(corner.x + i % 16u, corner.y + i / 16u);
        if (grey) {
            planes[i] = c.r;
            continue;
        }
        planes[i] = (19595 * c.r + 38470 * c.g + 7471 * c.b + 32768) >> 16;
        planes[256u + i] = (-11059 * c.r - 21709 * c.g + 32768 * c.b + (128 << 16) + 32767) >> 16;
        planes[512u + i] = (32768 * c.r - 27439 * c.g - 5329 * c.b + (128 << 16) + 32767) >> 16;
    }
}

/// A chroma at (x, y) of the subsampled tile: the mean of its pixels, halves rounded down and up alternately.
int chroma(uint plane, uint x, uint y, uint top) {
    y = min(y, (picture.y + DOWN - 1u) / DOWN - 1u - top / DOWN);
    uint at = plane * 256u + y * DOWN * 16u + x * ACROSS;
    if (DOWN == 2u)
        return (planes[at] + planes[at + 1u] + planes[at + 16u] + planes[at + 17u] + 1 + int(x & 1u)) >> 2;
    if (ACROSS == 2u)
        return (planes[at] + planes[at + 1u] + int(x & 1u)) >> 1;
    return planes[at];
}

/// Which samples a block has, around 0.
void divide(uint lane, uint top) {
    for (uint i = lane; i < count * 64u; i += 64u) {
        uint block = i / 64u, x = i % 8u, y = i / 8u % 8u;
        if (block < 4u) {
            numbers[i] = planes[(block / 2u * 8u + y) * 16u + block % 2u * 8u + x] - 128;
        } else {
            uint chroma_block = (block - 4u) % chromas, plane = 1u + (block - 4u) / chromas;
            numbers[i] =
                chroma(plane, chroma_block % across * 8u + x, chroma_block / across * 8u + y, top) - 128;
        }
    }
}

int rounded(int value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

/// One row or column of a block, in place. Rows keep two bits more than they have, columns give them back; the result
/// is 8 times the DCT.
void transform(uint first, uint stride, bool rows) {
    int s[8];
    for (uint i = 0u; i < 8u; ++i)
        s[i] = numbers[first + i * stride];
    int bits = rows ? 11 : 15;
    int a0 = s[0] + s[7], a1 = s[1] + s[6], a2 = s[2] + s[5], a3 = s[3] + s[4];
    int b0 = s[3] - s[4], b1 = s[2] - s[5], b2 = s[1] - s[6], b3 = s[0] - s[7];
    int even = a0 + a3, odd = a1 + a2, c2 = a1 - a2, c3 = a0 - a3;
    int t = (c2 + c3) * 4433;
    numbers[first] = rows ? (even + odd) << 2 : rounded(even + odd, 2);
    numbers[first + 4u * stride] = rows ? (even - odd) << 2 : rounded(even - odd, 2);
    numbers[first + 2u * stride] = rounded(t + c3 * 6270, bits);
    numbers[first + 6u * stride] = rounded(t - c2 * 15137, bits);
    int z5 = (b0 + b2 + b1 + b3) * 9633;
    int z1 = -7373 * (b0 + b3), z2 = -20995 * (b1 + b2), z3 = -16069 * (b0 + b2) + z5, z4 = -3196 * (b1 + b3) + z5;
    numbers[first + 7u * stride] = rounded(b0 * 2446 + z1 + z3, bits);
    numbers[first + 5u * stride] = rounded(b1 * 16819 + z2 + z4, bits);
    numbers[first + 3u * stride] = rounded(b2 * 25172 + z2 + z3, bits);
    numbers[first + stride] = rounded(b3 * 12299 + z1 + z4, bits);
}

uint quantised(uint i, uint table) {
    int value = numbers[i], by = int(steps[table + i % 64u]) * 8;
    int size = (abs(value) + by / 2) / by;
    return uint(value < 0 ? -size : size) & 0xffffu;
}

void store(uint lane) {
    uvec2 tile = gl_WorkGroupID.xy;
    for (uint i = lane; i < count * 32u; i += 64u) {
        uint block = i / 32u, first = 0u, table = 0u;
        uvec2 grid = blocks.xy, at = tile * 2u + uvec2(block % 2u, block / 2u);
        if (block >= 4u) {
            uint chroma_block = (block - 4u) % chromas;
            grid = blocks.zw;
            at = tile * uvec2(across, down) + uvec2(chroma_block % across, chroma_block / across);
            first = (block - 4u) / chromas == 0u ? firsts.x : firsts.y;
            table = 64u;
        }
        if (at.x < grid.x && at.y < grid.y)
            coefficients[(first + at.y * grid.x + at.x) * 32u + i % 32u] =
                quantised(2u * i, table) | quantised(2u * i + 1u, table) << 16;
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uvec2 corner = gl_WorkGroupID.xy * 16u;
    convert(lane, corner);
    barrier();
    divide(lane, corner.y);
    barrier();
    for (uint i = lane; i < count * 8u; i += 64u)
        transform(i * 8u, 1u, true);
    barrier();
    for (uint i = lane; i < count * 8u; i += 64u)
        transform(i / 8u * 64u + i % 8u, 8u, false);
    barrier();
    store(lane);
}
