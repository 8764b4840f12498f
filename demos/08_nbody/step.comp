// A step of a share of the bodies: all bodies pull each of them.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 8, local_size_y = 8) in; // bodies, slices of the pulls
layout(binding = 0, std430) readonly buffer Now { vec4 now[]; };      // x, y, z, mass of all bodies
layout(binding = 1, std430) writeonly buffer Next { vec4 next[]; };
layout(binding = 2, std430) buffer Velocities { vec4 velocities[]; }; // of the share; the fourth is the mass
layout(push_constant) uniform Push {
    int first, count; // the share
    int bodies;
    float time, softening;
};

vec4 body_at(int i) { return now[i]; }
#include "pull.glsl"

void main() {
    int body = int(gl_GlobalInvocationID.x);
    vec4 me = body < count ? now[first + body] : vec4(0.0);
    vec3 pull = pull_on(me, bodies, softening);
    if (gl_LocalInvocationID.y > 0 || body >= count)
        return;
    vec3 velocity = velocities[body].xyz + time * pull;
    velocities[body] = vec4(velocity, me.w);
    next[first + body] = vec4(me.xyz + time * velocity, me.w);
}
