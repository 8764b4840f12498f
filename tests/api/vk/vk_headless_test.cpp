// Devices that the library makes itself. Whoever wants to hear the validation layers asks for them in the environment,
// and looks at what is printed.
#include "vk/vk_sync.h"

#include <algorithm>

using namespace api;

RANK_CASE(vk_headless, messages, 1) {
    std::string reason;
    vk_rig::Options options = rig_options();
    options.headless = true;
    const auto device = vk_rig::Device::make(options, reason);
    if (!device)
        failed(__FILE__, __LINE__, reason);
    NEED(device != nullptr);
    say_device("vk", device->name(), device->uuid());
    for (int edge : {16, 500}) {
        VulkanImage out(*device, PIXMPI_RGBA8, edge, edge), in(*device, PIXMPI_RGBA8, edge, edge);
        Timeline came(*device);
        const Bytes sent = out.fill(1);
        const Shape mixed = columns(0, edge, 0, edge, 1);
        CHECK_OK(vkMPI_Sendrecv(out.surface(), mixed, next_rank(), 1, in.surface(), mixed, previous_rank(), 1, world(),
                                MPI_STATUS_IGNORE, nullptr, SyncList().signal(came, 1)));
        CHECK(device->wait_for(came.name, 1));
        CHECK_PIXELS(in.read(), sent, edge, 4);
        CHECK_OK(vkMPI_Sendrecv_replace(in.surface(), PIXMPI_WHOLE, next_rank(), 1, previous_rank(), 1, world(),
                                        MPI_STATUS_IGNORE, nullptr));
        CHECK_PIXELS(in.read(), sent, edge, 4);
    }
    const std::string said = device->close();
    CHECK(said.empty());
}

RANK_CASE(vk_headless, queue_without_graphics, 1) {
    {
        const Setting wrong("PIXMPI_VK_QUEUE=copies");
        vkMPI_Context context = VKMPI_CONTEXT_NULL;
        CHECK_FAILS(vkMPI_Context_create(nullptr, &context), PIXMPI_ERR_ARGUMENT, "PIXMPI_VK_QUEUE compute");
    }
    const Setting queue("PIXMPI_VK_QUEUE=compute");
    std::string reason;
    vk_rig::Options options = rig_options();
    options.headless = true;
    const auto device = vk_rig::Device::make(options, reason);
    NEED(device != nullptr);
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device->info.physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device->info.physical_device, &count, families.data());
    const auto only_computes = [](const VkQueueFamilyProperties &family) {
        return (family.queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == VK_QUEUE_COMPUTE_BIT;
    };
    CHECK_EQ(only_computes(families[device->info.queue_family]),
             std::any_of(families.begin(), families.end(), only_computes));
    {
        VulkanImage out(*device, PIXMPI_RGBA8, 40, 30), in(*device, PIXMPI_RGBA8, 40, 30);
        const Bytes sent = out.fill(2);
        CHECK_OK(vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), 1, in.surface(), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE, nullptr, nullptr));
        CHECK_PIXELS(in.read(), sent, 40, 4);
    }
    const std::string said = device->close();
    CHECK(said.empty());
}
