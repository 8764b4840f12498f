#version 450
#extension GL_GOOGLE_include_directive : require
// Slots of process 0 put into the first slots of the other processes, are quiet, and get back what they have put.
// `what` 1: they wait for a message instead, which is never sent.
#include "device_common.glsl"
int there() { return int(pm_slots()) * int(1u + pm_workgroup() % (pm_processes() - 1u)); }
void main() {
    uint slot = pm_workgroup(), part = slot * stride;
    PM_BEGIN(slot)
    PM_STEP(1)
    if (what == 1u) PM_AWAIT(pm_recv(there(), 3, 1u, 0u, 4u))
    PM_STEP(2) fill(slot, slot, pm_keep[0]);
    PM_STEP(3) PM_AWAIT(pm_put_signal(there(), 1u, part + odd, 0u, part + odd, bytes, 1u, PM_SIGNAL_ADD, 1u))
    PM_STEP(4) PM_AWAIT(pm_quiet())
    PM_STEP(5) PM_AWAIT(pm_get(there(), 1u, part + odd, 1u, part + odd, bytes))
    check(slot, slot, pm_keep[0]);
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(2)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
