// The momentum of a share of the bodies, and its mass: one pixel.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer Velocities { vec4 velocities[]; }; // the fourth is the mass
layout(binding = 1, std430) writeonly buffer Momentum { vec4 momentum; };
layout(push_constant) uniform Push { int count; };

shared vec4 sums[64];

void main() {
    uint at = gl_LocalInvocationIndex;
    vec4 sum = vec4(0.0);
    for (uint i = at; i < uint(count); i += 64)
        sum += velocities[i].w * vec4(velocities[i].xyz, 1.0);
    sums[at] = sum;
    barrier();
    if (at > 0)
        return;
    for (int i = 1; i < 64; ++i)
        sum += sums[i];
    momentum = sum;
}
