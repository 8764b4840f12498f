#version 450
#extension GL_GOOGLE_include_directive : require
// Each slot puts three times to one place of its own process, from windows whose bytes may go there by different ways.
// What was put last is there in the end: of the first window in even rounds, of the one that the host sees in odd ones.
#include "device_common.glsl"
uint last() { return pm_keep[0] % 2u == 0u ? 2u : 1u; }
uint part(uint slot, uint put) { return put == 2u ? slot + what : slot; }
void fill_seen(uint slot) {
    for (uint w = PM_LANE; w < stride / 4u; w += PM_LANES) {
        uint word = 0u;
        for (uint b = 0u; b < 4u; ++b) word |= byte_at(uint(pm_rank()), 1u, w * 4u + b - odd) << 8u * b;
        words[slot * stride / 4u + w] = word;
    }
    memoryBarrierBuffer();
    barrier();
}
// The n-th put of a round.
bool put(uint slot, uint n) {
    uint which = last() == 2u ? n : n == 0u ? 0u : 3u - n;
    uint from = which == 1u ? 8u + slot * stride : part(slot, which) * stride; // 8: two words come before
    return pm_put(pm_rank(), 1u, slot * stride + odd, which == 1u ? 2u : 0u, from + odd, bytes);
}
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(1)
    fill(slot, uint(pm_rank()), 0u);
    fill(part(slot, 2u), uint(pm_rank()), 2u);
    fill_seen(slot);
    PM_AWAIT(put(slot, 0u))
    PM_STEP(2) PM_AWAIT(put(slot, 1u))
    PM_STEP(3) PM_AWAIT(put(slot, 2u))
    PM_STEP(4) PM_AWAIT(pm_quiet())
    check(slot, uint(pm_rank()), last());
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
