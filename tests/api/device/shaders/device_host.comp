#version 450
#extension GL_GOOGLE_include_directive : require
// The host of each process sends to its first slots, which answer.
#include "device_common.glsl"
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(1) PM_AWAIT(pm_recv(pm_host(pm_process()), int(slot), 1u, slot * stride + odd, bytes))
    check(slot, slot, pm_keep[0]);
    fill(slot, slot + 100u, pm_keep[0]);
    PM_STEP(2) PM_AWAIT(pm_send(pm_host((pm_process() + 1u) % pm_processes()), 50 + int(slot), 0u, slot * stride + odd, bytes))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
