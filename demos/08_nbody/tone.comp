// The light of both galaxies as colours. Takes the light away, for the next picture.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(binding = 1, std430) buffer Light { uint light[]; };
layout(push_constant) uniform Push { float exposure; };

void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (any(greaterThanEqual(p, size)))
        return;
    int at = 2 * (p.y * size.x + p.x);
    vec3 sum = float(light[at]) * vec3(0.30, 0.55, 1.0) + float(light[at + 1]) * vec3(1.0, 0.50, 0.20);
    light[at] = light[at + 1] = 0;
    imageStore(picture, p, vec4(vec3(0.01, 0.01, 0.03) + 0.98 * (1.0 - exp(-exposure * sum)), 1.0));
}
