#include "object/gl_format.h"

#include "base/format.h"

namespace {

/// The twelve kinds of numbers in the order of PIXMPI_FORMATS_OF, for 1 to 4 channels.
constexpr GLenum internal_formats[12][4] = {
    {GL_R8, GL_RG8, GL_RGB8, GL_RGBA8},
    {GL_R8_SNORM, GL_RG8_SNORM, GL_RGB8_SNORM, GL_RGBA8_SNORM},
    {GL_R8UI, GL_RG8UI, GL_RGB8UI, GL_RGBA8UI},
    {GL_R8I, GL_RG8I, GL_RGB8I, GL_RGBA8I},
    {GL_R16, GL_RG16, GL_RGB16, GL_RGBA16},
    {GL_R16_SNORM, GL_RG16_SNORM, GL_RGB16_SNORM, GL_RGBA16_SNORM},
    {GL_R16UI, GL_RG16UI, GL_RGB16UI, GL_RGBA16UI},
    {GL_R16I, GL_RG16I, GL_RGB16I, GL_RGBA16I},
    {GL_R16F, GL_RG16F, GL_RGB16F, GL_RGBA16F},
    {GL_R32UI, GL_RG32UI, GL_RGB32UI, GL_RGBA32UI},
    {GL_R32I, GL_RG32I, GL_RGB32I, GL_RGBA32I},
    {GL_R32F, GL_RG32F, GL_RGB32F, GL_RGBA32F},
};
constexpr GLenum types[12] = {GL_UNSIGNED_BYTE, GL_BYTE,           GL_UNSIGNED_BYTE, GL_BYTE,       GL_UNSIGNED_SHORT,
                              GL_SHORT,         GL_UNSIGNED_SHORT, GL_SHORT,         GL_HALF_FLOAT, GL_UNSIGNED_INT,
                              GL_INT,           GL_FLOAT};
constexpr GLenum channels[4] = {GL_RED, GL_RG, GL_RGB, GL_RGBA};
constexpr GLenum integer_channels[4] = {GL_RED_INTEGER, GL_RG_INTEGER, GL_RGB_INTEGER, GL_RGBA_INTEGER};

bool is_plain(pixMPI_Format format) { return format >= PIXMPI_R8 && format <= PIXMPI_RGBA32F; }

} // namespace

GLenum gl_internal_format(pixMPI_Format format) {
    if (is_plain(format))
        return internal_formats[(format - PIXMPI_R8) % 12][(format - PIXMPI_R8) / 12];
    switch (format) {
    case PIXMPI_BGR8:
        return GL_RGB8;
    case PIXMPI_BGRA8:
        return GL_RGBA8;
    case PIXMPI_RGB8_SRGB:
        return GL_SRGB8;
    case PIXMPI_RGBA8_SRGB:
    case PIXMPI_BGRA8_SRGB:
        return GL_SRGB8_ALPHA8;
    case PIXMPI_RGB10_A2:
        return GL_RGB10_A2;
    case PIXMPI_RGB10_A2UI:
        return GL_RGB10_A2UI;
    case PIXMPI_R11F_G11F_B10F:
        return GL_R11F_G11F_B10F;
    case PIXMPI_DEPTH16:
        return GL_DEPTH_COMPONENT16;
    case PIXMPI_DEPTH24:
        return GL_DEPTH_COMPONENT24;
    case PIXMPI_DEPTH32F:
        return GL_DEPTH_COMPONENT32F;
    case PIXMPI_DEPTH24_STENCIL8:
        return GL_DEPTH24_STENCIL8;
    case PIXMPI_DEPTH32F_STENCIL8:
        return GL_DEPTH32F_STENCIL8;
    case PIXMPI_STENCIL8:
        return GL_STENCIL_INDEX8;
    default:
        return 0;
    }
}

std::vector<Layout> gl_layouts(pixMPI_Format format) {
    if (gl_internal_format(format) == GL_RGBA8 || gl_internal_format(format) == GL_SRGB8_ALPHA8)
        return {{GL_RGBA, GL_UNSIGNED_BYTE}, {GL_BGRA, GL_UNSIGNED_BYTE}, {GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV}};
    if (is_plain(format)) {
        const int kind = (format - PIXMPI_R8) % 12, count = (format - PIXMPI_R8) / 12;
        const pixmpi::Numbers numbers = pixmpi::format_info(format).numbers;
        const bool integers = numbers == pixmpi::Numbers::uint || numbers == pixmpi::Numbers::sint;
        return {{(integers ? integer_channels : channels)[count], types[kind]}};
    }
    switch (format) {
    case PIXMPI_BGR8:
    case PIXMPI_RGB8_SRGB:
        return {{GL_RGB, GL_UNSIGNED_BYTE}, {GL_BGR, GL_UNSIGNED_BYTE}};
    case PIXMPI_RGB10_A2:
        return {{GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV}};
    case PIXMPI_RGB10_A2UI:
        return {{GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV}};
    case PIXMPI_R11F_G11F_B10F:
        return {{GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV}};
    case PIXMPI_DEPTH16:
        return {{GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT}};
    case PIXMPI_DEPTH24:
        return {{GL_DEPTH_COMPONENT, GL_UNSIGNED_INT}};
    case PIXMPI_DEPTH32F:
        return {{GL_DEPTH_COMPONENT, GL_FLOAT}};
    case PIXMPI_DEPTH24_STENCIL8:
        return {{GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8}};
    case PIXMPI_DEPTH32F_STENCIL8:
        return {{GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV}};
    case PIXMPI_STENCIL8:
        return {{GL_STENCIL_INDEX, GL_UNSIGNED_BYTE}};
    default:
        return {};
    }
}

GLenum gl_attachment(pixMPI_Format format) {
    switch (pixmpi::format_info(format).numbers) {
    case pixmpi::Numbers::depth:
        return GL_DEPTH_ATTACHMENT;
    case pixmpi::Numbers::stencil:
        return GL_STENCIL_ATTACHMENT;
    case pixmpi::Numbers::depth_stencil:
        return GL_DEPTH_STENCIL_ATTACHMENT;
    default:
        return GL_COLOR_ATTACHMENT0;
    }
}

pixMPI_Format gl_native(pixMPI_Format format) {
    switch (format) {
    case PIXMPI_BGR8:
        return PIXMPI_RGB8;
    case PIXMPI_BGRA8:
        return PIXMPI_RGBA8;
    case PIXMPI_BGRA8_SRGB:
        return PIXMPI_RGBA8_SRGB;
    default:
        return format;
    }
}
