// Buffers in which shaders/pack_image.comp finds what to do, kept for the regions that were used last: who sends the
// same again sends pixels only. None is written twice: with NVIDIA's driver (580.159), glBufferData of another size
// changed what a dispatch under way read, barriers or not.
#pragma once

#include "gl.h"
#include "region/worklist_units.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace glmpi {

class GlDevice;
class SavedState;

class WorkLists {
  public:
    /// Which packed pixels of a region.
    struct Range {
        std::shared_ptr<const pixmpi::Region> region;
        std::uint64_t first, count;
        pixmpi::Cut cut;
        bool boxed; ///< coordinates count from the corner of the box around them, not of the surface
    };
    struct Entry {
        std::weak_ptr<const pixmpi::Region> region;
        std::uint64_t first = 0, count = 0;
        pixmpi::Cut cut{};
        bool boxed = false;
        pixMPI_Rect box{};
        std::uint32_t units = 0, kind = 0;
        pixmpi::FewPieces few; ///< kind 0
        GLuint buffer = 0;     ///< other kinds: pieces, then owners
        GLsizeiptr pieces_bytes = 0, owners_at = 0, owners_bytes = 0;
    };
    explicit WorkLists(GlDevice &device) : device_(device) {}
    /// Valid until the next call; without units when the shader cannot do it.
    const Entry &get(SavedState &state, const Range &range);
    void destroy();

  private:
    /// False when OpenGL has no memory for it.
    bool upload(SavedState &state, const pixmpi::WorkList &list, Entry &entry);
    void make_room(std::size_t bytes);
    void drop(const Entry &entry) const;

    GlDevice &device_;
    std::vector<Entry> entries_;
    Entry single_;         ///< a plain rectangle: quickly made, and PIXMPI_WHOLE is another region each time
    std::size_t next_ = 0; ///< bands follow each other
};

} // namespace glmpi
