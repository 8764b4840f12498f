// One step of one band, by a dispatch of the host.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "cells.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) buffer Field { float field[]; };
layout(binding = 1, std430) buffer Change { uint change; };

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x >= width || p.y >= rows_of(band))
        return;
    uint at = before(0u, first) + uint((p.y + 1) * width + p.x), next = before(0u, first + 1u) + uint((p.y + 1) * width + p.x);
    float left = p.x > 0 ? field[at - 1u] : 0.0, right = p.x + 1 < width ? field[at + 1u] : 0.0;
    float old = field[at], value = 0.25 * ((field[at - uint(width)] + field[at + uint(width)]) + (left + right));
    field[next] = value;
    atomicMax(change, floatBitsToUint(abs(value - old))); // positive numbers are in the order of their bits
}
