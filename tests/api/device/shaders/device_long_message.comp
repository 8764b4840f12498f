#version 450
#extension GL_GOOGLE_include_directive : require
// The first slot of the first process sends one byte more than the first one of the second process takes.
#include "device_common.glsl"
void main() {
    PM_BEGIN(pm_workgroup())
    PM_STEP(1)
    if (pm_process() == 0u && pm_workgroup() == 0u) PM_AWAIT(pm_send(int(pm_slots()), 7, 0u, 0u, bytes + 1u))
    PM_STEP(2)
    if (pm_process() == 1u && pm_workgroup() == 0u) PM_AWAIT(pm_recv(0, 7, 1u, 0u, bytes))
    PM_STEP(3)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
