// Passes of shaders over stages that are buffer objects, with a fence behind each call's.
#pragma once

#include "context/gl.h"
#include "device/device.h"

#include <deque>
#include <map>
#include <utility>

namespace glmpi {

class GlDevice;

/// The device's programs for passes, compiled when they are first needed.
class PassPrograms {
  public:
    explicit PassPrograms(GlDevice &device) : device_(device) {}
    /// 0: the driver does not compile it.
    GLuint get(const pixmpi::Pass &pass);
    void destroy();

  private:
    GlDevice &device_;
    std::map<std::pair<pixmpi::PassKind, std::array<std::uint32_t, 4>>, GLuint> programs_;
};

class GlPasses final : public pixmpi::Passes {
  public:
    explicit GlPasses(std::shared_ptr<GlDevice> device) : device_(std::move(device)) {}
    ~GlPasses() override;
    std::size_t most_bytes() const override;
    pixmpi::Status run(std::span<const pixmpi::Pass> passes, pixmpi::Ticket &ticket, bool &accepted) override;
    pixmpi::Status poll(pixmpi::Ticket ticket, bool &over) override;

  private:
    bool possible(std::span<const pixmpi::Pass> passes) const;

    const std::shared_ptr<GlDevice> device_;
    std::deque<GLsync> pending_; ///< of the last tickets
    pixmpi::Ticket last_ = pixmpi::done;
};

} // namespace glmpi
