#version 450
#extension GL_GOOGLE_include_directive : require
// Barrier, broadcast, reduce and allreduce of all workgroups; several share a slot.
#include "device_common.glsl"
void main() {
    uint group = pm_workgroup(), all = pm_workgroups() * pm_processes();
    uint me = pm_process() * pm_workgroups() + group;
    PM_BEGIN(group % pm_slots())
    PM_STEP(1)
    barrier();
    if (PM_LANE < 4u) pm_data[PM_LANE] = (me + pm_keep[0]) * (PM_LANE + 1u);
    PM_AWAIT(pm_allreduce(PM_SUM, PM_UINT, 4u))
    if (PM_LANE < 4u) expect(pm_data[PM_LANE] == (all * (all - 1u) / 2u + all * pm_keep[0]) * (PM_LANE + 1u));
    PM_STEP(2)
    barrier();
    if (PM_LANE < 2u) pm_data[PM_LANE] = floatBitsToUint((PM_LANE == 0u ? 1.0 : -1.0) * float(me) + 0.25);
    PM_AWAIT(pm_allreduce(PM_MAX, PM_FLOAT, 2u))
    if (PM_LANE < 2u) expect(uintBitsToFloat(pm_data[PM_LANE]) == (PM_LANE == 0u ? float(all - 1u) : 0.0) + 0.25);
    PM_STEP(3)
    barrier();
    if (PM_LANE == 0u) pm_data[0] = uint(-int(me) - 5);
    PM_AWAIT(pm_reduce(PM_MIN, PM_INT, 1u, pm_all_slots() - 1))
    if (PM_LANE == 0u)
        expect(int(pm_data[0]) == (pm_rank() == pm_all_slots() - 1 ? -int(all - 1u) - 5 : -int(me) - 5));
    PM_STEP(4)
    {
        int root = int(pm_keep[0]) % pm_all_slots();
        barrier();
        for (uint i = PM_LANE; i < 64u; i += PM_LANES) pm_data[i] = pm_rank() == root ? mix_bits(i + pm_keep[0]) : 0u;
        PM_AWAIT(pm_bcast(root, 64u))
        for (uint i = PM_LANE; i < 64u; i += PM_LANES) expect(pm_data[i] == mix_bits(i + pm_keep[0]));
    }
    if (PM_LANE == 0u) atomicAdd(words[0], 1u);
    PM_STEP(5) PM_AWAIT(pm_barrier())
    if (PM_LANE == 0u) expect(words[0] == pm_workgroups() * (pm_keep[0] + 1u));
    PM_STEP(6) PM_AWAIT(pm_barrier())
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
