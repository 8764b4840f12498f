#version 450
#extension GL_GOOGLE_include_directive : require
// Turns of two slots, or of all: messages that begin in the shader. With HOST there is one turn a dispatch, and the host
// sends between dispatches.
#ifdef HOST
layout(local_size_x = 64) in;
#else
layout(local_size_x_id = 0) in;
#endif
#define LANES gl_WorkGroupSize.x
layout(push_constant) uniform Numbers { uint what, rounds, words, turn; };
#ifdef HOST
#define AT gl_GlobalInvocationID.x
#define STRIDE (gl_NumWorkGroups.x * LANES)
layout(std430, set = 0, binding = 0) coherent volatile buffer Window { uint window[]; };
layout(std430, set = 0, binding = 1) coherent volatile buffer Found { uint wrong, sum; };
#else
#define AT gl_LocalInvocationIndex
#define STRIDE LANES
#define PM_KEEP_WORDS 1
#define PM_DATA_WORDS (KIND == 5 ? 4096 : 256)
#include "pixmpi_device.glsl"
layout(std430, set = 1, binding = 0) coherent volatile buffer Window { uint window[]; };
layout(std430, set = 1, binding = 1) coherent volatile buffer Found { uint wrong, sum; };
#endif
uint word(uint round, uint i) { return round * 2654435761u + i; }
// Of a long message a part is written and checked in each round, another one in the next: what is measured is the
// message. All of it travels.
uint part_of(uint round, out uint count) {
    const uint most = 4096u;
    count = min(words, most);
    return round % max(1u, words / most) * most;
}
void fill(uint first, uint round) {
    uint count, begin = part_of(round, count);
    for (uint i = AT; i < count; i += STRIDE) window[first + begin + i] = word(round, begin + i);
    memoryBarrierBuffer();
    barrier();
}
void check(uint first, uint round) {
    memoryBarrierBuffer();
    uint count, begin = part_of(round, count);
    for (uint i = AT; i < count; i += STRIDE)
        if (window[first + begin + i] != word(round, begin + i)) atomicAdd(wrong, 1u);
    barrier();
}
#ifdef HOST
void main() {
    if (what == 0u) fill(0u, turn);
    else if (what == 1u) check(words, turn);
    else if (gl_LocalInvocationIndex == 0u) atomicAdd(sum, 1u);
}
#else
// A shader for each kind of turn, since drivers on the CPU go through all steps of a shader each time.
// KIND 0: words of pm_data there and back, 5: many of them, 8: to a host rank
// and back; 1: the same of a window; 7: put there and back, with a signal;
// 2: barriers; 3: broadcasts; 4: turns without any message, each one suspends; 6: signals, each workgroup sends one a
// turn.
#define HAS_DATA (KIND == 0 || KIND == 5 || KIND == 8)
#if HAS_DATA || KIND == 1 || KIND == 7
void prepare(uint group) {
#if !HAS_DATA
    fill(group * 2u * words, pm_keep[0]);
#endif
}
#if KIND == 8
int partner() { return pm_host(pm_processes() - 1u); }
#else
int partner() { return 1 - pm_rank(); }
#endif
bool send(uint group) {
#if HAS_DATA
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < words; i += LANES) pm_data[i] = word(pm_keep[0], i);
    return pm_send_data(partner(), 1, words);
#elif KIND == 7
    uint theirs = uint(1 - pm_rank()) % pm_slots();
    return pm_put_signal(1 - pm_rank(), 0u, theirs * 8u * words + 4u * words, 0u, group * 8u * words, 4u * words, 1u,
                         PM_SIGNAL_ADD, 1u);
#else
    return pm_send(1 - pm_rank(), 1, 0u, group * 8u * words, 4u * words);
#endif
}
bool receive(uint group) {
#if HAS_DATA
    if (!pm_recv_data(partner(), 1, words)) return false;
    for (uint i = gl_LocalInvocationIndex; i < words; i += LANES)
        if (pm_data[i] != word(pm_keep[0], i)) atomicAdd(wrong, 1u);
#elif KIND == 7
    if (!pm_signal_wait_until(1u, PM_GE, turn + pm_keep[0] + 1u)) return false;
    check(group * 2u * words + words, pm_keep[0]);
#else
    if (!pm_recv(1 - pm_rank(), 1, 0u, group * 8u * words + 4u * words, 4u * words)) return false;
    check(group * 2u * words + words, pm_keep[0]);
#endif
    return true;
}
// Rank 0 sends first: its turn is over with what it receives, that of rank 1 with what it sends.
void main() {
    uint group = pm_workgroup();
    PM_BEGIN(group % pm_slots())
    PM_STEP(5)
#if KIND == 8
    if (pm_rank() > 0) PM_GOTO(3)
#endif
    if (pm_rank() == 1) PM_GOTO(2)
    if (pm_rank() > 1) PM_GOTO(3)
    PM_STEP(1) prepare(group); // once, whether the send has to wait or not
    PM_STEP(4) PM_AWAIT(send(group))
    if (pm_rank() == 1) pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] == rounds) PM_GOTO(3)
    PM_STEP(2) PM_AWAIT(receive(group))
    if (pm_rank() == 0) pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds || pm_rank() == 1) PM_GOTO(1)
    PM_STEP(3)
    PM_END
}
#elif KIND == 6
// Over when all that the other slot sends in this run and in those before has come.
void main() {
    PM_BEGIN(pm_workgroup() % pm_slots())
    PM_STEP(4)
    if (pm_rank() > 1) PM_GOTO(3)
    PM_STEP(1) PM_AWAIT(pm_signal_add(1 - pm_rank(), 0u, 1u))
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    PM_STEP(2) PM_AWAIT(pm_signal_wait_until(0u, PM_GE, turn + rounds * pm_workgroups() / pm_slots()))
    PM_STEP(3)
    PM_END
}
#else
bool take_turn() {
#if KIND == 2
    return pm_barrier();
#elif KIND == 3
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < words; i += LANES) pm_data[i] = pm_rank() == 0 ? word(pm_keep[0], i) : 0u;
    if (!pm_bcast(0, words)) return false;
    for (uint i = gl_LocalInvocationIndex; i < words; i += LANES)
        if (pm_data[i] != word(pm_keep[0], i)) atomicAdd(wrong, 1u);
    return true;
#else
    bool found;
    return pm_iprobe(PM_ANY_SOURCE, 5, found);
#endif
}
void main() {
    PM_BEGIN(pm_workgroup() % pm_slots())
    PM_STEP(1) PM_AWAIT(take_turn())
    pm_set(0u, pm_keep[0] + 1u);
    if (pm_keep[0] < rounds) PM_GOTO(1)
    PM_END
}
#endif
#endif
