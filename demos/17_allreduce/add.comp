// Adds what has come of a chunk, by a dispatch of the host.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) buffer Sums { float sums[]; };
layout(binding = 1, std430) readonly buffer Landed { float landed[]; };
layout(push_constant) uniform Push { uint first, count; };

void main() {
    uint all = gl_NumWorkGroups.x * 64u;
    for (uint i = gl_WorkGroupID.x * 64u + gl_LocalInvocationIndex; i < count; i += all)
        sums[first + i] += landed[first + i];
}
