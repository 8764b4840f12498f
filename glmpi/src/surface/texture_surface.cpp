#include "surface/texture_surface.h"

#include "object/texture_query.h"
#include "region/copy_rows.h"

#include <algorithm>
#include <limits>

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr std::size_t most_read = std::numeric_limits<GLsizei>::max(); // bytes, which glGetTextureSubImage is told

constexpr std::size_t index_of(Direction direction) { return direction == Direction::pack ? 0 : 1; }

} // namespace

TextureSurface::TextureSurface(GlDevice &owner, Extent size, pixMPI_Format native, pixMPI_Format travels,
                               const Image &image)
    : GlSurface(owner, size, travels, native == travels), native_(native), image_(image),
      serial_(Framebuffers::new_serial()) {}

std::shared_ptr<Surface> TextureSurface::again() const {
    auto made = std::make_shared<TextureSurface>(gl_device, full, native_, format, image_);
    if (base)
        made->base = base->another();
    return made;
}

// A cube's faces need not agree, and by name only whole cubes are served.
const FormatChoice &TextureSurface::choice(Direction direction) {
    const FormatChoice *&known = choices_[index_of(direction)];
    if (known)
        return *known;
    FormatChoice &own = direction == Direction::pack ? reading_ : writing_;
    own = native_ == format ? gl_device.choices.get(format, direction) : gl_device.choices.general(format, direction);
    const bool cube = image_.target == GL_TEXTURE_CUBE_MAP;
    if (cube && own.way == Way::by_name)
        own.way = direction == Direction::pack ? Way::framebuffer : Way::binding;
    if (own.way == Way::framebuffer && !is_attachable())
        own = {gl_device.features.direct_state && !cube ? Way::by_name : Way::whole_level, gl_format(format).natural};
    known = &own;
    return own;
}

