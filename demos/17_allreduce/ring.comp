// A ring of an allreduce: the workgroup waits for a chunk from the rank before it, adds its own words, and puts the sum
// into the rank behind it. rings.h says what it does in each turn.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#define PM_KEEP_WORDS 2
#include "pixmpi_device.glsl"
layout(push_constant) uniform Push {
    uint words, ranks, rank, rings, chunks;
    uint before; // chunks of a ring that came in earlier runs
};
PM_BUFFER(0) coherent volatile buffer Sums { float sums[]; };
PM_BUFFER(1) coherent volatile buffer Landed { float landed[]; };
const uint to_sums = 0u, to_landed = 1u; // windows
const uint come = 0u;                    // a signal: chunks that have come
const uint piece = 16u;                  // words that an invocation adds between two looks at its turns

#define AT pm_keep[0] // which chunk, of all turns
#define ADDED pm_keep[1]

uint turn() { return AT / chunks; }
uint turns() { return 2u * ranks - 1u; }
bool adds() { return turn() > 0u && turn() < ranks; }

// First word and number of words.
uvec2 part(uvec2 whole, uint which, uint parts) {
    uint each = whole.y / parts, rest = whole.y % parts;
    return uvec2(whole.x + which * each + min(which, rest), each + (which < rest ? 1u : 0u));
}
uvec2 chunk() {
    uvec2 block = part(part(uvec2(0u, words), pm_workgroup(), rings), (rank + 2u * ranks - turn()) % ranks, ranks);
    return part(block, AT % chunks, chunks);
}
bool pass_on() {
    uvec2 mine = 4u * chunk();
    int next = int((rank + 1u) % ranks * rings + pm_workgroup());
    return pm_put_signal(next, turn() + 1u < ranks ? to_landed : to_sums, mine.x, to_sums, mine.x, mine.y, come,
                         PM_SIGNAL_ADD, 1u);
}

void main() {
    PM_BEGIN(pm_workgroup())
    // Nobody has to wait for puts: a block comes back only when the next rank has had it.
    PM_STEP(1)
    if (turn() > 0u) PM_AWAIT(pm_signal_wait_until(come, PM_GE, before + AT - chunks + 1u))
    pm_set(1u, 0u);
    PM_STEP(2)
    uvec2 mine = chunk();
    if (adds() && mine.y > 0u) {
        float sum[piece]; // all are read before the first one is written: GPUs take a while for each look
        for (uint i = 0u; i < piece; ++i) {
            uint word = mine.x + min(ADDED + i * PM_LANES + PM_LANE, mine.y - 1u);
            sum[i] = sums[word] + landed[word];
        }
        for (uint i = 0u; i < piece; ++i) {
            uint word = ADDED + i * PM_LANES + PM_LANE;
            if (word < mine.y) sums[mine.x + word] = sum[i];
        }
        pm_count(piece);
        memoryBarrierBuffer();
    }
    pm_set(1u, ADDED + piece * PM_LANES);
    if (adds() && ADDED < mine.y) PM_GOTO(2)
    PM_STEP(3)
    if (turn() + 1u < turns()) PM_AWAIT(pass_on())
    pm_set(0u, AT + 1u);
    if (AT < turns() * chunks) PM_GOTO(1)
    PM_END
}
