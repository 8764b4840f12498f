// Textures of OpenGL for the mode pack.

#include "copy_buffer.glsl.h"
#include "measure/job.h"
#include "measure/report.h"
#include "object/gl_object.h"
#include "pack/pack.h"
#include "pack/pack_surfaces.h"

#include <algorithm>
#include <chrono>

using pixmpi::Direction;

namespace {

class GlCardMemory final : public CardMemory {
  public:
    GlCardMemory(GlObject &object, const RegionCase &what, bool software);
    ~GlCardMemory() override;
    std::shared_ptr<pixmpi::Surface> surface(Direction direction) override;
    double copy_by_command(int times) override {
        return time(times, [&] { copy(from_, to_, 0, bytes_); });
    }
    double copy_by_shader(int times) override;
    double naive(Direction direction, int times) override;
    double library(Direction direction, const std::shared_ptr<const pixmpi::Region> &region, int times) override;

  private:
    static void copy(GLuint from, GLuint to, std::size_t to_at, std::size_t bytes);
    static GLuint make_buffer(std::size_t bytes);
    void make_program();
    void run_shader() const;
    void call_by_call(Direction direction);
    double time(int times, const std::function<void()> &work);

    GlObject &object_;
    const RegionCase &what_;
    const std::size_t bytes_;
    const bool software_;
    GLuint from_ = 0, to_ = 0, load_ = 0, program_ = 0, stamps_[2] = {};
    double asking_ = 0; ///< seconds that the processor needed for what was timed last
};

constexpr std::size_t load_bytes = 64 << 20;

GLuint GlCardMemory::make_buffer(std::size_t bytes) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    return name;
}

GlCardMemory::GlCardMemory(GlObject &object, const RegionCase &what, bool software)
    : object_(object), what_(what),
      bytes_((static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(object.pixel_bytes) + 15) / 16 * 16),
      software_(software), from_(make_buffer(bytes_)), to_(make_buffer(bytes_)),
      load_(software ? 0 : make_buffer(2 * load_bytes)) {
    glGenQueries(2, stamps_);
    make_program();
}

GlCardMemory::~GlCardMemory() {
    for (GLuint buffer : {from_, to_, load_})
        glDeleteBuffers(1, &buffer);
    glDeleteQueries(2, stamps_);
    glDeleteProgram(program_);
}

// 0 where there are no compute shaders.
void GlCardMemory::make_program() {
    GLint major = 0, minor = 0, linked = GL_FALSE;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    if (major * 10 + minor < 43)
        return;
    const char *const lines[] = {"#version 430\n", copy_buffer};
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
    glShaderSource(shader, 2, lines, nullptr);
    glCompileShader(shader);
    program_ = glCreateProgram();
    glAttachShader(program_, shader);
    glLinkProgram(program_);
    glDeleteShader(shader);
    glGetProgramiv(program_, GL_LINK_STATUS, &linked);
    if (!linked)
        give_up("this driver does not take a shader that copies");
}

std::shared_ptr<pixmpi::Surface> GlCardMemory::surface(Direction) { return device_surface(object_.surface()); }

void GlCardMemory::copy(GLuint from, GLuint to, std::size_t to_at, std::size_t bytes) {
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, static_cast<GLintptr>(to_at),
                        static_cast<GLsizeiptr>(bytes));
}

double GlCardMemory::copy_by_shader(int times) {
    return program_ ? time(times, [&] { run_shader(); }) : not_measured;
}

void GlCardMemory::run_shader() const {
    constexpr GLuint most = 65535;
    const auto groups = static_cast<GLuint>((bytes_ / 16 + 255) / 256), rows = (groups + most - 1) / most;
    glUseProgram(program_);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, from_);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, to_);
    glDispatchCompute((groups + rows - 1) / rows, rows, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glUseProgram(0);
}

double GlCardMemory::naive(Direction direction, int times) {
    return time(times, [&] { call_by_call(direction); });
}

double GlCardMemory::library(Direction direction, const std::shared_ptr<const pixmpi::Region> &region, int times) {
    const std::shared_ptr<pixmpi::Surface> here = surface(direction);
    const GLuint buffer = direction == Direction::pack ? to_ : from_;
    if (!pack_in_a_row(*here, direction, region, buffer, 1))
        return not_measured;
    return time(times, [&] { pack_in_a_row(*here, direction, region, buffer, 1); });
}

void GlCardMemory::call_by_call(Direction direction) {
    const bool pack = direction == Direction::pack;
    const GLenum target = pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER;
    glBindBuffer(target, pack ? to_ : from_);
    std::size_t at = 0;
    for (const pixMPI_Rect &rect : what_.rects) {
        if (pack)
            object_.read(rect, reinterpret_cast<void *>(at));
        else
            object_.write(rect, reinterpret_cast<const void *>(at));
        at += object_.bytes_of(rect);
    }
    glBindBuffer(target, 0);
}

// A GPU is kept busy until all of it has been asked for, so that it never waits for the processor.
double GlCardMemory::time(int times, const std::function<void()> &work) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    constexpr double load_seconds = 100e-6; // on a fast GPU
    constexpr int most_loads = 200;
    glFinish();
    if (!software_) {
        const int loads = std::clamp(static_cast<int>(2 * asking_ / load_seconds), 4, most_loads);
        for (int i = 0; i < loads; ++i)
            copy(load_, load_, load_bytes, load_bytes);
        glQueryCounter(stamps_[0], GL_TIMESTAMP);
    }
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < times; ++i)
        work();
    asking_ = since(begin);
    if (software_) {
        glFinish();
        return since(begin) / times;
    }
    glQueryCounter(stamps_[1], GL_TIMESTAMP);
    GLuint64 stamps[2];
    for (int i = 0; i < 2; ++i)
        glGetQueryObjectui64v(stamps_[i], GL_QUERY_RESULT, &stamps[i]);
    return 1e-9 * static_cast<double>(stamps[1] - stamps[0]) / times;
}

} // namespace

std::unique_ptr<CardMemory> make_gl_card_memory(Object &object, const RegionCase &what, bool software) {
    return std::make_unique<GlCardMemory>(dynamic_cast<GlObject &>(object), what, software);
}
