#version 450
#extension GL_GOOGLE_include_directive : require
// Several receives and sends under way at once, in both orders; test, probe, replace.
#include "device_common.glsl"
int next() { return (pm_rank() + 1) % pm_all_slots(); }
int previous() { return (pm_rank() + pm_all_slots() - 1) % pm_all_slots(); }
void main() {
    uint slot = pm_workgroup();
    PM_BEGIN(slot)
    PM_STEP(1) // two receives with different tags, posted in the other order than the sends
    {
        uint request;
        PM_AWAIT(pm_irecv(previous(), 21, 1u, slot * stride + odd, bytes, request))
        pm_set(1u, request);
    }
    PM_STEP(2)
    {
        uint request;
        PM_AWAIT(pm_irecv(previous(), 20, 1u, slot * stride + odd + bytes, 4u, request))
        pm_set(2u, request);
    }
    PM_STEP(3)
    fill(slot, uint(pm_rank()), pm_keep[0]);
    PM_AWAIT(pm_send(next(), 20, 0u, slot * stride + odd, 4u))
    PM_STEP(4) PM_AWAIT(pm_send(next(), 21, 0u, slot * stride + odd, bytes))
    PM_STEP(5) PM_AWAIT(pm_wait(pm_keep[2]))
    expect(pm_status.bytes == 4u && pm_status.tag == 20);
    PM_STEP(6)
    if (!pm_test(pm_keep[1])) PM_GOTO(6)
    check(slot, uint(previous()), pm_keep[0]);
    PM_STEP(7) // a message of unknown size
    if (PM_LANE < 32u) pm_data[PM_LANE] = mix_bits(PM_LANE + uint(pm_rank()));
    PM_AWAIT(pm_send_data(next(), 30 + int(pm_keep[0] % 3u), 1u + pm_keep[0] % 20u))
    PM_STEP(8) PM_AWAIT(pm_probe(previous(), PM_ANY_TAG))
    expect(pm_status.bytes == 4u + 4u * (pm_keep[0] % 20u) && pm_status.tag == 30 + int(pm_keep[0] % 3u));
    PM_STEP(9)
    {
        bool found;
        PM_AWAIT(pm_iprobe(previous(), 29, found))
        expect(!found);
    }
    PM_STEP(10) PM_AWAIT(pm_recv_data(PM_ANY_SOURCE, PM_ANY_TAG, 20u))
    if (PM_LANE < pm_status.bytes / 4u) expect(pm_data[PM_LANE] == mix_bits(PM_LANE + uint(previous())));
    PM_STEP(11)
    PM_AWAIT(pm_sendrecv_replace(next(), 40, previous(), 40, 1u, slot * stride + odd, bytes))
    check(slot, uint((pm_rank() + 2 * pm_all_slots() - 2) % pm_all_slots()), pm_keep[0]);
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
