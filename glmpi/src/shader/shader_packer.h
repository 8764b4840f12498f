// Pixels that a shader moves between a surface and a buffer: one dispatch for a band, whatever its shape. The surface's
// bits are seen as plain integers, so that one shader serves all formats of that many bytes a pixel: in place where the
// surface is a buffer, or where OpenGL lets a texture be bound so, else by way of a scratch texture.
#pragma once

#include "device/device.h"
#include "object/flags.h"
#include "object/framebuffers.h"
#include "object/scratch.h"
#include "shader/combining_programs.h"
#include "shader/gl_work_lists.h"

#include <string>

namespace glmpi {

class ShaderPacker {
  public:
    explicit ShaderPacker(GlDevice &device);
    /// PIXMPI_GL_PACK.
    pixmpi::Status choose_way();

    /// Rows of pixels in a buffer object.
    struct Rows {
        GLuint buffer = 0;
        std::size_t offset = 0, bytes = 0, row_bytes = 0; ///< bytes: up to the end of the last pixel's last word
    };
    struct BandWork {
        pixmpi::Direction direction;
        Image image; ///< of the surface, unless `rows` are it
        int pixel_bytes;
        std::shared_ptr<const pixmpi::Region> region;
        std::uint64_t first, count;
        GLuint buffer; ///< where the packed pixels lie
        std::size_t offset;
        bool near; ///< the buffer is the GPU's own memory: calls are slower, however few they are
        pixmpi::ShaderCombination
            how{}; ///< unpacking: with the pixels that are there; without an operation: replaces them
        std::shared_ptr<const pixmpi::UserOperation> user{}; ///< `how` has its number
        pixMPI_Format depth = PIXMPI_FORMAT_NONE;            ///< packing: of a depth texture, which is sampled
        Rows rows{};
        Image base{}; ///< with `how`: whose pixels stand for those that are there, or none
        /// Where a flag is as good as a fence behind it: its number, or 0 if it has to be a fence.
        std::uint32_t *flag = nullptr;
    };
    /// False when it is not for this: few rectangles and a buffer in the host's memory, a format without plain integers
    /// of its size, no compute shaders, or a state of OpenGL where none can run. Nothing has been done then.
    bool move(SavedState &state, const BandWork &band);
    /// Whether move() is worth trying for a band that combines, before its buffer is known.
    bool may_combine(const BandWork &band) const { return possible(band); }
    /// Whether it combines pixels of `base` and has the result in `image`, both as long as their textures are as now.
    bool may_combine_onto(const Image &image, const Image &base, int pixel_bytes);
    /// Compiles a user's operation, if it has not been yet, for a band that may_combine(). PIXMPI_ERR_ARGUMENT: its
    /// GLSL is wrong.
    pixmpi::Status compile_user(const BandWork &band);
    /// Whether compute shaders are wanted and can run now.
    bool may_run() const;
    /// Whether glCopyImageSubData takes it.
    bool can_copy(SavedState &state, const Image &image) const;
    void destroy();

  private:
    bool can_run() const;
    static constexpr int sizes = 5; ///< of pixels: 1, 2, 4, 8, 16 bytes
    bool possible(const BandWork &band) const;
    bool is_worth(const BandWork &band) const;
    bool supports_rows(const BandWork &band) const;
    /// Whether the shader can access the texture itself.
    bool can_bind(SavedState &state, const Image &image, int pixel_bytes) const;
    /// Whether it gets the bits that the depth texture stores out of a sampler.
    bool may_sample(SavedState &state, const Image &image) const;
    GLuint &known_program(const BandWork &band, bool flag);
    GLuint program(const BandWork &band, bool flag);
    std::string source(const BandWork &band, bool flag) const;
    /// What lies in the box, in `scratch`; false when OpenGL does not copy it.
    bool fetch(SavedState &state, const BandWork &band, const pixMPI_Rect &box, Scratch &scratch);
    void dispatch(SavedState &state, const BandWork &band, const Image &image, GLuint program,
                  const WorkLists::CachedWork &work, const Flags::Use &flag);
    void bind_images(SavedState &state, const BandWork &band, const Image &image) const;
    void bind_rows(SavedState &state, const BandWork &band) const;
    void sample(SavedState &state, const Image &image);
    void copy(const Image &image, const pixMPI_Rect &box, const Scratch &scratch, bool back) const;

    GlDevice &device_;
    WorkLists lists_;
    GLuint programs_[2][sizes] = {}, flag_programs_[2][sizes] = {}, buffer_programs_[2][sizes] = {};
    GLuint depth_programs_[2] = {};
    GLuint sampler_ = 0;
    CombiningPrograms combining_;
    bool broken_ = false; ///< a shader did not compile
    bool always_ = false, never_ = false;
};

} // namespace glmpi
