#version 450
#extension GL_GOOGLE_include_directive : require
// The slots of process 0 add to two signals of the first slot behind them, alternately, and end.
#include "device_common.glsl"
void main() {
    PM_BEGIN(pm_workgroup())
    PM_STEP(10)
    if (pm_rank() > int(what)) PM_GOTO(4)
    if (pm_rank() == int(what)) PM_GOTO(2)
    PM_STEP(1) PM_AWAIT(pm_signal_add(int(what), pm_keep[0] % 2u, 1u))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    PM_GOTO(4)
    PM_STEP(2) PM_AWAIT(pm_signal_wait_until(0u, PM_GE, what * rounds / 2u))
    PM_STEP(3) PM_AWAIT(pm_signal_wait_until(1u, PM_GE, what * rounds / 2u))
    PM_STEP(4)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
