// Views of images that are kept from message to message: one for each image, level, layer and use, and none of an image
// that has gone, even where the next one has its handle.
#include "vk_rig_contexts.h"

#include "base/lock.h"
#include "device/vk_contexts.h"

#include <algorithm>
#include <cstdlib>

using namespace vk_rig;

namespace {

using View = std::shared_ptr<const vkmpi::ImageView>;

class Views : public testing::Test {
  protected:
    void open(bool private_data) {
        Options options;
        options.private_data = private_data;
        std::string reason;
        device = Device::make(options, reason);
        ASSERT_NE(device, nullptr) << reason;
        ASSERT_EQ(vkmpi::find_context(device->context(), "context", vulkan), PIXMPI_SUCCESS);
        if (private_data) {
            ASSERT_TRUE(device->info.features & VKMPI_FEATURE_PRIVATE_DATA) << "the driver has no private data";
        }
    }
    void TearDown() override {
        vulkan.reset();
        if (device) {
            EXPECT_EQ(device->close(), "");
        }
    }
    Image make() {
        VkImageCreateInfo info = image_2d(VK_FORMAT_R8G8B8A8_UNORM, 32, 32);
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
        info.mipLevels = 2;
        info.arrayLayers = 2;
        return make_image(*device, info);
    }
    View view_of(const Image &image, std::uint32_t level = 0, std::uint32_t layer = 0,
                 VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT) {
        vkMPI_Surface surface =
            vkMPI_Image(device->context(), image.name, &image.info, VK_IMAGE_LAYOUT_GENERAL);
        surface.level = level;
        surface.layer = layer;
        const pixmpi::Lock lock;
        View view;
        EXPECT_EQ(vulkan->views.get(surface, VK_FORMAT_R32_UINT, usage, view), PIXMPI_SUCCESS) << pixMPI_Error_text();
        return view;
    }

    std::unique_ptr<Device> device;
    std::shared_ptr<vkmpi::VulkanDevice> vulkan;
};

TEST_F(Views, AreKeptForEachUse) {
    open(true);
    Image one = make(), two = make();
    const View first = view_of(one);
    EXPECT_EQ(view_of(one), first);
    const View others[] = {view_of(two), view_of(one, 1), view_of(one, 0, 1),
                           view_of(one, 0, 0, VK_IMAGE_USAGE_SAMPLED_BIT)};
    for (const View &other : others)
        EXPECT_NE(other, first);
    EXPECT_EQ(view_of(one), first);
    EXPECT_EQ(view_of(one, 0, 1), others[2]);
    destroy(*device, one);
    destroy(*device, two);
}

TEST_F(Views, AreOfTheImageThatIsThere) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's allocator gives no handle again";
#endif
    const char *const wish = std::getenv("PIXMPI_TEST_VALIDATION");
    const std::string kept = wish ? wish : "";
    setenv("PIXMPI_TEST_VALIDATION", "0", 1); // the layers never give a handle again, drivers do
    open(true);
    if (wish)
        setenv("PIXMPI_TEST_VALIDATION", kept.c_str(), 1);
    else
        unsetenv("PIXMPI_TEST_VALIDATION");
    Image image = make();
    const VkImage handle = image.name;
    const View first = view_of(image);
    bool again = false;
    for (int i = 0; i < 100 && !again; ++i) {
        destroy(*device, image);
        image = make();
        again = image.name == handle;
    }
    ASSERT_TRUE(again) << "the driver gives no handle again, so that nothing is tested";
    EXPECT_NE(view_of(image), first);
    destroy(*device, image);
}

TEST_F(Views, AreNotKeptWithoutTheFeature) {
    open(false);
    Image image = make();
    const View first = view_of(image);
    EXPECT_NE(view_of(image), first);
    destroy(*device, image);
}

/// Most images have gone without a word: the views that nobody has used for longest go.
TEST_F(Views, AreNotKeptWithoutEnd) {
    open(true);
    Image often = make();
    const View first = view_of(often);
    std::vector<std::weak_ptr<const vkmpi::ImageView>> made;
    for (int i = 0; i < 300; ++i) {
        Image image = make();
        made.push_back(view_of(image));
        destroy(*device, image);
        EXPECT_EQ(view_of(often), first);
    }
    EXPECT_LE(std::count_if(made.begin(), made.end(), [](const auto &one) { return !one.expired(); }), 128);
    EXPECT_TRUE(made.front().expired());
    EXPECT_FALSE(made.back().expired());
    destroy(*device, often);
}

} // namespace
