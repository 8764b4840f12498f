#include "gl_picture.h"

#include "committed.h"

#include <GL/gl.h>
#include <glmpi.h>

namespace icet {

GlPicture::GlPicture(IceTEnum buffer, MPI_Comm comm, int rank)
    : color_(buffer), depth_(GL_DEPTH), comm_(comm), rank_(rank) {
    GLint bound = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    framebuffer_ = static_cast<unsigned>(bound);
    if (framebuffer_) {
        color_ = GL_COLOR_ATTACHMENT0;
        depth_ = GL_DEPTH_ATTACHMENT;
    }
}

Planes GlPicture::planes(Formats formats) const {
    return planes_of(glMPI_As(glMPI_Framebuffer(framebuffer_, color_), pixel_format(formats.color)),
                     glMPI_As(glMPI_Framebuffer(framebuffer_, depth_), PIXMPI_DEPTH32F), formats);
}

bool GlPicture::has_size(int width, int height) const {
    int columns = 0, rows = 0;
    return pixMPI_Surface_get_size(glMPI_Framebuffer(framebuffer_, color_), &columns, &rows) == PIXMPI_SUCCESS &&
           columns == width && rows == height;
}

void GlPicture::read(int x, int y, const pixMPI_Rect &rect, Image &image) const {
    move(planes(image.formats), {x, y, rect.width, rect.height}, image.planes(), rect);
}

void GlPicture::write(const Image &image, int x, int y) const {
    const Formats colors{image.formats.color, ICET_IMAGE_DEPTH_NONE};
    move(planes_of(image.color.get(), nullptr, colors, image.width, image.height), {0, 0, image.width, image.height},
         planes(colors), {x, y, image.width, image.height});
}

/// A message of this rank's to itself. The communicator is the library's own, so any tag is free.
void GlPicture::move(const Planes &from, const pixMPI_Rect &there, const Planes &to, const pixMPI_Rect &here) const {
    const Committed sent(there), received(here);
    check(pixMPI_Sendrecv(from.surface(), sent.region(), rank_, 0, to.surface(), received.region(), rank_, 0, comm_,
                          MPI_STATUS_IGNORE));
}

} // namespace icet
