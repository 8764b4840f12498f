// What rank 0 draws: balls that jump in a circle on a floor of tiles, with the number of the frame in front of them.
#pragma once

inline constexpr const char *scene_source = R"(
uniform vec2 size;
uniform float time;
uniform int number;
out vec4 colour;

const int balls = 4;
const float radius = 0.75;
const vec3 sun = normalize(vec3(-0.5, 0.8, -0.45)), eye = vec3(0.0, 2.4, -6.5);

vec3 centre(int i) {
    float turn = 0.5 * time + 1.5707963 * float(i), jump = sin(2.1 * time + 0.9 * float(i));
    return vec3(2.2 * cos(turn), radius + 1.3 * abs(jump), 2.2 * sin(turn));
}

vec3 sky(vec3 along) {
    return mix(vec3(0.80, 0.86, 0.93), vec3(0.22, 0.42, 0.74), sqrt(clamp(along.y, 0.0, 1.0)));
}

vec3 ground(vec3 along) {
    float far = eye.y / max(-along.y, 1e-3);
    vec3 at = eye + far * along;
    vec2 tile = 3.1415927 * 0.8 * at.xz, across = max(fwidth(tile), 1e-4);
    vec2 edge = clamp(sin(tile) / across, -1.0, 1.0) * clamp(3.0 / across - 1.0, 0.0, 1.0); // far ones are grey
    vec3 light = mix(vec3(0.32, 0.29, 0.27), vec3(0.70, 0.67, 0.61), 0.5 + 0.5 * edge.x * edge.y);
    float shadow = 1.0;
    for (int i = 0; i < balls; ++i) {
        vec3 to = centre(i) - at;
        float away = length(to - dot(to, sun) * sun);
        shadow = min(shadow, smoothstep(0.9 * radius, 1.1 * radius, away));
    }
    return mix(light * mix(0.4, 1.0, shadow), sky(along), clamp(far / 45.0, 0.0, 1.0));
}

vec3 ball(int i, vec3 along, float far) {
    vec3 normal = (eye + far * along - centre(i)) / radius, back = reflect(along, normal);
    vec3 own = 0.5 + 0.4 * cos(1.7 * float(i) + vec3(0.0, 2.1, 4.2));
    float light = max(dot(normal, sun), 0.0), shine = pow(max(dot(back, sun), 0.0), 60.0);
    return mix(own * (0.3 + 0.75 * light), sky(back), 0.15) + 0.7 * shine;
}

// Seven segments of a digit in 0..1 x 0..2, from the top one clockwise, the one in the middle last.
float segments(int digit, vec2 p) {
    const int lit[10] = int[10](0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f);
    const vec3 places[7] = vec3[7](vec3(0.5, 1.9, 0.0), vec3(0.9, 1.45, 1.0), vec3(0.9, 0.55, 1.0), vec3(0.5, 0.1, 0.0),
                                   vec3(0.1, 0.55, 1.0), vec3(0.1, 1.45, 1.0), vec3(0.5, 1.0, 0.0));
    float ink = 0.0;
    for (int i = 0; i < 7; ++i) {
        vec2 away = abs(p - places[i].xy);
        away = places[i].z > 0.5 ? away.yx : away;
        ink = max(ink, (lit[digit] >> i & 1) == 1 && away.x < 0.36 && away.y < 0.08 ? 1.0 : 0.0);
    }
    return ink;
}

float digits() {
    vec2 p = gl_FragCoord.xy / size.y * 40.0 - vec2(2.0, 2.0);
    int place = int(floor(p.x / 1.4)), rest = number;
    if (place < 0 || place > 5 || p.y < 0.0 || p.y > 2.0)
        return 0.0;
    for (int i = place; i < 5; ++i)
        rest /= 10;
    return segments(rest % 10, vec2(p.x - 1.4 * float(place), p.y));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - size) / size.y;
    vec3 along = normalize(vec3(p.x, p.y - 0.35, 2.0));
    vec3 floored = ground(along);
    vec3 seen = along.y < -1e-3 ? floored : sky(along);
    float nearest = 1e9;
    for (int i = 0; i < balls; ++i) {
        vec3 to = centre(i) - eye;
        float middle = dot(to, along), off = sqrt(max(dot(to, to) - middle * middle, 0.0));
        if (off < radius && middle < nearest) {
            nearest = middle;
            float edge = clamp((radius - off) / middle * size.y, 0.0, 1.0); // of a pixel, about
            seen = mix(seen, ball(i, along, middle - sqrt(radius * radius - off * off)), edge);
        }
    }
    colour = vec4(mix(sqrt(clamp(seen, 0.0, 1.0)), vec3(0.96, 0.97, 0.93), digits()), 1.0);
}
)";
