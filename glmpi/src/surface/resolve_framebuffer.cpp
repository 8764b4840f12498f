#include "surface/framebuffer_surface.h"
#include "surface/part_surface.h"

namespace glmpi {

using namespace pixmpi;

namespace {

Status resolve_storage(GlDevice &device, SavedState &state, GLuint name, pixMPI_Format as, GLenum attachment,
                       std::shared_ptr<GlSurface> &surface) {
    const Gl &gl = device.gl;
    state.bind_renderbuffer(name);
    const auto ask = [&](GLenum what) {
        GLint value = 0;
        gl.GetRenderbufferParameteriv(GL_RENDERBUFFER, what, &value);
        return value;
    };
    if (const Status status = check_samples(ask(GL_RENDERBUFFER_SAMPLES), "renderbuffer", name))
        return status;
    const Extent extent{ask(GL_RENDERBUFFER_WIDTH), ask(GL_RENDERBUFFER_HEIGHT)};
    if (extent.width <= 0 || extent.height <= 0)
        return fail(PIXMPI_ERR_SURFACE, "surface: renderbuffer %u has no storage, expected some", name);
    const auto internal = static_cast<GLenum>(ask(GL_RENDERBUFFER_INTERNAL_FORMAT));
    pixMPI_Format stored = format_of_internal(internal), travels = PIXMPI_FORMAT_NONE;
    if (stored == PIXMPI_FORMAT_NONE) {
        ComponentSizes sizes;
        sizes.red = ask(GL_RENDERBUFFER_RED_SIZE);
        sizes.green = ask(GL_RENDERBUFFER_GREEN_SIZE);
        sizes.blue = ask(GL_RENDERBUFFER_BLUE_SIZE);
        sizes.alpha = ask(GL_RENDERBUFFER_ALPHA_SIZE);
        sizes.depth = ask(GL_RENDERBUFFER_DEPTH_SIZE);
        sizes.stencil = ask(GL_RENDERBUFFER_STENCIL_SIZE);
        sizes.type = sizes.depth_type = GL_UNSIGNED_NORMALIZED;
        stored = is_unsized(internal) ? format_of_sizes(sizes) : PIXMPI_FORMAT_NONE;
    }
    const pixMPI_Format native = part_of(stored, attachment);
    if (const Status status = travelling_format(native, as, internal, travels))
        return status;
    const bool part = aspect_of(stored) != aspect_of(travels) && travels == native;
    // OpenGL also converts depths that have stencils.
    const bool converted = aspect_of(stored) != aspect_of(travels) && !part;
    const FramebufferSurface::Source source{false,
                                            GL_NONE,
                                            {GL_RENDERBUFFER, name, 0, 0, internal},
                                            converted ? stored : PIXMPI_FORMAT_NONE,
                                            stored == PIXMPI_DEPTH24 ? ask(GL_RENDERBUFFER_DEPTH_SIZE) : 0};
    surface = part_or_whole(
        std::make_shared<FramebufferSurface>(device, extent, part ? stored : native, part ? stored : travels, source),
        travels);
    return PIXMPI_SUCCESS;
}

// Where a texture's target is not known, it can still be bound to its own only.
Status find_target(GlDevice &device, SavedState &state, GLuint texture, bool cube, GLenum &target) {
    target = cube ? GL_TEXTURE_CUBE_MAP : 0;
    if (device.features.texture_target || cube)
        return PIXMPI_SUCCESS;
    GlAttempt errors(device.gl);
    for (const GLenum t : {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_1D,
                           GL_TEXTURE_1D_ARRAY, GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE_ARRAY}) {
        state.bind_texture(t, texture);
        if (errors.any())
            continue;
        target = t;
        return PIXMPI_SUCCESS;
    }
    return fail(PIXMPI_ERR_SURFACE, "surface: texture %u is attached, expected one of a known target", texture);
}

bool is_attachment(const Gl &gl, GLenum attachment) {
    GLint count = 0;
    gl.GetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &count);
    return attachment == GL_DEPTH_ATTACHMENT || attachment == GL_STENCIL_ATTACHMENT ||
           attachment == GL_DEPTH_STENCIL_ATTACHMENT ||
           (attachment >= GL_COLOR_ATTACHMENT0 && attachment < GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(count));
}

} // namespace

