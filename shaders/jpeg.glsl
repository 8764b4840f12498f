// What the shaders of JPEG are told (core/src/codec/jpeg_passes.h). For OpenGL the source has the constants and then
// this before what includes it. For Vulkan the constants are specialization constants of the pipeline. BYTES: of a
// pixel, 1 (grey), 3 or 4. ACROSS, DOWN: chroma has every second column, row: 1 or 2. BLUE_FIRST: pixels are BGR.
#ifdef VULKAN
layout(constant_id = 0) const uint BYTES = 4u;
layout(constant_id = 1) const uint ACROSS = 1u;
layout(constant_id = 2) const uint DOWN = 1u;
layout(constant_id = 3) const uint BLUE_FIRST = 0u;
layout(push_constant) uniform Sizes { uvec4 sizes[3]; };
#else
layout(location = 0) uniform uvec4 sizes[3];
#endif
