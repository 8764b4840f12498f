#include "shader_packer.h"

#include "gl_device.h"
#include "pack_image.glsl.h"
#include "worklist.h"

#include <algorithm>
#include <string>

namespace glmpi {

using namespace pixmpi;

namespace {

// With fewer, as many calls are about as fast.
constexpr std::size_t enough_pieces = 12;
constexpr GLuint group = 64, groups_in_a_row = 16384;

const char *layout_of(int words) { return words == 1 ? "r32ui" : words == 2 ? "rg32ui" : "rgba32ui"; }
pixMPI_Format format_of(int words) { return words == 1 ? PIXMPI_R32UI : words == 2 ? PIXMPI_RG32UI : PIXMPI_RGBA32UI; }

} // namespace

bool ShaderPacker::possible(const Band &band) const {
    const bool size = band.pixel_bytes == 4 || band.pixel_bytes == 8 || band.pixel_bytes == 16;
    if (!device_.features.compute || !device_.features.copy_image || broken_ || !size ||
        band.region->rects.size() < enough_pieces || band.offset % 4 != 0)
        return false;
    GLint active = 0, paused = 0;
    device_.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    if (active)
        device_.gl.GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    return (!active || paused) && !conditional_rendering(device_);
}

pixMPI_Rect ShaderPacker::list_pieces(const Band &band) {
    work_.clear();
    int left = 1 << 30, right = 0, bottom = 1 << 30, top = 0;
    for_each_piece(*band.region, band.first, band.count, [&](const Piece &piece) {
        const pixMPI_Rect &r = piece.rect;
        left = std::min(left, r.x);
        right = std::max(right, r.x + r.width);
        bottom = std::min(bottom, r.y);
        top = std::max(top, r.y + r.height);
        work_.push_back({static_cast<GLuint>(r.x), static_cast<GLuint>(r.y), static_cast<GLuint>(r.width),
                         static_cast<GLuint>(piece.at)});
    });
    for (Work &w : work_) {
        w.x -= static_cast<GLuint>(left);
        w.y -= static_cast<GLuint>(bottom);
    }
    return {left, bottom, right - left, top - bottom};
}

bool ShaderPacker::move(SavedState &state, const Band &band) {
    if (!possible(band))
        return false;
    const pixMPI_Rect box = list_pieces(band);
    if (work_.size() < enough_pieces)
        return false;
    const GLuint shader = program(band.direction, band.pixel_bytes / 4);
    Scratch scratch;
    if (!shader || !fetch(state, band, box, scratch))
        return false;
    const GLuint list = lists_.write(state, work_.data(), work_.size() * sizeof(Work));
    if (!list)
        return false;
    dispatch(state, band, scratch, shader, list);
    lists_.used();
    if (band.direction == Direction::unpack)
        copy(band.image, box, scratch, true);
    return true;
}

// For receiving, too: what lies between the rectangles comes back.
bool ShaderPacker::fetch(SavedState &state, const Band &band, const pixMPI_Rect &box, Scratch &scratch) {
    GlErrors errors(device_.gl);
    const pixMPI_Format format = format_of(band.pixel_bytes / 4);
    if (device_.scratches.get(state, format, {box.width, box.height}, scratch) != PIXMPI_SUCCESS ||
        scratch.extent.height < box.height)
        return false;
    copy(band.image, box, scratch, false);
    return !errors.any();
}

void ShaderPacker::copy(const Image &surface, const pixMPI_Rect &box, const Scratch &scratch, bool back) const {
    if (back)
        device_.gl.CopyImageSubData(scratch.texture, GL_TEXTURE_2D, 0, 0, 0, 0, surface.name, surface.target,
                                    surface.level, box.x, box.y, surface.layer, box.width, box.height, 1);
    else
        device_.gl.CopyImageSubData(surface.name, surface.target, surface.level, box.x, box.y, surface.layer,
                                    scratch.texture, GL_TEXTURE_2D, 0, 0, 0, 0, box.width, box.height, 1);
}

void ShaderPacker::dispatch(SavedState &state, const Band &band, const Scratch &scratch, GLuint shader, GLuint list) {
    const Gl &gl = device_.gl;
    const bool pack = band.direction == Direction::pack;
    const int words = band.pixel_bytes / 4;
    GLint64 whole = 0;
    state.bind_buffer(GL_COPY_WRITE_BUFFER, band.buffer);
    gl.GetBufferParameteri64v(GL_COPY_WRITE_BUFFER, GL_BUFFER_SIZE, &whole);
    state.storage_buffer(0, list, 0, static_cast<GLsizeiptr>(work_.size() * sizeof(Work)));
    state.storage_buffer(1, band.buffer, 0, static_cast<GLsizeiptr>(whole));
    state.image(0, scratch.texture, pack ? GL_READ_ONLY : GL_WRITE_ONLY, gl_format(format_of(words)).internal);
    state.use_program(shader);
    const auto count = static_cast<GLuint>(band.count), groups = (count + group - 1) / group;
    const GLuint wide = std::min(groups, groups_in_a_row);
    gl.Uniform4ui(0, static_cast<GLuint>(work_.size()), count, static_cast<GLuint>(band.offset / 4), wide * group);
    if (device_.software) // llvmpipe does not wait for its own rasteriser's threads (Mesa 22.3)
        gl.Finish();
    gl.DispatchCompute(wide, (groups + wide - 1) / wide, 1);
    // The pixels are read next by pointer or by any command; and glCopyImageSubData, which writes to the scratch
    // texture for the next band, is named in no single barrier.
    gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
}

GLuint ShaderPacker::program(Direction direction, int words) {
    const bool pack = direction == Direction::pack;
    GLuint &name = programs_[pack ? 0 : 1][words == 4 ? 2 : words - 1];
    if (name)
        return name;
    const Gl &gl = device_.gl;
    const std::string source = std::string("#version 430\n#define FORMAT ") + layout_of(words) + "\n#define WORDS " +
                               std::to_string(words) + "\n" + (pack ? "#define PACK\n" : "") + pack_image;
    const char *const lines = source.c_str();
    const GLuint shader = gl.CreateShader(GL_COMPUTE_SHADER);
    gl.ShaderSource(shader, 1, &lines, nullptr);
    gl.CompileShader(shader);
    name = gl.CreateProgram();
    gl.AttachShader(name, shader);
    gl.LinkProgram(name);
    gl.DeleteShader(shader);
    GLint linked = GL_FALSE;
    gl.GetProgramiv(name, GL_LINK_STATUS, &linked);
    if (!linked) {
        gl.DeleteProgram(name);
        name = 0;
        broken_ = true;
        core().log(PIXMPI_LOG_INFO, "glmpi: this driver does not take the packing shader; rectangles go one by one");
    }
    return name;
}

void ShaderPacker::destroy() {
    for (auto &direction : programs_)
        for (GLuint &program : direction) {
            if (program)
                device_.gl.DeleteProgram(program);
            program = 0;
        }
    lists_.destroy();
}

} // namespace glmpi
