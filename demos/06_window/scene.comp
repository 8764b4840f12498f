// A block of an animated picture: lights that circle over a floor of hexagons. A pixel depends on its place in the whole
// picture and on the time, not on the block.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D block;
layout(push_constant) uniform Push {
    ivec2 origin, size; // the block's first pixel in the whole picture, and the picture's size
    float time;
};

/// How far it is to the next edge between hexagons, and which hexagon it is.
vec3 hexagon(vec2 p) {
    const vec2 period = vec2(1.0, 1.7320508);
    vec2 a = mod(p, period) - 0.5 * period, b = mod(p - 0.5 * period, period) - 0.5 * period;
    vec2 near = dot(a, a) < dot(b, b) ? a : b, q = abs(near);
    return vec3(0.5 - max(q.x, dot(q, vec2(0.5, 0.8660254))), p - near);
}

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, imageSize(block))))
        return;
    vec2 at = (2.0 * vec2(origin + p) + 1.0 - vec2(size)) / float(size.y);
    float turn = 0.15 * sin(0.4 * time), c = cos(turn), s = sin(turn);
    vec3 cell = hexagon(5.0 * (mat2(c, -s, s, c) * at) + vec2(0.6 * time, 0.3 * time));
    float height = 0.5 + 0.5 * sin(1.7 * cell.y + 0.9 * time) * sin(2.3 * cell.z - 0.7 * time);
    float bevel = smoothstep(0.0, 0.09, cell.x);
    vec3 floor_ = mix(vec3(0.05, 0.08, 0.14), vec3(0.28, 0.30, 0.38), height) * (0.25 + 0.75 * bevel);

    vec3 light = 0.22 * floor_;
    for (int i = 0; i < 5; ++i) {
        float phase = 1.2566371 * float(i) + 0.6 * time;
        vec2 lamp = vec2(1.15 * cos(phase), 0.62 * sin(2.0 * phase + 0.4 * float(i)));
        vec3 colour = 0.55 + 0.45 * cos(6.2831853 * (0.21 * float(i) + vec3(0.0, 0.33, 0.67)));
        vec2 away = at - lamp;
        float far = dot(away, away);
        light += colour * (1.6 * floor_ * (0.4 + height) / (0.06 + 5.0 * far) * 0.35 + 0.006 / (0.004 + far));
    }
    light *= 1.0 - 0.18 * dot(at, at);
    imageStore(block, p, vec4(sqrt(clamp(light / (0.55 + light), 0.0, 1.0)), 1.0));
}
