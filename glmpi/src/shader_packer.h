// Regions of many rectangles, moved between a surface and a pixel buffer by a shader: one dispatch for a band, however
// many rectangles there are. The surface's bits go through a scratch texture of plain integers, so that one shader
// serves all formats of that many bytes a pixel.
#pragma once

#include "device.h"
#include "framebuffers.h"
#include "scratch.h"
#include "work_lists.h"

#include <vector>

namespace glmpi {

class ShaderPacker {
  public:
    explicit ShaderPacker(GlDevice &device) : device_(device), lists_(device) {}

    struct Band {
        pixmpi::Direction direction;
        Image image; ///< of the surface
        int pixel_bytes;
        const pixmpi::Region *region;
        std::uint64_t first, count;
        GLuint buffer; ///< where the packed pixels lie
        std::size_t offset;
    };
    /// False when it is not for this: too few rectangles, a format without plain integers of its size, no compute
    /// shaders, or a state of OpenGL in which none can run. Nothing has been done then.
    bool move(SavedState &state, const Band &band);
    void destroy();

  private:
    struct Work {
        GLuint x, y, width, at; ///< a piece, within the box, and the packed index of its first pixel
    };
    bool possible(const Band &band) const;
    pixMPI_Rect list_pieces(const Band &band);
    GLuint program(pixmpi::Direction direction, int words);
    /// What lies in the box, in `scratch`; false when OpenGL does not copy it.
    bool fetch(SavedState &state, const Band &band, const pixMPI_Rect &box, Scratch &scratch);
    void dispatch(SavedState &state, const Band &band, const Scratch &scratch, GLuint program, GLuint list);
    void copy(const Image &surface, const pixMPI_Rect &box, const Scratch &scratch, bool back) const;

    GlDevice &device_;
    WorkLists lists_;
    GLuint programs_[2][3] = {};
    bool broken_ = false; ///< a shader did not compile
    std::vector<Work> work_;
};

} // namespace glmpi
