// Images that programs hand to GL: noted, and passed on as they are.
#include "base/state.h"
#include "clock/role.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/values.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

using content::Call;
using content::Type;

/// In the program's memory, or in that of a buffer which is mapped for good. Other buffers were noted when they were
/// filled.
Memory source(const void *pixels) {
    const GLint buffer = get_stored(GL_PIXEL_UNPACK_BUFFER_BINDING);
    if (buffer == 0)
        return {static_cast<const unsigned char *>(pixels), static_cast<std::size_t>(-1)};
    return any_mapped_for_good() ? mapped_for_good(static_cast<GLuint>(buffer), reinterpret_cast<std::size_t>(pixels))
                                 : Memory{};
}

void note_from(const Call &call, const void *pixels, std::size_t bytes) {
    const Memory memory = source(pixels);
    if (memory.data == pixels)
        content::note(call, Type::bytes, memory.data, bytes);
    else if (bytes = std::min(bytes, memory.bytes); bytes > 0)
        content::note_at(call, Type::bytes, memory.data, bytes, content::places(bytes));
}

void note_level(GLint level) {
    if (level > 0)
        note_derivatives();
}

void note_compressed(const Call &call, GLsizei bytes, const void *data) {
    if (bytes > 0 && noted())
        note_from(call, data, static_cast<std::size_t>(bytes));
}

} // namespace

void note_derivatives() {
    if (state().launched && role() == Role::ticks)
        state().uses_derivatives = true;
}

