#include "object/scratch.h"

#include "device/gl_device.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

GLuint make_texture(GlDevice &device, SavedState &state, GLenum internal, PixelTypes types, Extent extent) {
    const Gl &gl = device.gl;
    GLuint texture = 0;
    gl.GenTextures(1, &texture);
    state.bind_texture(GL_TEXTURE_2D, texture);
    if (device.features.texture_storage) {
        gl.TexStorage2D(GL_TEXTURE_2D, 1, internal, extent.width, extent.height);
    } else {
        state.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0); // else null would be an offset
        gl.TexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), extent.width, extent.height, 0, types.format,
                      types.type, nullptr);
    }
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

int Scratches::rows(int width, int pixel_bytes) {
    constexpr std::int64_t most = 1 << 20;
    return static_cast<int>(
        std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, std::int64_t{width} * pixel_bytes)));
}

Status Scratches::get(SavedState &state, pixMPI_Format format, Extent extent, Scratch &scratch) {
    const GLenum internal = gl_format(format).internal;
    auto found =
        std::find_if(textures_.begin(), textures_.end(), [&](const Scratch &s) { return s.internal == internal; });
    if (found != textures_.end()) {
        // One that had to be made smaller than it was asked for is good enough.
        if (found->extent.width >= extent.width && (found->extent.height >= extent.height || found->reduced)) {
            scratch = *found;
            return PIXMPI_SUCCESS;
        }
        extent.width = std::max(extent.width, found->extent.width);
        extent.height = std::min(std::max(extent.height, found->extent.height),
                                 std::max(extent.height, rows(extent.width, format_info(format).bytes)));
        drop(*found);
        textures_.erase(found);
    }
    Scratch made;
    made.internal = internal;
    made.extent = extent;
    if (const Status status = make(state, format, made))
        return status;
    textures_.push_back(made);
    scratch = made;
    return PIXMPI_SUCCESS;
}

Status Scratches::make(SavedState &state, pixMPI_Format format, Scratch &scratch) {
    const std::size_t bytes = static_cast<std::size_t>(scratch.extent.width) *
                              static_cast<std::size_t>(scratch.extent.height) *
                              static_cast<std::size_t>(format_info(format).bytes);
    if (!core().reserve_stage(bytes)) {
        // Others make room first, then this one becomes smaller: a row is enough.
        if (!textures_.empty()) {
            drop(textures_.back());
            textures_.pop_back();
            return make(state, format, scratch);
        }
        if (scratch.extent.height > 1) {
            scratch.extent.height /= 2;
            scratch.reduced = true;
            return make(state, format, scratch);
        }
        return fail(PIXMPI_ERR_MEMORY, "stage memory: used up, expected %zu bytes for a scratch texture", bytes);
    }
    GlAttempt errors(device_.gl);
    scratch.bytes = bytes;
    scratch.serial = Framebuffers::new_serial();
    scratch.texture = make_texture(device_, state, scratch.internal, gl_format(format).natural, scratch.extent);
    if (!errors.any())
        return PIXMPI_SUCCESS;
    drop(scratch);
    return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for a scratch texture of %zu bytes", bytes);
}

void Scratches::drop(Scratch &scratch) {
    SavedState state(device_);
    if (device_.features.compute && !device_.software)
        device_.gl.Finish(); // with NVIDIA's driver (580.159), a dispatch under way may lose pixels otherwise
    device_.framebuffers.release(state, scratch.serial);
    device_.gl.DeleteTextures(1, &scratch.texture);
    core().release_stage(scratch.bytes);
}

void Scratches::destroy() {
    for (Scratch &scratch : textures_)
        drop(scratch);
    textures_.clear();
}

void Scratches::forget() {
    for (const Scratch &scratch : textures_)
        core().release_stage(scratch.bytes);
    textures_.clear();
}

} // namespace glmpi