// Not every level of every texture is: of one without its smaller levels, the base level alone.
bool TextureSurface::is_attachable() const {
    SavedState state(gl_device);
    const TextureQuery texture(gl_device, state, image_.target, image_.name);
    if (image_.target != GL_TEXTURE_CUBE_MAP && image_.level == 0 && texture.parameter(GL_TEXTURE_BASE_LEVEL) == 0)
        return true;
    gl_device.framebuffers.bind(state, Framebuffers::Use::read, aspect_of(native_), image_, serial_);
    return gl_device.gl.CheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

bool TextureSurface::by_pointer(Direction direction) const {
    return const_cast<TextureSurface *>(this)->choice(direction).way == Way::whole_level;
}

TransferRate TextureSurface::rate(Direction direction) { return choice(direction).rate; }

bool TextureSurface::rewritable() {
    return bits_unchanged && choice(Direction::pack).exact && choice(Direction::unpack).exact;
}

bool TextureSurface::image(Image &image) const {
    image = image_;
    const bool rows_are_layers = image_.target == GL_TEXTURE_1D || image_.target == GL_TEXTURE_1D_ARRAY;
    return bits_unchanged && !rows_are_layers && aspect_of(format) == Aspect::color;
}

// Depths of 24 bits do not come exactly out of a sampler on every driver.
bool TextureSurface::sampled_depth(Image &image) const {
    image = image_;
    return bits_unchanged && image_.target == GL_TEXTURE_2D && (format == PIXMPI_DEPTH32F || format == PIXMPI_DEPTH16);
}

bool TextureSurface::drawn_depth(DepthTarget &target) const {
    target = {image_, serial_, format};
    const bool rows_are_layers = image_.target == GL_TEXTURE_1D || image_.target == GL_TEXTURE_1D_ARRAY;
    return bits_unchanged && !rows_are_layers && DepthPainter::keeps(format);
}

Status TextureSurface::open(SavedState &state, Direction direction, GLuint buffer) {
    const FormatChoice &how = choice(direction);
    if (how.way == Way::whole_level && level_.empty())
        if (const Status status = read_level(state))
            return status;
    state.pixels(direction, buffer);
    switch (how.way) {
    case Way::framebuffer:
        state.unclamped_reads();
        gl_device.framebuffers.bind(state, Framebuffers::Use::read, aspect_of(native_), image_, serial_);
        break;
    case Way::binding:
        state.bind_texture(image_.target, image_.name);
        break;
    case Way::none:
        return fail(PIXMPI_ERR_DEVICE, "surface: %s, expected a format that this driver transfers",
                    format_info(native_).name);
    default:
        break;
    }
    return PIXMPI_SUCCESS;
}

void TextureSurface::read(const pixMPI_Rect &rect, std::byte *pixels) {
    const FormatChoice &how = choice(Direction::pack);
    const std::size_t bytes = row_bytes(rect.width);
    if (how.way == Way::by_name) {
        const bool row = image_.target == GL_TEXTURE_1D_ARRAY;
        const auto rows = static_cast<int>(std::max<std::size_t>(1, most_read / bytes));
        for (int y = 0; y < rect.height; y += rows, pixels += bytes * static_cast<std::size_t>(rows)) {
            const int height = std::min(rows, rect.height - y);
            gl_device.gl.GetTextureSubImage(image_.name, image_.level, rect.x, row ? image_.layer : rect.y + y,
                                            row ? 0 : image_.layer, rect.width, height, 1, how.types.format,
                                            how.types.type,
                                            static_cast<GLsizei>(bytes * static_cast<std::size_t>(height)), pixels);
        }
    } else if (how.way == Way::framebuffer) {
        gl_device.gl.ReadPixels(rect.x, rect.y, rect.width, rect.height, how.types.format, how.types.type, pixels);
    } else {
        const auto row = static_cast<std::ptrdiff_t>(row_bytes(full.width));
        copy_rows(Direction::pack, {level_.data() + rect.y * row + row_bytes(rect.x), row}, bytes,
                  static_cast<std::size_t>(rect.height), pixels);
    }
}

void TextureSurface::write(const pixMPI_Rect &r, const std::byte *pixels) {
    const FormatChoice &how = choice(Direction::unpack);
    if (how.way != Way::by_name) {
        upload(image_.target, r, pixels);
        return;
    }
    const Gl &gl = gl_device.gl;
    const GLenum format_name = how.types.format, type = how.types.type;
    switch (image_.target) {
    case GL_TEXTURE_1D:
        return gl.TextureSubImage1D(image_.name, image_.level, r.x, r.width, format_name, type, pixels);
    case GL_TEXTURE_1D_ARRAY:
        return gl.TextureSubImage2D(image_.name, image_.level, r.x, image_.layer, r.width, 1, format_name, type,
                                    pixels);
    case GL_TEXTURE_2D:
    case GL_TEXTURE_RECTANGLE:
        return gl.TextureSubImage2D(image_.name, image_.level, r.x, r.y, r.width, r.height, format_name, type, pixels);
    default:
        return gl.TextureSubImage3D(image_.name, image_.level, r.x, r.y, image_.layer, r.width, r.height, 1,
                                    format_name, type, pixels);
    }
}

void TextureSurface::upload(GLenum target, const pixMPI_Rect &r, const std::byte *pixels) const {
    const Gl &gl = gl_device.gl;
    const PixelTypes types = choices_[index_of(Direction::unpack)]->types;
    switch (target) {
    case GL_TEXTURE_1D:
        return gl.TexSubImage1D(target, image_.level, r.x, r.width, types.format, types.type, pixels);
    case GL_TEXTURE_1D_ARRAY:
        return gl.TexSubImage2D(target, image_.level, r.x, image_.layer, r.width, 1, types.format, types.type, pixels);
    case GL_TEXTURE_CUBE_MAP:
        target = GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(image_.layer);
        [[fallthrough]];
    case GL_TEXTURE_2D:
    case GL_TEXTURE_RECTANGLE:
        return gl.TexSubImage2D(target, image_.level, r.x, r.y, r.width, r.height, types.format, types.type, pixels);
    default:
        return gl.TexSubImage3D(target, image_.level, r.x, r.y, image_.layer, r.width, r.height, 1, types.format,
                                types.type, pixels);
    }
}

// Before 4.5, a format that no framebuffer takes can be read in whole levels only, with all layers.
Status TextureSurface::read_level(SavedState &state) {
    const Gl &gl = gl_device.gl;
    const bool cube = image_.target == GL_TEXTURE_CUBE_MAP;
    const GLenum target = cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(image_.layer) : image_.target;
    state.pixels(Direction::pack, 0);
    state.bind_texture(image_.target, image_.name);
    GLint height = 1, layers = 1;
    gl.GetTexLevelParameteriv(target, image_.level, GL_TEXTURE_HEIGHT, &height);
    gl.GetTexLevelParameteriv(target, image_.level, GL_TEXTURE_DEPTH, &layers);
    const std::size_t row = row_bytes(full.width),
                      all = row * static_cast<std::size_t>(height) * static_cast<std::size_t>(layers);
    std::vector<std::byte> pixels(all);
    const PixelTypes types = choice(Direction::pack).types;
    gl.GetTexImage(target, image_.level, types.format, types.type, pixels.data());
    const std::size_t layer = row * static_cast<std::size_t>(full.height);
    const std::size_t first = cube ? 0 : layer * static_cast<std::size_t>(image_.layer);
    level_.assign(pixels.begin() + static_cast<std::ptrdiff_t>(first),
                  pixels.begin() + static_cast<std::ptrdiff_t>(first + layer));
    return PIXMPI_SUCCESS;
}

Status TextureSurface::finish(SavedState &state) {
    level_.clear();
    level_.shrink_to_fit();
    gl_device.framebuffers.release(state, serial_);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
