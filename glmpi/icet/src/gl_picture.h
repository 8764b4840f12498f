// The framebuffer that is bound, as a surface of messages.
#pragma once

#include "frame.h"

namespace icet {

class GlPicture {
  public:
    /// The framebuffer as it is bound now. `buffer`: of the window.
    GlPicture(IceTEnum buffer, MPI_Comm comm, int rank);

    /// Its pixels in these formats.
    Planes planes(Formats formats) const;
    bool has_size(int width, int height) const;
    /// Copies pixels of the framebuffer, from (x, y) on, into `rect` of an image.
    void read(int x, int y, const pixMPI_Rect &rect, Image &image) const;
    /// Copies an image's colours into the framebuffer, with its corner at (x, y).
    void write(const Image &image, int x, int y) const;

  private:
    void move(const Planes &from, const pixMPI_Rect &there, const Planes &to, const pixMPI_Rect &here) const;

    unsigned framebuffer_;
    IceTEnum color_, depth_; ///< attachments
    MPI_Comm comm_;
    int rank_;
};

} // namespace icet
