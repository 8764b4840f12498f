// The volume: what it is made of, and how it looks.
#pragma once

inline constexpr int looks = 3; ///< that shine() has

/// A slice of a brick: a cloud of gas that has been blown apart.
inline constexpr const char *density_source = R"(
uniform vec3 first; // the brick's first voxel in the whole volume, less the border
uniform float layer, voxels;
out float density;

float random_at(ivec3 p) {
    uint h = uint(p.x) * 0x9E3779B1u ^ uint(p.y) * 0x85EBCA77u ^ uint(p.z) * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return float((h ^ h >> 15) >> 8) / 16777216.0;
}
float noise(vec3 p) {
    ivec3 i = ivec3(floor(p));
    vec3 f = fract(p), u = f * f * f * (f * (6.0 * f - 15.0) + 10.0);
    vec4 low, high;
    for (int k = 0; k < 4; ++k) {
        low[k] = random_at(i + ivec3(k & 1, k >> 1, 0));
        high[k] = random_at(i + ivec3(k & 1, k >> 1, 1));
    }
    vec4 plane = mix(low, high, u.z);
    vec2 line = mix(plane.xy, plane.zw, u.y);
    return mix(line.x, line.y, u.x);
}
// Each octave looks in another direction, so that the noise's grid does not show.
const mat3 turn = mat3(0.00, 0.80, 0.60, -0.80, 0.36, -0.48, -0.60, -0.48, 0.64);
float billows(vec3 p) {
    float sum = 0.0, size = 0.5;
    for (int octave = 0; octave < 5; ++octave) {
        sum += size * abs(2.0 * noise(p) - 1.0);
        p = 2.03 * turn * p + 17.0;
        size *= 0.55;
    }
    return sum;
}

void main() {
    vec3 p = 2.0 * (first + vec3(gl_FragCoord.xy, layer + 0.5)) / voxels - 1.0;
    vec3 bent = p + 0.22 * vec3(noise(2.3 * p + 3.0), noise(2.3 * p + 31.0), noise(2.3 * p + 57.0));
    float r = length(p), filaments = 1.0 - 1.25 * billows(1.9 * turn * bent + 9.0);
    float gas = 0.05 - 0.50 * r * r + 1.5 * (filaments - 0.42);
    density = clamp(gas, 0.0, 1.0) * smoothstep(1.0, 0.86, r);
}
)";

/// A ray through each pixel, front to back. All bricks take their samples at the same places of a ray, and each sample
/// is one brick's.
inline constexpr const char *ray_source = R"(
uniform sampler3D densities;
uniform vec3 low, high;                // the brick
uniform float voxels, border;          // of the whole volume; around the brick
uniform vec3 eye, forward, right, up;
uniform vec2 size;                     // of the picture
uniform int look;
out vec4 colour;

// In units of voxels.
float density(vec3 at) { return texture(densities, (at - low + border) / vec3(textureSize(densities, 0))).r; }

// Light per sample, and how much a unit of way takes of what is behind.
vec4 shine(float d, float lit) {
    if (look == 0) {
        vec3 hot = mix(vec3(0.30, 0.015, 0.06), vec3(0.95, 0.20, 0.03), smoothstep(0.08, 0.32, d));
        hot = mix(hot, vec3(1.0, 0.66, 0.25), smoothstep(0.30, 0.52, d));
        hot = mix(hot, vec3(1.0, 0.95, 0.85), smoothstep(0.52, 0.80, d));
        float thick = smoothstep(0.02, 0.75, d);
        return vec4(hot * (0.16 + 2.2 * thick * thick) * (0.30 + 1.25 * lit), 26.0 * thick * (0.25 + thick));
    }
    if (look == 1) {
        vec3 near = (vec3(d) - vec3(0.05, 0.24, 0.52)) / vec3(0.022, 0.024, 0.055);
        vec3 shell = exp(-near * near) * vec3(2.2, 9.0, 70.0);
        vec3 light = shell.x * vec3(0.06, 0.20, 0.75) + shell.y * vec3(0.02, 0.50, 0.42) +
                     shell.z * vec3(1.0, 0.45, 0.10);
        float all = shell.x + shell.y + shell.z;
        return vec4(light / max(all, 1e-4) * (0.04 + 1.35 * lit * lit), all);
    }
    vec3 cloud = mix(vec3(0.05, 0.07, 0.13), vec3(0.70, 0.65, 0.58), lit * lit);
    return vec4(cloud, 60.0 * smoothstep(0.12, 0.50, d));
}

void main() {
    vec2 p = 2.0 * gl_FragCoord.xy / size - 1.0;
    vec3 ray = normalize(forward + p.x * right + p.y * up);
    vec3 sun = normalize(vec3(0.55, 0.70, 0.35));
    float unit = 2.0 / voxels, apart = 0.7 * unit;
    float shift = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));

    vec3 to_low = (unit * low - 1.0 - eye) / ray, to_high = (unit * high - 1.0 - eye) / ray;
    vec3 enter = min(to_low, to_high), leave = max(to_low, to_high);
    float from = max(max(enter.x, enter.y), max(enter.z, 0.0)), to = min(leave.x, min(leave.y, leave.z));
    float first = floor(from / apart) - 1.0, last = ceil(to / apart) + 1.0;

    vec4 sum = vec4(0.0);
    for (float i = max(first, 0.0); from <= to && i <= last; i += 1.0) {
        vec3 at = (0.5 * (eye + (i + shift) * apart * ray) + 0.5) * voxels;
        if (any(lessThan(at, low)) || any(greaterThanEqual(at, high)))
            continue;
        float d = density(at);
        if (d <= 0.0)
            continue;
        float lit = clamp(0.32 + 9.0 * (d - density(at + 2.0 * sun)) * voxels / 128.0, 0.0, 1.0);
        vec4 here = shine(d, lit);
        float opaque = 1.0 - exp(-here.a * apart);
        sum += (1.0 - sum.a) * opaque * vec4(here.rgb, 1.0);
        if (sum.a > 0.999)
            break;
    }
    colour = sum;
}
)";

/// The finished picture: in front of the night.
inline constexpr const char *night_source = R"(
uniform sampler2D drawn;
uniform vec2 size, corner; // of the whole picture; where what is drawn begins in it
out vec4 colour;

float random_at(ivec2 p) {
    uint h = uint(p.x) * 0x9E3779B1u ^ uint(p.y) * 0x85EBCA77u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    return float((h ^ h >> 13) >> 8) / 16777216.0;
}

void main() {
    vec2 at = corner + gl_FragCoord.xy, p = (at - 0.5 * size) / size.y;
    vec3 night = mix(vec3(0.020, 0.030, 0.060), vec3(0.004, 0.005, 0.012), smoothstep(0.1, 0.95, length(p)));
    float star = random_at(ivec2(at));
    night += vec3(0.9, 0.95, 1.0) * pow(max(star - 0.9985, 0.0) / 0.0015, 6.0);
    vec4 here = texelFetch(drawn, ivec2(gl_FragCoord.xy), 0);
    vec3 light = here.rgb + (1.0 - here.a) * night;
    colour = vec4(pow(1.0 - exp(-1.3 * light), vec3(1.0 / 2.2)), 1.0);
}
)";
