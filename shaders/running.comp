#version 450
// A dispatch that waits for the CPU: whether it sees what the CPU and the message queue write meanwhile, and the CPU
// what it writes itself. In each turn it says that it waits, looks for the CPU's answer, and compares the payload that
// came before it.
layout(local_size_x = 64) in;
layout(std430, binding = 0) coherent volatile readonly buffer Answers { uint answer; };
layout(std430, binding = 1) coherent volatile buffer Said { uint turn, done, wrong; };
layout(std430, binding = 2) coherent volatile readonly buffer Payload { uint payload[]; };
#ifdef VULKAN // OpenGL's source has the two as definitions before this, without its first line
layout(push_constant) uniform Numbers { uint turns, looks; };
#endif
shared uint seen;
void main() {
    for (uint i = 1u; i <= turns; ++i) {
        if (gl_LocalInvocationIndex == 0u) {
            turn = i;
            seen = 0u;
            for (uint look = 0u; look < looks && seen == 0u; ++look) seen = answer == i ? 1u : 0u;
        }
        barrier();
        if (seen == 0u) return;
        memoryBarrierBuffer();
        if (payload[gl_LocalInvocationIndex] != i) atomicAdd(wrong, 1u);
        barrier();
    }
    if (gl_LocalInvocationIndex == 0u) done = 1u;
}
