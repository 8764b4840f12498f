#include "shader/shader_packer.h"

#include "base/environment.h"
#include "combine_words.glsl.h"
#include "device/gl_device.h"
#include "numbers_text.glsl.h"
#include "object/texture_query.h"
#include "pack_image.glsl.h"
#include "shader/compute.h"

#include <algorithm>
#include <bit>
#include <string>

namespace glmpi {

using namespace pixmpi;

namespace {

// With fewer, as many calls are about as fast when the pixels leave the card.
constexpr std::size_t enough_pieces = 12;
constexpr GLuint most_in_a_row = 65535;

struct Integers {
    const char *layout; ///< in the shader
    pixMPI_Format format;
};

/// For pixels of 1, 2, 4, 8 and 16 bytes.
constexpr Integers integers[] = {{"r8ui", PIXMPI_R8UI},
                                 {"r16ui", PIXMPI_R16UI},
                                 {"r32ui", PIXMPI_R32UI},
                                 {"rg32ui", PIXMPI_RG32UI},
                                 {"rgba32ui", PIXMPI_RGBA32UI}};

constexpr std::size_t storage_grain = SavedState::storage_grain;

std::size_t bytes_of(const ShaderPacker::BandWork &band) {
    return static_cast<std::size_t>(band.count) * static_cast<std::size_t>(band.pixel_bytes);
}

/// From the grain where the band begins to the end of its last word.
std::size_t storage_bytes(const ShaderPacker::BandWork &band) {
    return (band.offset % storage_grain + bytes_of(band) + 3) / 4 * 4;
}

/// The size of pixels, and whether another texture has those that are combined with.
CombiningPrograms::Key combining_key(const ShaderPacker::BandWork &band, bool flag) {
    constexpr int onto = 1 << 8, flagged = 1 << 9;
    return {band.how, band.pixel_bytes + (band.base.name ? onto : 0) + (flag ? flagged : 0)};
}

/// Of a user's operation one program is kept.
bool may_flag(const ShaderPacker::BandWork &band) {
    return band.flag && !band.user && !band.rows.buffer && band.depth == PIXMPI_FORMAT_NONE;
}

int index_of(int pixel_bytes) { return std::countr_zero(static_cast<unsigned>(pixel_bytes)); }

/// Formats of image units: no three channels but in one word, no sRGB, no depth.
bool is_image_format(pixMPI_Format format) {
    const FormatInfo &info = format_info(format);
    switch (info.numbers) {
    case Numbers::none:
    case Numbers::srgb:
    case Numbers::depth:
    case Numbers::stencil:
    case Numbers::depth_stencil:
        return false;
    default:
        return info.channels != 3 || info.channel_bytes == 0;
    }
}

} // namespace

ShaderPacker::ShaderPacker(GlDevice &device) : device_(device), lists_(device), combining_(device) {}

Status ShaderPacker::choose_way() {
    enum class Pack { what_fits, shader, commands } pack = Pack::what_fits;
    const Status status = read_word("PIXMPI_GL_PACK", pack);
    always_ = pack == Pack::shader;
    never_ = pack == Pack::commands;
    return status;
}

bool ShaderPacker::possible(const BandWork &band) const {
    const std::uint64_t pixel = static_cast<std::uint64_t>(band.pixel_bytes);
    return shader_supports(pixel, band.offset, 0) && is_worth(band) &&
           static_cast<GLint64>(storage_bytes(band)) <= device_.most_storage && can_run();
}

bool ShaderPacker::is_worth(const BandWork &band) const {
    if (band.rows.buffer)
        return supports_rows(band);
    // Else by way of the CPU: what is combined, and depths with NVIDIA's driver (580.159).
    const bool combines = band.how.operation != 0, by_cpu = combines || band.depth != PIXMPI_FORMAT_NONE;
    return always_ || ((band.near || by_cpu) && device_.gains_by_passes()) ||
           (!combines && band.region->rects.size() >= enough_pieces);
}

// A GPU takes a microsecond or more for each copy, of however few bytes, and copies many bytes within its memory more
// slowly than shaders do (NVIDIA, driver 580.159: 87 GB/s).
bool ShaderPacker::supports_rows(const BandWork &band) const {
    constexpr std::uint64_t few_copies = 8, many_bytes = 1 << 20;
    const auto pixel = static_cast<std::uint64_t>(band.pixel_bytes);
    const Rows &rows = band.rows;
    const std::size_t most =
        std::min<std::size_t>(static_cast<std::size_t>(device_.most_storage), std::size_t{1} << 31);
    return shader_supports(pixel, rows.offset, rows.row_bytes) && rows.bytes + storage_grain <= most &&
           (always_ ||
            (device_.gains_by_passes() &&
             ((band.near && pixel >= 4 && band.count * pixel >= many_bytes) ||
              is_scattered(*band.region, band.first, band.count, pixel, rows.row_bytes, few_copies))));
}

bool ShaderPacker::may_combine_onto(const Image &image, const Image &base, int pixel_bytes) {
    if (!may_run())
        return false;
    SavedState state(device_);
    return can_bind(state, image, pixel_bytes) && can_bind(state, base, pixel_bytes);
}

bool ShaderPacker::may_run() const { return (always_ || device_.gains_by_passes()) && can_run(); }

bool ShaderPacker::can_run() const { return device_.features.compute && !broken_ && !never_ && shaders_run(device_); }

// With the sampler of ours, all that sampling needs of the base level is complete. The depth that a shader gets also
// obeys the texture: its levels, its swizzle, in the compatibility profile which channel a depth is, and with Mesa
// (22.3) whether it shows stencils, though it has none. None of this is changed for the while, since other contexts may
// draw with the texture.
bool ShaderPacker::may_sample(SavedState &state, const Image &image) const {
    if (!may_run() || !device_.features.direct_state)
        return false;
    constexpr GLenum depth_texture_mode = 0x884B;
    const TextureQuery texture(device_, state, image.target, image.name);
    return texture.parameter(GL_TEXTURE_BASE_LEVEL) == image.level &&
           texture.parameter(GL_TEXTURE_MAX_LEVEL) >= image.level &&
           texture.parameter(GL_TEXTURE_SWIZZLE_R) == GL_RED &&
           texture.parameter(GL_DEPTH_STENCIL_TEXTURE_MODE) == GL_DEPTH_COMPONENT &&
           (!device_.features.compatibility || texture.parameter(depth_texture_mode) != GL_ALPHA);
}

// What image units ask for, on the safe side where drivers differ about complete textures.
bool ShaderPacker::can_bind(SavedState &state, const Image &image, int pixel_bytes) const {
    const bool planes = image.target == GL_TEXTURE_2D || image.target == GL_TEXTURE_2D_ARRAY ||
                        image.target == GL_TEXTURE_3D || image.target == GL_TEXTURE_CUBE_MAP ||
                        image.target == GL_TEXTURE_CUBE_MAP_ARRAY;
    if (!planes || !device_.features.direct_state)
        return false;
    const TextureQuery texture(device_, state, image.target, image.name);
    const pixMPI_Format format = format_of_internal(image.internal);
    if (!is_image_format(format) || format_info(format).bytes != pixel_bytes ||
        texture.parameter(GL_IMAGE_FORMAT_COMPATIBILITY_TYPE) != GL_IMAGE_FORMAT_COMPATIBILITY_BY_SIZE)
        return false;
    const GLint base = texture.parameter(GL_TEXTURE_BASE_LEVEL), most = texture.parameter(GL_TEXTURE_MAX_LEVEL);
    if (image.level < base || image.level > most)
        return false;
    if (texture.parameter(GL_TEXTURE_IMMUTABLE_FORMAT))
        return true;
    const GLint filter = texture.parameter(GL_TEXTURE_MIN_FILTER);
    const bool one_level = filter == GL_NEAREST || filter == GL_LINEAR || base == most;
    return image.target != GL_TEXTURE_CUBE_MAP && image.level == base && one_level;
}

// What glCopyImageSubData asks for: a format that texture views have, and a complete texture.
bool ShaderPacker::can_copy(SavedState &state, const Image &image) const {
    return device_.features.copy_image && format_of_internal(image.internal) != PIXMPI_FORMAT_NONE &&
           (image.target == GL_RENDERBUFFER || TextureQuery(device_, state, image.target, image.name).is_complete());
}

bool ShaderPacker::move(SavedState &state, const BandWork &band) {
    if (!possible(band))
        return false;
    const bool in_place =
        band.rows.buffer != 0 || (band.depth != PIXMPI_FORMAT_NONE ? may_sample(state, band.image)
                                                                   : can_bind(state, band.image, band.pixel_bytes));
    if (band.depth != PIXMPI_FORMAT_NONE && !in_place)
        return false;
    if (band.base.name && (!in_place || !can_bind(state, band.base, band.pixel_bytes)))
        return false;
    const bool few = band.region->rects.size() < enough_pieces && band.how.operation == 0;
    if (!in_place && ((few && !always_) || !can_copy(state, band.image)))
        return false;
    const auto pixel = static_cast<std::uint32_t>(band.pixel_bytes);
    const Cut cut = band.rows.buffer ? Cut::of_buffers(pixel) : Cut::of(band.direction, pixel);
    const WorkLists::CachedWork &work = lists_.get(state, band.region, band.first, band.count, {cut, !in_place});
    if (work.units == 0)
        return false;
    const bool one = in_place && (work.kind != 0) + work.few.count == 1;
    Flags::Use flag = one && may_flag(band) ? device_.flags.take(state) : Flags::Use();
    GLuint shader = flag.number ? program(band, true) : 0;
    if (!shader) {
        flag = {};
        shader = program(band, false);
    }
    if (!shader)
        return false;
    if (in_place) {
        dispatch(state, band, band.image, shader, work, flag);
        return true;
    }
    Scratch scratch;
    if (!fetch(state, band, work.box, scratch))
        return false;
    dispatch(state, band, {GL_TEXTURE_2D, scratch.texture, 0, 0}, shader, work, {});
    if (band.direction == Direction::unpack)
        copy(band.image, work.box, scratch, true);
    return true;
}

// For receiving, too: what lies between the rectangles comes back.
bool ShaderPacker::fetch(SavedState &state, const BandWork &band, const pixMPI_Rect &box, Scratch &scratch) {
    GlAttempt errors(device_.gl);
    const pixMPI_Format format = integers[index_of(band.pixel_bytes)].format;
    if (device_.scratches.get(state, format, gl_format(format).internal, {box.width, box.height}, scratch) !=
            PIXMPI_SUCCESS ||
        scratch.extent.height < box.height)
        return false;
    copy(band.image, box, scratch, false);
    return !errors.any();
}

void ShaderPacker::copy(const Image &image, const pixMPI_Rect &box, const Scratch &scratch, bool back) const {
    if (back)
        device_.gl.CopyImageSubData(scratch.texture, GL_TEXTURE_2D, 0, 0, 0, 0, image.name, image.target, image.level,
                                    box.x, box.y, image.layer, box.width, box.height, 1);
    else
        device_.gl.CopyImageSubData(image.name, image.target, image.level, box.x, box.y, image.layer, scratch.texture,
                                    GL_TEXTURE_2D, 0, 0, 0, 0, box.width, box.height, 1);
}

void ShaderPacker::dispatch(SavedState &state, const BandWork &band, const Image &image, GLuint shader,
                            const WorkLists::CachedWork &work, const Flags::Use &flag) {
    const Gl &gl = device_.gl;
    const bool pack = band.direction == Direction::pack;
    if (work.kind != 0)
        state.storage_buffer(0, work.buffer, 0, work.pieces_bytes);
    if (work.kind == 2)
        state.storage_buffer(2, work.buffer, work.owners_at, work.owners_bytes);
    // The band alone, since shaders reach less than a buffer may have; whole words of it, as all buffers here have.
    const std::size_t rest = state.storage_words(1, band.buffer, band.offset, band.offset + bytes_of(band));
    const bool loads = pack || band.how.operation != 0;
    state.use_program(shader);
    if (band.rows.buffer)
        bind_rows(state, band);
    else if (band.depth != PIXMPI_FORMAT_NONE)
        sample(state, image);
    else
        bind_images(state, band, image);
    const auto from = static_cast<GLuint>(rest / static_cast<std::size_t>(std::min(band.pixel_bytes, 4)));
    if (loads) // what the program's shaders have stored, whatever barrier it made
        gl.MemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    device_.finish_drawing();
    const auto run = [&](std::uint32_t units) {
        // As few rows of groups as can be, all alike: groups beyond the last also cost time.
        const GLuint groups = work_groups(units), rows = (groups + most_in_a_row - 1) / most_in_a_row;
        const GLuint wide = (groups + rows - 1) / rows;
        gl.Uniform4ui(0, units, from, wide, work.kind);
        if (flag.number)
            gl.Uniform3ui(5, wide * rows, flag.slot, flag.number);
        gl.DispatchCompute(wide, rows, 1);
    };
    if (work.kind != 0)
        run(work.units);
    for (std::size_t i = 0; i < work.few.count; ++i) {
        const WorkPiece &one = work.few.pieces[i];
        gl.Uniform4ui(1, one.corner, one.width, one.at, one.first_unit);
        gl.Uniform4ui(2, one.rows, one.slant, one.shape, static_cast<GLuint>(one.down));
        run(work.few.units[i]);
    }
    // The pixels are read next by pointer or by any command; and glCopyImageSubData, which writes to the scratch
    // texture for the next band, is named in no single barrier.
    gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
    if (band.flag)
        *band.flag = flag.number;
}

void ShaderPacker::bind_images(SavedState &state, const BandWork &band, const Image &image) const {
    const GLenum bits = gl_format(integers[index_of(band.pixel_bytes)].format).internal;
    const bool pack = band.direction == Direction::pack, there = band.how.operation != 0 && !band.base.name;
    state.image(0, image,
                pack    ? GL_READ_ONLY
                : there ? GL_READ_WRITE
                        : GL_WRITE_ONLY,
                bits);
    if (band.base.name)
        state.image(1, band.base, GL_READ_ONLY, bits);
}

void ShaderPacker::bind_rows(SavedState &state, const BandWork &band) const {
    const Rows &rows = band.rows;
    const std::size_t rest = state.storage_words(3, rows.buffer, rows.offset, rows.offset + rows.bytes);
    device_.gl.Uniform2ui(4, static_cast<GLuint>(rest), static_cast<GLuint>(rows.row_bytes));
}

/// By plain fetches: a program's own sampler, or the texture's, may compare.
void ShaderPacker::sample(SavedState &state, const Image &image) {
    const Gl &gl = device_.gl;
    constexpr GLint location = 3;
    if (!sampler_) {
        gl.GenSamplers(1, &sampler_);
        gl.SamplerParameteri(sampler_, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl.SamplerParameteri(sampler_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    gl.Uniform1i(location, static_cast<GLint>(state.bind_sampled(image.name, sampler_)));
}

GLuint &ShaderPacker::known_program(const BandWork &band, bool flag) {
    if (band.depth != PIXMPI_FORMAT_NONE)
        return depth_programs_[band.depth == PIXMPI_DEPTH16];
    if (band.rows.buffer)
        return buffer_programs_[band.direction == Direction::pack ? 0 : 1][index_of(band.pixel_bytes)];
    return band.how.operation != 0 ? combining_.get(combining_key(band, flag))
                                   : (flag ? flag_programs_ : programs_)[band.direction == Direction::pack ? 0 : 1]
                                                                        [index_of(band.pixel_bytes)];
}

GLuint ShaderPacker::program(const BandWork &band, bool flag) {
    GLuint &name = known_program(band, flag);
    if (name)
        return name;
    name = compile_compute(device_.gl, source(band, flag));
    if (!name && flag) {
        device_.flags.give_up();
    } else if (!name) {
        broken_ = true;
        core().log(PIXMPI_LOG_INFO, "glmpi: this driver does not take the packing shader; rectangles go one by one");
    }
    return name;
}

Status ShaderPacker::compile_user(const BandWork &band) {
    const auto plain = [&] {
        BandWork without = band;
        without.how = {};
        without.user.reset();
        return program(without, false) != 0;
    };
    return combining_.compile_user(
        combining_key(band, false), band.user, [&] { return source(band, false); }, plain);
}

std::string ShaderPacker::source(const BandWork &band, bool flag) const {
    std::string head = std::string("#version 430\n#define FORMAT ") + integers[index_of(band.pixel_bytes)].layout +
                       "\n#define BYTES " + std::to_string(band.pixel_bytes) + "\n";
    if (device_.software) // a CPU has nothing of many at once but longer to compile
        head += define("AT_ONCE", 1);
    if (band.base.name && band.how.operation != 0)
        head += "#define ONTO\n";
    if (flag)
        head += "#define FLAG\n";
    if (band.user)
        return band.user->shader(PixelsIn::image, head, band.how.numbers, band.how.present_first != 0);
    if (band.how.operation != 0)
        head += "#define COMBINE\n" + define("OPERATION", band.how.operation) + define("NUMBERS", band.how.numbers) +
                define("PRESENT_FIRST", band.how.present_first) + numbers_text + combine_words;
    else if (band.direction == Direction::pack)
        head += "#define PACK\n";
    if (band.depth != PIXMPI_FORMAT_NONE)
        head += "#define DEPTH\n";
    if (band.rows.buffer)
        head += "#define BUFFER\n";
    return head + pack_image;
}

void ShaderPacker::destroy() {
    const auto drop = [&](auto &programs) {
        for (GLuint &program : programs) {
            if (program)
                device_.gl.DeleteProgram(program);
            program = 0;
        }
    };
    for (std::size_t direction = 0; direction < 2; ++direction) {
        drop(programs_[direction]);
        drop(flag_programs_[direction]);
        drop(buffer_programs_[direction]);
    }
    drop(depth_programs_);
    if (sampler_)
        device_.gl.DeleteSamplers(1, &sampler_);
    sampler_ = 0;
    combining_.destroy();
    lists_.destroy();
}

} // namespace glmpi
