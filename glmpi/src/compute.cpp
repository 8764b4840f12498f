#include "compute.h"

#include "gl_device.h"

namespace glmpi {

GLuint compile_compute(const Gl &gl, const std::string &source) {
    const char *const lines = source.c_str();
    const GLuint shader = gl.CreateShader(GL_COMPUTE_SHADER), name = gl.CreateProgram();
    gl.ShaderSource(shader, 1, &lines, nullptr);
    gl.CompileShader(shader);
    gl.AttachShader(name, shader);
    gl.LinkProgram(name);
    gl.DeleteShader(shader);
    GLint linked = GL_FALSE;
    gl.GetProgramiv(name, GL_LINK_STATUS, &linked);
    if (linked)
        return name;
    gl.DeleteProgram(name);
    return 0;
}

bool shaders_run(const GlDevice &device) {
    GLint active = 0, paused = 0;
    device.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    if (active)
        device.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    return (!active || paused) && !conditional_rendering(device);
}

} // namespace glmpi
