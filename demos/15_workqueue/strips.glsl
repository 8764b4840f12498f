// What the two shaders share that draw strips: what they are told, and a pixel.
#include "../04_mandelbrot/shade.glsl"
layout(push_constant) uniform Push {
    vec2 corner; // of the whole picture, in the complex plane
    float scale;
    int width, height, rows; // of the picture, of a strip
    int worker, strip;       // who draws, and what, where the host says so
};

/// The colour of who draws, as view.h has it.
vec3 tint_of(int worker) {
    vec3 colour = 0.58 + 0.42 * cos(6.283185 * (0.10 + 0.618034 * float(worker) - vec3(0.0, 1.0, 2.0) / 3.0));
    return colour / max(colour.r, max(colour.g, colour.b));
}
uint pixel_of(int x, int y, int worker) {
    return packUnorm4x8(vec4(shade_of(corner + scale * vec2(x, y)) * tint_of(worker), 1.0));
}
