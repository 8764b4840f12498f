// A context with another queue than the program draws with: its messages pass by the program's own work. What
// the two queues use both is handed over by barriers and semaphores.
#include "vk/vk_sync.h"

using namespace api;

namespace {

constexpr int edge = 300;
constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;

std::unique_ptr<vk_rig::Device> make_device() {
    std::string reason;
    vk_rig::Options options = rig_options();
    options.get = vulkan_entry();
    options.second_queue = true;
    auto device = vk_rig::Device::make(options, reason);
    if (!device)
        failed(__FILE__, __LINE__, reason);
    NEED(device != nullptr);
    return device;
}

void close(vk_rig::Device &device) {
    if (const std::string said = device.close(); !said.empty())
        failed(__FILE__, __LINE__, said);
}

/// One half of the image's way to another family; nothing where both queues are of one.
void hand_over(VkCommandBuffer commands, const VulkanImage &image, std::uint32_t from, std::uint32_t to) {
    if (from == to)
        return;
    VkImageMemoryBarrier half{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    half.srcAccessMask = half.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    half.oldLayout = half.newLayout = layout;
    half.srcQueueFamilyIndex = from;
    half.dstQueueFamilyIndex = to;
    half.image = image.image.name;
    half.subresourceRange = vk_rig::range_of(image.image, {});
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &half);
}

Bytes drawn_pixels(std::uint32_t rgba8) {
    Bytes all(static_cast<std::size_t>(edge) * edge * 4);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<std::uint8_t>(rgba8 >> 8 * (i % 4));
    return all;
}

/// The program draws, hands the image to the context's queue, sends it, and takes it back; `meanwhile` is called when
/// the image is on its way, and again when it has come.
template <class Meanwhile> void draw_and_send(vk_rig::Device &device, Meanwhile meanwhile) {
    constexpr std::uint32_t color = 0x40302010;
    const std::uint32_t ours = device.family_beside(), library_s = device.info.queue_family;
    VulkanImage image(device, PIXMPI_RGBA8, edge, edge, layout);
    Timeline drawn(device), sent(device);
    const auto in = make_memory(PIXMPI_RGBA8, edge, edge);
    in->fill(1);
    device.run([&](VkCommandBuffer commands) { hand_over(commands, image, library_s, ours); });
    device.submit_beside(
        [&](VkCommandBuffer commands) {
            hand_over(commands, image, library_s, ours);
            image.record_clear(commands, color);
            hand_over(commands, image, ours, library_s);
        },
        {}, {{drawn.name}, {1}});
    vkMPI_Surface surface = image.surface();
    surface.family = surface.family_after = ours;
    pixMPI_Request requests[2];
    CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[0]));
    CHECK_OK(vkMPI_Isend(surface, PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1],
                         SyncList().wait(drawn, 1).signal(sent, 1)));
    meanwhile(false);
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PIXELS(in->read(), drawn_pixels(color), edge, 4);
    meanwhile(true);
    device.submit_beside(
        [&](VkCommandBuffer commands) {
            hand_over(commands, image, library_s, ours);
            hand_over(commands, image, ours, library_s);
        },
        {{sent.name}, {1}}, {{drawn.name}, {2}});
    NEED(device.wait_for(drawn.name, 2));
    device.run([&](VkCommandBuffer commands) { hand_over(commands, image, ours, library_s); });
    CHECK_PIXELS(image.read(), drawn_pixels(color), edge, 4);
    device.idle();
}

} // namespace

RANK_CASE(vk_queues, images_come_from_the_programs_queue_and_return, 1) {
    const auto device = make_device();
    draw_and_send(*device, [](bool) {});
    close(*device);
}

RANK_CASE(vk_queues, messages_pass_by_the_programs_work, 1) {
    const auto device = make_device();
    if (everywhere(!device->has_second_queue())) {
        close(*device);
        leave_out("the device has one queue");
        return;
    }
    {
        Timeline go(*device), worked(*device);
        draw_and_send(*device, [&](bool has_come) {
            if (!has_come) // it takes as long as the program likes
                device->submit_beside([](VkCommandBuffer) {}, {{go.name}, {1}}, {{worked.name}, {1}});
            else
                CHECK_EQ(device->value_of(worked.name), 0u);
            barrier();
            if (has_come)
                device->signal(go.name, 1);
        });
        NEED(device->wait_for(worked.name, 1));
    }
    close(*device);
}
