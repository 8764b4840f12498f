// The library's framebuffer objects, which images are read and blitted through.
#pragma once

#include "context/pixel_formats.h"

#include <cstdint>

namespace glmpi {

class GlDevice;
class SavedState;

/// One image of a texture, or a renderbuffer.
struct Image {
    GLenum target = 0; ///< GL_RENDERBUFFER, or of the texture
    GLuint name = 0;
    GLint level = 0, layer = 0;
    GLenum internal = 0; ///< its internal format, where it is the program's image
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
    // Each use has one for colour and one for depth and stencil; and renderbuffers have theirs: with NVIDIA's driver
    // (580.159) a framebuffer that had a texture's level or layer is incomplete with any renderbuffer from then on.
    static constexpr int kinds = 12;

    Own &own(Use use, Aspect aspect, const Image &image);

    GlDevice &device_;
    Own own_[kinds];
};

} // namespace glmpi
