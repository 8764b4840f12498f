#version 450
// Moves the pixels of many rectangles between an image of plain integers and a buffer in which they lie one behind the
// other. One invocation for each pixel; its piece is found by binary search over the pieces' first pixels, so that all
// invocations have the same work, however unequal the pieces are.
//
// For OpenGL, whose source begins behind the first line, and for Vulkan. WORDS: 1, 2 or 4, of a pixel. FORMAT: of the image.
// PACK: from the image to the buffer.
layout(local_size_x = 64) in;

#ifdef VULKAN
layout(push_constant) uniform Sizes {
    uvec4 sizes;
};
#define IMAGE 3
#else
layout(location = 0) uniform uvec4 sizes; // pieces, pixels, first word, invocations in a row of workgroups
#define IMAGE 0
#endif
layout(std430, binding = 0) readonly buffer Work { uvec4 pieces[]; }; // x, y, width, first pixel
layout(std430, binding = 1) buffer Band { uint words[]; };
#ifdef PACK
layout(FORMAT, binding = IMAGE) readonly uniform uimage2D pixels;
#else
layout(FORMAT, binding = IMAGE) writeonly uniform uimage2D pixels;
#endif

uint find(uint pixel) {
    uint low = 0u, high = sizes.x;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (pieces[middle].w <= pixel)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void main() {
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * sizes.w;
    if (i >= sizes.y)
        return;
    uvec4 piece = pieces[find(i)];
    uint inside = i - piece.w;
    ivec2 at = ivec2(piece.x + inside % piece.z, piece.y + inside / piece.z);
    uint word = sizes.z + i * uint(WORDS);
#ifdef PACK
    uvec4 value = imageLoad(pixels, at);
#ifdef HALVES // two words are four channels of 16 bits
    value.xy = uvec2(value.x | value.y << 16u, value.z | value.w << 16u);
#endif
    words[word] = value.x;
#if WORDS > 1
    words[word + 1u] = value.y;
#endif
#if WORDS > 2
    words[word + 2u] = value.z;
    words[word + 3u] = value.w;
#endif
#else
    uvec4 value = uvec4(words[word], 0u, 0u, 0u);
#if WORDS > 1
    value.y = words[word + 1u];
#endif
#if WORDS > 2
    value.z = words[word + 2u];
    value.w = words[word + 3u];
#endif
#ifdef HALVES
    value = uvec4(value.x & 0xffffu, value.x >> 16u, value.y & 0xffffu, value.y >> 16u);
#endif
    imageStore(pixels, at, value);
#endif
}
