#version 450
#extension GL_GOOGLE_include_directive : require
// Windows 0 and 1 are images: one comes from this process' host, goes around, and on to the next process' host.
#include "device_common.glsl"
void main() {
    PM_BEGIN(0u)
    PM_STEP(1) PM_AWAIT(pm_recv(pm_host(pm_process()), 1, 0u, 0u, bytes))
    PM_STEP(2)
    {
        uint request;
        PM_AWAIT(pm_isend((pm_rank() + 1) % pm_all_slots(), 2, 0u, 0u, bytes, request))
        pm_set(0u, request);
    }
    PM_STEP(3) PM_AWAIT(pm_recv((pm_rank() + pm_all_slots() - 1) % pm_all_slots(), 2, 1u, 0u, bytes))
    PM_STEP(4) PM_AWAIT(pm_wait(pm_keep[0]))
    PM_STEP(5) PM_AWAIT(pm_send(pm_host((pm_process() + 1u) % pm_processes()), 3, 1u, 0u, bytes))
    if (what == 1u) PM_GOTO(6) // part of an image
    PM_GOTO(7)
    PM_STEP(6) PM_AWAIT(pm_send(pm_rank(), 4, 1u, 4u, 4u))
    PM_STEP(7)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
