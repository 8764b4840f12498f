// Programs of the library: making them, and whether they run.
#pragma once

#include "context/gl.h"

#include <cstdint>
#include <span>
#include <string>

namespace glmpi {

class GlDevice;

struct ShaderText {
    GLenum stage;
    std::string text;
};
/// A program of these shaders; 0 where the driver does not compile it. `complaint`: what it says then; may be null.
GLuint compile_program(const Gl &gl, std::span<const ShaderText> shaders, std::string *complaint = nullptr);
/// A program of one compute shader, likewise.
GLuint compile_compute(const Gl &gl, const std::string &source, std::string *complaint = nullptr);
/// A line of a shader's text.
std::string define(const char *name, std::uint32_t value);
/// False in states of OpenGL where dispatches do nothing or are errors: transform feedback, conditional rendering.
bool shaders_run(const GlDevice &device);

} // namespace glmpi
