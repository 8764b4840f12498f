// Words that the CPU sees, which the last workgroup of a dispatch writes when all of it is over: on GPUs some
// microseconds before a fence has passed that stands behind the dispatch.
#pragma once

#include "context/gl.h"

#include <cstdint>

namespace glmpi {

class GlDevice;
class SavedState;

class Flags {
  public:
    explicit Flags(GlDevice &device) : device_(device) {}

    /// What a shader that is compiled with FLAG needs to know.
    struct Use {
        std::uint32_t number = 0; ///< 0: no flag
        std::uint32_t slot = 0;
    };
    /// For the next dispatch, whose shader gets both buffers. None where OpenGL has no memory for them, or where flags
    /// were not seen.
    Use take(SavedState &state);
    bool seen(std::uint32_t number) const;
    /// A fence behind it has passed before it was seen. Where it still is not seen, or where this comes again and again,
    /// flags gain nothing: no more are used.
    void came_late(std::uint32_t number);
    /// No shader can write them.
    void give_up() { broken_ = true; }
    void destroy();
    void forget();

  private:
    bool open(SavedState &state);
    static constexpr std::uint32_t slots = 64; ///< dispatches are in order, but may begin before the last one is over

    GlDevice &device_;
    GLuint words_ = 0, counts_ = 0; ///< buffers: in the host's memory, in the GPU's
    std::uint32_t *mapped_ = nullptr;
    std::uint32_t last_ = 0;
    int late_ = 0; ///< came late
    bool broken_ = false;
};

} // namespace glmpi
