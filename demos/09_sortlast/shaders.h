// How the terrain looks, and the sky behind.
#pragma once

inline constexpr const char *terrain_vertex_source = R"(
layout(location = 0) in float height;
layout(location = 1) in vec2 slope; // the normal's x and z
uniform ivec2 origin;
uniform int across;                 // vertices along a block's side
uniform float spacing;
uniform mat4 matrix;
out vec3 at, normal;

void main() {
    ivec2 grid = origin + ivec2(gl_VertexID % across, gl_VertexID / across);
    at = vec3(float(grid.x) * spacing - 1.0, height, float(grid.y) * spacing - 1.0);
    normal = vec3(slope.x, sqrt(max(0.0, 1.0 - dot(slope, slope))), slope.y);
    gl_Position = matrix * vec4(at, 1.0);
}
)";

/// What terrain and sky have in common: the light in the air, the sea, and what the eye makes of light.
inline constexpr const char *common_source = R"(
const vec3 sun = vec3(-0.7071, 0.3536, -0.6124);

float hash(vec2 p) {
    p = fract(p * vec2(0.1031, 0.1030));
    p += dot(p, p.yx + 33.33);
    return fract((p.x + p.y) * p.x);
}
float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p), u = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), u.x),
               mix(hash(i + vec2(0.0, 1.0)), hash(i + vec2(1.0, 1.0)), u.x), u.y);
}
vec3 air(vec3 ray) {
    float low = pow(1.0 - clamp(ray.y, 0.0, 1.0), 7.0), glow = max(dot(ray, sun), 0.0);
    return mix(vec3(0.10, 0.25, 0.58), vec3(0.50, 0.63, 0.78), low) + vec3(0.55, 0.36, 0.18) * pow(glow, 8.0);
}
vec3 through_air(vec3 light, vec3 ray, float far) {
    return mix(air(ray * vec3(1.0, 0.0, 1.0)), light, exp(-0.055 * far * far));
}
vec3 sea(vec3 at, vec3 ray, float far) {
    vec2 wave = vec2(noise(150.0 * at.xz + 300.0), noise(150.0 * at.zx + 700.0)) - 0.5;
    vec3 n = normalize(vec3(0.09 / (1.0 + far) * wave.x, 1.0, 0.09 / (1.0 + far) * wave.y));
    vec3 reflected = reflect(ray, n);
    float mirror = 0.03 + 0.97 * pow(1.0 - max(-dot(ray, n), 0.0), 5.0);
    vec3 light = mix(vec3(0.006, 0.060, 0.105), air(reflected), mirror);
    return light + vec3(1.0, 0.8, 0.5) * pow(max(dot(reflected, sun), 0.0), 180.0);
}
vec3 seen(vec3 light) { return pow(1.0 - exp(-1.6 * light), vec3(1.0 / 2.2)); }
)";

inline constexpr const char *terrain_source = R"(
in vec3 at, normal;
uniform vec3 eye;
out vec4 colour;

void main() {
    vec3 ray = at - eye;
    float far = length(ray);
    ray /= far;
    vec3 n = normalize(normal);
    float rough = 0.6 * noise(90.0 * at.xz + 100.0) + 0.4 * noise(23.0 * at.xz + 50.0), up = n.y;
    vec3 light;
    if (at.y <= 0.0) {
        light = sea(at, ray, far);
    } else {
        float h = at.y + 0.05 * (rough - 0.5);
        vec3 ground = mix(vec3(0.40, 0.33, 0.20), vec3(0.085, 0.150, 0.035), smoothstep(0.000, 0.018, h));
        ground = mix(ground, vec3(0.040, 0.085, 0.030), smoothstep(0.03, 0.11, h));
        ground = mix(ground, vec3(0.22, 0.19, 0.165) * (0.6 + 0.8 * rough), smoothstep(0.11, 0.17, h));
        ground = mix(ground, vec3(0.19, 0.165, 0.145) * (0.5 + 0.9 * rough), smoothstep(0.66, 0.46, up));
        ground = mix(ground, vec3(0.86, 0.89, 0.94), smoothstep(0.17, 0.23, h) * smoothstep(0.36, 0.58, up));
        float direct = max(dot(n, sun), 0.0), bounced = max(dot(n, vec3(-sun.x, 0.0, -sun.z)), 0.0);
        light = ground * (vec3(2.9, 2.35, 1.65) * direct + vec3(0.20, 0.30, 0.50) * (0.4 + 0.6 * up) +
                          vec3(0.10, 0.08, 0.06) * bounced);
    }
    colour = vec4(seen(through_air(light, ray, far)), 1.0);
}
)";

/// The finished picture: sky and sea where no rank has drawn.
inline constexpr const char *sky_source = R"(
uniform sampler2D drawn;
uniform vec2 size, corner; // of the whole picture; where what is drawn begins in it
uniform vec3 eye, forward, right, up;
out vec4 colour;

void main() {
    vec2 p = 2.0 * (corner + gl_FragCoord.xy) / size - 1.0;
    vec3 ray = normalize(forward + p.x * right + p.y * up);
    float far = ray.y < 0.0 ? eye.y / -ray.y : 1000.0;
    vec3 light = ray.y < 0.0 ? through_air(sea(eye + far * ray, ray, far), ray, far) : air(ray);
    vec4 here = texelFetch(drawn, ivec2(gl_FragCoord.xy), 0);
    colour = vec4(mix(seen(light), here.rgb, here.a), 1.0);
}
)";
