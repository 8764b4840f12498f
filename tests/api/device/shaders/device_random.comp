#version 450
#extension GL_GOOGLE_include_directive : require
// Messages in an order that a seed says: in each round a slot begins three receives and three sends and waits for them,
// each in its own order, with sizes, offsets, partners and wildcards by chance.
#include "device_common.glsl"
const uint messages = 3u, calls = 2u * messages; // calls 0 to 2 receive, 3 to 5 send
#define ROUND pm_keep[0]
#define CALL pm_keep[1]
#define REQUEST(which) (2u + which)              // in pm_keep
uint chance(uint of, uint which, uint most) {
    return mix_bits(seed + of * 7919u + which * 104729u + ROUND * 1299709u) % most;
}
int slots() { return pm_all_slots(); }
int distance_of(uint message) { return int(chance(9999u, message, uint(slots()))); }
int dest(uint message) { return (pm_rank() + distance_of(message)) % slots(); }
int source(uint message) { return (pm_rank() + slots() - distance_of(message)) % slots(); }
int tag(uint message) { return int(ROUND * messages + message); }
uint size_of(int sender, uint message) { return 1u + chance(uint(sender), 10u + message, bytes); }
uint place(int slot, uint message) { // of this process' slots: what is a slot's number in it
    return ((uint(slot) % what) * messages + message) * stride + chance(uint(slot), 20u + message, 4u);
}
// The calls of a slot in one of their orders.
uint ordered(uint which) {
    uint at = chance(uint(pm_rank()), 30u + which, calls);
    return (CALL * (chance(uint(pm_rank()), 40u + which, 2u) == 0u ? 1u : 5u) + at) % calls;
}
uint byte_of(int sender, uint message, uint i) { return byte_at(uint(sender) * 3u + message, ROUND, i); }

// Other bytes of a word may be those of the next message only in another part of the window.
void write_message(uint message) {
    uint first = place(pm_rank(), message), count = size_of(pm_rank(), message);
    for (uint w = first / 4u + PM_LANE; w <= (first + count - 1u) / 4u; w += PM_LANES) {
        uint word = 0u;
        for (uint b = 0u; b < 4u; ++b)
            if (w * 4u + b >= first && w * 4u + b < first + count)
                word |= byte_of(pm_rank(), message, w * 4u + b - first) << 8u * b;
        sent[w] = word;
    }
    memoryBarrierBuffer();
    barrier();
}
void check_message(uint message) {
    uint first = place(pm_rank(), message), count = size_of(source(message), message);
    memoryBarrierBuffer();
    for (uint at = first + PM_LANE; at < first + count; at += PM_LANES)
        expect((come[at / 4u] >> 8u * (at & 3u) & 255u) == byte_of(source(message), message, at - first));
    expect(pm_status.source == source(message) && pm_status.tag == tag(message) && pm_status.bytes == count);
    barrier();
}
bool start(uint call, out uint request) {
    uint message = call % messages;
    if (call >= messages)
        return pm_isend(dest(message), tag(message), 0u, place(pm_rank(), message), size_of(pm_rank(), message), request);
    bool wild = chance(uint(pm_rank()), 50u + message, 2u) == 0u;
    // What a receive takes is exactly what comes.
    return pm_irecv(wild ? PM_ANY_SOURCE : source(message), tag(message), 1u, place(pm_rank(), message),
                    size_of(source(message), message), request);
}
void main() {
    PM_BEGIN(pm_workgroup())
    PM_STEP(1)
    for (uint i = 0u; i < messages; ++i) write_message(i);
    PM_STEP(2)
    {
        uint call = ordered(0u), request;
        PM_AWAIT(start(call, request))
        pm_set(REQUEST(call), request);
    }
    pm_set(1u, CALL + 1u);
    if (CALL < calls) PM_GOTO(2)
    pm_set(1u, 0u);
    PM_STEP(3)
    PM_AWAIT(pm_wait(pm_keep[REQUEST(ordered(1u))]))
    if (ordered(1u) < messages) check_message(ordered(1u));
    pm_set(1u, CALL + 1u);
    if (CALL < calls) PM_GOTO(3)
    pm_set(1u, 0u);
    pm_set(0u, ROUND + 1u);
    if (ROUND < rounds) PM_GOTO(1)
    if (PM_LANE == 0u) atomicAdd(counted, 1u);
    PM_END
}
