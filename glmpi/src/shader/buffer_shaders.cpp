#include "shader/buffer_shaders.h"

#include "combine_buffer.glsl.h"
#include "combine_words.glsl.h"
#include "device/gl_device.h"
#include "nearest.glsl.h"
#include "numbers_text.glsl.h"
#include "object/saved_state.h"
#include "rectangles.glsl.h"
#include "shader/compute.h"

#include <algorithm>
#include <utility>

namespace glmpi {

using namespace pixmpi;

namespace {

/// The size of pixels matters to users' operations, that of groups to the library's.
CombiningPrograms::Key key(const BufferShaders::BandWork &all) {
    return {all.band.how, all.band.has_depths() ? 0
                          : all.user            ? all.band.pixel_bytes()
                                                : static_cast<int>(all.band.words())};
}

} // namespace

bool BufferShaders::possible(const BandWork &band) const {
    const GLint64 most = std::min<GLint64>(device_.most_storage, GLint64{1} << 31) - 2 * SavedState::storage_grain;
    return !broken_ && device_.shader_packer.may_run() && band.band.possible(static_cast<std::uint64_t>(most));
}

bool BufferShaders::run(SavedState &state, const BandWork &all) {
    const Gl &gl = device_.gl;
    const CombiningBand &band = all.band;
    const GLuint shader = program(all);
    if (!shader || (band.has_depths() && all.incoming.offset % 4 != 0))
        return false;
    // How far behind the bound range's beginning they begin is passed.
    const auto bind = [&](GLuint index, const Place &place, const CombiningBand::Bytes &bytes) {
        const std::size_t begin = place.offset + static_cast<std::size_t>(bytes.begin);
        return state.storage_words(index, place.buffer, begin, begin + static_cast<std::size_t>(bytes.size));
    };
    const std::size_t incoming = bind(1, all.incoming, {0, band.bytes()});
    const auto bind_planes = [&](const CombiningBand::Bytes &pixels, const CombiningBand::Bytes &depths) {
        return std::pair(bind(0, all.pixels, pixels), band.has_depths() ? bind(2, all.depths, depths) : 0);
    };
    const auto launch = [&](const CombiningDispatch &one) {
        gl.Uniform4uiv(0, 1, one.sizes.data());
        gl.Uniform4uiv(1, 1, one.places.data());
        gl.DispatchCompute(one.across, one.down, 1);
    };
    CombiningList list;
    GLuint buffer = 0;
    if (band.is_many()) {
        const auto [here, depths] = bind_planes(band.pixels(), band.depths());
        list = band.list(here, depths, incoming);
        buffer = upload(state, list);
        if (!buffer)
            return false;
    }
    state.use_program(shader);
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    device_.finish_drawing();
    if (buffer) {
        launch(list.dispatch);
        gl.DeleteBuffers(1, &buffer); // which OpenGL keeps until the shader has read it
    } else {
        for (const Piece &piece : band) {
            const auto [here, depths] = bind_planes(band.pixels(piece.rect), band.depths(piece.rect));
            launch(band.dispatch(piece, here, depths, incoming));
        }
    }
    gl.MemoryBarrier(GL_ALL_BARRIER_BITS); // the pixels are read next by any command
    return true;
}

// Into its own buffer: none is written twice, as in WorkLists.
GLuint BufferShaders::upload(SavedState &state, const CombiningList &list) {
    const Gl &gl = device_.gl;
    const auto bytes = static_cast<GLsizeiptr>(list.bytes());
    GlAttempt errors(gl);
    GLuint buffer = 0;
    gl.GenBuffers(1, &buffer);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, buffer);
    gl.BufferData(GL_COPY_WRITE_BUFFER, bytes, list.rectangles.data(), GL_STATIC_DRAW);
    if (!errors.any()) {
        state.storage_buffer(3, buffer, 0, bytes);
        return buffer;
    }
    gl.DeleteBuffers(1, &buffer);
    return 0;
}

GLuint BufferShaders::program(const BandWork &all) {
    GLuint &name = programs_.get(key(all));
    if (name || broken_)
        return name;
    name = compile_compute(device_.gl, source(all));
    if (!name) {
        broken_ = true;
        core().log(PIXMPI_LOG_INFO, "glmpi: this driver does not take the shaders that combine in buffers; the CPU "
                                    "does their work");
    }
    return name;
}

Status BufferShaders::compile_user(const BandWork &all) {
    const auto sum = [&] {
        BandWork without = all;
        without.band.how.operation = static_cast<std::uint32_t>(Operation::sum);
        without.band.how.user = 0;
        without.user.reset();
        return program(without) != 0;
    };
    return programs_.compile_user(
        key(all), all.user, [&] { return source(all); }, sum);
}

std::string BufferShaders::source(const BandWork &all) const {
    const auto [operation, numbers, present_first, user] = all.band.how;
    const std::string version = "#version 430\n", order = define("PRESENT_FIRST", present_first);
    if (all.band.has_depths())
        return version + define("COLOR_WORDS", operation) + define("DEPTH", numbers) + order + rectangles + nearest;
    const std::string words = define("WORDS", all.band.words());
    if (all.user)
        return all.user->shader(PixelsIn::buffer,
                                version + "#define BYTES " + std::to_string(all.band.pixel_bytes()) + "\n" + words,
                                numbers, present_first != 0);
    return version + "#define BYTES 16\n" + words + define("OPERATION", operation) + define("NUMBERS", numbers) +
           order + numbers_text + combine_words + rectangles + combine_buffer;
}

} // namespace glmpi
