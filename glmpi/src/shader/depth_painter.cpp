#include "shader/depth_painter.h"

#include "device/gl_device.h"
#include "region/worklist_units.h"
#include "shader/compute.h"

#include <algorithm>
#include <iterator>

namespace glmpi {

using namespace pixmpi;

namespace {

/// A triangle around the viewport.
const char *const vertex_text = R"(#version 430
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.5, 1.0); }
)";

const char *const fragment_text = R"(
layout(std430, binding = 0) readonly buffer Band { uint words[]; };
layout(std430, binding = 1) writeonly buffer Others { int met_in; };
layout(location = 0) uniform uvec4 piece; // its corner and width, and the first of its depths
layout(location = 1) uniform int band;
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy) - piece.xy;
    uint i = piece.w + at.y * piece.z + at.x;
#ifdef HALVES
    gl_FragDepth = float(words[i / 2u] >> i % 2u * 16u & 0xffffu) / 65535.0;
#else
    uint word = words[i];
    if (word != 0u && (word < 0x00800000u || word > 0x3f800000u)) // negative, above 1, denormal, infinite, no number
        met_in = band;
    gl_FragDepth = uintBitsToFloat(word);
#endif
}
)";

constexpr GLenum render_mode = 0x0C40, renders = 0x1C00; // compatibility profile

/// Vertices, triangles or fragments of the program's are counted: ours would be, too.
bool queries_count(const GlDevice &device) {
    constexpr GLenum targets[] = {
        GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED_CONSERVATIVE, GL_PRIMITIVES_GENERATED,
        // pipeline statistics:
        GL_VERTICES_SUBMITTED, GL_PRIMITIVES_SUBMITTED, GL_VERTEX_SHADER_INVOCATIONS, GL_FRAGMENT_SHADER_INVOCATIONS,
        GL_CLIPPING_INPUT_PRIMITIVES, GL_CLIPPING_OUTPUT_PRIMITIVES};
    return std::any_of(targets, device.features.pipeline_statistics ? std::end(targets) : targets + 4,
                       [&](GLenum target) {
                           GLint active = 0;
                           device.gl.GetQueryiv(target, GL_CURRENT_QUERY, &active);
                           return active != 0;
                       });
}

/// The program has OpenGL select or feed back what is drawn, or drop what is outside of its window rectangles.
bool draws_are_lost(const GlDevice &device) {
    const auto value = [&](GLenum name) {
        GLint number = 0;
        device.gl.GetIntegerv(name, &number);
        return number;
    };
    if (device.features.compatibility && value(render_mode) != static_cast<GLint>(renders))
        return true;
    return device.features.window_rectangles &&
           (value(GL_WINDOW_RECTANGLE_MODE_EXT) != GL_EXCLUSIVE_EXT || value(GL_NUM_WINDOW_RECTANGLES_EXT) != 0);
}

} // namespace

bool DepthPainter::may_paint(const BandWork &band) const {
    const auto bytes = static_cast<std::size_t>(format_info(band.target.format).bytes);
    return !broken_ && shader_supports(bytes, band.offset, 0) &&
           static_cast<GLint64>(band.count * bytes + 2 * SavedState::storage_grain) <= device_.most_storage &&
           device_.shader_packer.may_run() && !queries_count(device_) && !draws_are_lost(device_);
}

bool DepthPainter::paint(SavedState &state, const BandWork &band) {
    const Gl &gl = device_.gl;
    const DepthTarget &target = band.target;
    const GLuint shader = may_paint(band) ? program(target.format) : 0;
    if (!shader)
        return false;
    device_.framebuffers.bind(state, Framebuffers::Use::draw, Aspect::depth, target.image, target.serial);
    if (gl.CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return false;
    const auto size = static_cast<std::size_t>(format_info(target.format).bytes);
    const std::size_t bytes = static_cast<std::size_t>(band.count) * size,
                      rest = state.storage_words(0, band.buffer, band.offset, band.offset + bytes);
    if (!make_objects(state))
        return false;
    state.storage_buffer(1, others_);
    state.bind_vertex_array(vertex_array_);
    state.plain_depths();
    state.use_program(shader);
    const bool checks = target.format == PIXMPI_DEPTH32F;
    if (checks)
        gl.Uniform1i(1, ++band_);
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT); // a shader may have written the band
    for_each_piece(band.region, band.first, band.count, [&](const Piece &piece) {
        state.viewport(piece.rect);
        gl.Uniform4ui(0, static_cast<GLuint>(piece.rect.x), static_cast<GLuint>(piece.rect.y),
                      static_cast<GLuint>(piece.rect.width), static_cast<GLuint>(rest / size + piece.at));
        gl.DrawArrays(GL_TRIANGLES, 0, 3);
    });
    return !checks || !has_met_others(state);
}

bool DepthPainter::make_objects(SavedState &state) {
    const Gl &gl = device_.gl;
    if (!vertex_array_)
        gl.GenVertexArrays(1, &vertex_array_);
    if (!others_) {
        gl.GenBuffers(1, &others_);
        state.bind_buffer(GL_COPY_READ_BUFFER, others_);
        gl.BufferData(GL_COPY_READ_BUFFER, sizeof band_, &band_, GL_DYNAMIC_COPY);
    }
    return vertex_array_ && others_;
}

bool DepthPainter::has_met_others(SavedState &state) const {
    const Gl &gl = device_.gl;
    GLint met_in = band_;
    gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    device_.finish_drawing();
    state.bind_buffer(GL_COPY_READ_BUFFER, others_);
    gl.GetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof met_in, &met_in);
    return met_in == band_;
}

GLuint DepthPainter::program(pixMPI_Format format) {
    GLuint &name = programs_[format == PIXMPI_DEPTH16 ? 0 : 1];
    if (name)
        return name;
    const std::string head = std::string("#version 430\n") + (format == PIXMPI_DEPTH16 ? "#define HALVES\n" : "");
    const ShaderText shaders[] = {{GL_VERTEX_SHADER, vertex_text}, {GL_FRAGMENT_SHADER, head + fragment_text}};
    name = compile_program(device_.gl, shaders);
    if (!name) {
        broken_ = true;
        core().log(PIXMPI_LOG_INFO, "glmpi: this driver does not take the shader that writes depths; it copies them");
    }
    return name;
}

void DepthPainter::destroy() {
    for (GLuint &program : programs_) {
        if (program)
            device_.gl.DeleteProgram(program);
        program = 0;
    }
    if (vertex_array_)
        device_.gl.DeleteVertexArrays(1, &vertex_array_);
    vertex_array_ = 0;
    if (others_)
        device_.gl.DeleteBuffers(1, &others_);
    others_ = 0;
}

} // namespace glmpi
