#include "shader/compute.h"

#include "device/gl_device.h"

#include <vector>

namespace glmpi {
namespace {

/// Of the first shader that does not compile, or where all do, the linker's.
std::string complaint_of(const Gl &gl, std::span<const GLuint> shaders, GLuint program) {
    constexpr GLsizei most = 2048;
    char text[most] = "";
    for (const GLuint shader : shaders) {
        GLint compiled = GL_FALSE;
        gl.GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (compiled)
            continue;
        gl.GetShaderInfoLog(shader, most, nullptr, text);
        return text;
    }
    gl.GetProgramInfoLog(program, most, nullptr, text);
    return text;
}

} // namespace

GLuint compile_program(const Gl &gl, std::span<const ShaderText> texts, std::string *complaint) {
    const Quiet quiet(gl); // drivers call what does not compile an error
    const GLuint name = gl.CreateProgram();
    std::vector<GLuint> shaders;
    for (const ShaderText &one : texts) {
        const char *const lines = one.text.c_str();
        shaders.push_back(gl.CreateShader(one.stage));
        gl.ShaderSource(shaders.back(), 1, &lines, nullptr);
        gl.CompileShader(shaders.back());
        gl.AttachShader(name, shaders.back());
    }
    gl.LinkProgram(name);
    GLint linked = GL_FALSE;
    gl.GetProgramiv(name, GL_LINK_STATUS, &linked);
    if (!linked && complaint)
        *complaint = complaint_of(gl, shaders, name);
    for (const GLuint shader : shaders)
        gl.DeleteShader(shader);
    if (linked)
        return name;
    gl.DeleteProgram(name);
    return 0;
}

GLuint compile_compute(const Gl &gl, const std::string &source, std::string *complaint) {
    const ShaderText shader{GL_COMPUTE_SHADER, source};
    return compile_program(gl, {&shader, 1}, complaint);
}

std::string define(const char *name, std::uint32_t value) {
    return std::string("#define ") + name + " " + std::to_string(value) + "u\n";
}

namespace {

/// One that is current and has been deleted goes when another one takes its place, and cannot be put back.
bool current_program_would_go(const GlDevice &device) {
    GLint current = 0, deleted = GL_FALSE;
    device.gl.GetIntegerv(GL_CURRENT_PROGRAM, &current);
    if (current)
        device.gl.GetProgramiv(static_cast<GLuint>(current), GL_DELETE_STATUS, &deleted);
    return deleted;
}

} // namespace

bool shaders_run(const GlDevice &device) {
    GLint active = 0, paused = 0;
    device.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    if (active)
        device.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    return (!active || paused) && !conditional_rendering(device) && !current_program_would_go(device);
}

} // namespace glmpi
