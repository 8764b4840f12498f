// Framebuffer objects of our own, through which images are read and blitted.
#pragma once

#include "pixel_formats.h"

#include <cstdint>

namespace glmpi {

class GlDevice;
class SavedState;

/// One image of a texture, or a renderbuffer.
struct Image {
    GLenum target = 0; ///< GL_RENDERBUFFER, or of the texture
    GLuint name = 0;
    GLint level = 0, layer = 0;
};

class Framebuffers {
  public:
    explicit Framebuffers(GlDevice &device) : device_(device) {}

    enum class Use { read, draw, blit_from };
    /// Binds a framebuffer with the image as its only attachment. `serial` stands for the image: what is attached
    /// already is not attached again, so a serial must not be used for a second image.
    void bind(SavedState &state, Use use, Aspect aspect, const Image &image, std::uint64_t serial);
    /// Lets go of the image, so that deleting it frees it. Changes bindings.
    void release(SavedState &state, std::uint64_t serial);
    void destroy();

    static std::uint64_t new_serial();

  private:
    struct Own {
        GLuint name = 0;
        std::uint64_t serial = 0;
        Aspect aspect = Aspect::color;
        Image image;
    };
    static constexpr int kinds = 6; ///< uses, for colour and for depth and stencil

    GlDevice &device_;
    Own own_[kinds];
};

} // namespace glmpi
