// A fractal that takes long where it is seen, before a sky that takes no time.
#pragma once

/// The triplex power of White and Nylander (2009), its distance estimated as Hart does for Julia sets (1989).
inline constexpr const char *fractal_source = R"(
uniform vec3 eye, forward, right, up;
uniform vec2 size;
uniform float power;
out vec4 colour;

const vec3 sun = vec3(0.5571, 0.7428, 0.3714);

// The distance to the fractal at most; `orbit`: how near the point has come to the axes and to the origin.
float away(vec3 p, out vec4 orbit) {
    vec3 z = p;
    float scale = 1.0, r = length(z);
    orbit = vec4(1e9);
    for (int i = 0; i < 8 && r < 2.0; ++i) {
        float angle = power * acos(clamp(z.y / r, -1.0, 1.0)), turn = power * atan(z.x, z.z);
        scale = power * pow(r, power - 1.0) * scale + 1.0;
        z = pow(r, power) * vec3(sin(angle) * sin(turn), cos(angle), sin(angle) * cos(turn)) + p;
        r = length(z);
        orbit = min(orbit, vec4(abs(z), r));
    }
    return 0.5 * log(r) * r / scale;
}
float away(vec3 p) {
    vec4 orbit;
    return away(p, orbit);
}
// Where the ray enters and leaves the sphere that all is in.
vec2 sphere(vec3 from, vec3 ray) {
    float b = dot(from, ray), h = b * b - dot(from, from) + 1.5;
    return h < 0.0 ? vec2(1.0, -1.0) : vec2(-b - sqrt(h), -b + sqrt(h));
}
vec3 sky(vec3 ray) {
    vec3 light = mix(vec3(0.125, 0.060, 0.075), vec3(0.012, 0.022, 0.060), smoothstep(-0.45, 0.45, ray.y));
    return light + vec3(0.45, 0.22, 0.09) * pow(max(dot(ray, sun), 0.0), 8.0);
}
float sunlight(vec3 from) {
    float light = 1.0, t = 0.004, end = sphere(from, sun).y;
    for (int i = 0; i < 48 && t < end; ++i) {
        float d = away(from + t * sun);
        light = min(light, 14.0 * d / t);
        if (light < 0.01)
            return 0.0;
        t += clamp(d, 0.004, 0.08);
    }
    return light;
}

void main() {
    vec2 p = 2.0 * gl_FragCoord.xy / size - 1.0;
    vec3 ray = normalize(forward + p.x * right + p.y * up), light = sky(ray);
    vec2 span = sphere(eye, ray);
    float t = max(span.x, 0.0), pixel = 1.0 / size.y, near = 1e9;
    int steps = 0;
    bool hit = false;
    for (; steps < 160 && t < span.y && !hit; ++steps) {
        float d = away(eye + t * ray);
        near = min(near, d / t);
        hit = d < 0.5 * pixel * t;
        t += d;
    }
    if (hit) {
        vec4 orbit;
        vec3 at = eye + (t - pixel * t) * ray;
        away(at, orbit);
        vec2 e = vec2(1.0, -1.0) * 0.7 * pixel * t;
        vec3 n = normalize(e.xyy * away(at + e.xyy) + e.yyx * away(at + e.yyx) + e.yxy * away(at + e.yxy) +
                           e.xxx * away(at + e.xxx));
        vec3 skin = mix(vec3(0.62, 0.20, 0.07), vec3(0.10, 0.30, 0.46), clamp(1.6 * orbit.y, 0.0, 1.0));
        skin = mix(skin, vec3(0.95, 0.72, 0.34), pow(clamp(1.3 * orbit.x, 0.0, 1.0), 1.5));
        skin = mix(skin, vec3(0.16, 0.05, 0.10), clamp(1.0 - 2.2 * orbit.z, 0.0, 1.0) * 0.6);
        float open = smoothstep(0.25, 1.05, orbit.w) * (1.0 - 0.5 * float(steps) / 160.0);
        float direct = max(dot(n, sun), 0.0);
        if (direct > 0.0)
            direct *= sunlight(at + 2.0 * pixel * t * n);
        float gloss = pow(max(dot(reflect(ray, n), sun), 0.0), 24.0);
        light = skin * (vec3(1.75, 1.38, 0.98) * direct + open * vec3(0.16, 0.22, 0.36) * (0.65 + 0.35 * n.y) +
                        open * vec3(0.22, 0.09, 0.07) * max(-n.y, 0.0)) + 0.3 * direct * gloss;
        light = mix(light, sky(ray), 0.20 * smoothstep(1.6, 3.2, t));
    } else {
        light += vec3(0.40, 0.17, 0.06) * exp(-110.0 * near);
    }
    colour = vec4(pow(1.0 - exp(-1.5 * light), vec3(1.0 / 2.2)), 1.0);
}
)";
