#version 450
#extension GL_GOOGLE_include_directive : require
// Words without windows: every slot but the first sends `rounds` messages to the first one, which takes them with
// wildcards; those of one slot come in order. Then each gets an answer.
#include "device_common.glsl"
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(20)
    if (pm_rank() == 0) {
        if (pm_all_slots() == 1) PM_GOTO(9)
        PM_GOTO(5)
    }
    PM_STEP(1)
    if (PM_LANE < 3u) pm_data[PM_LANE] = PM_LANE == 0u ? pm_keep[0] : mix_bits(seed + uint(pm_rank()) * 64u + pm_keep[0] + PM_LANE);
    PM_AWAIT(pm_send_data(0, int(mix_bits(pm_keep[0] + seed) % 7u), 3u))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    PM_STEP(2) PM_AWAIT(pm_recv_data(0, 77, 64u))
    expect(pm_status.bytes == 256u && pm_data[PM_LANE] == PM_LANE + uint(pm_rank()));
    PM_GOTO(9)

    PM_STEP(5) PM_AWAIT(pm_recv_data(PM_ANY_SOURCE, PM_ANY_TAG, 16u))
    {
        uint from = uint(pm_status.source), turn = pm_data[0];
        expect(pm_status.bytes == 12u && turn == words[from] && turn < rounds);
        expect(pm_status.tag == int(mix_bits(turn + seed) % 7u));
        expect(pm_data[1] == mix_bits(seed + from * 64u + turn + 1u) && pm_data[2] == mix_bits(seed + from * 64u + turn + 2u));
        barrier();
        if (PM_LANE == 0u) words[from] = turn + 1u;
        pm_set(0u, pm_keep[0] + 1u);
        if (pm_keep[0] < rounds * uint(pm_all_slots() - 1)) PM_GOTO(5)
    }
    pm_set(1u, 1u);
    PM_STEP(6)
    barrier();
    for (uint i = PM_LANE; i < 64u; i += PM_LANES) pm_data[i] = i + pm_keep[1];
    PM_AWAIT(pm_send_data(int(pm_keep[1]), 77, 64u))
    pm_set(1u, pm_keep[1] + 1u);
    if (pm_keep[1] < uint(pm_all_slots())) PM_GOTO(6)
    PM_STEP(9)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
