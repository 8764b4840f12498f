#include "surface/framebuffer_surface.h"
#include "surface/part_surface.h"

namespace glmpi {

using namespace pixmpi;

namespace {

struct WindowBuffer {
    GLenum select; ///< for glReadBuffer and glDrawBuffer
    GLenum point;  ///< for queries
    Aspect aspect;
};

bool window_buffer(GLenum attachment, WindowBuffer &buffer) {
    switch (attachment) {
    case GL_BACK:
    case GL_BACK_LEFT:
    case GL_LEFT:
        buffer = {attachment, static_cast<GLenum>(attachment == GL_LEFT ? GL_FRONT_LEFT : GL_BACK_LEFT), Aspect::color};
        return true;
    case GL_FRONT:
    case GL_FRONT_LEFT:
        buffer = {attachment, GL_FRONT_LEFT, Aspect::color};
        return true;
    case GL_FRONT_RIGHT:
    case GL_BACK_RIGHT:
        buffer = {attachment, attachment, Aspect::color};
        return true;
    case GL_DEPTH:
    case GL_DEPTH_ATTACHMENT:
        buffer = {GL_NONE, GL_DEPTH, Aspect::depth};
        return true;
    case GL_STENCIL:
    case GL_STENCIL_ATTACHMENT:
        buffer = {GL_NONE, GL_STENCIL, Aspect::stencil};
        return true;
    case GL_DEPTH_STENCIL:
    case GL_DEPTH_STENCIL_ATTACHMENT:
        buffer = {GL_NONE, GL_DEPTH, Aspect::depth_stencil};
        return true;
    default:
        return false;
    }
}

ComponentSizes window_sizes(const Gl &gl, const WindowBuffer &buffer) {
    const auto ask = [&](GLenum point, GLenum what) {
        GLint value = 0;
        gl.GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, point, what, &value);
        return value;
    };
    const auto there = [&](GLenum point) { return ask(point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) != GL_NONE; };
    ComponentSizes sizes;
    if (buffer.aspect == Aspect::color) {
        sizes.red = ask(buffer.point, GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE);
        sizes.green = ask(buffer.point, GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE);
        sizes.blue = ask(buffer.point, GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE);
        sizes.alpha = ask(buffer.point, GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE);
        sizes.type = static_cast<GLenum>(ask(buffer.point, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE));
    } else {
        if (there(GL_DEPTH)) {
            sizes.depth = ask(GL_DEPTH, GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE);
            sizes.depth_type = static_cast<GLenum>(ask(GL_DEPTH, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE));
        }
        if (there(GL_STENCIL))
            sizes.stencil = ask(GL_STENCIL, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE);
    }
    return sizes;
}

} // namespace

Status resolve_window(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface) {
    const Gl &gl = device.gl;
    WindowBuffer buffer{};
    if (!window_buffer(named.attachment, buffer))
        return fail(
            PIXMPI_ERR_SURFACE,
            "surface.attachment: 0x%04x, expected GL_BACK, GL_FRONT, their _LEFT or _RIGHT, GL_DEPTH or GL_STENCIL "
            "of framebuffer 0",
            named.attachment);
    state.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    state.bind_framebuffer(GL_DRAW_FRAMEBUFFER, 0);
    if (gl.CheckFramebufferStatus(GL_READ_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return fail(PIXMPI_ERR_SURFACE, "surface: framebuffer 0, expected a context with a default framebuffer");
    GLint type = GL_NONE, samples = 0;
    gl.GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, buffer.point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
                                           &type);
    if (type == GL_NONE)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.attachment: 0x%04x, expected a buffer that the default framebuffer has", named.attachment);
    gl.GetIntegerv(GL_SAMPLES, &samples);
    if (const Status status = check_samples(samples, "framebuffer", 0))
        return status;
    Extent extent;
    if (!device.context.system->drawable_size(extent) || extent.width <= 0 || extent.height <= 0)
        return fail(PIXMPI_ERR_SURFACE, "surface: framebuffer 0, expected %s to tell its size",
                    device.context.system->name);

    const ComponentSizes sizes = window_sizes(gl, buffer);
    const pixMPI_Format stored = format_of_sizes(sizes);
    if (stored == PIXMPI_FORMAT_NONE)
        return fail(PIXMPI_ERR_FORMAT,
                    "surface.attachment: 0x%04x, which has %d %d %d %d bits of colours, %d of depths%s and %d of "
                    "stencils, expected a format that pixmpi.h has",
                    named.attachment, sizes.red, sizes.green, sizes.blue, sizes.alpha, sizes.depth,
                    sizes.depth_type == GL_FLOAT ? " as floats" : "", sizes.stencil);
    pixMPI_Format native = part_of(stored, named.attachment), travels = PIXMPI_FORMAT_NONE;
    if (const Status status = travelling_format(native, named.as, 0, travels))
        return status;
    const bool part = aspect_of(stored) != aspect_of(travels) && travels == native;
    // OpenGL also converts depths that have stencils.
    const bool converted = aspect_of(stored) != aspect_of(travels) && !part;
    const FramebufferSurface::Source source{
        true, buffer.select, {}, converted ? stored : PIXMPI_FORMAT_NONE, sizes.depth};
    surface = part_or_whole(
        std::make_shared<FramebufferSurface>(device, extent, part ? stored : native, part ? stored : travels, source),
        travels);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
