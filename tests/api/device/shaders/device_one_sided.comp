#version 450
#extension GL_GOOGLE_include_directive : require
// Puts with signals around the ring, gets, quiet: what was put is there when the signal is.
#include "device_common.glsl"
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(1)
    fill(slot, uint(pm_rank()), pm_keep[0]);
    {
        int next = (pm_rank() + 1) % pm_all_slots();
        uint there = uint(next) % what; // slots of a process: all have as many
        PM_AWAIT(pm_put_signal(next, 1u, there * stride + odd, 0u, slot * stride + odd, bytes, 2u, PM_SIGNAL_ADD, 1u))
    }
    PM_STEP(2) PM_AWAIT(pm_signal_wait_until(2u, PM_GE, pm_keep[0] + 1u))
    check(slot, uint((pm_rank() + pm_all_slots() - 1) % pm_all_slots()), pm_keep[0]);
    PM_STEP(3) PM_AWAIT(pm_quiet())
    PM_STEP(4) // no slot puts into a window before it has been looked at
    PM_AWAIT(pm_signal_set((pm_rank() + pm_all_slots() - 1) % pm_all_slots(), 3u, pm_keep[0] + 1u))
    PM_STEP(5) PM_AWAIT(pm_signal_wait_until(3u, PM_EQ, pm_keep[0] + 1u))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    PM_STEP(6) PM_AWAIT(pm_barrier())
    PM_STEP(7)
    {
        int next = (pm_rank() + 1) % pm_all_slots();
        PM_AWAIT(pm_get(next, 0u, (uint(next) % what) * stride + odd, 1u, slot * stride + odd, bytes))
        check(slot, uint(next), rounds - 1u);
    }
    PM_STEP(8) PM_AWAIT(pm_barrier())
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
