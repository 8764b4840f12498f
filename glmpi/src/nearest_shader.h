// Colours by depth in buffers of the library's own, by shaders/nearest.comp.
#pragma once

#include "combine/for_shader.h"
#include "combine/nearest.h"
#include "gl.h"
#include "region/runs.h"

#include <map>

namespace glmpi {

class GlDevice;
class SavedState;

class NearestShader {
  public:
    explicit NearestShader(GlDevice &device) : device_(device) {}

    /// Where pixels lie in a buffer.
    struct Place {
        GLuint buffer = 0;
        std::size_t offset = 0;
        std::size_t pixel_bytes = 0;
    };
    struct Band {
        pixmpi::ShaderCombination how; ///< nearest_for_shader()
        Place colors, depths;          ///< that are there
        Place incoming;                ///< both planes
        pixmpi::PlanesInBand planes;   ///< where they begin in there
        pixmpi::Runs runs;
        std::uint64_t pixels;
    };
    /// Whether run() may be tried now.
    bool possible() const;
    /// False when OpenGL does not take the shader, or has no place for so much; nothing has been done then.
    bool run(SavedState &state, const Band &band);
    void destroy();

  private:
    GLuint program(const pixmpi::ShaderCombination &how);

    GlDevice &device_;
    std::map<pixmpi::ShaderCombination, GLuint> programs_;
    bool broken_ = false;
};

} // namespace glmpi
