#include "shader/depth_painter.h"

#include "device/gl_device.h"
#include "region/worklist_units.h"
#include "shader/compute.h"

namespace glmpi {

using namespace pixmpi;

namespace {

/// A triangle around the viewport.
const char *const vertex_text = R"(#version 430
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.5, 1.0); }
)";

const char *const fragment_text = R"(
layout(std430, binding = 0) readonly buffer Band { uint words[]; };
layout(location = 0) uniform uvec4 piece; // its corner and width, and the first of its depths
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy) - piece.xy;
    uint i = piece.w + at.y * piece.z + at.x;
#ifdef HALVES
    gl_FragDepth = float(words[i / 2u] >> i % 2u * 16u & 0xffffu) / 65535.0;
#else
    gl_FragDepth = uintBitsToFloat(words[i]);
#endif
}
)";

/// Fragments or triangles of the program's are counted: ours would be, too.
bool queries_count(const Gl &gl) {
    for (const GLenum target :
         {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED_CONSERVATIVE, GL_PRIMITIVES_GENERATED}) {
        GLint active = 0;
        gl.GetQueryiv(target, GL_CURRENT_QUERY, &active);
        if (active)
            return true;
    }
    return false;
}

} // namespace

bool DepthPainter::may_paint(const BandWork &band) const {
    const auto bytes = static_cast<std::size_t>(format_info(band.target.format).bytes);
    return !broken_ && shader_takes(bytes, band.offset, 0) &&
           static_cast<GLint64>(band.count * bytes + 2 * SavedState::storage_grain) <= device_.most_storage &&
           device_.shader_packer.may_run() && !queries_count(device_.gl);
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
    if (!vertex_array_)
        gl.GenVertexArrays(1, &vertex_array_);
    if (!vertex_array_)
        return false;
    state.bind_vertex_array(vertex_array_);
    state.plain_depths();
    state.use_program(shader);
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT); // a shader may have written the band
    for_each_piece(band.region, band.first, band.count, [&](const Piece &piece) {
        state.viewport(piece.rect);
        gl.Uniform4ui(0, static_cast<GLuint>(piece.rect.x), static_cast<GLuint>(piece.rect.y),
                      static_cast<GLuint>(piece.rect.width), static_cast<GLuint>(rest / size + piece.at));
        gl.DrawArrays(GL_TRIANGLES, 0, 3);
    });
    return true;
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
}

} // namespace glmpi
