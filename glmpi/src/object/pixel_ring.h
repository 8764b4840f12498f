// The library's pixel buffers that wait for their next use: the GPU copies between them and surfaces, the CPU between
// them and stages. They are mapped all the time where OpenGL allows that.
#pragma once

#include "context/gl.h"
#include "device/device.h"

#include <memory>
#include <vector>

namespace glmpi {

class GlDevice;
class SavedState;

struct PixelBuffer {
    GLuint name = 0;
    std::byte *mapped = nullptr; ///< null where it has to be mapped for each use
    std::size_t bytes = 0;
    pixmpi::Direction direction = pixmpi::Direction::pack;
    GLsync busy = nullptr; ///< the GPU still works on it
    bool in_use = false;   ///< a transfer has it
};

enum class Fence { ahead, passed, failed };

class PixelRing {
  public:
    explicit PixelRing(GlDevice &device) : device_(device) {}
    /// A buffer that is not in use, or null when there is none. Counted as stage memory.
    PixelBuffer *acquire(SavedState &state, pixmpi::Direction direction, std::size_t bytes);
    /// Given back; `busy` is what the GPU has yet to do with it, or null.
    void release(PixelBuffer *buffer, GLsync busy);

    /// Where the CPU sees it; null when OpenGL refuses. Each map() is followed by an unmap(), which is false when the
    /// contents were lost meanwhile.
    std::byte *map(SavedState &state, PixelBuffer &buffer);
    bool unmap(SavedState &state, PixelBuffer &buffer);

    /// A fence behind all commands so far, and sees that they are begun. Null when OpenGL makes none: then they are
    /// over.
    GLsync fence() const;
    /// Waits for it up to `seconds`. It has failed when OpenGL cannot tell.
    Fence ask(GLsync fence, double seconds) const;

    /// Drops the buffers that are not in use.
    void drop_idle();
    void destroy();
    void forget();

  private:
    static constexpr std::size_t most = 8; ///< of each direction

    PixelBuffer *make(SavedState &state, pixmpi::Direction direction, std::size_t bytes, bool least = false);
    bool idle(PixelBuffer &buffer, double seconds);
    void drop(std::size_t index);

    GlDevice &device_;
    std::vector<std::unique_ptr<PixelBuffer>> buffers_;
};

} // namespace glmpi
