// Which part of a rectangle an invocation of combine_buffer.comp or nearest.comp takes
// (core/src/region/combining_band.h). A dispatch has one rectangle, with a row of workgroups for each of its rows. Or it
// has a list of rectangles, and the workgroups of each follow those of the one before. For OpenGL (the source has this
// before what includes it) and for Vulkan.
layout(local_size_x = 64) in;

// Of one rectangle. sizes: all rows, a row in the band, from row to row in the buffer, 0. places: where it begins, as
// the shader has it. Of a list: workgroups, 0, 0, rectangles.
#ifdef VULKAN
layout(push_constant) uniform Sizes {
    uvec4 sizes, places;
};
#else
layout(location = 0) uniform uvec4 sizes;
layout(location = 1) uniform uvec4 places;
#endif
// Two for each rectangle: its sizes, with its first workgroup in the place of 0, and its places.
layout(std430, binding = 3) readonly buffer List { uvec4 list[]; };

struct Part {
    uvec4 sizes, places;
    uint column, row;
    uint at;   // in the band
    bool some; // there is something to do
};

/// The rectangle of the list that has this workgroup.
uint find_rectangle(uint group) {
    uint found = 0u, behind = sizes.w;
    while (behind - found > 1u) {
        uint middle = (found + behind) / 2u;
        if (list[2u * middle].w <= group)
            found = middle;
        else
            behind = middle;
    }
    return found;
}

/// `step`: what an invocation takes of a row.
Part find_part(uint step) {
    Part part = Part(sizes, places, gl_GlobalInvocationID.x * step, gl_GlobalInvocationID.y, 0u, true);
    if (sizes.w != 0u) {
        uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, one = find_rectangle(group);
        part.sizes = list[2u * one];
        part.places = list[2u * one + 1u];
        part.some = group < sizes.x;
        uint in_row = (part.sizes.y + step - 1u) / step, all = (group - part.sizes.w) * 64u + gl_LocalInvocationIndex;
        part.row = all / in_row;
        part.column = all % in_row * step;
    }
    part.at = part.row * part.sizes.y + part.column;
    part.some = part.some && part.column < part.sizes.y && part.at < part.sizes.x;
    return part;
}
