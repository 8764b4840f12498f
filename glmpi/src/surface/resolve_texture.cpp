#include "object/texture_query.h"
#include "surface/part_surface.h"
#include "surface/texture_surface.h"

namespace glmpi {

using namespace pixmpi;

namespace {

const char *target_name(GLenum target) {
    switch (target) {
    case GL_TEXTURE_1D:
        return "GL_TEXTURE_1D";
    case GL_TEXTURE_2D:
        return "GL_TEXTURE_2D";
    case GL_TEXTURE_3D:
        return "GL_TEXTURE_3D";
    case GL_TEXTURE_RECTANGLE:
        return "GL_TEXTURE_RECTANGLE";
    case GL_TEXTURE_1D_ARRAY:
        return "GL_TEXTURE_1D_ARRAY";
    case GL_TEXTURE_2D_ARRAY:
        return "GL_TEXTURE_2D_ARRAY";
    case GL_TEXTURE_CUBE_MAP:
        return "GL_TEXTURE_CUBE_MAP";
    case GL_TEXTURE_CUBE_MAP_ARRAY:
        return "GL_TEXTURE_CUBE_MAP_ARRAY";
    case GL_TEXTURE_2D_MULTISAMPLE:
        return "GL_TEXTURE_2D_MULTISAMPLE";
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        return "GL_TEXTURE_2D_MULTISAMPLE_ARRAY";
    case GL_TEXTURE_BUFFER:
        return "GL_TEXTURE_BUFFER";
    default:
        return nullptr;
    }
}

// Unsized internal formats stay as they were asked for; the sizes tell what they became.
template <class Level> pixMPI_Format format_of_level(const Level &level, GLenum internal) {
    if (level(GL_TEXTURE_COMPRESSED) || !is_unsized(internal))
        return PIXMPI_FORMAT_NONE;
    ComponentSizes sizes;
    sizes.red = level(GL_TEXTURE_RED_SIZE);
    sizes.green = level(GL_TEXTURE_GREEN_SIZE);
    sizes.blue = level(GL_TEXTURE_BLUE_SIZE);
    sizes.alpha = level(GL_TEXTURE_ALPHA_SIZE);
    sizes.depth = level(GL_TEXTURE_DEPTH_SIZE);
    sizes.stencil = level(GL_TEXTURE_STENCIL_SIZE);
    sizes.type = static_cast<GLenum>(level(GL_TEXTURE_RED_TYPE));
    sizes.depth_type = static_cast<GLenum>(level(GL_TEXTURE_DEPTH_TYPE));
    sizes.srgb = internal == GL_SRGB || internal == GL_SRGB_ALPHA;
    return format_of_sizes(sizes);
}

Status check_target(GlDevice &device, SavedState &state, const Named &named, GLenum &target) {
    target = named.target;
    if (named.name == 0 || !device.gl.IsTexture(named.name))
        return fail(PIXMPI_ERR_SURFACE, "surface.name: %u, expected a texture", named.name);
    if (device.features.texture_target) {
        GLint real = 0;
        device.gl.GetTextureParameteriv(named.name, GL_TEXTURE_TARGET, &real);
        if (target != 0 && target != static_cast<GLenum>(real)) {
            const char *is = target_name(static_cast<GLenum>(real)), *asked = target_name(target);
            return fail(PIXMPI_ERR_SURFACE, "surface.target: %s, expected %s as texture %u is",
                        asked ? asked : "unknown", is ? is : "what it is,", named.name);
        }
        target = static_cast<GLenum>(real);
    }
    const char *name = target_name(target);
    if (!name)
        return fail(PIXMPI_ERR_SURFACE, "surface.target: 0x%04x, expected a texture target%s", target,
                    device.features.texture_target ? "" : " (this context does not tell it)");
    if (target == GL_TEXTURE_2D_MULTISAMPLE || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: texture %u is multisampled, expected one sample a pixel: resolve it first", named.name);
    if (target == GL_TEXTURE_BUFFER)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: texture %u is a GL_TEXTURE_BUFFER, expected its buffer by glMPI_Buffer", named.name);
    if (!device.features.texture_target) { // binding a name as another target is an error, which tells
        GlAttempt errors(device.gl);
        state.bind_texture(target, named.name);
        if (errors.any())
            return fail(PIXMPI_ERR_SURFACE, "surface.target: %s, expected that of texture %u", name, named.name);
    }
    return PIXMPI_SUCCESS;
}

// The level's size, and how many layers it has; one-dimensional ones are one row high.
template <class Level> void measure_level(const Level &level, GLenum target, Extent &extent, int &layers) {
    extent = {level(GL_TEXTURE_WIDTH), 1};
    layers = 1;
    if (target == GL_TEXTURE_1D_ARRAY)
        layers = level(GL_TEXTURE_HEIGHT);
    else if (target != GL_TEXTURE_1D)
        extent.height = level(GL_TEXTURE_HEIGHT);
    if (target == GL_TEXTURE_CUBE_MAP)
        layers = 6;
    else if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_CUBE_MAP_ARRAY)
        layers = level(GL_TEXTURE_DEPTH);
}

} // namespace

Status resolve_texture(GlDevice &device, SavedState &state, const Named &named, std::shared_ptr<GlSurface> &surface) {
    GLenum target = 0;
    if (const Status status = check_target(device, state, named, target))
        return status;
    const TextureQuery texture(device, state, target, named.name);
    if (named.level != 0 && (named.level < 0 || named.level > texture.last_level()))
        return fail(PIXMPI_ERR_SURFACE, "surface.level: %d, expected 0 to %d", named.level, texture.last_level());
    if (target == GL_TEXTURE_CUBE_MAP && (named.layer < 0 || named.layer > 5))
        return fail(PIXMPI_ERR_SURFACE, "surface.layer: %d, expected a face of the cube, 0 to 5", named.layer);

    const int face = target == GL_TEXTURE_CUBE_MAP ? named.layer : 0;
    const auto level = [&](GLenum what) { return texture.level(named.level, what, face); };
    Extent extent;
    int layers = 0;
    measure_level(level, target, extent, layers);
    if (extent.width <= 0 || extent.height <= 0 || layers <= 0)
        return fail(PIXMPI_ERR_SURFACE, "surface.level: %d, expected one that texture %u has", named.level, named.name);
    if (!device.features.hidden_levels && target != GL_TEXTURE_RECTANGLE && texture.hides(named.level))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.level: %d of texture %u, which has fixed levels: this driver does not reach levels before "
                    "GL_TEXTURE_BASE_LEVEL, expected one from there on",
                    named.level, named.name);
    if (named.layer < 0 || named.layer >= layers)
        return fail(PIXMPI_ERR_SURFACE, "surface.layer: %d, expected 0 to %d at level %d of texture %u", named.layer,
                    layers - 1, named.level, named.name);

    const auto internal = static_cast<GLenum>(level(GL_TEXTURE_INTERNAL_FORMAT));
    pixMPI_Format native = format_of_internal(internal), travels = PIXMPI_FORMAT_NONE;
    if (native == PIXMPI_FORMAT_NONE)
        native = format_of_level(level, internal);
    if (const Status status = travelling_format(native, named.as, internal, travels))
        return status;

    const Image image{target, named.name, named.level, named.layer, internal};
    const bool part = aspect_of(native) != aspect_of(travels);
    surface = part_or_whole(std::make_shared<TextureSurface>(device, extent, native, part ? native : travels, image),
                            travels);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
