// The devices of Vulkan's rigs, one for each way to work, and what they all do.
#pragma once

#include "vk_rig_memory.h" // first: the library's own headers leave Vulkan's prototypes out

#include "suite.h"
#include "surface/surface.h"

namespace vk_rig {

enum class Path {
    commands,        ///< copy commands; stage memory imported: what a CPU that draws does by itself
    commands_copied, ///< the CPU copies to and from the stage
    shaders,         ///< many pieces by shader; stage memory imported: what a GPU does by itself
    shaders_copied,
    transfer_queue, ///< a queue that only copies, and whole blocks of 8 x 4 pixels
    whole_queue     ///< and one that only copies whole images
};
const char *path_name(Path path);
/// A queue without graphics and compute.
bool copies_only(Path path);

/// A device that lives until the process ends.
struct Rigged {
    std::unique_ptr<Device> device;
    std::shared_ptr<vkmpi::VulkanDevice> vulkan; ///< the context's
};
Rigged &use(Path path);

/// A device of a test's own with vk_interpose in front of it, which moves pieces by shaders. Null, with a failed test,
/// where there is none.
std::unique_ptr<Device> make_with_shaders();
/// The same with another PIXMPI_VK_PACK.
std::unique_ptr<Device> make_packing(const char *by);

/// What rigs of Vulkan share: the path's device, memory for shared stages, and silence of the validation layers.
class VulkanRig : public device_suite::DeviceRig {
  public:
    explicit VulkanRig(Path path);
    ~VulkanRig() override;
    pixmpi::Device &device() override { return *rigged_.vulkan; }
    bool has_passes() const override { return !copies_only(path_); }
    std::byte *shared_memory(std::size_t bytes) override;
    void check(pixmpi::Surface &) override;

  protected:
    Device &vk() const { return *rigged_.device; }
    /// The surface that public calls would find, for both directions; null, with a failed test, when it is refused.
    static std::shared_ptr<pixmpi::Surface> resolved(const vkMPI_Surface &named);
    const Path path_;

  private:
    Rigged &rigged_;
};

} // namespace vk_rig
