// A strip of the Mandelbrot set, in a rank's colour.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shade.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D strip;
layout(push_constant) uniform Push {
    vec2 corner; // of the whole picture, in the complex plane
    float scale;
    int row;     // the strip's first, in the picture
    vec4 tint;
};

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    float shade = shade_of(corner + scale * vec2(p.x, row + p.y));
    if (all(lessThan(p, imageSize(strip))))
        imageStore(strip, p, vec4(shade * tint.rgb, 1.0));
}
