#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#define PM_SUBGROUPS
#endif
// One-sided calls of each invocation, or of each subgroup: puts of a word each into the next slot and gets from it, with
// their own signals; some take no part.
#include "device_common.glsl"
// Who calls, how many there are in a workgroup, and their number in it. Windows have a place of 32 words for each slot.
#ifdef SUBGROUPS
#define PUT_SIGNAL pm_put_signal_subgroup
#define GET pm_get_subgroup
#define SIGNAL_ADD pm_signal_add_subgroup
#define WAIT_UNTIL pm_signal_wait_until_subgroup
uint caller() { return gl_SubgroupID; }
uint callers() { return gl_NumSubgroups; }
#else
#define PUT_SIGNAL pm_put_signal_each
#define GET pm_get_each
#define SIGNAL_ADD pm_signal_add_each
#define WAIT_UNTIL pm_signal_wait_until_each
uint caller() { return PM_LANE; }
uint callers() { return PM_LANES; }
#endif
bool takes_part() { return (mix_bits(caller() + pm_keep[0] + seed) & 3u) != 0u || callers() == 1u; }
int next() { return (pm_rank() + 1) % pm_all_slots(); }
int previous() { return (pm_rank() + pm_all_slots() - 1) % pm_all_slots(); }
uint offset(int of) { return (uint(of) % what) * 128u + caller() * 4u; } // what: slots of a process
uint word(int from) { return mix_bits(uint(from) * 1000u + caller() + pm_keep[0] * 77u); }
void expect_words(int from) {
    memoryBarrierBuffer();
    expect(!takes_part() || come[offset(pm_rank()) / 4u] == word(from));
    barrier();
}
void main() {
    PM_BEGIN(pm_workgroup())
    PM_STEP(1)
    sent[offset(pm_rank()) / 4u] = word(pm_rank());
    memoryBarrierBuffer();
    barrier();
    if (pm_keep[0] == 0u) for (uint i = 0u; i < PM_OWN_WORDS; ++i) pm_own[i] = mix_bits(PM_LANE + i);
    PM_STEP(2) // a signal for each, which counts its rounds
    PM_AWAIT(PUT_SIGNAL(takes_part(), next(), 1u, offset(next()), 0u, offset(pm_rank()), 4u, caller(),
                                  PM_SIGNAL_SET, pm_keep[0] + 1u))
    PM_STEP(3)
    PM_AWAIT(WAIT_UNTIL(takes_part(), caller(), PM_GE, pm_keep[0] + 1u))
    expect_words(previous());
    PM_STEP(4) // one for all: how many of them have seen it
    PM_AWAIT(SIGNAL_ADD(takes_part(), previous(), 40u, 1u))
    {
        uint count = 0u;
        for (uint i = 0u; i < callers(); ++i)
            if ((mix_bits(i + pm_keep[0] + seed) & 3u) != 0u || callers() == 1u) ++count;
        pm_set(1u, pm_keep[1] + count);
    }
    PM_STEP(5) PM_AWAIT(pm_signal_wait_until(40u, PM_EQ, pm_keep[1]))
    PM_STEP(6) PM_AWAIT(GET(takes_part(), next(), 0u, offset(next()), 1u, offset(pm_rank()), 4u))
    expect_words(next());
    for (uint i = 0u; i < PM_OWN_WORDS; ++i) {
        expect(pm_own[i] == mix_bits(PM_LANE + i) + pm_keep[0]);
        pm_own[i] += 1u;
    }
    pm_set(0u, pm_keep[0] + 1u);
    PM_STEP(7) PM_AWAIT(pm_barrier())
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
