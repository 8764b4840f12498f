#version 450
// Joins the restart intervals that jpeg_entropy.comp has made, in two passes: where each of them begins (BEGINS, one
// work group), and then their bytes. Each invocation gathers whole words.
#ifdef VULKAN
#extension GL_GOOGLE_include_directive : require
#include "jpeg.glsl"
#endif

#define intervals sizes[0] // how many there are, the first part's word, words of a part
#define stream sizes[1]    // the word for the number of bytes, the first word of the bytes, how many there may be

/// Bytes of each interval, all bits for one that does not fit; after the first pass where they begin, and one number
/// more: all bytes, 0 where they do not fit. Then the parts.
layout(std430, binding = 0) buffer Parts { uint parts[]; };
layout(std430, binding = 1) writeonly buffer Stream { uint words[]; };

#ifdef BEGINS
layout(local_size_x = 128) in;
shared uint sums[128];
shared uint failed;

void main() {
    uint lane = gl_LocalInvocationIndex, some = (intervals.x + 127u) / 128u;
    uint begin = min(lane * some, intervals.x), end = min(begin + some, intervals.x);
    if (lane == 0u)
        failed = 0u;
    barrier();
    uint sum = 0u;
    for (uint i = begin; i < end; ++i) {
        if (parts[i] == 0xffffffffu)
            atomicOr(failed, 1u);
        sum += parts[i];
    }
    sums[lane] = sum;
    barrier();
    for (uint step = 1u; step < 128u; step *= 2u) {
        uint before = lane >= step ? sums[lane - step] : 0u;
        barrier();
        sums[lane] += before;
        barrier();
    }
    uint at = sums[lane] - sum;
    for (uint i = begin; i < end; ++i) {
        uint bytes = parts[i];
        parts[i] = at;
        at += bytes;
    }
    if (lane == 127u) {
        uint all = failed != 0u || sums[127] > stream.z ? 0u : sums[127];
        parts[intervals.x] = all;
        words[stream.x] = all;
    }
}

#else
layout(local_size_x = 64) in;

void main() {
    uint all = parts[intervals.x];
    for (uint first = gl_GlobalInvocationID.x * 4u; first < all; first += gl_NumWorkGroups.x * 256u) {
        uint interval = 0u, behind = intervals.x; // the byte is in an interval from the first one to before the other
        while (behind - interval > 1u) {
            uint middle = (interval + behind) / 2u;
            if (parts[middle] <= first)
                interval = middle;
            else
                behind = middle;
        }
        uint word = 0u;
        for (uint i = 0u; i < 4u && first + i < all; ++i) {
            if (parts[interval + 1u] <= first + i) // each has a marker at least, which is two bytes
                ++interval;
            uint at = first + i - parts[interval];
            word |= (parts[intervals.y + interval * intervals.z + at / 4u] >> at % 4u * 8u & 255u) << i * 8u;
        }
        words[stream.y + first / 4u] = word;
    }
}
#endif
