#include "surface/framebuffer_surface.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

FramebufferSurface::FramebufferSurface(GlDevice &owner, Extent size, pixMPI_Format native, pixMPI_Format travels,
                                       const Source &source)
    : GlSurface(owner, size, travels, native == travels), source_(source), native_(native), aspect_(aspect_of(native)),
      blits_(source.window || source.stored || !owner.features.copy_image ||
             source.image.internal != gl_format(native).internal),
      reading_(gl_format(travels).natural), writing_(reading_), serial_(Framebuffers::new_serial()) {}

std::shared_ptr<Surface> FramebufferSurface::again() const {
    return std::make_shared<FramebufferSurface>(gl_device, full, native_, format, source_);
}

TransferRate FramebufferSurface::rate(Direction direction) {
    TransferRate rate;
    if (direction == Direction::unpack) // two steps for each call
        rate.call_seconds *= 3;
    return rate;
}

Status FramebufferSurface::open(SavedState &state, Direction direction, GLuint buffer) {
    return direction == Direction::pack ? open_read(state, buffer) : open_write(state, buffer);
}

Status FramebufferSurface::open_read(SavedState &state, GLuint buffer) {
    const Gl &gl = gl_device.gl;
    state.unclamped_reads();
    if (source_.window) {
        state.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
        if (aspect_ == Aspect::color)
            state.read_buffer(source_.buffer);
    } else {
        gl_device.framebuffers.bind(state, Framebuffers::Use::read, aspect_, source_.image, serial_);
    }
    const GLenum complete = gl.CheckFramebufferStatus(GL_READ_FRAMEBUFFER);
    if (complete != GL_FRAMEBUFFER_COMPLETE)
        return fail(PIXMPI_ERR_SURFACE, "surface: framebuffer status 0x%04x with %s alone, expected a complete one",
                    complete, format_info(native_).name);
    state.pixels(Direction::pack, buffer);
    return PIXMPI_SUCCESS;
}

Status FramebufferSurface::open_write(SavedState &state, GLuint buffer) {
    const pixMPI_Format stored = source_.stored ? source_.stored : native_;
    const int bytes = format_info(stored).bytes;
    const Extent wanted{full.width, std::min(full.height, Scratches::rows(full.width, bytes))};
    const GLenum internal = blit_internal(stored, source_.depth_bits);
    if (const Status status = gl_device.scratches.get(state, stored, internal, wanted, scratch_))
        return status;
    if (format == native_ && internal == gl_format(format).internal)
        writing_ = gl_device.choices.get(format, Direction::unpack).types;
    state.bind_texture(GL_TEXTURE_2D, scratch_.texture);
    state.pixels(Direction::unpack, buffer);
    if (!blits_)
        return PIXMPI_SUCCESS;

    if (conditional_rendering(gl_device))
        return fail(PIXMPI_ERR_CONTEXT,
                    "context: conditional rendering is on, expected none while pixels are drawn to a "
                    "framebuffer");
    gl_device.framebuffers.bind(state, Framebuffers::Use::blit_from, aspect_, {GL_TEXTURE_2D, scratch_.texture, 0, 0},
                                scratch_.serial);
    if (source_.window) {
        state.bind_framebuffer(GL_DRAW_FRAMEBUFFER, 0);
        if (aspect_ == Aspect::color)
            state.draw_buffer(source_.buffer);
    } else {
        gl_device.framebuffers.bind(state, Framebuffers::Use::draw, aspect_, source_.image, serial_);
    }
    state.plain_blits();
    return PIXMPI_SUCCESS;
}

void FramebufferSurface::read(const pixMPI_Rect &r, std::byte *pixels) {
    gl_device.gl.ReadPixels(r.x, r.y, r.width, r.height, reading_.format, reading_.type, pixels);
}

void FramebufferSurface::write(const pixMPI_Rect &rect, const std::byte *pixels) {
    const Gl &gl = gl_device.gl;
    for (int y = 0; y < rect.height; y += scratch_.extent.height) {
        const pixMPI_Rect part{rect.x, rect.y + y, rect.width, std::min(scratch_.extent.height, rect.height - y)};
        const std::size_t count = static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
        gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, part.width, part.height, writing_.format, writing_.type, pixels);
        copy_from_scratch(part);
        pixels += count * static_cast<std::size_t>(pixel_bytes);
    }
}

void FramebufferSurface::copy_from_scratch(const pixMPI_Rect &r) {
    const Gl &gl = gl_device.gl;
    const Image &to = source_.image;
    if (!blits_)
        return gl.CopyImageSubData(scratch_.texture, GL_TEXTURE_2D, 0, 0, 0, 0, to.name, to.target, to.level, r.x, r.y,
                                   to.layer, r.width, r.height, 1);
    const GLbitfield what = aspect_ == Aspect::color     ? GL_COLOR_BUFFER_BIT
                            : aspect_ == Aspect::depth   ? GL_DEPTH_BUFFER_BIT
                            : aspect_ == Aspect::stencil ? GL_STENCIL_BUFFER_BIT
                                                         : GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    gl.BlitFramebuffer(0, 0, r.width, r.height, r.x, r.y, r.x + r.width, r.y + r.height, what, GL_NEAREST);
}

bool FramebufferSurface::image(Image &image) const {
    image = source_.image;
    return !source_.window && bits_unchanged && aspect_ == Aspect::color;
}

bool FramebufferSurface::drawn_depth(DepthTarget &target) const {
    target = {source_.image, serial_, format};
    return !source_.window && !source_.stored && bits_unchanged && DepthPainter::keeps(format);
}

Status FramebufferSurface::finish(SavedState &state) {
    gl_device.framebuffers.release(state, serial_);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
