// Steps of a share of the bodies, many in one run. All workgroups of a process are its one slot. The last one that has
// computed its bodies of a step puts the share into each other process, and all wait until all shares have come. A share
// may be put again two steps later only: by then all processes have sent theirs of the step between, which they have
// computed from this one. So no process has to wait for puts. A process may be one step ahead of another one, so even and
// odd steps have a signal each: in one, the share of the next step would count for one that has not come.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 8, local_size_y = 8) in; // bodies, slices of the pulls
#define PM_KEEP_WORDS 4
#include "pixmpi_device.glsl"
PM_BUFFER(0) coherent volatile buffer Positions { vec4 positions[]; }; // of all bodies, before a step and after it
PM_BUFFER(1) buffer Velocities { vec4 velocities[]; };                 // of the share; the fourth is the mass
PM_BUFFER(2) coherent buffer Arrived { uint arrived; };                // workgroups, in all steps
layout(push_constant) uniform Push {
    int first, count; // the share
    int bodies;
    float time, softening;
    uint steps, half_now; // how many; where the positions are
    uint before, alone;   // steps that have been counted so far; 1: other processes take no part, and nothing is sent
};

#define DONE pm_keep[0]  // steps
#define ROUND pm_keep[1] // of this workgroup's bodies
#define LAST pm_keep[2]  // whether this workgroup was the last one
#define TO pm_keep[3]    // the process that gets the share next

uint steps_done() { return before + DONE; }                // in all runs
uint shares() { return 2u * alone + (steps_done() & 1u); } // a signal: those of even or of odd steps that have come
int now() { return int((half_now + DONE) & 1u) * bodies; }
int next() { return int((half_now + DONE + 1u) & 1u) * bodies; }
vec4 body_at(int i) { return positions[now() + i]; }
#include "pull.glsl"

void move(int body) {
    vec4 me = body < count ? body_at(first + body) : vec4(0.0);
    vec3 pull = pull_on(me, bodies, softening);
    if (gl_LocalInvocationID.y > 0 || body >= count)
        return;
    vec3 velocity = velocities[body].xyz + time * pull;
    velocities[body] = vec4(velocity, me.w);
    positions[next() + first + body] = vec4(me.xyz + time * velocity, me.w);
}
int block() { return int(ROUND * pm_workgroups() + pm_workgroup()); } // of eight bodies
bool give_share() {
    uint offset = 16u * uint(next() + first);
    if (TO == pm_process() || alone != 0u) return pm_signal_add(pm_rank(), shares(), 1u);
    return pm_put_signal(int(TO), 0u, offset, 0u, offset, 16u * uint(count), shares(), PM_SIGNAL_ADD, 1u);
}
uint processes() { return alone != 0u ? 1u : pm_processes(); }

void main() {
    PM_BEGIN(0u)
    PM_STEP(1)
    if (8 * block() < count) move(8 * block() + int(gl_LocalInvocationID.x));
    pm_count(uint(bodies) / 8u + 1u);
    pm_set(1u, ROUND + 1u);
    if (8 * block() < count) PM_GOTO(1)
    pm_set(1u, 0u);
    PM_STEP(2)
    memoryBarrierBuffer();
    barrier();
    {
        uint others = 0u;
        if (PM_LANE == 0u) others = atomicAdd(arrived, 1u);
        pm_set(2u, (others + 1u) % pm_workgroups() == 0u ? 1u : 0u);
    }
    pm_set(3u, 0u);
    PM_STEP(3)
    if (LAST == 1u) PM_AWAIT(give_share())
    pm_set(3u, TO + 1u);
    if (LAST == 1u && TO < processes()) PM_GOTO(3)
    PM_STEP(4)
    PM_AWAIT(pm_signal_wait_until(shares(), PM_GE, (steps_done() / 2u + 1u) * processes()))
    pm_set(0u, DONE + 1u);
    if (DONE < steps) PM_GOTO(1)
    PM_END
}
