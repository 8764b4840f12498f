#include "gl/pixel/pixel_store.h"

#include "base/real.h"
#include "gl/coordinates/mirror.h"

#include <GL/glext.h>

#include <span>

namespace mpiglut::gl {

namespace {

template <class T> struct Setting {
    GLenum name;
    T plain;
};

constexpr Setting<GLint> pack_settings[] = {{GL_PACK_ALIGNMENT, 1},
                                            {GL_PACK_ROW_LENGTH, 0},
                                            {GL_PACK_SKIP_ROWS, 0},
                                            {GL_PACK_SKIP_PIXELS, 0},
                                            {GL_PACK_SKIP_IMAGES, 0}};
constexpr Setting<GLint> pack_mesa_settings[] = {{GL_PACK_INVERT_MESA, 0}};
constexpr Setting<GLint> pack_order_settings[] = {{GL_PACK_SWAP_BYTES, 0}, {GL_PACK_LSB_FIRST, 0}};
constexpr Setting<GLint> unpack_settings[] = {
    {GL_UNPACK_ALIGNMENT, 1},   {GL_UNPACK_ROW_LENGTH, 0},   {GL_UNPACK_SKIP_ROWS, 0},  {GL_UNPACK_SKIP_PIXELS, 0},
    {GL_UNPACK_SKIP_IMAGES, 0}, {GL_UNPACK_IMAGE_HEIGHT, 0}, {GL_UNPACK_SWAP_BYTES, 0}, {GL_UNPACK_LSB_FIRST, 0}};
constexpr Setting<GLfloat> transfer_settings[] = {
    {GL_MAP_COLOR, 0},   {GL_MAP_STENCIL, 0}, {GL_INDEX_SHIFT, 0}, {GL_INDEX_OFFSET, 0}, {GL_RED_SCALE, 1},
    {GL_GREEN_SCALE, 1}, {GL_BLUE_SCALE, 1},  {GL_ALPHA_SCALE, 1}, {GL_DEPTH_SCALE, 1},  {GL_RED_BIAS, 0},
    {GL_GREEN_BIAS, 0},  {GL_BLUE_BIAS, 0},   {GL_ALPHA_BIAS, 0},  {GL_DEPTH_BIAS, 0}};

/// The driver knows it: OpenGL ES has less.
bool has_setting(const Context *context, GLenum name) {
    if (!context || !context->limits.es)
        return true;
    switch (name) {
    case GL_PACK_ALIGNMENT:
    case GL_UNPACK_ALIGNMENT: return true;
    case GL_PACK_SKIP_IMAGES:
    case GL_PACK_SWAP_BYTES:
    case GL_PACK_LSB_FIRST:
    case GL_UNPACK_SWAP_BYTES:
    case GL_UNPACK_LSB_FIRST: return false;
    default: return context->limits.version >= 30; // buffers among them
    }
}

} // namespace

GLint get(GLenum name, GLint otherwise) {
    GLint value = otherwise;
    REAL(glGetIntegerv)(name, &value);
    return value;
}

GLint get_stored(GLenum name, GLint otherwise) {
    return has_setting(current(), name) ? get(name, otherwise) : otherwise;
}

PackState pack_state(int height) {
    const Context *c = current();
    const bool inverted = c && c->limits.pack_invert && get(GL_PACK_INVERT_MESA) != 0;
    return {.swap_bytes = get_stored(GL_PACK_SWAP_BYTES) != 0,
            .lsb_first = get_stored(GL_PACK_LSB_FIRST) != 0,
            .alignment = get_stored(GL_PACK_ALIGNMENT, 4),
            .row_length = get_stored(GL_PACK_ROW_LENGTH),
            .skip_rows = get_stored(GL_PACK_SKIP_ROWS),
            .skip_pixels = get_stored(GL_PACK_SKIP_PIXELS),
            .inverted = inverted ? height : 0};
}

// Only what this GL has is asked for: the error of a wrong question would pass for one of the read or upload itself.
PlainPixels::PlainPixels(unsigned what) {
    const Context *context = current();
    const auto store = [&](std::span<const Setting<GLint>> settings) {
        for (const auto &setting : settings)
            if (const GLint value = get_stored(setting.name, setting.plain); value != setting.plain) {
                stored_.emplace_back(setting.name, value);
                REAL(glPixelStorei)(setting.name, setting.plain);
            }
    };
    if (what & pack) {
        store(pack_settings);
        if (context && context->limits.pack_invert)
            store(pack_mesa_settings);
        unbind(GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING);
    }
    if (what & pack_order)
        store(pack_order_settings);
    if (what & unpack) {
        store(unpack_settings);
        unbind(GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING);
    }
    if (!(what & transfer) || (context && !context->limits.fixed_function))
        return;
    for (const auto &setting : transfer_settings) {
        GLfloat value = setting.plain;
        REAL(glGetFloatv)(setting.name, &value);
        if (value != setting.plain) {
            transferred_.emplace_back(setting.name, value);
            REAL(glPixelTransferf)(setting.name, setting.plain);
        }
    }
}

void PlainPixels::unbind(GLenum target, GLenum binding) {
    if (const GLint buffer = get_stored(binding); buffer != 0) {
        buffers_.emplace_back(target, buffer);
        REAL(glBindBuffer)(target, 0);
    }
}

PlainPixels::~PlainPixels() {
    for (const auto &[name, value] : stored_)
        REAL(glPixelStorei)(name, value);
    for (const auto &[name, value] : transferred_)
        REAL(glPixelTransferf)(name, value);
    for (const auto &[target, buffer] : buffers_)
        REAL(glBindBuffer)(target, buffer);
}

} // namespace mpiglut::gl
