// Copies from the window within the GL: the source's coordinates are the whole window's, and so are its pixels.
#pragma once

#include "gl/context/error.h"
#include "gl/coordinates/mirror.h"
#include "gl/pixel/gather.h"
#include "gl/pixel/window_image.h"

namespace mpiglut::gl {

/// Runs copy(origin, framebuffer): what is to be subtracted from the source's coordinates, and where it reads from
/// (already bound for reading). `reads`: the source is the window.
template <class F> void copy_from(Context &c, bool reads, const pixmpi::Rect &asked, unsigned what, F &&copy) {
    if (!reads)
        return copy(Origin{}, c.read_framebuffer);
    if (!is_collective(c, asked) || c.limits.version < 30)
        return copy(Origin{c.read_surface->part.x, c.read_surface->part.y}, GLuint{0});
    ErrorScope errors;
    GLenum error = GL_NO_ERROR;
    {
        const WindowImage image(c, asked, what);
        errors.fetch();
        copy(image.origin(), image.framebuffer());
        error = errors.fetch();
    }
    errors.fetch();
    errors.keep(error);
}

} // namespace mpiglut::gl
