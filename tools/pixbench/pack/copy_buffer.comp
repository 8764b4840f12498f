#version 450
// As fast as shaders copy memory of the GPU: the limit of packing, where copy commands are slower. 16 bytes for each
// invocation. For OpenGL (the source begins behind the first line) and for Vulkan.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 256u + gl_LocalInvocationIndex;
    if (i < uint(to.length()))
        to[i] = from[i];
}
