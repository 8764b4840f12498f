#include "gl/pixel/shrink.h"

#include "base/real.h"
#include "gl/context/error.h"
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"
#include "gl/pixel/resolved.h"
#include "gl/pixel/target.h"

#include <GL/glext.h>

#include <algorithm>
#include <vector>

namespace mpiglut::gl {
namespace {

bool has_blits() {
    const Context *context = current();
    const char *version = reinterpret_cast<const char *>(REAL(glGetString)(GL_VERSION));
    return context ? context->limits.version >= 30 && !context->limits.es : version && version[0] >= '3';
}

void flip(std::span<std::byte> rgb, int columns, int rows) {
    const std::ptrdiff_t row = std::ptrdiff_t{columns} * 3;
    for (int y = 0; y < rows / 2; ++y)
        std::swap_ranges(rgb.begin() + y * row, rgb.begin() + (y + 1) * row, rgb.end() - (y + 1) * row);
}

void read(int x, int y, int width, int height, void *pixels) {
    REAL(glReadPixels)(x, y, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
}

// Linear filtering takes the mean of two by two pixels where a step is exactly two to one, or less.
void shrink(const Source &source, int columns, int rows, std::span<std::byte> rgb) {
    std::vector<Target> targets;
    int x = source.x, y = source.y, width = source.width, height = source.height;
    while (width != columns || height != rows) {
        const int next_width = std::max(columns, (width + 1) / 2), next_height = std::max(rows, (height + 1) / 2);
        targets.emplace_back(next_width, next_height);
        REAL(glBlitFramebuffer)
        (x, y, x + width, y + height, 0, 0, next_width, next_height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
        targets.back().read();
        x = y = 0;
        width = next_width;
        height = next_height;
    }
    read(x, y, width, height, rgb.data());
}

// An old GL: all pixels come, and one of several is kept.
void pick(const Source &source, int columns, int rows, std::span<std::byte> rgb) {
    std::vector<std::byte> all(static_cast<std::size_t>(source.width) * source.height * 3);
    read(source.x, source.y, source.width, source.height, all.data());
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const std::size_t from = (static_cast<std::size_t>(row) * source.height / rows * source.width +
                                      static_cast<std::size_t>(column) * source.width / columns) *
                                     3;
            std::copy_n(all.begin() + from, 3, rgb.begin() + (static_cast<std::size_t>(row) * columns + column) * 3);
        }
}

} // namespace

void read_smaller(const Source &source, int columns, int rows, bool front, std::span<std::byte> rgb) {
    const ErrorScope errors;
    const PlainPixels plain(PlainPixels::pack | PlainPixels::pack_order | PlainPixels::transfer);
    const Context *context = current();
    const bool blits = has_blits();
    const GLuint read_before = blits ? static_cast<GLuint>(get(GL_READ_FRAMEBUFFER_BINDING)) : 0;
    const GLuint drawn_before = blits ? static_cast<GLuint>(get(GL_DRAW_FRAMEBUFFER_BINDING)) : 0;
    if (blits)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    const GLint buffer = get(GL_READ_BUFFER, GL_BACK);
    glReadBuffer(front ? GL_FRONT : GL_BACK);
    {
        const Resolved resolved(context, source.drawable_width, source.drawable_height);
        if (blits) {
            const NoScissor no_scissor(context ? context->limits.viewports : 1);
            shrink(source, columns, rows, rgb);
            REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, drawn_before);
        } else {
            pick(source, columns, rows, rgb);
        }
    }
    if (blits)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    glReadBuffer(static_cast<GLenum>(buffer));
    if (read_before)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, read_before);
    flip(rgb, columns, rows);
}

} // namespace mpiglut::gl