Status resolve_renderbuffer(GlDevice &device, SavedState &state, const Named &named,
                            std::shared_ptr<GlSurface> &surface) {
    if (named.name == 0 || !device.gl.IsRenderbuffer(named.name))
        return fail(PIXMPI_ERR_SURFACE, "surface.name: %u, expected a renderbuffer", named.name);
    return resolve_storage(device, state, named.name, named.as, GL_NONE, surface);
}

// An attachment is the texture or renderbuffer behind it.
Status resolve_framebuffer(GlDevice &device, SavedState &state, const Named &named,
                           std::shared_ptr<GlSurface> &surface) {
    const Gl &gl = device.gl;
    if (!gl.IsFramebuffer(named.name))
        return fail(PIXMPI_ERR_SURFACE, "surface.name: %u, expected a framebuffer object", named.name);
    if (!is_attachment(gl, named.attachment))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.attachment: 0x%04x, expected GL_COLOR_ATTACHMENT0 and so on, GL_DEPTH_ATTACHMENT, "
                    "GL_STENCIL_ATTACHMENT or GL_DEPTH_STENCIL_ATTACHMENT",
                    named.attachment);
    state.bind_framebuffer(GL_READ_FRAMEBUFFER, named.name);
    const auto ask = [&](GLenum attachment, GLenum what) {
        GLint value = 0;
        gl.GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, attachment, what, &value);
        return value;
    };
    const bool both = named.attachment == GL_DEPTH_STENCIL_ATTACHMENT;
    const GLenum point = both ? GL_DEPTH_ATTACHMENT : named.attachment;
    const auto type = static_cast<GLenum>(ask(point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE));
    const auto differ = [&](GLenum what) { return ask(GL_DEPTH_ATTACHMENT, what) != ask(GL_STENCIL_ATTACHMENT, what); };
    if (both && (differ(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) || differ(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) ||
                 (type == GL_TEXTURE &&
                  (differ(GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL) || differ(GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER) ||
                   differ(GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE)))))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.attachment: depth and stencil of framebuffer %u are two objects, levels or layers, "
                    "expected one",
                    named.name);
    if (type == GL_NONE)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.attachment: 0x%04x, expected a point of framebuffer %u where something is attached",
                    named.attachment, named.name);
    const GLenum complete = gl.CheckFramebufferStatus(GL_READ_FRAMEBUFFER);
    if (complete != GL_FRAMEBUFFER_COMPLETE)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: framebuffer %u is incomplete (status 0x%04x), expected a complete one", named.name,
                    complete);
    const auto object = static_cast<GLuint>(ask(point, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
    if (type == GL_RENDERBUFFER)
        return resolve_storage(device, state, object, named.as, named.attachment, surface);
    const GLint views = device.features.multiview ? ask(point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_NUM_VIEWS_OVR) : 1;
    if (views > 1 || ask(point, GL_FRAMEBUFFER_ATTACHMENT_LAYERED))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.attachment: 0x%04x of framebuffer %u has several layers of texture %u, expected one: name "
                    "it by glMPI_Texture",
                    named.attachment, named.name, object);

    Named texture = named_of(glMPI_Texture(0, object, ask(point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL),
                                           ask(point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER)));
    const auto face = static_cast<GLenum>(ask(point, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE));
    if (face)
        texture.layer = static_cast<GLint>(face - GL_TEXTURE_CUBE_MAP_POSITIVE_X);
    texture.as = named.as;
    if (const Status status = find_target(device, state, object, face != 0, texture.target))
        return status;
    if (named.attachment == GL_DEPTH_ATTACHMENT || named.attachment == GL_STENCIL_ATTACHMENT) {
        // The part that the attachment point means, once it is known what there is.
        texture.as = PIXMPI_FORMAT_NONE;
        std::shared_ptr<GlSurface> all;
        if (const Status status = resolve_texture(device, state, texture, all))
            return status;
        const pixMPI_Format part = part_of(all->format, named.attachment);
        texture.as = named.as == PIXMPI_FORMAT_NONE ? part : named.as;
        if (part != all->format && texture.as != part && converts(part, texture.as)) {
            Image image;
            (void)all->image(image); // depths are none for shaders, which does not matter here
            surface = std::make_shared<FramebufferSurface>(
                device, all->extent, part, texture.as, FramebufferSurface::Source{false, GL_NONE, image, all->format});
            return PIXMPI_SUCCESS;
        }
    }
    return resolve_texture(device, state, texture, surface);
}

} // namespace glmpi
