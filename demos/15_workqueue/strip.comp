// A strip, by a dispatch of the host.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "strips.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) writeonly buffer Strips { uint strips[]; };

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x < width && p.y < rows)
        strips[p.y * width + p.x] = pixel_of(p.x, strip * rows + p.y, worker);
}
