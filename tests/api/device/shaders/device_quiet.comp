#version 450
#extension GL_GOOGLE_include_directive : require
// Each slot puts into the next one's part of a window, is quiet, and tells the next one by a message, which is not
// ordered behind puts: what has been put is there.
#include "device_common.glsl"
int next() { return (pm_rank() + 1) % pm_all_slots(); }
int previous() { return (pm_rank() + pm_all_slots() - 1) % pm_all_slots(); }
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(1)
    fill(slot, uint(pm_rank()), pm_keep[0]);
    PM_AWAIT(pm_put(next(), 1u, (uint(next()) % what) * stride + odd, 0u, slot * stride + odd, bytes))
    PM_STEP(2) PM_AWAIT(pm_quiet())
    PM_STEP(3) PM_AWAIT(pm_send_data(next(), 1, 1u))
    PM_STEP(4) PM_AWAIT(pm_recv_data(previous(), 1, 1u))
    check(slot, uint(previous()), pm_keep[0]);
    PM_STEP(5) PM_AWAIT(pm_send_data(previous(), 2, 1u))
    PM_STEP(6) PM_AWAIT(pm_recv_data(next(), 2, 1u))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
