// The pond: how its water moves, and how it looks.
#pragma once

/// One step of the wave equation u'' = c^2 (u_xx + u_yy). A texel holds the height now and one step before.
inline constexpr const char *step_source = R"(
uniform sampler2D water;
uniform ivec2 origin, size; // the texture's first texel in the whole pond, and the pond's size
uniform ivec2 drop;         // where the water is pushed in this step,
uniform float strength;     // and how much
out vec2 next;

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), whole = p + origin;
    float edges = 0.0, corners = 0.0;
    for (int i = -1; i <= 1; i += 2) {
        edges += texelFetch(water, p + ivec2(i, 0), 0).r + texelFetch(water, p + ivec2(0, i), 0).r;
        corners += texelFetch(water, p + ivec2(i, i), 0).r + texelFetch(water, p + ivec2(i, -i), 0).r;
    }
    vec2 here = texelFetch(water, p, 0).rg;
    float laplacian = (4.0 * edges + corners - 20.0 * here.r) / 6.0;

    // A shallow place, round like a lens, where waves are slower; and a shore that swallows them.
    vec2 away = (vec2(whole) + 0.5 - vec2(0.62, 0.52) * vec2(size)) / float(size.y);
    float speed2 = mix(0.08, 0.30, smoothstep(0.21, 0.23, length(away)));
    ivec2 inside = min(whole, size - 1 - whole);
    float shore = smoothstep(0.0, 0.06 * float(size.y), float(min(inside.x, inside.y)));
    float height = here.r + (here.r - here.g) * mix(0.94, 0.9992, shore) + speed2 * laplacian;

    vec2 d = 120.0 * vec2(whole - drop) / float(size.y);
    height += strength * exp(-dot(d, d));
    next = vec2(height, here.r);
}
)";

/// Water under a low sun.
inline constexpr const char *light_source = R"(
uniform sampler2D water;
uniform ivec2 origin, size, border; // border: the texels around the block
out vec4 colour;

float at(int x, int y) { return texelFetch(water, ivec2(gl_FragCoord.xy) + border + ivec2(x, y), 0).r; }

void main() {
    vec2 whole = (vec2(ivec2(gl_FragCoord.xy) + border + origin) + 0.5) / vec2(size);
    vec2 slope = 11.0 * vec2(at(1, 0) - at(-1, 0), at(0, 1) - at(0, -1));
    float bend = at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4.0 * at(0, 0);
    vec3 normal = normalize(vec3(-slope, 1.0));
    vec3 sun = normalize(vec3(-0.55, 0.65, 0.62)), eye = vec3(0.0, 0.0, 1.0);

    float glint = pow(max(dot(reflect(-sun, normal), eye), 0.0), 42.0);
    float sky = pow(1.0 - normal.z, 1.5);
    float caustic = clamp(-22.0 * bend, -0.45, 1.6);
    float sand = 1.0 - smoothstep(0.20, 0.235, length((whole - vec2(0.62, 0.52)) * vec2(size) / float(size.y)));

    vec3 deep = mix(vec3(0.004, 0.045, 0.130), vec3(0.010, 0.170, 0.260), whole.y);
    vec3 ground = mix(deep, vec3(0.150, 0.440, 0.380), 0.70 * sand);
    vec3 light = ground * (1.0 + 1.1 * caustic) + ground * 1.6 * max(dot(normal, sun) - 0.62, -0.45);
    light += vec3(0.25, 0.45, 0.60) * sky + vec3(1.0, 0.90, 0.72) * glint;
    light *= 1.0 - 0.45 * dot(whole - 0.5, whole - 0.5);
    colour = vec4(pow(clamp(light, 0.0, 1.0), vec3(1.0 / 2.0)), 1.0);
}
)";
