#version 450
#extension GL_GOOGLE_include_directive : require
// Variables that a suspension would lose, which the compiler has to refuse. REFUSED 0: none of them.
layout(local_size_x = 32) in;
#include "pixmpi_device.glsl"
void main() {
    uint before = pm_workgroup(); // found again in each dispatch
    PM_BEGIN(before)
#if REFUSED == 1
    before = 7u;
#elif REFUSED == 2
    uint between = 7u;
#elif REFUSED == 3
    if (before == 7u) PM_GOTO(2)
#endif
    PM_STEP(1)
    uint within = before;
    PM_AWAIT(pm_signal_add(int(within), 0u, 1u))
    PM_STEP(2)
#if REFUSED == 4
    PM_AWAIT(pm_signal_wait_until(0u, PM_GE, within))
#else
    PM_AWAIT(pm_signal_wait_until(0u, PM_GE, 1u))
#endif
    PM_END
}
