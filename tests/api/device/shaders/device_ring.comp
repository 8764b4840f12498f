#version 450
#extension GL_GOOGLE_include_directive : require
// Each slot sends to the next one, `rounds` times, from and to odd offsets; registers survive.
#include "device_common.glsl"
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(10)
    for (uint i = 0u; i < PM_OWN_WORDS; ++i) pm_own[i] = mix_bits(PM_LANE * 3u + i + slot * 1000u);
    PM_STEP(1)
    {
        uint request;
        fill(slot, uint(pm_rank()), pm_keep[0]);
        PM_AWAIT(pm_isend((pm_rank() + 1) % pm_all_slots(), int(pm_keep[0] % 5u), 0u, slot * stride + odd, bytes,
                          request))
        pm_set(1u, request);
    }
    PM_STEP(2)
    {
        int before = (pm_rank() + pm_all_slots() - 1) % pm_all_slots();
        int tag = int(pm_keep[0] % 5u);
        bool wild = (pm_keep[0] & 1u) != 0u && pm_all_slots() > 2;
        PM_AWAIT(pm_recv(wild ? PM_ANY_SOURCE : before, wild ? PM_ANY_TAG : tag, 1u, slot * stride + odd, bytes))
        check(slot, uint(before), pm_keep[0]);
        expect(pm_status.source == before && pm_status.tag == tag && pm_status.bytes == bytes);
    }
    PM_STEP(3) PM_AWAIT(pm_wait(pm_keep[1]))
    for (uint i = 0u; i < PM_OWN_WORDS; ++i) {
        expect(pm_own[i] == mix_bits(PM_LANE * 3u + i + slot * 1000u) + pm_keep[0]);
        pm_own[i] += 1u;
    }
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
