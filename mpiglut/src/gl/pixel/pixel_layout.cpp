#include "gl/pixel/pixel_layout.h"

#include <GL/glext.h>

#include <algorithm>
#include <cstring>

namespace mpiglut::gl {

using pixmpi::Rect;

namespace {

int components(GLenum format) {
    switch (format) {
    case GL_COLOR_INDEX:
    case GL_STENCIL_INDEX:
    case GL_DEPTH_COMPONENT:
    case GL_RED:
    case GL_GREEN:
    case GL_BLUE:
    case GL_ALPHA:
    case GL_LUMINANCE:
    case GL_INTENSITY:
    case GL_RED_INTEGER:
    case GL_GREEN_INTEGER:
    case GL_BLUE_INTEGER:
    case GL_ALPHA_INTEGER_EXT:
    case GL_LUMINANCE_INTEGER_EXT:
        return 1;
    case GL_LUMINANCE_ALPHA:
    case GL_LUMINANCE_ALPHA_INTEGER_EXT:
    case GL_RG:
    case GL_RG_INTEGER:
    case GL_DEPTH_STENCIL: // of no use with an unpacked type; GL says so
        return 2;
    case GL_RGB:
    case GL_BGR:
    case GL_RGB_INTEGER:
    case GL_BGR_INTEGER:
        return 3;
    case GL_RGBA:
    case GL_BGRA:
    case GL_RGBA_INTEGER:
    case GL_BGRA_INTEGER:
    case GL_ABGR_EXT:
        return 4;
    default:
        return 0;
    }
}

/// Bits of one component, or of the whole pixel when `packed`.
int type_bits(GLenum type, bool &packed) {
    packed = false;
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
        return 8;
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT:
    case 0x8D61: /* GL_HALF_FLOAT_OES */
        return 16;
    case GL_INT:
    case GL_UNSIGNED_INT:
    case GL_FLOAT:
        return 32;
    default:
        break;
    }
    packed = true;
    switch (type) {
    case GL_BITMAP:
        return 1;
    case GL_UNSIGNED_BYTE_3_3_2:
    case GL_UNSIGNED_BYTE_2_3_3_REV:
        return 8;
    case GL_UNSIGNED_SHORT_5_6_5:
    case GL_UNSIGNED_SHORT_5_6_5_REV:
    case GL_UNSIGNED_SHORT_4_4_4_4:
    case GL_UNSIGNED_SHORT_4_4_4_4_REV:
    case GL_UNSIGNED_SHORT_5_5_5_1:
    case GL_UNSIGNED_SHORT_1_5_5_5_REV:
        return 16;
    case GL_UNSIGNED_INT_8_8_8_8:
    case GL_UNSIGNED_INT_8_8_8_8_REV:
    case GL_UNSIGNED_INT_10_10_10_2:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_24_8:
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
    case GL_UNSIGNED_INT_5_9_9_9_REV:
        return 32;
    case GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        return 64;
    default:
        return 0;
    }
}

bool bit_of(const std::byte *bytes, std::size_t bit, bool lsb_first) {
    const unsigned shift = lsb_first ? bit % 8 : 7 - bit % 8;
    return (std::to_integer<unsigned>(bytes[bit / 8]) >> shift) & 1u;
}

void set_bit(std::byte *bytes, std::size_t bit, bool lsb_first, bool value) {
    const auto mask = std::byte{1} << (lsb_first ? bit % 8 : 7 - bit % 8);
    bytes[bit / 8] = value ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask;
}

} // namespace

int pixel_bits(GLenum format, GLenum type) {
    bool packed = false;
    const int bits = type_bits(type, packed), count = components(format);
    return count == 0 ? 0 : packed ? bits : bits * count;
}

PixelLayout::PixelLayout(int bits, int width, const PackState &pack)
    : bits_(bits), width_(width), stride_(0), pack_(pack) {
    const std::size_t alignment = std::max(pack.alignment, 1);
    const std::size_t row = (bits_ * (pack.row_length > 0 ? pack.row_length : width) + 7) / 8;
    stride_ = (row + alignment - 1) / alignment * alignment;
}

std::size_t PixelLayout::first_bit(int x, int y) const {
    const int row = pack_.inverted ? pack_.inverted - 1 - y : y;
    return 8 * stride_ * (pack_.skip_rows + static_cast<std::size_t>(row)) +
           bits_ * (pack_.skip_pixels + static_cast<std::size_t>(x));
}

std::size_t PixelLayout::extent(int height) const {
    if (height <= 0 || width_ == 0)
        return 0;
    return (first_bit(0, pack_.inverted ? 0 : height - 1) + bits_ * width_ + 7) / 8;
}

void PixelLayout::copy_bits(std::byte *to, std::size_t to_bit, const std::byte *from, std::size_t from_bit,
                            int count) const {
    for (int i = 0; i < count; ++i)
        set_bit(to, to_bit + i, pack_.lsb_first, from && bit_of(from, from_bit + i, pack_.lsb_first));
}

void PixelLayout::clear(std::byte *memory, const Rect &pixels) const {
    for (int y = pixels.y; y < pixels.bottom() && pixels.width > 0; ++y) {
        if (bits_ % 8 == 0)
            std::memset(memory + first_bit(pixels.x, y) / 8, 0, bits_ / 8 * pixels.width);
        else
            copy_bits(memory, first_bit(pixels.x, y), nullptr, 0, pixels.width);
    }
}

void PixelLayout::place(std::byte *memory, const Rect &pixels, const std::byte *piece, int piece_width, int piece_x,
                        int piece_y) const {
    for (int row = 0; row < pixels.height && pixels.width > 0; ++row) {
        const std::byte *from = piece + piece_row(piece_width) * (piece_y + row);
        const std::size_t to = first_bit(pixels.x, pixels.y + row);
        if (bits_ % 8 == 0)
            std::memcpy(memory + to / 8, from + bits_ / 8 * piece_x, bits_ / 8 * pixels.width);
        else
            copy_bits(memory, to, from, bits_ * piece_x, pixels.width);
    }
}

void compose(const PixelLayout &layout, std::byte *memory, const Rect &asked, const Rect &window,
             std::span<const Piece> pieces) {
    const auto in_image = [&](const Rect &part) {
        return Rect{part.x - asked.x, part.y - asked.y, part.width, part.height};
    };
    const Rect visible = intersect(asked, window);
    if (visible.empty())
        return;
    layout.clear(memory, in_image(visible));
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        const Rect part = intersect(visible, piece->rect);
        const bool complete =
            piece->pixels.size() >= layout.piece_row(piece->rect.width) * std::max(piece->rect.height, 0);
        if (!part.empty() && complete)
            layout.place(memory, in_image(part), piece->pixels.data(), piece->rect.width, part.x - piece->rect.x,
                         part.y - piece->rect.y);
    }
}

} // namespace mpiglut::gl
