#include "system/x11/gl_pixmaps.h"

#include "base/real.h"
#include "gl/context/error.h"
#include "gl/context/make_current.h"
#include "gl/pixel/pixel_store.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/x11.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace mpiglut::x11 {
namespace {

/// Rows from the top, as X has them: 0xRRGGBB with alpha above. The whole window's, from all tiles.
std::vector<std::uint32_t> read_rows(int width, int height) {
    const gl::ErrorScope errors;
    const gl::PlainPixels plain(gl::PlainPixels::pack | gl::PlainPixels::pack_order | gl::PlainPixels::transfer);
    const SurfaceBound surface;
    const auto row = static_cast<std::size_t>(width);
    std::vector<unsigned char> read(4 * row * height);
    ::glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, read.data());
    std::vector<std::uint32_t> pixels(row * height);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const unsigned char *const from = &read[4 * ((height - 1 - i / row) * row + i % row)];
        pixels[i] = std::uint32_t{from[3]} << 24 | from[0] << 16 | from[1] << 8 | from[2];
    }
    return pixels;
}

/// An X server takes pixels in its own order of bytes.
void to_order_of(const xcb_setup_t &setup, std::vector<std::uint32_t> &pixels) {
    const std::uint32_t one = 1;
    const bool is_little = *reinterpret_cast<const unsigned char *>(&one) == 1;
    if ((setup.image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST) != is_little)
        std::ranges::transform(pixels, pixels.begin(), [](std::uint32_t pixel) { return __builtin_bswap32(pixel); });
}

bool has_four_bytes(const xcb_setup_t &setup, int depth) {
    const xcb_format_t *const formats = xcb_setup_pixmap_formats(&setup);
    return std::any_of(formats, formats + xcb_setup_pixmap_formats_length(&setup),
                       [depth](const xcb_format_t &one) { return one.depth == depth && one.bits_per_pixel == 32; });
}

} // namespace

SurfaceBound::SurfaceBound()
    : draw_(gl::get(GL_DRAW_FRAMEBUFFER_BINDING)), read_(gl::get(GL_READ_FRAMEBUFFER_BINDING, draw_)) {
    if (draw_ || read_)
        ::glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

SurfaceBound::~SurfaceBound() {
    if (draw_ == read_) {
        if (draw_)
            ::glBindFramebuffer(GL_FRAMEBUFFER, draw_);
        return;
    }
    ::glBindFramebuffer(GL_DRAW_FRAMEBUFFER, draw_);
    ::glBindFramebuffer(GL_READ_FRAMEBUFFER, read_);
}

bool send_pixels(xcb_connection_t *connection, xcb_pixmap_t pixmap, int width, int height) {
    xcb_generic_error_t *error = nullptr; // the program may have freed it already
    const std::unique_ptr<xcb_get_geometry_reply_t, void (*)(void *)> geometry(
        xcb_get_geometry_reply(connection, xcb_get_geometry(connection, pixmap), &error), std::free);
    std::free(error);
    const xcb_setup_t &setup = *xcb_get_setup(connection);
    if (!geometry || !has_four_bytes(setup, geometry->depth))
        return false;
    std::vector<std::uint32_t> pixels = read_rows(width, height);
    to_order_of(setup, pixels);
    const xcb_gcontext_t context = xcb_generate_id(connection);
    xcb_create_gc(connection, context, pixmap, 0, nullptr);
    const std::uint32_t room = xcb_get_maximum_request_length(connection) - 8; // words, next to the request's own
    const int rows = std::max(static_cast<int>(room / static_cast<std::uint32_t>(width)), 1);
    for (int y = 0; y < std::min<int>(height, geometry->height); y += rows) {
        const int some = std::min(rows, height - y);
        xcb_put_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, pixmap, context, static_cast<std::uint16_t>(width),
                      static_cast<std::uint16_t>(some), 0, static_cast<std::int16_t>(y), 0, geometry->depth,
                      static_cast<std::uint32_t>(4 * width * some),
                      reinterpret_cast<const std::uint8_t *>(&pixels[static_cast<std::size_t>(y) * width]));
    }
    xcb_free_gc(connection, context);
    xcb_flush(connection);
    return true;
}

void update_pixmap() {
    const Binding &program = bound();
    const PixmapOfProgram pixmap = pixmap_of(program.draw);
    if (!pixmap.name)
        return;
    read_from(program.draw, [&pixmap] { send_pixels(pixmap.connection, pixmap.name, pixmap.width, pixmap.height); });
}

} // namespace mpiglut::x11