// Of one with something between its rows, the first row; of one with something between its layers, the first layer.
void note_image(const Call &call, GLsizei width, GLsizei height, GLsizei depth, GLenum format, GLenum type,
                const void *pixels) {
    if (width <= 0 || height <= 0 || depth <= 0 || !noted() || get_stored(GL_UNPACK_SKIP_ROWS) != 0 ||
        get_stored(GL_UNPACK_SKIP_PIXELS) != 0 || get_stored(GL_UNPACK_SKIP_IMAGES) != 0)
        return;
    const std::size_t row = (static_cast<std::size_t>(pixel_bits(format, type)) * width + 7) / 8;
    const auto alignment = static_cast<std::size_t>(get_stored(GL_UNPACK_ALIGNMENT, 4));
    const bool dense = get_stored(GL_UNPACK_ROW_LENGTH) == 0 && row % alignment == 0;
    const auto rows = static_cast<std::size_t>(dense ? height : 1);
    const auto layers = static_cast<std::size_t>(dense && get_stored(GL_UNPACK_IMAGE_HEIGHT) == 0 ? depth : 1);
    note_from(call, pixels, row * rows * layers);
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

// A function with its arguments; the size of the image's data is worked out from width, height and depth.
#define IMAGE(name, parameters, arguments, width, height, depth)                                                       \
    NOTED(name, parameters, arguments, note_level(level);                                                              \
          note_image(call, width, height, depth, format, type, pixels))
#define COMPRESSED(name, parameters, arguments)                                                                        \
    NOTED(name, parameters, arguments, note_level(level); note_compressed(call, bytes, data))

#define TEXTURE_IMAGES(vendor)                                                                                         \
    IMAGE(glTexSubImage1D##vendor,                                                                                     \
          (GLenum target, GLint level, GLint x, GLsizei w, GLenum format, GLenum type, const void *pixels),            \
          (target, level, x, w, format, type, pixels), w, 1, 1)                                                        \
    IMAGE(glTexSubImage2D##vendor,                                                                                     \
          (GLenum target, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type,             \
           const void *pixels),                                                                                        \
          (target, level, x, y, w, h, format, type, pixels), w, h, 1)                                                  \
    IMAGE(glTexSubImage3D##vendor,                                                                                     \
          (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,      \
           GLenum type, const void *pixels),                                                                           \
          (target, level, x, y, z, w, h, d, format, type, pixels), w, h, d)
TEXTURE_IMAGES()
TEXTURE_IMAGES(EXT)
IMAGE(glTexImage1D,
      (GLenum target, GLint level, GLint internal, GLsizei w, GLint border, GLenum format, GLenum type,
       const void *pixels),
      (target, level, internal, w, border, format, type, pixels), w, 1, 1)
IMAGE(glTexImage2D,
      (GLenum target, GLint level, GLint internal, GLsizei w, GLsizei h, GLint border, GLenum format, GLenum type,
       const void *pixels),
      (target, level, internal, w, h, border, format, type, pixels), w, h, 1)
IMAGE(glTexImage3D,
      (GLenum target, GLint level, GLint internal, GLsizei w, GLsizei h, GLsizei d, GLint border, GLenum format,
       GLenum type, const void *pixels),
      (target, level, internal, w, h, d, border, format, type, pixels), w, h, d)
IMAGE(glTexImage3DEXT,
      (GLenum target, GLint level, GLenum internal, GLsizei w, GLsizei h, GLsizei d, GLint border, GLenum format,
       GLenum type, const void *pixels),
      (target, level, internal, w, h, d, border, format, type, pixels), w, h, d)
IMAGE(glTextureSubImage1D,
      (GLuint texture, GLint level, GLint x, GLsizei w, GLenum format, GLenum type, const void *pixels),
      (texture, level, x, w, format, type, pixels), w, 1, 1)
IMAGE(glTextureSubImage2D,
      (GLuint texture, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type,
       const void *pixels),
      (texture, level, x, y, w, h, format, type, pixels), w, h, 1)
IMAGE(glTextureSubImage3D,
      (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,
       GLenum type, const void *pixels),
      (texture, level, x, y, z, w, h, d, format, type, pixels), w, h, d)

#define COMPRESSED_IMAGES(vendor)                                                                                      \
    COMPRESSED(                                                                                                        \
        glCompressedTexImage1D##vendor,                                                                                \
        (GLenum target, GLint level, GLenum internal, GLsizei w, GLint border, GLsizei bytes, const void *data),       \
        (target, level, internal, w, border, bytes, data))                                                             \
    COMPRESSED(glCompressedTexImage2D##vendor,                                                                         \
               (GLenum target, GLint level, GLenum internal, GLsizei w, GLsizei h, GLint border, GLsizei bytes,        \
                const void *data),                                                                                     \
               (target, level, internal, w, h, border, bytes, data))                                                   \
    COMPRESSED(glCompressedTexImage3D##vendor,                                                                         \
               (GLenum target, GLint level, GLenum internal, GLsizei w, GLsizei h, GLsizei d, GLint border,            \
                GLsizei bytes, const void *data),                                                                      \
               (target, level, internal, w, h, d, border, bytes, data))                                                \
    COMPRESSED(glCompressedTexSubImage1D##vendor,                                                                      \
               (GLenum target, GLint level, GLint x, GLsizei w, GLenum format, GLsizei bytes, const void *data),       \
               (target, level, x, w, format, bytes, data))                                                             \
    COMPRESSED(glCompressedTexSubImage2D##vendor,                                                                      \
               (GLenum target, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLsizei bytes,      \
                const void *data),                                                                                     \
               (target, level, x, y, w, h, format, bytes, data))                                                       \
    COMPRESSED(glCompressedTexSubImage3D##vendor,                                                                      \
               (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format, \
                GLsizei bytes, const void *data),                                                                      \
               (target, level, x, y, z, w, h, d, format, bytes, data))
COMPRESSED_IMAGES()
COMPRESSED_IMAGES(ARB)
COMPRESSED(glCompressedTextureSubImage1D,
           (GLuint texture, GLint level, GLint x, GLsizei w, GLenum format, GLsizei bytes, const void *data),
           (texture, level, x, w, format, bytes, data))
COMPRESSED(glCompressedTextureSubImage2D,
           (GLuint texture, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLsizei bytes,
            const void *data),
           (texture, level, x, y, w, h, format, bytes, data))
COMPRESSED(glCompressedTextureSubImage3D,
           (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,
            GLsizei bytes, const void *data),
           (texture, level, x, y, z, w, h, d, format, bytes, data))

// The driver makes the levels.
#define LEVELS(name, parameters, arguments, generates)                                                                 \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        if (generates)                                                                                                 \
            note_derivatives();                                                                                        \
        REAL(name) arguments;                                                                                          \
    }
LEVELS(glGenerateMipmap, (GLenum target), (target), true)
LEVELS(glGenerateMipmapEXT, (GLenum target), (target), true)
LEVELS(glGenerateTextureMipmap, (GLuint texture), (texture), true)
LEVELS(glTexParameteri, (GLenum target, GLenum name, GLint value), (target, name, value),
       name == GL_GENERATE_MIPMAP && value)
LEVELS(glTexParameterf, (GLenum target, GLenum name, GLfloat value), (target, name, value),
       name == GL_GENERATE_MIPMAP && value != 0)
