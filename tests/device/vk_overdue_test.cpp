// After a wait that has timed out nothing is destroyed, or used again, that the queue may still use. The validation
// layers hear what is. And what was not submitted is not over.
#include "vk_rig_contexts.h"

#include "device/vk_contexts.h"
#include "shader/vk_passes.h"
#include "transfer/stages.h"
#include "vk_interpose.h"

using namespace vk_rig;
using pixmpi::StageKind;

namespace {

constexpr int edge = 64;
constexpr std::size_t bytes = edge * edge * 4;

/// A device with a queue that waits for a semaphore until go().
class Overdue : public testing::Test {
  protected:
    void SetUp() override {
        device = make_with_shaders();
        ASSERT_NE(device, nullptr);
        ASSERT_EQ(vkmpi::find_context(device->context(), "context", vulkan), PIXMPI_SUCCESS);
        gate = device->make_timeline(0);
    }

    /// From now on all waits time out.
    void lose_patience() {
        EXPECT_EQ(device->messages.take(), "");
        vk_interpose::hand("vkWaitSemaphores").fail(VK_TIMEOUT);
    }
    /// The context stays as long as its queue works, and goes then, with all that was kept for it.
    void go() {
        vulkan.reset();
        vkMPI_Context context = device->context();
        EXPECT_EQ(vkMPI_Context_free(&context), PIXMPI_ERR_DEVICE);
        EXPECT_EQ(context, device->context());
        EXPECT_EQ(device->messages.take(), "") << "something was destroyed while the queue may use it";
        vk_interpose::heal_all();
        device->signal(gate, 1);
        vkDeviceWaitIdle(device->info.device);
        device->destroy(gate);
    }
    void TearDown() override { EXPECT_EQ(device ? device->close() : "", ""); }

    std::unique_ptr<pixmpi::Stage> make_stage() {
        std::unique_ptr<pixmpi::Stage> stage;
        EXPECT_EQ(vulkan->make_stage(StageKind::mapped, nullptr, bytes, stage), PIXMPI_SUCCESS);
        return stage;
    }
    static VkBuffer buffer_of(const std::unique_ptr<pixmpi::Stage> &stage) {
        return static_cast<vkmpi::VulkanStage &>(*stage).buffer;
    }

    std::unique_ptr<Device> device;
    std::shared_ptr<vkmpi::VulkanDevice> vulkan; ///< the context's
    VkSemaphore gate = VK_NULL_HANDLE;
};

} // namespace

