// Buffers with the work of shaders/pack_image.comp, kept for the regions that were used last: a program that sends the
// same region again sends pixels only. None is written twice: with NVIDIA's driver (580.159), glBufferData of another
// size changed what a dispatch under way read, barriers or not.
#pragma once

#include "context/gl.h"
#include "region/region_cache.h"
#include "region/worklist_units.h"

#include <cstddef>
#include <memory>

namespace glmpi {

class GlDevice;
class SavedState;

class WorkLists {
  public:
    struct How {
        pixmpi::Cut cut;
        bool boxed; ///< coordinates count from the corner of the box around the pixels, not of the surface
        bool operator==(const How &) const = default;
    };
    struct CachedWork : pixmpi::WorkLayout {
        using WorkLayout::WorkLayout;
        pixMPI_Rect box{};
        GLuint buffer = 0;
    };
    explicit WorkLists(GlDevice &device) : device_(device) {}
    /// For the packed pixels [first, first + count). Valid until the next call; without units when the shader cannot do
    /// it.
    const CachedWork &get(SavedState &state, const std::shared_ptr<const pixmpi::Region> &region, std::uint64_t first,
                          std::uint64_t count, const How &how);
    void destroy();

  private:
    /// False when OpenGL has no memory for it.
    bool upload(SavedState &state, const pixmpi::WorkList &list, CachedWork &entry);
    void drop(const CachedWork &entry) const;

    GlDevice &device_;
    pixmpi::RegionCache<How, CachedWork> entries_{8 << 20}; ///< by bytes
    CachedWork single_; ///< a plain rectangle: quickly made, and PIXMPI_WHOLE is another region each time
};

} // namespace glmpi
