// Passes of shaders over stages: all that one call asks for in a batch of commands.
#pragma once

#include "context/vk.h"
#include "device/passes.h"

#include <deque>
#include <memory>

namespace vkmpi {

class VulkanDevice;
struct Batch;

class VulkanPasses final : public pixmpi::Passes {
  public:
    explicit VulkanPasses(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    ~VulkanPasses() override;
    std::size_t most_bytes() const override;
    Status run(std::span<const pixmpi::Pass> passes, pixmpi::Ticket &ticket, bool &accepted) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;

  private:
    Status record(Batch &batch, const pixmpi::Pass &pass);
    void give_back(std::uint64_t reached);

    const std::shared_ptr<VulkanDevice> device_;
    std::deque<Batch *> pending_; ///< their numbers are the tickets
};

} // namespace vkmpi
