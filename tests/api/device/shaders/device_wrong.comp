#version 450
#extension GL_GOOGLE_include_directive : require
// What a shader may get wrong, by number; the last slot does it, in step 2.
#include "device_common.glsl"
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(what == 20u && slot == pm_workgroups() - 1u ? 1000u : slot)
    PM_STEP(1)
    if (slot != pm_workgroups() - 1u) PM_GOTO(9)
    PM_STEP(2)
    switch (what) {
    case 0u: PM_AWAIT(pm_send(pm_all_slots() + 100, 1, 0u, 0u, 4u)) break;
    case 1u: PM_AWAIT(pm_send(0, -5, 0u, 0u, 4u)) break;
    case 2u: PM_AWAIT(pm_send(0, 1, 9u, 0u, 4u)) break;
    case 3u: PM_AWAIT(pm_send(0, 1, 0u, 0u, 0x7fffffffu)) break;
    case 4u: PM_AWAIT(pm_recv(0, 1, 1u, 0xfffffff0u, 100u)) break;
    case 5u: PM_AWAIT(pm_recv(-7, 1, 1u, 0u, 4u)) break;
    case 6u: PM_AWAIT(pm_put(-1, 0u, 0u, 0u, 0u, 4u)) break;
    case 7u: PM_AWAIT(pm_put(0, 12u, 0u, 0u, 0u, 4u)) break;
    case 8u: PM_AWAIT(pm_put(0, 0u, 0xffffff00u, 0u, 0u, 4u)) break;
    case 9u: PM_AWAIT(pm_signal_set(0, 1000u, 1u)) break;
    case 10u: PM_AWAIT(pm_signal_wait_until(1000u, PM_EQ, 1u)) break;
    case 11u: PM_AWAIT(pm_send_data(0, 1, 5000u)) break;
    case 12u: PM_AWAIT(pm_bcast(-3, 1u)) break;
    case 13u: PM_AWAIT(pm_allreduce(17u, PM_UINT, 1u)) break;
    case 14u: PM_AWAIT(pm_recv(pm_rank(), 3, 1u, 0u, 4u)) break;       // no slot sends it
    case 15u: PM_AWAIT(pm_signal_wait_until(1u, PM_GE, 3u)) break;     // nor that
    case 16u: PM_AWAIT(pm_barrier()) break;                            // nor do others call it
    case 17u:
        for (uint i = 0u; i < 40u; ++i) {
            uint request;
            PM_AWAIT(pm_irecv(0, 90 + int(i), 1u, 0u, 4u, request))
        }
        break;
    case 18u: return; // without PM_END
    }
    PM_STEP(3)
    if (what == 19u) { // more comes than the receive takes
        uint request;
        PM_AWAIT(pm_isend(pm_rank(), 8, 0u, 0u, 100u, request))
    }
    PM_STEP(4)
    if (what == 19u) PM_AWAIT(pm_recv(pm_rank(), 8, 1u, 0u, 99u))
    PM_STEP(9)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
