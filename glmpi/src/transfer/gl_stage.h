// Stages of the GL device.
#pragma once

#include "surface/gl_surface.h"

namespace glmpi {

/// Memory that was given, or the library's own that the CPU sees; or a buffer object: `buffer` is not 0 then.
class GlStage final : public pixmpi::Stage {
  public:
    GlStage(std::shared_ptr<GlDevice> owner, pixmpi::StageKind kind) : device_(std::move(owner)), kind_(kind) {}
    ~GlStage() override;
    Status open(std::byte *given, std::size_t size);

    std::byte *memory = nullptr; ///< where this library finds it, also when it is not the core's business
    GLuint buffer = 0;
    std::size_t base = 0; ///< where in the buffer it begins
    /// Not only this context writes to it.
    bool is_foreign() const { return lent_; }

  private:
    friend class GlMemory;
    Status open_buffer();

    const std::shared_ptr<GlDevice> device_;
    const pixmpi::StageKind kind_;
    OwnBuffer kept_;                  ///< of StageKind::local: `buffer`
    bool own_ = false, lent_ = false; ///< `memory` is ours to free; `buffer` is a GlMemory's
};

/// Memory that other processes reach, or theirs: a buffer object in imported memory (EXT_memory_object_fd).
class GlMemory final : public pixmpi::DeviceMemory {
  public:
    explicit GlMemory(GlDevice &device) : device_(device) {}
    ~GlMemory() override;
    Status open(int descriptor, std::size_t bytes);
    Status make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<pixmpi::Stage> &stage) override;

  private:
    GlDevice &device_;
    GLuint memory_ = 0, buffer_ = 0;
};

} // namespace glmpi
