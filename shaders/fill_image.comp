#version 450
// Fills a rectangle of an image of plain integers, or of a buffer of packed pixels, with numbers that take as many steps to
// find as one likes: pixbench's computation. Integers only, so that every device finds the same (fill_number in pixels_fill.h).
//
// For OpenGL (the source begins behind the first line) and for Vulkan. FORMAT: of the image; none: a buffer. WORDS: 1,
// 2 or 4, of a pixel.
layout(local_size_x = 8, local_size_y = 8) in;

#ifdef VULKAN
layout(push_constant) uniform Push {
    ivec4 rect;  // x, y, width, height
    uvec4 sizes; // seed, steps, pixels in a row of the buffer
};
#else
layout(location = 0) uniform ivec4 rect;
layout(location = 1) uniform uvec4 sizes;
#endif
#ifdef FORMAT
layout(FORMAT, binding = 0) writeonly uniform uimage2D pixels;
#else
layout(std430, binding = 0) writeonly buffer Pixels { uint words[]; };
#endif

// Bits that are a plain number in any format.
uint word(uint number, uint k) { return ((number + k * 0x9e3779b9u) & 0x0f0f0f0fu) | 0x20202020u; }

void main() {
    if (any(greaterThanEqual(ivec2(gl_GlobalInvocationID.xy), rect.zw)))
        return;
    ivec2 at = rect.xy + ivec2(gl_GlobalInvocationID.xy);
    uint number = uint(at.x) * 73856093u ^ uint(at.y) * 19349663u ^ sizes.x * 83492791u;
    for (uint i = 0u; i < sizes.y; ++i) {
        number = number * 1664525u + 1013904223u;
        number ^= number >> 13u;
    }
    uvec4 value = uvec4(word(number, 0u), word(number, 1u), word(number, 2u), word(number, 3u));
#ifdef FORMAT
#if WORDS == 2 // four channels of 16 bits
    value = uvec4(value.x & 0xffffu, value.x >> 16u, value.y & 0xffffu, value.y >> 16u);
#endif
    imageStore(pixels, at, value);
#else
    uint first = (uint(at.y) * sizes.z + uint(at.x)) * uint(WORDS);
    for (uint k = 0u; k < uint(WORDS); ++k)
        words[first + k] = value[k];
#endif
}
