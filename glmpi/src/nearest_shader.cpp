#include "nearest_shader.h"

#include "compute.h"
#include "gl_device.h"
#include "nearest.glsl.h"
#include "saved_state.h"

#include <algorithm>
#include <string>

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr std::size_t storage_grain = 256; // as far as GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT ever goes
constexpr GLuint group = 64, most_in_a_row = 65535;

} // namespace

bool NearestShader::possible() const { return !broken_ && device_.shader_packer.may_run(); }

bool NearestShader::run(SavedState &state, const Band &band) {
    const Gl &gl = device_.gl;
    const std::size_t depth_unit = band.depths.pixel_bytes == 2 ? 2 : 4;
    const GLuint shader = program(band.how);
    if (!shader || band.incoming.offset % 4 != 0)
        return false;
    // The grain in which they begin is bound; how far behind that they begin is told.
    const auto bind = [&](GLuint index, const Place &place, std::size_t from, std::size_t bytes) {
        const std::size_t begin = place.offset + from, start = begin / storage_grain * storage_grain;
        state.storage_buffer(index, place.buffer, static_cast<GLintptr>(start),
                             static_cast<GLsizeiptr>((begin + bytes + 3) / 4 * 4 - start));
        return begin - start;
    };
    const auto bytes_of = [&](const Place &place, std::uint64_t pixels) {
        return static_cast<std::size_t>(pixels) * place.pixel_bytes;
    };
    const std::size_t all = bytes_of(band.incoming, band.pixels);
    if (static_cast<GLint64>(all + storage_grain) > device_.most_storage)
        return false;
    const std::size_t incoming = bind(2, band.incoming, 0, all), new_colors = incoming + band.planes.colors,
                      new_depths = incoming + band.planes.depths;
    state.use_program(shader);
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    if (device_.software) // llvmpipe does not wait for its own rasteriser's threads (Mesa 22.3)
        gl.Finish();
    for (const Run &run : band.runs) {
        const std::size_t color =
                              bind(0, band.colors, bytes_of(band.colors, run.pixel), bytes_of(band.colors, run.count)),
                          depth =
                              bind(1, band.depths, bytes_of(band.depths, run.pixel), bytes_of(band.depths, run.count));
        const auto groups = static_cast<GLuint>((run.count + group - 1) / group);
        const GLuint rows = (groups + most_in_a_row - 1) / most_in_a_row, wide = (groups + rows - 1) / rows;
        gl.Uniform4ui(0, static_cast<GLuint>(run.count), wide * group, 0, 0);
        gl.Uniform4ui(1, static_cast<GLuint>(color / 4), static_cast<GLuint>(depth / depth_unit),
                      static_cast<GLuint>((new_colors + bytes_of(band.colors, run.at)) / 4),
                      static_cast<GLuint>((new_depths + bytes_of(band.depths, run.at)) / depth_unit));
        gl.DispatchCompute(wide, rows, 1);
    }
    gl.MemoryBarrier(GL_ALL_BARRIER_BITS); // the pixels are read next by any command
    return true;
}

GLuint NearestShader::program(const ShaderCombination &how) {
    GLuint &name = programs_[how];
    if (name || broken_)
        return name;
    const auto define = [](const char *what, std::uint32_t value) {
        return std::string("#define ") + what + " " + std::to_string(value) + "u\n";
    };
    name = compile_compute(device_.gl, "#version 430\n" + define("COLOR_WORDS", how.operation) +
                                           define("DEPTH", how.numbers) + define("PRESENT_FIRST", how.present_first) +
                                           nearest);
    broken_ = !name;
    return name;
}

void NearestShader::destroy() {
    for (const auto &[how, program] : programs_)
        if (program)
            device_.gl.DeleteProgram(program);
    programs_.clear();
}

} // namespace glmpi
