// GLSL to SPIR-V at run time, for users' operations: by libshaderc, which is opened when it is wanted first, and never
// linked nor required. The library's own shaders are compiled when it is built.
#pragma once

#include "base/status.h"

#include <string>
#include <vector>

namespace vkmpi {

/// Whether libshaderc is there; the log says once if not.
bool has_glsl_compiler();
/// A compute shader for Vulkan 1.2. `complaint`: what is wrong with the text; empty when nothing is.
pixmpi::Status compile_glsl(const std::string &source, std::vector<std::uint32_t> &words, std::string &complaint);

} // namespace vkmpi
