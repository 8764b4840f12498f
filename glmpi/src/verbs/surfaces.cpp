// The constructors of OpenGL's surfaces, and what a surface names. Where a member of pixMPI_Surface has no use in
// OpenGL, it holds what has no member there.
#include "surface/gl_surface.h"

namespace glmpi {
namespace {

// Of textures: level in the lower half of `offset`, layer in the upper. Of all: target or attachment in the lower half
// of `data`, the context's number in the upper one.
std::uint64_t join(std::uint32_t lower, std::uint32_t upper) { return std::uint64_t{upper} << 32 | lower; }
std::uint32_t lower(std::uint64_t both) { return static_cast<std::uint32_t>(both); }
std::uint32_t upper(std::uint64_t both) { return static_cast<std::uint32_t>(both >> 32); }

std::uint64_t words_of(const void *data) { return reinterpret_cast<std::uintptr_t>(data); }
void *as_data(std::uint64_t words) { return reinterpret_cast<void *>(static_cast<std::uintptr_t>(words)); }

pixMPI_Surface make(Kind kind, GLuint name, GLenum target) {
    pixMPI_Surface surface{};
    surface.api = PIXMPI_API_GL;
    surface.kind = static_cast<std::uint8_t>(kind);
    surface.name = name;
    surface.data = as_data(join(target, 0));
    return surface;
}

} // namespace

Named named_of(const pixMPI_Surface &surface) {
    const std::uint64_t words = words_of(surface.data);
    Named named;
    named.kind = static_cast<Kind>(surface.kind);
    named.name = surface.name;
    named.target = named.attachment = lower(words);
    named.context = upper(words);
    named.width = surface.width;
    named.height = surface.height;
    named.format = surface.format;
    named.as = static_cast<pixMPI_Format>(surface.as);
    if (named.kind == Kind::texture) {
        named.level = static_cast<int>(lower(static_cast<std::uint64_t>(surface.offset)));
        named.layer = static_cast<int>(upper(static_cast<std::uint64_t>(surface.offset)));
    } else {
        named.offset = surface.offset;
        named.row_bytes = surface.row_bytes;
    }
    return named;
}

void set_context(pixMPI_Surface &surface, std::uint32_t context) {
    surface.data = as_data(join(lower(words_of(surface.data)), context));
}

} // namespace glmpi

using namespace glmpi;

pixMPI_Surface glMPI_Texture(glMPI_enum target, glMPI_uint texture, int level, int layer) {
    pixMPI_Surface surface = make(Kind::texture, texture, target);
    surface.offset =
        static_cast<std::int64_t>(join(static_cast<std::uint32_t>(level), static_cast<std::uint32_t>(layer)));
    return surface;
}

pixMPI_Surface glMPI_Texture2D(glMPI_uint texture) { return glMPI_Texture(GL_TEXTURE_2D, texture, 0, 0); }

pixMPI_Surface glMPI_Renderbuffer(glMPI_uint renderbuffer) { return make(Kind::renderbuffer, renderbuffer, 0); }

pixMPI_Surface glMPI_Framebuffer(glMPI_uint framebuffer, glMPI_enum attachment) {
    return make(Kind::framebuffer, framebuffer, attachment);
}

pixMPI_Surface glMPI_Buffer(glMPI_uint buffer, pixMPI_Format format, int width, int height) {
    pixMPI_Surface surface = make(Kind::buffer, buffer, 0);
    surface.width = width;
    surface.height = height;
    surface.row_bytes = std::ptrdiff_t{width} * pixMPI_Format_bytes(format);
    surface.format = format;
    return surface;
}

pixMPI_Surface glMPI_As(pixMPI_Surface surface, pixMPI_Format format) {
    const bool known = format >= PIXMPI_FORMAT_NONE && format < PIXMPI_FORMAT_END;
    surface.as = static_cast<std::uint8_t>(known ? format : PIXMPI_FORMAT_END);
    return surface;
}
