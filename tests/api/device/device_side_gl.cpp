// Endpoints of OpenGL, in the context of the other tests.
#include "device/device_side.h"
#include "rig/ends_gl.h"

#include <glmpi_device.h>

#include <map>
#include <string>
#include <vector>

#include <device_common_text.glsl.h>

namespace api {
namespace {

/// A line of the text gives way to another text.
void replace_line(std::string &text, const std::string &line, const char *by) {
    const std::size_t at = text.find(line);
    if (at != std::string::npos)
        text.replace(at, line.size(), by);
}

GLuint make_program(const Shader &shader) {
    std::string text = shader.text;
    replace_line(text, "#extension GL_GOOGLE_include_directive : require", "");
    replace_line(text, "#include \"device_common.glsl\"", device_common_text);
    replace_line(text, "#include \"pixmpi_device.glsl\"", glMPI_Device_glsl());
    text.insert(0, "#version 430\n#extension GL_ARB_enhanced_layouts : require\n"); // or 440
    const char *const lines = text.c_str();
    const GLuint compute = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(compute, 1, &lines, nullptr);
    glCompileShader(compute);
    glAttachShader(program, compute);
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        char said[4096] = "";
        glGetShaderInfoLog(compute, sizeof said, nullptr, said);
        failed(__FILE__, __LINE__, said);
    }
    NEED(linked);
    glDeleteShader(compute);
    return program;
}

/// Kept, as llvmpipe takes seconds to compile one.
GLuint program_of(const Shader &shader) {
    static std::map<const char *, GLuint> programs;
    GLuint &program = programs[shader.text];
    if (!program)
        program = make_program(shader);
    return program;
}

class GlSide final : public DeviceSide {
  public:
    GlSide() { need_context(); }
    ~GlSide() override { glDeleteBuffers(static_cast<GLsizei>(own_.size()), own_.data()); }
    bool is_vulkan() const override { return false; }
    int allocate(int window, std::size_t bytes, bool seen) override {
        allocated[window] = true;
        return glMPI_Window_create(bytes, &windows_[window], seen ? &memory[window] : nullptr);
    }
    int free_window(int window) override { return glMPI_Window_free(&windows_[window]); }
    void make_own(int window, std::size_t bytes) override {
        GLuint &own = own_.emplace_back();
        glGenBuffers(1, &own);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, own);
        glBufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
        windows_[window] = glMPI_Buffer(own, PIXMPI_R8, static_cast<int>(bytes), 1);
    }
    void name_as_pixels(int window, std::size_t bytes) override {
        windows_[window] = glMPI_Buffer(windows_[window].name, PIXMPI_RGBA8, static_cast<int>(bytes / 4), 1);
    }
    End &make_image(int window, int width, int height) override {
        images_.push_back(make_end<pixMPI_Surface>("gl", "texture", width, height));
        windows_[window] = images_.back()->named();
        is_image_[window] = true;
        return *images_.back();
    }
    int create(const pixMPI_Endpoint_info *info, int window_count, pixMPI_Endpoint *endpoint) override {
        return glMPI_Endpoint_create(world(), info, window_count, windows_, endpoint);
    }
    void use(pixMPI_Endpoint, const Shader &shader) override { program_ = program_of(shader); }
    int start(Start how, pixMPI_Endpoint endpoint, const Numbers *numbers, int groups,
              pixMPI_Request *request) override;
    void check_silence() override { CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

  private:
    pixMPI_Surface windows_[PIXMPI_MAX_WINDOWS + 1]{};
    bool is_image_[PIXMPI_MAX_WINDOWS + 1] = {};
    std::vector<GLuint> own_;
    std::vector<std::unique_ptr<VerbEnd<pixMPI_Surface>>> images_;
    GLuint program_ = 0;
};

int GlSide::start(Start how, pixMPI_Endpoint endpoint, const Numbers *numbers, int groups, pixMPI_Request *request) {
    GLuint buffers[most_windows];
    for (int i = 0; i < most_windows; ++i)
        buffers[i] = windows_[is_image_[i] ? most_windows - 1 : i].name;
    glMPI_Kernel one = GLMPI_KERNEL_INIT;
    one.program = program_;
    one.buffer_count = most_windows;
    one.buffers = buffers;
    one.groups = groups;
    if (numbers) {
        const std::uint32_t values[] = {numbers->rounds, numbers->bytes, numbers->stride,
                                        numbers->odd,    numbers->seed,  numbers->what};
        GLint location = 0;
        for (const std::uint32_t value : values)
            glProgramUniform1ui(program_, location++, value);
        glGetError(); // of those that the compiler has left out
    }
    const glMPI_Kernel *const kernel = numbers ? &one : nullptr;
    if (how == Start::blocking)
        return glMPI_Endpoint_run(endpoint, kernel);
    return how == Start::nonblocking ? glMPI_Endpoint_irun(endpoint, kernel, request)
                                     : glMPI_Endpoint_run_init(endpoint, kernel, request);
}

} // namespace

std::unique_ptr<DeviceSide> make_gl_side() { return std::make_unique<GlSide>(); }

} // namespace api
