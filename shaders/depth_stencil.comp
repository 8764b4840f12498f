// Depths and stencils, which Vulkan copies apart and with depths of 24 bits in the lower bits, together and as pixmpi.h
// has them. One invocation for four pixels. MODE: 0: 24-bit depths alone; 1: those with stencils; 2: depths of 32 bits
// with stencils.
#version 450
layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) buffer Depths { uint depths[]; };
layout(std430, set = 0, binding = 1) buffer Stencils { uint stencils[]; }; // four in a word
layout(std430, set = 0, binding = 2) buffer Pixels { uint pixels[]; };
layout(push_constant) uniform Sizes {
    uint count; // fours of pixels
    uint row;   // invocations in a row of workgroups
    uint join;  // 1: to Pixels, 0: from there
    uint depth_offset, stencil_offset, pixel_offset; // words
};

void main() {
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * row;
    if (i >= count)
        return;
    uint four = 0u;
    if (MODE != 0 && join == 1u)
        four = stencils[stencil_offset + i];
    for (uint k = 0u; k < 4u; ++k) {
        uint depth = depth_offset + i * 4u + k, pixel = pixel_offset + (i * 4u + k) * (MODE == 2 ? 2u : 1u);
        if (join == 1u) {
            uint stencil = four >> k * 8u & 0xffu;
            if (MODE == 2) {
                pixels[pixel] = depths[depth];
                pixels[pixel + 1u] = stencil;
            } else {
                pixels[pixel] = depths[depth] << 8u | stencil;
            }
        } else if (MODE == 2) {
            depths[depth] = pixels[pixel];
            four |= (pixels[pixel + 1u] & 0xffu) << k * 8u;
        } else {
            depths[depth] = pixels[pixel] >> 8u;
            four |= (pixels[pixel] & 0xffu) << k * 8u;
        }
    }
    if (MODE != 0 && join == 0u)
        stencils[stencil_offset + i] = four;
}
