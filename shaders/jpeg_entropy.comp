#version 450
// Quantised JPEG coefficients become restart intervals: Huffman codes of the tables that encoders use who look for no
// better ones, bytes of 255 followed by one of 0, and the marker behind the interval. An invocation codes an interval
// into its own part of the memory; jpeg_join.comp joins the intervals.
//
// Blocks that fill up the picture's last units have only the mean of the block before: libjpeg's streams, bit for bit.
#ifdef VULKAN
#extension GL_GOOGLE_include_directive : require
#include "jpeg.glsl"
#endif
layout(local_size_x = 32) in;

#define blocks sizes[0]    // columns and rows of luma that lie in the picture; columns of luma, and of a chroma, in all
#define firsts sizes[1]    // the first block of each chroma, the first part's word, words of a part
#define intervals sizes[2] // units in a row, units in all, units in an interval

layout(std430, binding = 0) readonly buffer Coefficients { uint coefficients[]; }; // two in a word
/// How many bytes each interval has, all bits for one that does not fit into its part; then the parts.
layout(std430, binding = 1) writeonly buffer Parts { uint parts[]; };
/// 64 places of coefficients in the order of the stream; for luma and then for chroma 16 codes of differences between
/// means, by their bits; the same, 256 codes of coefficients, by zeros before and bits. A code has its length in the
/// upper half; a length of 0: there is none.
layout(std430, binding = 2) readonly buffer Tables { uint steps[128], order[64], means[32], codes[512]; };

const uint last_in_order = 63u, sixteen_zeros = 0xf0u, end_of_block = 0u;

uint first_word;              // of the part
uint held = 0u, in_hand = 0u; // bits that make no byte yet
uint word = 0u, bytes = 0u;   // of the part: bytes that make no word yet, all bytes
bool failed = false;          // a coefficient is none that a stream can have

void put_byte(uint value) {
    word |= value << bytes % 4u * 8u;
    ++bytes;
    if (bytes % 4u == 0u) {
        if (bytes <= firsts.w * 4u)
            parts[first_word + bytes / 4u - 1u] = word;
        word = 0u;
    }
}

/// 16 bits at most.
void put(uint value, uint count) {
    held = held << count | value;
    in_hand += count;
    while (in_hand >= 8u) {
        in_hand -= 8u;
        uint byte = held >> in_hand & 255u;
        put_byte(byte);
        if (byte == 255u)
            put_byte(0u);
    }
}

void put_code(uint code) {
    failed = failed || code >> 16 == 0u;
    put(code & 0xffffu, code >> 16);
}

uint bits_of(int value) { return uint(findMSB(uint(abs(value))) + 1); }
/// Negative numbers are one less, so that the first bit tells them.
void put_number(int value, uint bits) { put(uint(value < 0 ? value - 1 : value) & (1u << bits) - 1u, bits); }

int coefficient(uint block, uint i) {
    return bitfieldExtract(int(coefficients[block * 32u + i / 2u]), int(i % 2u) * 16, 16);
}

void put_mean(uint table, int difference) {
    uint bits = bits_of(difference);
    failed = failed || bits > 15u;
    put_code(means[table * 16u + min(bits, 15u)]);
    put_number(difference, min(bits, 15u));
}

void put_block(uint table, uint block) {
    uint zeros = 0u;
    for (uint k = 1u; k <= last_in_order; ++k) {
        int value = coefficient(block, order[k]);
        if (value == 0) {
            ++zeros;
            continue;
        }
        for (; zeros > 15u; zeros -= 16u)
            put_code(codes[table * 256u + sixteen_zeros]);
        uint bits = bits_of(value);
        failed = failed || bits > 15u;
        bits = min(bits, 15u);
        put_code(codes[table * 256u + zeros * 16u + bits]);
        put_number(value, bits);
        zeros = 0u;
    }
    if (zeros > 0u)
        put_code(codes[table * 256u + end_of_block]);
}

void put_luma(uvec2 unit, inout int mean) {
    for (uint k = 0u; k < ACROSS * DOWN; ++k) {
        uvec2 at = unit * uvec2(ACROSS, DOWN) + uvec2(k % ACROSS, k / ACROSS);
        if (at.x < blocks.x && at.y < blocks.y) {
            uint block = at.y * blocks.z + at.x;
            int value = coefficient(block, 0u);
            put_mean(0u, value - mean);
            put_block(0u, block);
            mean = value;
        } else {
            put_mean(0u, 0);
            put_code(codes[end_of_block]);
        }
    }
}

void put_chroma(uvec2 unit, uint first, inout int mean) {
    uint block = first + unit.y * blocks.w + unit.x;
    int value = coefficient(block, 0u);
    put_mean(1u, value - mean);
    put_block(1u, block);
    mean = value;
}

void main() {
    uint interval = gl_GlobalInvocationID.x, begin = interval * intervals.z;
    if (begin >= intervals.y)
        return;
    uint end = min(begin + intervals.z, intervals.y);
    first_word = firsts.z + interval * firsts.w;
    int means_before[3] = int[3](0, 0, 0);
    for (uint i = begin; i < end; ++i) {
        uvec2 unit = uvec2(i % intervals.x, i / intervals.x);
        put_luma(unit, means_before[0]);
        if (BYTES > 1u) {
            put_chroma(unit, firsts.x, means_before[1]);
            put_chroma(unit, firsts.y, means_before[2]);
        }
    }
    if (in_hand > 0u)
        put((1u << 8u - in_hand) - 1u, 8u - in_hand);
    put_byte(0xffu);
    put_byte(end == intervals.y ? 0xd9u : 0xd0u + interval % 8u);
    uint all = bytes;
    while (bytes % 4u != 0u)
        put_byte(0u);
    parts[interval] = failed || bytes > firsts.w * 4u ? 0xffffffffu : all;
}
