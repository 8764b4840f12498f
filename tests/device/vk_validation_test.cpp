// That the validation layers are there and are heard: silence is worth nothing otherwise.
#include "vk_rig_contexts.h"

using namespace vk_rig;

namespace {

class Validation : public testing::Test {
  protected:
    void SetUp() override {
        std::string reason;
        device = Device::make({}, reason);
        ASSERT_NE(device, nullptr) << reason;
        if (!device->validated)
            GTEST_SKIP() << "PIXMPI_TEST_VALIDATION=0";
        ASSERT_EQ(device->messages.take(), "");
    }
    std::unique_ptr<Device> device;
};

} // namespace

TEST_F(Validation, hears_wrong_arguments) {
    const VkImageCreateInfo info = image_2d(VK_FORMAT_R8G8B8A8_UNORM, 4, 4);
    Image image = make_image(*device, info);
    device->run([&](VkCommandBuffer commands) { // depths of a colour image
        change_layout(commands, image.name, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL);
    });
    EXPECT_NE(device->messages.take(), "");
    destroy(*device, image);
    EXPECT_EQ(device->close(), "");
}

TEST_F(Validation, hears_hazards) {
    Buffer a = make_buffer(*device, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    Buffer b = make_buffer(*device, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    device->run([&](VkCommandBuffer commands) { // read back without a barrier
        const VkBufferCopy all{0, 0, 256};
        vkCmdCopyBuffer(commands, a.name, b.name, 1, &all);
        vkCmdCopyBuffer(commands, b.name, a.name, 1, &all);
    });
    EXPECT_NE(device->messages.take().find("SYNC-HAZARD"), std::string::npos);
    destroy(*device, a);
    destroy(*device, b);
    EXPECT_EQ(device->close(), "");
}

TEST_F(Validation, hears_what_is_left_over) {
    const VkSemaphore left = device->make_timeline(0);
    EXPECT_NE(left, VK_NULL_HANDLE);
    EXPECT_NE(device->close(), "");
}

TEST_F(Validation, library_leaves_nothing) { EXPECT_EQ(device->close(), ""); }
