// A step of a share of the bodies: all bodies pull each of them. Eight invocations share a body, and each sums every
// eighth pull, so that few bodies keep a GPU busy, too. The order of the sums does not depend on the share: any number
// of ranks computes the same bits.
#version 450
layout(local_size_x = 8, local_size_y = 8) in; // bodies, slices of the pulls
layout(binding = 0, std430) readonly buffer Now { vec4 now[]; };      // x, y, z, mass of all bodies
layout(binding = 1, std430) writeonly buffer Next { vec4 next[]; };
layout(binding = 2, std430) buffer Velocities { vec4 velocities[]; }; // of the share; the fourth is the mass
layout(push_constant) uniform Push {
    int first, count; // the share
    int bodies;
    float time, softening;
};

shared vec3 pulls[8][8];

void main() {
    int body = int(gl_GlobalInvocationID.x), slice = int(gl_LocalInvocationID.y);
    vec4 me = body < count ? now[first + body] : vec4(0.0);
    vec3 pull = vec3(0.0);
    for (int i = slice; i < bodies; i += 8) {
        vec4 other = now[i];
        vec3 way = other.xyz - me.xyz;
        float inverse = inversesqrt(dot(way, way) + softening * softening);
        pull += other.w * inverse * inverse * inverse * way;
    }
    pulls[slice][gl_LocalInvocationID.x] = pull;
    barrier();
    if (slice > 0 || body >= count)
        return;
    for (int i = 1; i < 8; ++i)
        pull += pulls[i][gl_LocalInvocationID.x];
    vec3 velocity = velocities[body].xyz + time * pull;
    velocities[body] = vec4(velocity, me.w);
    next[first + body] = vec4(me.xyz + time * velocity, me.w);
}