TEST_F(Overdue, what_a_message_uses) {
    VkImageCreateInfo info = image_2d(VK_FORMAT_R8G8B8A8_UNORM, edge, edge);
    info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT; // the shader has a view of it
    info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    Image image = make_image(*device, info);
    device->run([&](VkCommandBuffer commands) {
        change_layout(commands, image.name, range_of(image, {}), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    });
    std::shared_ptr<pixmpi::Surface> surface;
    ASSERT_EQ(vkmpi::resolve(vkMPI_Image(device->context(), image.name, &info, VK_IMAGE_LAYOUT_GENERAL),
                             pixmpi::Direction::pack, surface),
              PIXMPI_SUCCESS);
    vkmpi::Sync sync;
    sync.waits.add(gate, 1);
    static_cast<vkmpi::VulkanSurface &>(*surface).expect(std::move(sync), 1);
    const auto region = device_suite::region_of({{0, 0, edge, edge}});
    std::unique_ptr<pixmpi::Transfer> transfer;
    ASSERT_EQ(vulkan->make_transfer(pixmpi::Direction::pack, surface, region, transfer), PIXMPI_SUCCESS);
    auto stage = make_stage();
    pixmpi::Ticket ticket = pixmpi::done;
    bool over = true;
    transfer->start();
    ASSERT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
    ASSERT_EQ(transfer->copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
    ASSERT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS);
    EXPECT_FALSE(over);
    lose_patience();
    transfer.reset();
    surface.reset();
    const VkBuffer used = buffer_of(stage);
    stage.reset();
    EXPECT_NE(buffer_of(make_stage()), used) << "memory that the queue writes is used again";
    go();
    destroy(*device, image);
}

TEST_F(Overdue, what_passes_use) {
    auto from = make_stage(), to = make_stage();
    std::unique_ptr<pixmpi::Passes> passes;
    ASSERT_EQ(vulkan->make_passes(passes), PIXMPI_SUCCESS);
    pixmpi::Pass copy{};
    copy.kind = pixmpi::PassKind::copy;
    copy.stages[0] = from.get();
    copy.stages[1] = to.get();
    copy.sizes[2] = bytes;
    device->submit([](VkCommandBuffer) {}, {{gate}, {1}}, {});
    pixmpi::Ticket ticket = pixmpi::done;
    bool accepted = false;
    ASSERT_EQ(passes->run({&copy, 1}, ticket, accepted), PIXMPI_SUCCESS);
    lose_patience();
    passes.reset();
    const VkBuffer used[] = {buffer_of(from), buffer_of(to)};
    from.reset();
    to.reset();
    for (const VkBuffer one : used)
        EXPECT_NE(buffer_of(make_stage()), one) << "memory that the queue copies is used again";
    go();
}

TEST_F(Overdue, a_buffer_that_is_filled) {
    std::unique_ptr<vkmpi::Buffer> buffer;
    ASSERT_EQ(vkmpi::Buffer::make_scratch(*vulkan, bytes, buffer), PIXMPI_SUCCESS);
    device->submit([](VkCommandBuffer) {}, {{gate}, {1}}, {});
    lose_patience();
    EXPECT_EQ(vulkan->fill(*buffer, 7), PIXMPI_ERR_DEVICE);
    buffer.reset();
    go();
}

TEST(NotSubmitted, bands_that_share_a_batch_are_all_told) {
    const auto device = make_packing("commands");
    ASSERT_NE(device, nullptr);
    std::shared_ptr<vkmpi::VulkanDevice> vulkan;
    ASSERT_EQ(vkmpi::find_context(device->context(), "context", vulkan), PIXMPI_SUCCESS);
    if (!vulkan->software)
        GTEST_SKIP() << "skipped: bands share batches on software drivers";
    const VkImageCreateInfo info = image_2d(VK_FORMAT_R8G8B8A8_UNORM, edge, edge);
    Image image = make_image(*device, info);
    std::shared_ptr<pixmpi::Surface> surface;
    ASSERT_EQ(vkmpi::resolve(vkMPI_Image(device->context(), image.name, &info, VK_IMAGE_LAYOUT_UNDEFINED),
                             pixmpi::Direction::unpack, surface),
              PIXMPI_SUCCESS);
    const auto region = device_suite::region_of({{0, 0, edge, edge}});
    std::unique_ptr<pixmpi::Transfer> transfer;
    ASSERT_EQ(vulkan->make_transfer(pixmpi::Direction::unpack, surface, region, transfer), PIXMPI_SUCCESS);
    std::unique_ptr<pixmpi::Stage> stage;
    ASSERT_EQ(vulkan->make_stage(StageKind::mapped, nullptr, bytes, stage), PIXMPI_SUCCESS);
    transfer->start();
    ASSERT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
    const std::uint64_t half = region->pixels / 2;
    pixmpi::Ticket first = pixmpi::done, second = pixmpi::done;
    ASSERT_EQ(transfer->copy(0, half, *stage, 0, first), PIXMPI_SUCCESS);
    ASSERT_EQ(transfer->copy(half, half, *stage, bytes / 2, second), PIXMPI_SUCCESS);
    vk_interpose::hand("vkQueueSubmit").fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, 0, 1);
    for (const pixmpi::Ticket ticket : {first, first, second}) {
        bool over = false;
        EXPECT_EQ(transfer->poll(ticket, over), PIXMPI_ERR_MEMORY) << "band " << ticket << " has not come";
    }
    vk_interpose::heal_all();
    transfer->give_up();
    for (int i = 0; !transfer->settled() && i < 100'000'000; ++i) {
    }
    EXPECT_TRUE(transfer->settled());
    transfer.reset();
    surface.reset();
    stage.reset();
    vulkan.reset();
    destroy(*device, image);
    EXPECT_EQ(device->close(), "");
}
