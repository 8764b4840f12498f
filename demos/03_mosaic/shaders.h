// What the mosaic's ranks draw with.
#pragma once

/// Balloons over a lake. There is no photo in this project, so this one is made up.
inline constexpr const char *scene_source = R"(
uniform vec2 size;
uniform float time;
out vec4 colour;

float hash(ivec2 p) {
    uint n = uint(p.x) * 374761393u + uint(p.y) * 668265263u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return float((n ^ (n >> 16)) & 0xffffu) / 65535.0;
}
float noise(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = p - vec2(i);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + ivec2(1, 0)), f.x), mix(hash(i + ivec2(0, 1)), hash(i + ivec2(1, 1)), f.x), f.y);
}
float rough(vec2 p) {
    float sum = 0.0, part = 0.5;
    for (int i = 0; i < 5; ++i, part *= 0.5, p = mat2(1.6, 1.2, -1.2, 1.6) * p + 17.0)
        sum += part * noise(p);
    return sum;
}

const float shore = 0.30;

vec3 balloon(vec3 behind, vec2 p, vec2 at, float r, float hue) {
    vec2 q = (p - at) / r;
    float squeeze = q.y < 0.0 ? 1.0 + 0.75 * q.y * q.y : 1.0; // the lower half runs out into the basket
    float x = q.x * squeeze, wide = sqrt(max(1.0 - q.y * q.y * (q.y < 0.0 ? 0.62 : 1.0), 0.0001)), side = clamp(x / wide, -1.0, 1.0);
    float cover = smoothstep(0.02, -0.02, abs(x) - wide) * step(-1.27, q.y) * step(q.y, 1.0);
    float gore = sin(7.0 * asin(side) + 2.0 * hue);
    vec3 one = 0.55 + 0.45 * cos(6.2832 * (hue + vec3(0.0, 0.35, 0.62))), two = vec3(1.0, 0.93, 0.80);
    vec3 cloth = mix(one, mix(two, 0.55 + 0.45 * cos(6.2832 * (hue + 0.3 + vec3(0.0, 0.35, 0.62))), step(0.25, abs(q.y + 0.1))),
                     smoothstep(-0.12, 0.12, gore));
    cloth *= 0.62 + 0.50 * clamp(0.45 + 0.75 * side + 0.35 * q.y, 0.0, 1.0);
    vec3 light = mix(behind, cloth, cover);
    vec2 b = abs(q - vec2(0.0, -1.62)) - vec2(0.17, 0.13);
    light = mix(light, vec3(0.30, 0.17, 0.10), smoothstep(0.03, 0.0, max(b.x, b.y)));
    float rope = abs(abs(q.x) - mix(0.16, 0.21, clamp((q.y + 1.5) / 0.3, 0.0, 1.0)));
    return mix(light, vec3(0.25, 0.16, 0.12), smoothstep(0.03, 0.0, rope) * step(-1.5, q.y) * step(q.y, -1.2));
}

vec3 world(vec2 p, float aspect) {
    vec2 sun = vec2(0.66 * aspect, shore + 0.24);
    float up = clamp((p.y - shore) / (1.0 - shore), 0.0, 1.0), far = length(p - sun);
    vec3 light = mix(vec3(1.00, 0.80, 0.52), vec3(0.98, 0.58, 0.42), smoothstep(0.0, 0.30, up));
    light = mix(light, vec3(0.48, 0.60, 0.80), smoothstep(0.20, 0.62, up));
    light = mix(light, vec3(0.13, 0.30, 0.62), smoothstep(0.50, 1.05, up));
    light += vec3(1.0, 0.62, 0.25) * 0.5 * exp(-4.5 * far) + vec3(1.0, 0.95, 0.80) * smoothstep(0.060, 0.052, far);
    float cloud = rough(vec2(2.2 * p.x + 0.04 * time, 4.6 * p.y));
    vec3 lit = mix(vec3(1.0, 0.90, 0.80), vec3(0.80, 0.52, 0.56), smoothstep(0.45, 0.75, cloud));
    light = mix(light, lit, 0.85 * smoothstep(0.46, 0.66, cloud) * smoothstep(0.15, 0.5, up));
    for (int i = 0; i < 4; ++i) {
        float k = float(i), line = (1.7 + 1.3 * k) * p.x + 11.3 * k + 1.7;
        float peak = 1.0 - abs(2.0 * noise(vec2(line, k)) - 1.0);
        float ridge = shore + (0.30 - 0.085 * k) * (0.12 + 0.62 * peak * peak + 0.55 * rough(vec2(1.8 * line, 3.0 * k)));
        float slope = rough(vec2(9.0 * p.x + 4.0 * k, 14.0 * p.y));
        vec3 rock = mix(vec3(0.62, 0.50, 0.60), vec3(0.09, 0.15, 0.13), k / 3.0);
        rock *= 0.78 + 0.5 * slope;
        rock = mix(rock, vec3(1.0, 0.90, 0.86), i < 2 ? smoothstep(0.50, 0.62, (p.y - shore) * 3.4 + 0.5 * slope - 0.28) : 0.0);
        rock = mix(rock, vec3(1.0, 0.70, 0.48), 0.55 * exp(-3.0 * far) * (1.0 - k / 4.0));
        rock = mix(rock, vec3(0.98, 0.72, 0.55), (0.5 - 0.12 * k) * smoothstep(0.13, 0.0, p.y - shore));
        light = mix(light, rock, smoothstep(0.0, 0.002, ridge - p.y));
    }
    const vec4 balloons[9] = vec4[](vec4(0.22, 0.70, 0.120, 0.02), vec4(0.45, 0.82, 0.070, 0.58), vec4(0.79, 0.77, 0.092, 0.86),
        vec4(0.60, 0.62, 0.046, 0.30), vec4(0.08, 0.88, 0.050, 0.70), vec4(0.92, 0.60, 0.054, 0.12), vec4(0.36, 0.56, 0.036, 0.94),
        vec4(0.68, 0.90, 0.034, 0.44), vec4(0.52, 0.68, 0.024, 0.76));
    for (int i = 8; i >= 0; --i) {
        vec4 b = balloons[i];
        light = balloon(light, p, vec2(b.x * aspect + 0.2 * b.z * time, b.y + 0.08 * b.z * sin(time + 20.0 * b.w)), b.z, b.w);
    }
    return light;
}

