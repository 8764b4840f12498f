#version 450
#extension GL_GOOGLE_include_directive : require
// Slot 0 of each process waits for the last process' slots, which send nothing. The others send to themselves.
layout(local_size_x = 32) in;
#include "pixmpi_device.glsl"
PM_BUFFER(0) coherent volatile buffer Window { uint window[]; };
void main() {
    uint slot = pm_workgroup(), words = 1000u, mine = slot * 2u * words;
    PM_BEGIN(slot)
    PM_STEP(1)
    for (uint i = PM_LANE; i < words; i += PM_LANES) window[mine + i] = slot * 1000000u + i;
    memoryBarrierBuffer();
    barrier();
    if (slot == 0u) PM_GOTO(4)
    PM_STEP(2)
    {
        uint request;
        PM_AWAIT(pm_isend(pm_rank(), 1, 0u, mine * 4u, words * 4u, request))
        pm_set(0u, request);
    }
    PM_STEP(3)
    PM_AWAIT(pm_recv(pm_rank(), 1, 0u, (mine + words) * 4u, words * 4u))
    PM_GOTO(5)
    PM_STEP(4)
    PM_AWAIT(pm_recv(pm_all_slots() - 1, 7, 0u, 0u, 4u))
    PM_STEP(5)
    PM_END
}
