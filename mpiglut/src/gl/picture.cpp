// What a window shows on this tile, for captures.
#include "base/real.h"
#include "gl/context.h"
#include "gl/error.h"
#include "gl/mirror.h"
#include "gl/pixel_store.h"
#include "gl/resolved.h"

#include <algorithm>

namespace mpiglut::gl {

std::vector<unsigned char> read_rgb(const Surface &surface, bool front) {
    const std::size_t row = static_cast<std::size_t>(surface.part.width) * 3;
    std::vector<unsigned char> pixels(row * surface.part.height);
    const ErrorScope errors;
    const PlainPixels plain(PlainPixels::pack | PlainPixels::pack_order | PlainPixels::transfer);
    const Context *context = current();
    const GLuint framebuffer = context ? context->read_framebuffer : 0;
    if (framebuffer)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    const GLint buffer = get(GL_READ_BUFFER, GL_BACK);
    glReadBuffer(front ? GL_FRONT : GL_BACK);
    {
        const Resolved resolved(context, surface.part.width, surface.part.height);
        REAL(glReadPixels)(0, 0, surface.part.width, surface.part.height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    }
    glReadBuffer(static_cast<GLenum>(buffer));
    if (framebuffer)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer);
    // GL's rows start at the bottom.
    for (int y = 0; y < surface.part.height / 2; ++y)
        std::swap_ranges(pixels.begin() + y * row, pixels.begin() + (y + 1) * row,
                         pixels.end() - (y + 1) * row);
    return pixels;
}

bool draws_to_front() {
    const Context *context = current();
    if (context && context->draw_framebuffer)
        return false;
    const GLint buffer = get(GL_DRAW_BUFFER, GL_BACK);
    return buffer == GL_FRONT || buffer == GL_FRONT_LEFT || buffer == GL_FRONT_AND_BACK;
}

} // namespace mpiglut::gl
