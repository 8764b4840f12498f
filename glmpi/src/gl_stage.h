// Stages of the GL device.
#pragma once

#include "gl_surface.h"

namespace glmpi {

/// Memory that was given, or of our own that the CPU sees; or a buffer object: `buffer` is not 0 then.
class GlStage final : public pixmpi::Stage {
  public:
    GlStage(std::shared_ptr<GlDevice> owner, pixmpi::StageKind kind) : device_(std::move(owner)), kind_(kind) {}
    ~GlStage() override;
    Status open(std::byte *given, std::size_t size);

    std::byte *memory = nullptr; ///< where this library finds it, also when it is not the core's business
    GLuint buffer = 0;

  private:
    Status open_buffer();

    const std::shared_ptr<GlDevice> device_;
    const pixmpi::StageKind kind_;
    bool own_ = false;
};

} // namespace glmpi
