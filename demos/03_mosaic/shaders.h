// What the mosaic's ranks draw with.
#pragma once

/// A lake at dusk. There is no picture in this project, so this one is made up.
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
float clouds(vec2 p) {
    float sum = 0.0, part = 0.5;
    for (int i = 0; i < 5; ++i, part *= 0.5, p = 2.03 * p + 17.0)
        sum += part * noise(p);
    return sum;
}

const float shore = 0.36;

vec3 land_and_sky(vec2 p, float aspect) {
    vec2 sun = vec2(0.63 * aspect, shore + 0.17 - 0.02 * time);
    float up = clamp((p.y - shore) / (1.0 - shore), 0.0, 1.0), far = length(p - sun);
    vec3 sky = mix(vec3(1.00, 0.60, 0.30), vec3(0.86, 0.33, 0.40), smoothstep(0.0, 0.35, up));
    sky = mix(sky, vec3(0.22, 0.20, 0.46), smoothstep(0.2, 0.75, up));
    sky = mix(sky, vec3(0.06, 0.08, 0.24), smoothstep(0.65, 1.0, up));
    float cloud = smoothstep(0.48, 0.80, clouds(vec2(1.6 * p.x + 0.05 * time, 5.0 * p.y + 0.3)));
    sky = mix(sky, mix(vec3(1.00, 0.72, 0.50), vec3(0.42, 0.26, 0.44), smoothstep(0.1, 0.9, up + 0.3 * far)), 0.75 * cloud);
    float star = hash(ivec2(floor(p * 260.0)));
    sky += vec3(0.9) * step(0.9985, star) * smoothstep(0.6, 0.95, up) * (1.0 - cloud);
    sky += vec3(1.00, 0.55, 0.22) * 0.55 * exp(-5.0 * far) + vec3(1.0, 0.92, 0.70) * smoothstep(0.062, 0.056, far);
    for (int i = 0; i < 4; ++i) {
        float k = float(i), rough = 1.5 + 1.1 * k;
        float ridge = shore + (0.27 - 0.07 * k) * (0.25 + clouds(vec2(rough * p.x + 31.0 * k, 7.0 * k)))
                    + 0.012 * noise(vec2(60.0 * p.x, 3.0 * k));
        vec3 rock = mix(vec3(0.60, 0.34, 0.44), vec3(0.05, 0.06, 0.13), (k + 0.6) / 3.6);
        rock += vec3(0.55, 0.26, 0.14) * exp(-3.2 * far) * (1.0 - k / 4.0);
        rock = mix(rock, vec3(0.86, 0.50, 0.42), 0.35 * smoothstep(0.10, 0.0, p.y - shore) * (1.0 - k / 4.0));
        sky = mix(sky, rock, smoothstep(0.0, 0.0025, ridge - p.y));
    }
    return sky;
}

void main() {
    float aspect = size.x / size.y;
    vec2 p = gl_FragCoord.xy / size.y;
    vec3 light;
    if (p.y > shore) {
        light = land_and_sky(p, aspect);
    } else {
        float near = (shore - p.y) / shore;
        float swell = noise(vec2(14.0 * p.x, 160.0 * p.y / (0.3 + near) + 0.8 * time)) - 0.5;
        vec2 seen = vec2(p.x + 0.035 * swell * near, 2.0 * shore - p.y + 0.06 * swell * near);
        light = mix(land_and_sky(seen, aspect) * vec3(0.74, 0.72, 0.86), vec3(0.03, 0.05, 0.14), 0.55 * near);
        light += vec3(1.0, 0.70, 0.40) * 0.5 * smoothstep(0.20, 0.45, swell) * exp(-18.0 * abs(p.x - 0.63 * aspect) * (0.6 + near));
    }
    colour = vec4(clamp(light, 0.0, 1.0), 1.0);
}
)";

/// The mean of each cell, a texel for a cell. What holds no picture has no alpha and does not count.
inline constexpr const char *mean_source = R"(
uniform sampler2D picture;
uniform ivec2 cell;
out vec4 colour;
void main() {
    ivec2 corner = ivec2(gl_FragCoord.xy) * cell, end = min(corner + cell, textureSize(picture, 0));
    vec4 sum = vec4(0.0);
    for (int y = corner.y; y < end.y; ++y)
        for (int x = corner.x; x < end.x; ++x) {
            vec4 texel = texelFetch(picture, ivec2(x, y), 0);
            sum += vec4(texel.rgb * texel.a, texel.a);
        }
    colour = vec4(sum.rgb / max(sum.a, 1.0), 1.0);
}
)";

/// The picture in small, `size` texels of it for one.
inline constexpr const char *shrink_source = R"(
uniform sampler2D picture;
uniform ivec2 size;
out vec4 colour;
void main() {
    ivec2 whole = textureSize(picture, 0), p = ivec2(gl_FragCoord.xy);
    ivec2 corner = p * whole / size, end = max((p + 1) * whole / size, corner + 1);
    vec3 sum = vec3(0.0);
    for (int y = corner.y; y < end.y; ++y)
        for (int x = corner.x; x < end.x; ++x)
            sum += texelFetch(picture, ivec2(x, y), 0).rgb;
    ivec2 count = end - corner;
    colour = vec4(sum / float(count.x * count.y), 1.0);
}
)";

/// Cell after cell a photo in the cell's colour.
inline constexpr const char *photo_source = R"(
uniform sampler2D means, photo, photo_mean;
uniform ivec2 cell;
uniform int first, step, across; // which cells of the picture these are
out vec4 colour;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy), place = p / cell, at = p - place * cell;
    uint number = uint(first + step * (place.y * across + place.x)) * 2654435761u;
    if ((number & 0x10000u) != 0u)
        at.x = cell.x - 1 - at.x;
    vec3 wanted = texelFetch(means, place, 0).rgb, mean = texelFetch(photo_mean, ivec2(0), 0).rgb;
    vec3 seen = texelFetch(photo, at, 0).rgb;
    float light = 0.94 + 0.12 * float(number >> 24) / 255.0;
    vec3 tinted = mix(wanted * (0.35 + 0.65 * seen / max(mean, 0.05)), wanted + 0.8 * (seen - mean), 0.6);
    ivec2 edge = min(at, cell - 1 - at);
    float frame = float(min(edge.x, edge.y) > 0 || min(cell.x, cell.y) < 8);
    colour = vec4(clamp(tinted * light, 0.0, 1.0) * mix(0.55, 1.0, frame), 1.0);
}
)";
