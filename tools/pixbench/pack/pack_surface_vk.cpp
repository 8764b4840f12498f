#include "measure/job.h"
#include "pack/pack_surfaces.h"

#include "surface/surface.h"

std::shared_ptr<pixmpi::Surface> device_surface(const vkMPI_Surface &named, pixmpi::Direction direction) {
    std::shared_ptr<pixmpi::Surface> surface;
    check(vkmpi::resolve(named, direction, surface));
    return surface;
}

bool pack_in_a_row(pixmpi::Surface &surface, pixmpi::Direction direction,
                   const std::shared_ptr<const pixmpi::Region> &region, VkBuffer_T *buffer, int times,
                   const std::function<void(VkCommandBuffer_T *, Moment)> &moments) {
    using namespace vkmpi;
    auto &mine = static_cast<VulkanSurface &>(surface);
    VulkanDevice &device = mine.vulkan();
    const Access access = device.shader_packs ? mine.access(direction) : Access::none;
    if (access == Access::none)
        return false;
    Pixels pixels{VK_NULL_HANDLE, access, mine.pixel_bytes};
    check(mine.integer_view(access, pixels.view));
    Batch *batch = nullptr;
    check(device.batches.acquire(batch));
    const Span packed{buffer, 0, region->pixels * static_cast<std::uint64_t>(mine.pixel_bytes)};
    bool moved = true;
    mine.start();
    mine.enter(*batch, direction == Direction::pack ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_SHADER_WRITE_BIT, false);
    constexpr int warm = 1;
    for (int i = -warm; i < times && moved; ++i) {
        if (i == 0)
            moments(batch->commands, Moment::before);
        check(device.shaders.move_pixels(*batch, direction, pixels, region, 0, region->pixels, packed, moved));
        moments(batch->commands, Moment::between);
    }
    moments(batch->commands, Moment::after);
    mine.last_use();
    mine.leave(*batch);
    Semaphores waits, signals;
    check(device.batches.submit(*batch, waits, signals));
    device.batches.wait(batch->number, 60);
    device.batches.release(*batch);
    return moved;
}
