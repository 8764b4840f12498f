// What OpenGL says of a texture and its levels: asked for by name where that works, else of the bound texture.
#pragma once

#include "context/gl.h"
#include "object/framebuffers.h"

namespace glmpi {

class GlDevice;
class SavedState;

class TextureQuery {
  public:
    TextureQuery(GlDevice &device, SavedState &state, GLenum target, GLuint name);

    GLint parameter(GLenum what) const;
    /// `face`: of a cube; each face has its own levels.
    GLint level(GLint number, GLenum what, int face = 0) const;
    /// The last level that a texture of this target may have; to ask for one beyond is an error of OpenGL's.
    GLint last_level() const;
    /// Whether the texture's levels are fixed, and this one lies before its base level.
    bool hides(GLint number) const;
    /// Whether the texture is complete as its own filter has it, of whatever format: else OpenGL does not copy images.
    bool is_complete() const;

  private:
    /// What the level has to be in a chain that begins with `base`.
    bool is_in_chain(GLint base, GLint number, int face) const;

    const GlDevice &device_;
    const GLenum target_;
    const GLuint name_;
    const bool cube_, by_name_;
};

} // namespace glmpi
