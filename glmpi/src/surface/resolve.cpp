#include "surface/gl_surface.h"

namespace glmpi {

using namespace pixmpi;

Status check_samples(GLint samples, const char *what, GLuint name) {
    if (samples > 0)
        return fail(PIXMPI_ERR_SURFACE, "surface: %s %u has %d samples a pixel, expected one: resolve it first", what,
                    name, samples);
    return PIXMPI_SUCCESS;
}

pixMPI_Format part_of(pixMPI_Format stored, GLenum attachment) {
    const bool floats = stored == PIXMPI_DEPTH32F_STENCIL8;
    if (stored != PIXMPI_DEPTH24_STENCIL8 && !floats)
        return stored;
    if (attachment == GL_DEPTH_ATTACHMENT || attachment == GL_DEPTH)
        return floats ? PIXMPI_DEPTH32F : PIXMPI_DEPTH24;
    if (attachment == GL_STENCIL_ATTACHMENT || attachment == GL_STENCIL)
        return PIXMPI_STENCIL8;
    return stored;
}

Status travelling_format(pixMPI_Format native, pixMPI_Format as, GLenum internal, pixMPI_Format &format) {
    if (as != PIXMPI_FORMAT_NONE && format_info(as).bytes == 0)
        return fail(PIXMPI_ERR_FORMAT, "surface.as: %d, expected a pixMPI_Format", static_cast<int>(as));
    if (native == PIXMPI_FORMAT_NONE)
        return fail(PIXMPI_ERR_FORMAT, "surface: internal format 0x%04x, expected one that pixmpi.h has", internal);
    if (as != PIXMPI_FORMAT_NONE && as != native && !converts(native, as))
        return fail(PIXMPI_ERR_FORMAT, "surface.as: %s, expected a format that OpenGL converts %s to",
                    format_info(as).name, format_info(native).name);
    format = as == PIXMPI_FORMAT_NONE ? native : as;
    return PIXMPI_SUCCESS;
}

Status finish_message(GlSurface &surface, Direction direction) {
    {
        GlErrors errors(surface.gl_device.gl);
        SavedState state(surface.gl_device);
        if (const Status status = surface.finish(state))
            return status;
    }
    return surface.watch ? surface.watch->ends(direction) : PIXMPI_SUCCESS;
}

Status resolve(GlDevice &device, const Named &named, std::shared_ptr<GlSurface> &surface) {
    GlErrors errors(device.gl);
    SavedState state(device);
    switch (named.kind) {
    case Kind::texture:
        return resolve_texture(device, state, named, surface);
    case Kind::renderbuffer:
        return resolve_renderbuffer(device, state, named, surface);
    case Kind::framebuffer:
        return named.name == 0 ? resolve_window(device, state, named, surface)
                               : resolve_framebuffer(device, state, named, surface);
    case Kind::buffer:
        return resolve_buffer(device, state, named, surface);
    default:
        return fail(PIXMPI_ERR_SURFACE, "surface.kind: %d, expected one that a glMPI_ function made",
                    static_cast<int>(named.kind));
    }
}

Status cut_out_of_buffer(pixMPI_Surface &named) {
    if (!named.has_part || static_cast<Kind>(named.kind) != Kind::buffer)
        return PIXMPI_SUCCESS;
    named.has_part = 0;
    return cut_out(named, named.part, format_info(named.format).bytes);
}

Status resolve(GlDevice &device, const pixMPI_Surface &named, std::shared_ptr<GlSurface> &surface) {
    pixMPI_Surface one = named;
    if (const Status status = cut_out_of_buffer(one))
        return status;
    std::shared_ptr<GlSurface> found;
    if (const Status status = resolve(device, named_of(one), found))
        return status;
    if (const Status status = one.has_part ? found->narrow(one.part) : PIXMPI_SUCCESS)
        return status;
    surface = std::move(found);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
