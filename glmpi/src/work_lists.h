// Buffers in which a shader finds what to do. One is written again only after the dispatch that read it is over: with
// NVIDIA's driver (580.159), glBufferData of another size changed what a dispatch under way read, barriers or not.
#pragma once

#include "gl.h"

#include <cstddef>

namespace glmpi {

class GlDevice;
class SavedState;

class WorkLists {
  public:
    explicit WorkLists(GlDevice &device) : device_(device) {}
    /// A buffer with these bytes; 0 when the GPU does not get done with the oldest. Each write() is followed by a
    /// used().
    GLuint write(SavedState &state, const void *work, std::size_t bytes);
    /// The commands that read what was written last have been given.
    void used();
    void destroy();

  private:
    static constexpr int count = 8; ///< more bands than are under way

    struct List {
        GLuint name = 0;
        std::size_t bytes = 0;
        GLsync busy = nullptr;
    };

    GlDevice &device_;
    List lists_[count];
    int next_ = 0;
};

} // namespace glmpi
