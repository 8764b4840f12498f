// What the test's shaders share: two windows, a place for what was wrong, numbers of the case.
layout(local_size_x = 32) in;
#define PM_KEEP_WORDS 8
#define PM_OWN_WORDS 3
#define PM_DATA_WORDS 64
#include "pixmpi_device.glsl"
PM_BUFFER(0) coherent volatile buffer Out { uint sent[]; };
PM_BUFFER(1) coherent volatile buffer In { uint come[]; };
PM_BUFFER(2) coherent volatile buffer Found { uint wrong, counted, words[]; };
#ifdef VULKAN
layout(push_constant) uniform Numbers { uint rounds, bytes, stride, odd, seed, what; };
#else
layout(location = 0) uniform uint rounds;
layout(location = 1) uniform uint bytes;
layout(location = 2) uniform uint stride;
layout(location = 3) uniform uint odd;
layout(location = 4) uniform uint seed;
layout(location = 5) uniform uint what;
#endif

uint mix_bits(uint x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}
uint byte_at(uint from, uint turn, uint i) { return mix_bits(seed + from * 7919u + turn * 104729u + i) & 255u; }
void expect(bool right) { if (!right) atomicAdd(wrong, 1u); }
// Of a slot's part of the window, which begins with a word: `bytes` from byte `odd` on.
void fill(uint part, uint from, uint turn) {
    uint first = part * stride / 4u;
    for (uint w = PM_LANE; w < stride / 4u; w += PM_LANES) {
        uint word = 0u;
        for (uint b = 0u; b < 4u; ++b) {
            uint at = w * 4u + b;
            if (at >= odd && at < odd + bytes) word |= byte_at(from, turn, at - odd) << 8u * b;
        }
        sent[first + w] = word;
    }
    memoryBarrierBuffer();
    barrier();
}
void check(uint part, uint from, uint turn) {
    uint first = part * stride / 4u;
    memoryBarrierBuffer();
    for (uint w = PM_LANE; w < stride / 4u; w += PM_LANES)
        for (uint b = 0u; b < 4u; ++b) {
            uint at = w * 4u + b;
            if (at >= odd && at < odd + bytes)
                expect((come[first + w] >> 8u * b & 255u) == byte_at(from, turn, at - odd));
        }
    barrier();
}
