// Unpacking that is submitted before the pixels are there, by a call that waits for them. The validation layers hear
// what is wrong with it.
#include "vk_rig_contexts.h"

#include "device/combining_transfer.h"
#include "device/vk_contexts.h"
#include "request/runtime.h"
#include "transfer/stages.h"
#include "vk_interpose.h"
#include "vkmpi_memory.h"

#include <cstdlib>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace vk_rig;
using pixmpi::Ticket;

namespace {

constexpr int edge = 32;
constexpr std::size_t bytes = edge * edge * 4;

/// An image that is received, and the transfer for it, which a call waits for.
class Ahead : public testing::Test {
  protected:
    void SetUp() override {
        setenv("PIXMPI_VK_AHEAD", "always", 1);
        device = make_with_shaders();
        unsetenv("PIXMPI_VK_AHEAD");
        ASSERT_NE(device, nullptr);
        ASSERT_EQ(vkmpi::find_context(device->context(), "context", vulkan), PIXMPI_SUCCESS);
        VkImageCreateInfo info = image_2d(VK_FORMAT_R8G8B8A8_UNORM, edge, edge);
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT; // the shader has a view of it
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
        image = make_image(*device, info);
        write(*device, image, {}, PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT, edge, edge, before.data(),
              VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        std::iota(sent.begin(), sent.end(), std::uint8_t{3});
        std::shared_ptr<pixmpi::Surface> surface;
        ASSERT_EQ(vkmpi::resolve(vkMPI_Image(device->context(), image.name, &info, VK_IMAGE_LAYOUT_GENERAL),
                                 pixmpi::Direction::unpack, surface),
                  PIXMPI_SUCCESS);
        ASSERT_EQ(pixmpi::make_transfer(pixmpi::Direction::unpack, how, surface,
                                        device_suite::region_of({{0, 0, edge, edge}}), transfer),
                  PIXMPI_SUCCESS);
        make_shared_memory();
        submissions = vk_interpose::hand("vkQueueSubmit").calls;
        transfer->start();
        transfer->await();
        ASSERT_EQ(transfer->begin(edge * edge), PIXMPI_SUCCESS);
        transfer->prepare(0, edge * edge, *stage, 0);
        ASSERT_EQ(submitted(), 1) << "it is not submitted ahead";
    }
    void TearDown() override {
        vk_interpose::heal_all();
        if (!device) // the reason has been told
            return;
        transfer.reset();
        stage.reset();
        memory.reset();
        vulkan.reset();
        destroy(*device, image);
        EXPECT_EQ(device->close(), "");
        sender_memory.reset();
        sender.reset();
        EXPECT_EQ(sender_device->close(), "");
    }

    /// Of the device, into which another one writes the pixels.
    void make_shared_memory() {
        int descriptor = -1;
        ASSERT_EQ(vulkan->export_memory(bytes, memory, descriptor), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_EQ(memory->make_stage(0, bytes, stage), PIXMPI_SUCCESS);
        std::string reason;
        sender_device = Device::make({}, reason);
        ASSERT_NE(sender_device, nullptr) << reason;
        ASSERT_EQ(vkmpi::find_context(sender_device->context(), "context", sender), PIXMPI_SUCCESS);
        ASSERT_EQ(sender->import_memory(descriptor, bytes, sender_memory), PIXMPI_SUCCESS) << pixMPI_Error_text();
        close(descriptor);
    }
    void pixels_come() {
        std::unique_ptr<pixmpi::Stage> there;
        ASSERT_EQ(sender_memory->make_stage(0, bytes, there), PIXMPI_SUCCESS);
        vk_rig::Buffer buffer;
        buffer.name = static_cast<vkmpi::VulkanStage &>(*there).buffer;
        buffer.bytes = bytes;
        write(*sender_device, buffer, sent.data());
    }
    /// Of another message.
    bool next_goes_ahead() {
        const int before_it = submitted();
        transfer->start();
        transfer->await();
        EXPECT_EQ(transfer->begin(edge * edge), PIXMPI_SUCCESS);
        transfer->prepare(0, edge * edge, *stage, 0);
        return submitted() > before_it;
    }
    int submitted() const { return vk_interpose::hand("vkQueueSubmit").calls - submissions; }
    void finish_copy() {
        Ticket ticket = pixmpi::done;
        ASSERT_EQ(transfer->copy(0, edge * edge, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
        for (bool over = false; !over; std::this_thread::yield())
            ASSERT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->end(), PIXMPI_SUCCESS);
    }
    void settle() {
        while (!transfer->settled())
            std::this_thread::yield();
    }
    std::vector<std::uint8_t> content() {
        std::vector<std::uint8_t> pixels(bytes);
        read(*device, image, {}, PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT, edge, edge, pixels.data(),
             VK_IMAGE_LAYOUT_GENERAL);
        return pixels;
    }

    pixmpi::Combination how;
    std::unique_ptr<Device> device;
    std::shared_ptr<vkmpi::VulkanDevice> vulkan; ///< the context's
    Image image;
    std::unique_ptr<pixmpi::Transfer> transfer;
    std::unique_ptr<pixmpi::Stage> stage;
    std::unique_ptr<pixmpi::DeviceMemory> memory, sender_memory;
    std::unique_ptr<Device> sender_device;
    std::shared_ptr<vkmpi::VulkanDevice> sender;
    std::vector<std::uint8_t> before = std::vector<std::uint8_t>(bytes, 0x55), sent = std::vector<std::uint8_t>(bytes);
    int submissions = 0;
};

/// What is there is combined with what comes.
class AheadCombining : public Ahead {
  protected:
    AheadCombining() { how.operation = pixmpi::Operation::bxor; }
};

} // namespace

TEST_F(AheadCombining, pixels_that_come_later_are_combined_without_another_submission) {
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(submitted(), 1);
    std::vector<std::uint8_t> both = before;
    for (std::size_t i = 0; i < both.size(); ++i)
        both[i] ^= sent[i];
    EXPECT_EQ(content(), both);
}

TEST_F(AheadCombining, a_message_that_is_given_up_changes_nothing) {
    pixels_come();
    transfer->give_up();
    settle();
    EXPECT_EQ(content(), before);
}

TEST_F(Ahead, pixels_that_come_later_are_unpacked_without_another_submission) {
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(submitted(), 1);
    EXPECT_EQ(content(), sent);
}

TEST_F(Ahead, a_message_that_is_given_up_changes_nothing) {
    pixels_come();
    transfer->give_up();
    settle();
    EXPECT_EQ(content(), before);
}

TEST_F(Ahead, what_is_destroyed_does_not_hold_up_the_queue) {
    transfer.reset();
    EXPECT_EQ(content(), before);
}

TEST_F(Ahead, other_work_of_the_library_is_not_held_up) {
    std::unique_ptr<vkmpi::Buffer> buffer;
    ASSERT_EQ(vkmpi::Buffer::make_scratch(*vulkan, bytes, buffer), PIXMPI_SUCCESS);
    EXPECT_EQ(vulkan->fill(*buffer, 7), PIXMPI_SUCCESS);
    EXPECT_EQ(content(), before);
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(submitted(), 3);
    EXPECT_EQ(content(), sent);
}

TEST_F(Ahead, nothing_waits_when_the_call_returns_before) {
    vulkan->end_vain_waits();
    EXPECT_EQ(content(), before);
    transfer->prepare(0, edge * edge, *stage, 0);
    EXPECT_EQ(submitted(), 1) << "no call waits any more";
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(content(), sent);
}

TEST_F(Ahead, nothing_waits_when_the_context_is_bound_anew) {
    ASSERT_EQ(vkMPI_Context_bind(device->context()), PIXMPI_SUCCESS) << pixMPI_Error_text();
    EXPECT_EQ(content(), before);
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(submitted(), 2);
    EXPECT_EQ(content(), sent);
}

/// Processes that share a GPU take turns on it, also where one of them only waits.
TEST_F(Ahead, nothing_waits_for_a_process_on_the_same_gpu) {
    pixels_come();
    finish_copy();
    settle();
    EXPECT_EQ(content(), sent);
    stage->same_gpu = true;
    EXPECT_FALSE(next_goes_ahead());
    stage->same_gpu = false;
    EXPECT_TRUE(next_goes_ahead());
}

/// A fault needs the queue at any time, also while a call waits.
TEST_F(Ahead, nothing_waits_where_memory_is_shared) {
    pixels_come();
    finish_copy();
    settle();
    EXPECT_TRUE(next_goes_ahead());
    void *pointer = nullptr;
    setenv("PIXMPI_SHADOW", "signal", 1); // software drivers would have no shadow
    ASSERT_EQ(vkMPI_Shared_create(device->context(), 4096, 0, PIXMPI_SHARED_COHERENT, &pointer, nullptr),
              PIXMPI_SUCCESS)
        << pixMPI_Error_text();
    unsetenv("PIXMPI_SHADOW");
    EXPECT_EQ(content(), sent) << "the queue is shut";
    finish_copy();
    settle();
    EXPECT_FALSE(next_goes_ahead()) << "a fault may come";
    finish_copy();
    settle();
    EXPECT_EQ(pixMPI_Shared_free(pointer), PIXMPI_SUCCESS) << pixMPI_Error_text();
}

TEST_F(Ahead, a_semaphore_that_cannot_be_signalled_at_once) {
    pixels_come();
    vk_interpose::hand("vkSignalSemaphore").fail(VK_ERROR_OUT_OF_HOST_MEMORY, 0, 2);
    Ticket ticket = pixmpi::done;
    EXPECT_EQ(transfer->copy(0, edge * edge, *stage, 0, ticket), PIXMPI_ERR_MEMORY);
    transfer->give_up();
    settle();
    EXPECT_EQ(content(), before);
}
