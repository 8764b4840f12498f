#include "context/pixel_formats.h"

namespace glmpi {

using namespace pixmpi;

namespace {

using Table = std::array<GlFormat, PIXMPI_FORMAT_END>;

constexpr Table make_table() {
    Table t;
#define CHANNELS(R, FORMAT, INTEGER)                                                                                   \
    t[PIXMPI_##R##8] = {GL_##R##8, {FORMAT, GL_UNSIGNED_BYTE}};                                                        \
    t[PIXMPI_##R##8_SNORM] = {GL_##R##8_SNORM, {FORMAT, GL_BYTE}};                                                     \
    t[PIXMPI_##R##8UI] = {GL_##R##8UI, {INTEGER, GL_UNSIGNED_BYTE}};                                                   \
    t[PIXMPI_##R##8I] = {GL_##R##8I, {INTEGER, GL_BYTE}};                                                              \
    t[PIXMPI_##R##16] = {GL_##R##16, {FORMAT, GL_UNSIGNED_SHORT}};                                                     \
    t[PIXMPI_##R##16_SNORM] = {GL_##R##16_SNORM, {FORMAT, GL_SHORT}};                                                  \
    t[PIXMPI_##R##16UI] = {GL_##R##16UI, {INTEGER, GL_UNSIGNED_SHORT}};                                                \
    t[PIXMPI_##R##16I] = {GL_##R##16I, {INTEGER, GL_SHORT}};                                                           \
    t[PIXMPI_##R##16F] = {GL_##R##16F, {FORMAT, GL_HALF_FLOAT}};                                                       \
    t[PIXMPI_##R##32UI] = {GL_##R##32UI, {INTEGER, GL_UNSIGNED_INT}};                                                  \
    t[PIXMPI_##R##32I] = {GL_##R##32I, {INTEGER, GL_INT}};                                                             \
    t[PIXMPI_##R##32F] = {GL_##R##32F, {FORMAT, GL_FLOAT}};
    CHANNELS(R, GL_RED, GL_RED_INTEGER)
    CHANNELS(RG, GL_RG, GL_RG_INTEGER)
    CHANNELS(RGB, GL_RGB, GL_RGB_INTEGER)
    CHANNELS(RGBA, GL_RGBA, GL_RGBA_INTEGER)
#undef CHANNELS
    t[PIXMPI_BGR8] = {0, {GL_BGR, GL_UNSIGNED_BYTE}};
    t[PIXMPI_BGRA8] = {0, {GL_BGRA, GL_UNSIGNED_BYTE}};
    t[PIXMPI_RGB8_SRGB] = {GL_SRGB8, {GL_RGB, GL_UNSIGNED_BYTE}};
    t[PIXMPI_RGBA8_SRGB] = {GL_SRGB8_ALPHA8, {GL_RGBA, GL_UNSIGNED_BYTE}};
    t[PIXMPI_BGRA8_SRGB] = {0, {GL_BGRA, GL_UNSIGNED_BYTE}};
    t[PIXMPI_RGB10_A2] = {GL_RGB10_A2, {GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV}};
    t[PIXMPI_RGB10_A2UI] = {GL_RGB10_A2UI, {GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV}};
    t[PIXMPI_R11F_G11F_B10F] = {GL_R11F_G11F_B10F, {GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV}};
    t[PIXMPI_DEPTH16] = {GL_DEPTH_COMPONENT16, {GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT}};
    t[PIXMPI_DEPTH24] = {GL_DEPTH_COMPONENT24, {GL_DEPTH_COMPONENT, GL_UNSIGNED_INT}};
    t[PIXMPI_DEPTH32F] = {GL_DEPTH_COMPONENT32F, {GL_DEPTH_COMPONENT, GL_FLOAT}};
    t[PIXMPI_DEPTH24_STENCIL8] = {GL_DEPTH24_STENCIL8, {GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8}};
    t[PIXMPI_DEPTH32F_STENCIL8] = {GL_DEPTH32F_STENCIL8, {GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV}};
    t[PIXMPI_STENCIL8] = {GL_STENCIL_INDEX8, {GL_STENCIL_INDEX, GL_UNSIGNED_BYTE}};
    return t;
}

constexpr Table table = make_table();

bool integers(pixMPI_Format format) {
    const Numbers numbers = format_info(format).numbers;
    return numbers == Numbers::uint || numbers == Numbers::sint;
}

} // namespace

const GlFormat &gl_format(pixMPI_Format format) {
    const auto i = static_cast<unsigned>(format);
    return table[i < PIXMPI_FORMAT_END ? i : 0];
}

pixMPI_Format format_of_internal(GLenum internal) {
    if (internal == 0)
        return PIXMPI_FORMAT_NONE;
    if (internal == GL_DEPTH_COMPONENT32)
        return PIXMPI_DEPTH24; // its word has room for the other eight bits
    for (int i = 1; i < PIXMPI_FORMAT_END; ++i)
        if (table[static_cast<std::size_t>(i)].internal == internal)
            return static_cast<pixMPI_Format>(i);
    return PIXMPI_FORMAT_NONE;
}

Aspect aspect_of(pixMPI_Format format) {
    switch (format_info(format).numbers) {
    case Numbers::depth:
        return Aspect::depth;
    case Numbers::stencil:
        return Aspect::stencil;
    case Numbers::depth_stencil:
        return Aspect::depth_stencil;
    default:
        return Aspect::color;
    }
}

bool converts(pixMPI_Format surface, pixMPI_Format travelling) {
    const Aspect from = aspect_of(surface), to = aspect_of(travelling);
    if (from == Aspect::color && to == Aspect::color)
        return integers(surface) == integers(travelling);
    if (surface == PIXMPI_DEPTH24_STENCIL8)
        return travelling == surface || travelling == PIXMPI_DEPTH24 || travelling == PIXMPI_STENCIL8;
    if (surface == PIXMPI_DEPTH32F_STENCIL8)
        return travelling == surface || travelling == PIXMPI_DEPTH32F || travelling == PIXMPI_STENCIL8;
    return from == to;
}

bool is_unsized(GLenum internal) {
    switch (internal) {
    case GL_RED:
    case GL_RG:
    case GL_RGB:
    case GL_RGBA:
    case GL_SRGB:
    case GL_SRGB_ALPHA:
    case GL_DEPTH_COMPONENT:
    case GL_DEPTH_STENCIL:
    case GL_STENCIL_INDEX:
    case 3: // numbers of components, from before OpenGL 1.1
    case 4:
        return true;
    default:
        return false;
    }
}

pixMPI_Format format_of_sizes(const ComponentSizes &s) {
    const auto depth = [&](int bits, bool is_float) {
        return s.depth == bits && (s.depth_type == GL_FLOAT) == is_float;
    };
    if (s.depth > 0 && s.stencil > 0)
        return depth(24, false)  ? PIXMPI_DEPTH24_STENCIL8
               : depth(32, true) ? PIXMPI_DEPTH32F_STENCIL8
                                 : PIXMPI_FORMAT_NONE;
    if (s.depth > 0)
        return depth(16, false)   ? PIXMPI_DEPTH16
               : depth(24, false) ? PIXMPI_DEPTH24
               : depth(32, false) ? PIXMPI_DEPTH24
               : depth(32, true)  ? PIXMPI_DEPTH32F
                                  : PIXMPI_FORMAT_NONE;
    if (s.stencil > 0)
        return s.stencil == 8 ? PIXMPI_STENCIL8 : PIXMPI_FORMAT_NONE;
    if (s.red == 10 && s.green == 10 && s.blue == 10 && s.alpha == 2)
        return s.type == GL_UNSIGNED_NORMALIZED ? PIXMPI_RGB10_A2 : PIXMPI_FORMAT_NONE;
    if (s.red == 11 && s.green == 11 && s.blue == 10)
        return PIXMPI_R11F_G11F_B10F;

    // Equal channels: the one plain format with that many, that size and those numbers.
    const int channels = s.alpha ? 4 : s.blue ? 3 : s.green ? 2 : 1;
    const GLint sizes[] = {s.red, s.green, s.blue, s.alpha};
    for (int i = 0; i < channels; ++i)
        if (sizes[i] != s.red)
            return PIXMPI_FORMAT_NONE;
    Numbers numbers = Numbers::none;
    switch (s.type) {
    case GL_UNSIGNED_NORMALIZED:
        numbers = s.srgb && s.red == 8 && channels >= 3 ? Numbers::srgb : Numbers::unorm;
        break;
    case GL_SIGNED_NORMALIZED:
        numbers = Numbers::snorm;
        break;
    case GL_FLOAT:
        numbers = Numbers::sfloat;
        break;
    case GL_INT:
        numbers = Numbers::sint;
        break;
    case GL_UNSIGNED_INT:
        numbers = Numbers::uint;
        break;
    default:
        return PIXMPI_FORMAT_NONE;
    }
    for (int i = 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        const FormatInfo &info = format_info(format);
        if (!info.bgr && info.channels == channels && info.channel_bytes * 8 == s.red && info.numbers == numbers)
            return format;
    }
    return PIXMPI_FORMAT_NONE;
}

GLenum blit_internal(pixMPI_Format stored, GLint depth_bits) {
    return stored == PIXMPI_DEPTH24 && depth_bits == 32 ? GL_DEPTH_COMPONENT32 : gl_format(stored).internal;
}

} // namespace glmpi
