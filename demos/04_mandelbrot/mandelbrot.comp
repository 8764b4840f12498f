// A strip of the Mandelbrot set: a rank's colour, brighter and darker with the number of steps that a point takes to escape.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D strip;
layout(push_constant) uniform Push {
    vec2 corner; // of the whole picture, in the complex plane
    float scale;
    int row;     // the strip's first, in the picture
    vec4 tint;
};

const int most = 512;

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec2 c = corner + scale * vec2(p.x, row + p.y), z = vec2(0.0);
    int n = 0;
    for (; n < most && dot(z, z) < 256.0; ++n)
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    float shade = 0.08;
    if (n < most) {
        float steps = float(n) + 3.0 - log2(0.5 * log2(dot(z, z))); // without the jumps between whole numbers
        shade = 0.60 - 0.40 * cos(2.2 * log2(steps));
    }
    if (all(lessThan(p, imageSize(strip))))
        imageStore(strip, p, vec4(shade * tint.rgb, 1.0));
}
