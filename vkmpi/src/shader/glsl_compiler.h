// GLSL to SPIR-V at run time, for users' operations: by glslang, which the library has in it where it was there when
// the library was built. The library's own shaders are compiled then.
#pragma once

#include "base/status.h"

#include <string>
#include <vector>

namespace vkmpi {

/// Whether there is a compiler; the log says once if not.
bool has_glsl_compiler();
/// A compute shader for Vulkan 1.2. `complaint`: what is wrong with the text, and then there are no words; empty when
/// nothing is.
void compile_glsl(const std::string &source, std::vector<std::uint32_t> &words, std::string &complaint);

} // namespace vkmpi
