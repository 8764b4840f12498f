#include "system/x11/gl_pixmaps.h"

#include "base/real.h"
#include "gl/context/error.h"
#include "gl/context/make_current.h"
#include "gl/pixel/pixel_store.h"
#include "run/report.h"
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
std::vector<std::uint32_t> read_rows(int width, int height, GLenum buffer) {
    const gl::ErrorScope errors;
    const gl::PlainPixels plain(gl::PlainPixels::pack | gl::PlainPixels::pack_order | gl::PlainPixels::transfer);
    const SurfaceBound surface(buffer);
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

/// Eight bits of each colour. Other depths have other pixels, also in four bytes.
bool has_four_bytes(const xcb_setup_t &setup, int depth) {
    if (depth != 24 && depth != 32)
        return false;
    const xcb_format_t *const formats = xcb_setup_pixmap_formats(&setup);
    return std::any_of(formats, formats + xcb_setup_pixmap_formats_length(&setup),
                       [depth](const xcb_format_t &one) { return one.depth == depth && one.bits_per_pixel == 32; });
}

} // namespace

SurfaceBound::SurfaceBound(GLenum buffer)
    : draw_(gl::get(GL_DRAW_FRAMEBUFFER_BINDING)), read_(gl::get(GL_READ_FRAMEBUFFER_BINDING, draw_)) {
    if (draw_ || read_)
        ::glBindFramebuffer(GL_FRAMEBUFFER, 0);
    buffer_ = gl::get(GL_READ_BUFFER, static_cast<GLint>(buffer));
    is_other_ = buffer_ != static_cast<GLint>(buffer);
    if (is_other_)
        ::glReadBuffer(buffer);
}

SurfaceBound::~SurfaceBound() {
    if (is_other_)
        ::glReadBuffer(static_cast<GLenum>(buffer_));
    if (draw_ == read_) {
        if (draw_)
            ::glBindFramebuffer(GL_FRAMEBUFFER, draw_);
        return;
    }
    ::glBindFramebuffer(GL_DRAW_FRAMEBUFFER, draw_);
    ::glBindFramebuffer(GL_READ_FRAMEBUFFER, read_);
}

Sent send_pixels(xcb_connection_t *connection, xcb_pixmap_t pixmap, int width, int height, GLenum buffer) {
    xcb_generic_error_t *error = nullptr; // the program may have freed it already
    const std::unique_ptr<xcb_get_geometry_reply_t, void (*)(void *)> geometry(
        xcb_get_geometry_reply(connection, xcb_get_geometry(connection, pixmap), &error), std::free);
    std::free(error);
    const xcb_setup_t &setup = *xcb_get_setup(connection);
    if (!geometry)
        return Sent::no_pixmap;
    if (!has_four_bytes(setup, geometry->depth))
        return Sent::other_depth;
    std::vector<std::uint32_t> pixels = read_rows(width, height, buffer);
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
    return Sent::all;
}

void clear_new_pbuffer() {
    if (!is_first_use(bound().draw))
        return;
    const gl::ErrorScope errors;
    const SurfaceBound surface(static_cast<GLenum>(gl::get(GL_READ_BUFFER, GL_BACK)));
    GLfloat colour[4] = {};
    GLboolean mask[4] = {};
    REAL(glGetFloatv)(GL_COLOR_CLEAR_VALUE, colour);
    REAL(glGetBooleanv)(GL_COLOR_WRITEMASK, mask);
    const bool has_scissor = REAL(glIsEnabled)(GL_SCISSOR_TEST);
    REAL(glDisable)(GL_SCISSOR_TEST);
    REAL(glColorMask)(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    REAL(glClearColor)(0, 0, 0, 0);
    REAL(glClear)(GL_COLOR_BUFFER_BIT);
    REAL(glClearColor)(colour[0], colour[1], colour[2], colour[3]);
    REAL(glColorMask)(mask[0], mask[1], mask[2], mask[3]);
    if (has_scissor)
        REAL(glEnable)(GL_SCISSOR_TEST);
}

void update_pixmap() {
    const Binding &program = bound();
    const PixmapOfProgram pixmap = pixmap_of(program.draw);
    if (!pixmap.name)
        return;
    // A pixmap of GLX is the front buffer, and one of EGL the only one, which has the name of the back buffer.
    const GLenum buffer = program.display ? GL_FRONT : GL_BACK;
    read_from(program.draw, [&] {
        if (send_pixels(pixmap.connection, pixmap.name, pixmap.width, pixmap.height, buffer) == Sent::other_depth)
            report_once(Report::note, "the program draws by OpenGL to a pixmap whose depth is neither 24 nor 32: the "
                                      "pixmap does not get what is drawn");
    });
}

} // namespace mpiglut::x11
