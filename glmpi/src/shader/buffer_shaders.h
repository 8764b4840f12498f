// Pixels combined in buffers: by shaders/combine_buffer.comp, and colours by depth by nearest.comp.
#pragma once

#include "region/combining_band.h"
#include "shader/combining_programs.h"

#include <cstddef>

namespace glmpi {

class SavedState;

class BufferShaders {
  public:
    explicit BufferShaders(GlDevice &device) : device_(device), programs_(device) {}

    /// A byte of a buffer.
    struct Place {
        GLuint buffer = 0;
        std::size_t offset = 0;
    };
    struct BandWork {
        pixmpi::CombiningBand band;
        Place pixels, depths;                                ///< that are there: pixel (0, 0)
        std::shared_ptr<const pixmpi::UserOperation> user{}; ///< `band.how` has its number
        Place incoming{};
    };
    /// Whether run() may be tried for a band that is in no buffer yet.
    bool possible(const BandWork &band) const;
    /// Compiles a user's operation, if it has not been yet. PIXMPI_ERR_ARGUMENT: its GLSL is wrong.
    pixmpi::Status compile_user(const BandWork &band);
    /// False when OpenGL does not compile the shader; nothing has been done then.
    bool run(SavedState &state, const BandWork &band);
    void destroy() { programs_.destroy(); }

  private:
    GLuint program(const BandWork &band);
    /// 0: OpenGL has no memory for it.
    GLuint upload(SavedState &state, const pixmpi::CombiningList &list);
    std::string source(const BandWork &band) const;

    GlDevice &device_;
    CombiningPrograms programs_;
    bool broken_ = false; ///< a shader did not compile
};

} // namespace glmpi
