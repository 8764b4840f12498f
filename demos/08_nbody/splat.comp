// Every body adds a spot of light of its galaxy. Whole numbers add up to the same in any order.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer Bodies { vec4 bodies[]; };
layout(binding = 1, std430) buffer Light { uint light[]; }; // of each galaxy, for each pixel
layout(push_constant) uniform Push {
    int count, width, height;
    float scale; // pixels
};

void main() {
    int body = int(64 * gl_WorkGroupID.x + gl_LocalInvocationIndex);
    if (body >= count)
        return;
    vec2 spot = 0.5 * vec2(width, height) + scale * bodies[body].xy;
    float size = max(0.7, float(height) / 600.0);
    int reach = int(ceil(2.5 * size));
    ivec2 middle = ivec2(floor(clamp(spot, vec2(-1e6), vec2(1e6))));
    for (int y = max(middle.y - reach, 0); y <= min(middle.y + reach, height - 1); ++y)
        for (int x = max(middle.x - reach, 0); x <= min(middle.x + reach, width - 1); ++x) {
            vec2 away = (vec2(x, y) + 0.5 - spot) / size;
            atomicAdd(light[2 * (y * width + x) + int(2 * body >= count)], uint(256.0 * exp(-0.5 * dot(away, away))));
        }
}
