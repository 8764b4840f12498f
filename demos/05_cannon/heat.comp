// A matrix as a picture: from cold below zero over black to hot.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(binding = 1, std430) readonly buffer Matrix { float matrix[]; };
layout(push_constant) uniform Push { float scale; }; // what is 1 afterwards is white

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (any(greaterThanEqual(p, size)))
        return;
    float value = clamp(scale * matrix[p.y * size.x + p.x], -1.0, 1.0), much = pow(abs(value), 0.7);
    vec3 hot = clamp(vec3(2.2, 1.35, 0.9) * much - vec3(0.0, 0.30, 0.45), 0.0, 1.0);
    vec3 cold = clamp(vec3(0.8, 1.5, 2.4) * much - vec3(0.30, 0.20, 0.0), 0.0, 1.0);
    imageStore(picture, p, vec4(vec3(0.02, 0.02, 0.05) + (value > 0.0 ? hot : cold), 1.0));
}
