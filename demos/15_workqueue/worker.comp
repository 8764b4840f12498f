// A worker: asks the farmer for a strip, draws it, sends it, asks again, all by itself.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define PM_KEEP_WORDS 2
#include "pixmpi_device.glsl"
#include "strips.glsl"
PM_BUFFER(0) coherent volatile buffer Strips { uint strips[]; };

const int question = 1, answer = 2, first_strip = 3; // tags, as farmer.h has them
const uint nothing_left = 0xffffffffu;
const uint piece = 8u; // pixels that an invocation draws between two looks at its turns

#define STRIP pm_keep[0]
#define DRAWN pm_keep[1]
int farmer() { return pm_host(0u); }
uint pixels() { return uint(width * min(rows, height - int(STRIP) * rows)); }

void main() {
    uint mine = pm_workgroup() * uint(width * rows);
    PM_BEGIN(pm_workgroup())
    PM_STEP(1)
    PM_AWAIT(pm_send_data(farmer(), question, 1u))
    PM_STEP(2)
    PM_AWAIT(pm_recv_data(farmer(), answer, 1u))
    pm_set(0u, pm_data[0]);
    pm_set(1u, 0u);
    if (STRIP == nothing_left) PM_GOTO(5)
    PM_STEP(3)
    for (uint i = 0u; i < piece; ++i) {
        uint at = DRAWN + i * PM_LANES + PM_LANE;
        if (at < pixels())
            strips[mine + at] = pixel_of(int(at) % width, int(STRIP) * rows + int(at) / width, pm_rank());
    }
    pm_count(piece * uint(most_steps));
    pm_set(1u, DRAWN + piece * PM_LANES);
    if (DRAWN < pixels()) PM_GOTO(3)
    memoryBarrierBuffer();
    barrier();
    PM_STEP(4)
    PM_AWAIT(pm_send(farmer(), first_strip + int(STRIP), 0u, mine * 4u, pixels() * 4u))
    PM_GOTO(1)
    PM_STEP(5)
    PM_END
}
