// A slice of the volume as a picture: blue below zero, red above.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(binding = 1, std430) readonly buffer Slice { float slice[]; };
layout(push_constant) uniform Push { int cells; float scale; };

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (any(greaterThanEqual(p, size)))
        return;
    // The whole slice, as large as it fits, in the middle.
    int side = min(size.x, size.y);
    ivec2 q = (2 * p - size + side) * cells / (2 * side);
    if (any(lessThan(2 * p - size + side, ivec2(0))) || any(greaterThanEqual(q, ivec2(cells)))) {
        imageStore(picture, p, vec4(0.0, 0.0, 0.0, 1.0));
        return;
    }
    float value = clamp(scale * slice[q.y * cells + q.x], -1.0, 1.0), much = sqrt(abs(value));
    vec3 colour = value > 0.0 ? vec3(1.0, 0.35, 0.1) : vec3(0.1, 0.45, 1.0);
    imageStore(picture, p, vec4(mix(vec3(0.04, 0.04, 0.07), colour, much), 1.0));
}
