#version 450
// Finds the active cells of a picture, bit for bit as core/src/composite/search.cpp does: cells with a pixel that is not
// background. A rectangle of the picture lies packed in a buffer. A workgroup takes a word of bits, which is 32 cells
// of a row, so no two workgroups write the same word. An invocation looks through whole columns of pixels, and
// neighbours read neighbours.
//
// For OpenGL the source has the constants before this without its first line. For Vulkan the constants are
// specialization constants of the pipeline.
#ifdef VULKAN
layout(constant_id = 0) const uint BYTES = 4u; // of a pixel
layout(constant_id = 1) const uint KIND = 0u;
layout(push_constant) uniform Sizes { uvec4 sizes[3]; };
#else
layout(location = 0) uniform uvec4 sizes[3];
#endif
layout(local_size_x = 128) in;

#define rect sizes[0]  // x, y, width, height
#define cells sizes[1] // width and height of a cell; of the rectangle's first cell the word in its row, and the row
layout(std430, binding = 0) readonly buffer Pixels { uint pixels[]; };
layout(std430, binding = 1) writeonly buffer Bits { uint bits[]; }; // four words for each row of cells

// KIND, as core/src/composite/device_search.cpp has it.
const uint COLOR = 0u, UNORM16 = 1u, UNORM24 = 2u, REAL = 3u;

bool is_active(uint pixel) {
    uint at = pixel * BYTES, word = pixels[at / 4u];
    if (KIND == UNORM16)
        return (word >> at % 4u * 8u & 0xffffu) != 0xffffu;
    if (KIND == UNORM24)
        return word < 0xffffff00u;
    if (KIND == REAL) // less than 1, and a number
        return int(word) < 0x3f800000 && (word & 0x7fffffffu) <= 0x7f800000u;
    uint any = 0u, end = at + BYTES;
    for (uint k = at / 4u; 4u * k < end; ++k) {
        uint from = max(4u * k, at), to = min(4u * k + 4u, end);
        any |= pixels[k] & 0xffffffffu >> (32u - 8u * (to - from)) << 8u * (from - 4u * k);
    }
    return any != 0u;
}

shared uint found;

void main() {
    uint word = cells.z + gl_WorkGroupID.x, row = cells.w + gl_WorkGroupID.y, width = 32u * cells.x;
    uint left = max(rect.x, word * width), right = min(rect.x + rect.z, (word + 1u) * width);
    uint top = max(rect.y, row * cells.y), bottom = min(rect.y + rect.w, (row + 1u) * cells.y);
    if (gl_LocalInvocationIndex == 0u)
        found = 0u;
    barrier();
    for (uint x = left + gl_LocalInvocationIndex; x < right; x += 128u) {
        bool any = false;
        for (uint y = top; y < bottom; ++y) {
            bool more = is_active((y - rect.y) * rect.z + x - rect.x);
            any = any || more; // without a branch, so that loads do not wait for each other
        }
        if (any)
            atomicOr(found, 1u << (x / cells.x - 32u * word));
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        bits[4u * row + word] = found;
}