void main() {
    float aspect = size.x / size.y;
    vec2 p = gl_FragCoord.xy / size.y;
    vec3 light;
    if (p.y > shore) {
        light = world(p, aspect);
    } else {
        float near = (shore - p.y) / shore;
        float swell = noise(vec2(9.0 * p.x / (0.25 + near), 60.0 / (0.12 + near) + 0.5 * time)) - 0.5;
        float ripple = noise(vec2(60.0 * p.x / (0.3 + near), 190.0 / (0.12 + near) + time)) - 0.5;
        vec2 seen = vec2(p.x + 0.02 * swell, 2.0 * shore - p.y + near * (0.05 * swell + 0.03 * ripple));
        light = world(seen, aspect) * mix(vec3(0.86, 0.88, 0.95), vec3(0.46, 0.58, 0.72), near);
        light += vec3(1.0, 0.78, 0.50) * 0.5 * smoothstep(0.22, 0.45, ripple) * exp(-9.0 * abs(p.x - 0.66 * aspect));
    }
    colour = vec4(clamp(light, 0.0, 1.0), 1.0);
}
)";

/// Cuttings of the picture, `across` x `across` of them of a cell's size: what the mosaic is made of.
inline constexpr const char *album_source = R"(
uniform sampler2D picture;
uniform ivec2 cell;
uniform int across;
out vec4 colour;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), place = p / cell, at = p - place * cell, whole = textureSize(picture, 0);
    uint number = uint(place.y * across + place.x) * 2654435761u;
    float part = mix(0.12, 0.40, float((number >> 8) & 0xffu) / 255.0);
    vec2 corner = (vec2(place) + 0.5) / float(across) * (1.0 - part);
    ivec2 from = ivec2((corner + part * vec2(at) / vec2(cell)) * vec2(whole));
    ivec2 end = ivec2((corner + part * vec2(at + 1) / vec2(cell)) * vec2(whole));
    end = min(max(end, from + 1), whole);
    from = min(from, end - 1);
    vec3 sum = vec3(0.0);
    for (int y = from.y; y < end.y; ++y)
        for (int x = from.x; x < end.x; ++x)
            sum += texelFetch(picture, ivec2(x, y), 0).rgb;
    ivec2 count = end - from;
    colour = vec4(sum / float(count.x * count.y), 1.0);
}
)";

/// The mean of each cell, a texel for a cell. What holds no picture has no alpha and does not count.
inline constexpr const char *mean_source = R"(
uniform sampler2D picture;
uniform ivec2 cell;
out vec4 colour;
void main() {
    ivec2 corner = ivec2(gl_FragCoord.xy) * cell;
    vec4 sum = vec4(0.0);
    for (int y = 0; y < cell.y; ++y)
        for (int x = 0; x < cell.x; ++x) {
            vec4 texel = texelFetch(picture, corner + ivec2(x, y), 0);
            sum += vec4(texel.rgb * texel.a, texel.a);
        }
    colour = vec4(sum.rgb / max(sum.a, 1.0), 1.0);
}
)";

/// For each cell the photo with the nearest mean, with a little chance in it: its number in the alpha channel.
inline constexpr const char *choose_source = R"(
uniform sampler2D means, album_means;
uniform int first, step, columns; // which cells of the picture these are
out vec4 colour;
void main() {
    ivec2 place = ivec2(gl_FragCoord.xy), album = textureSize(album_means, 0);
    vec3 wanted = texelFetch(means, place, 0).rgb;
    uint random = uint(first + step * (place.y * columns + place.x)) * 2654435761u;
    float best = 1e9;
    int chosen = 0;
    for (int i = 0; i < album.x * album.y; ++i) {
        random = random * 1664525u + 1013904223u;
        vec3 d = texelFetch(album_means, ivec2(i % album.x, i / album.x), 0).rgb - wanted;
        float distance = length(d) + 0.16 * float(random >> 24) / 255.0;
        if (distance < best) {
            best = distance;
            chosen = i;
        }
    }
    colour = vec4(wanted, float(chosen) / 255.0);
}
)";

/// Cell after cell its photo, somewhat flat and shifted towards the cell's colour.
inline constexpr const char *photo_source = R"(
uniform sampler2D choice, album, album_means;
uniform ivec2 cell;
out vec4 colour;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), place = p / cell, at = p - place * cell;
    vec4 wanted = texelFetch(choice, place, 0);
    int number = int(wanted.a * 255.0 + 0.5), across = textureSize(album_means, 0).x;
    ivec2 photo = ivec2(number % across, number / across);
    vec3 seen = texelFetch(album, photo * cell + at, 0).rgb, mean = texelFetch(album_means, photo, 0).rgb;
    ivec2 edge = min(at, cell - 1 - at);
    float frame = float(min(edge.x, edge.y) > 0 || min(cell.x, cell.y) < 8);
    colour = vec4(clamp(mix(mean, seen, 0.8) + 0.85 * (wanted.rgb - mean), 0.0, 1.0) * mix(0.72, 1.0, frame), 1.0);
}
)";
