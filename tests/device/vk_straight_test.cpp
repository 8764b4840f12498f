// Copies between images and scratch memory of one context: all planes in one submission.
#include "vk_rig_contexts.h"

#include "device/planes.h"
#include "device/vk_contexts.h"
#include "host/straight_copy.h"
#include "vk_interpose.h"

#include <cstring>
#include <random>
#include <thread>

using namespace vk_rig;
using pixmpi::StraightCopy;

namespace {

constexpr int width = 97, height = 61;
using Rects = std::vector<pixMPI_Rect>;

/// Colours, and depths if they are wanted, with pixels of their own.
struct Picture {
    Picture(Device &device_, VkFormat color, VkImageUsageFlags depth_usage, unsigned seed) : device(device_) {
        VkImageCreateInfo info = image_2d(color, width, height);
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
        add(info, seed);
        if (!depth_usage)
            return;
        VkImageCreateInfo depths = image_2d(VK_FORMAT_D32_SFLOAT, width, height);
        depths.usage |= depth_usage;
        add(depths, seed + 1);
    }
    ~Picture() {
        for (Image &image : images)
            destroy(device, image);
    }
    Picture(const Picture &) = delete;
    Picture &operator=(const Picture &) = delete;

    void add(const VkImageCreateInfo &info, unsigned seed) {
        const Image image = images.emplace_back(make_image(device, info));
        const bool depths = info.format == VK_FORMAT_D32_SFLOAT;
        const pixMPI_Format format = depths                                        ? PIXMPI_DEPTH32F
                                     : info.format == VK_FORMAT_R8G8B8A8_UNORM     ? PIXMPI_RGBA8
                                     : info.format == VK_FORMAT_R8_UNORM           ? PIXMPI_R8
                                     : info.format == VK_FORMAT_R16G16B16A16_UNORM ? PIXMPI_RGBA16
                                                                                   : PIXMPI_RGBA32F;
        formats.push_back(format);
        device_suite::Bytes pixels(static_cast<std::size_t>(width * height * pixMPI_Format_bytes(format)));
        std::mt19937 random(seed);
        for (std::byte &one : pixels)
            one = static_cast<std::byte>(random());
        device_suite::make_plain(format, pixels);
        write(device, image, {}, format, aspect_of(format), width, height, pixels.data(), VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_GENERAL);
        planes.push_back(std::move(pixels));
    }
    static VkImageAspectFlags aspect_of(pixMPI_Format format) {
        return format == PIXMPI_DEPTH32F ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    }
    std::shared_ptr<pixmpi::Surface> surface(pixmpi::Direction direction) const {
        pixmpi::Surface::Planes found;
        for (const Image &image : images) {
            std::shared_ptr<pixmpi::Surface> one;
            EXPECT_EQ(vkmpi::resolve(vkMPI_Image(device.context(), image.name, &image.info, VK_IMAGE_LAYOUT_GENERAL),
                                     direction, one),
                      PIXMPI_SUCCESS)
                << pixMPI_Error_text();
            found.push_back(one);
        }
        return found.size() == 1 ? found.front() : pixmpi::join(found);
    }
    device_suite::Bytes now(std::size_t plane) const {
        device_suite::Bytes pixels(planes[plane].size());
        read(device, images[plane], {}, formats[plane], aspect_of(formats[plane]), width, height, pixels.data(),
             VK_IMAGE_LAYOUT_GENERAL);
        return pixels;
    }

    Device &device;
    std::vector<Image> images;
    std::vector<pixMPI_Format> formats;
    std::vector<device_suite::Bytes> planes; ///< what has been written there
};

class Straight : public testing::Test {
  protected:
    void SetUp() override {
        device = make_with_shaders();
        ASSERT_NE(device, nullptr);
    }
    void TearDown() override {
        vk_interpose::heal_all();
        EXPECT_EQ(device ? device->close() : "", "");
    }

    /// False where there is no such way.
    bool copy(const StraightCopy::End &from, const StraightCopy::End &to) const {
        std::unique_ptr<StraightCopy> copy;
        const int before = vk_interpose::hand("vkQueueSubmit").calls;
        EXPECT_EQ(StraightCopy::make(from, to, copy), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(vk_interpose::hand("vkQueueSubmit").calls - before, copy ? 1 : 0);
        for (bool over = !copy, moved = false; !over; std::this_thread::yield())
            EXPECT_EQ(copy->advance(moved, over), PIXMPI_SUCCESS);
        return copy != nullptr;
    }
    /// Scratch memory for what is drawn in a region: of its bounds, or with so much around it.
    struct Room {
        Room(const pixmpi::Surface &drawn, const Rects &rects, int around) {
            const pixMPI_Rect bounds = device_suite::region_of(rects)->bounds;
            for (const pixMPI_Rect &rect : rects)
                there.push_back({rect.x - bounds.x + around, rect.y - bounds.y + around, rect.width, rect.height});
            EXPECT_EQ(pixmpi::make_scratch_like(drawn, *drawn.device,
                                                {bounds.width + 2 * around, bounds.height + 2 * around}, memory),
                      PIXMPI_SUCCESS);
        }
        std::shared_ptr<pixmpi::Surface> memory;
        Rects there;
    };
    /// There and back, by way of scratch memory.
    bool copies(const Picture &from, const Picture &to, const Rects &rects, int around) const {
        const auto region = device_suite::region_of(rects);
        const auto drawn = from.surface(pixmpi::Direction::pack);
        const Room room(*drawn, rects, around);
        const auto in_room = device_suite::region_of(room.there);
        return copy({drawn, region}, {room.memory, in_room}) &&
               copy({room.memory, in_room}, {to.surface(pixmpi::Direction::unpack), region});
    }
    static void expect_copied(const Picture &from, const Picture &to, const Rects &rects) {
        for (std::size_t plane = 0; plane < to.planes.size(); ++plane) {
            const auto size = static_cast<std::size_t>(pixMPI_Format_bytes(to.formats[plane]));
            device_suite::Bytes expected = to.planes[plane];
            for (const pixMPI_Rect &rect : rects)
                for (int y = rect.y; y < rect.y + rect.height; ++y) {
                    const std::size_t at = static_cast<std::size_t>(y * width + rect.x) * size;
                    std::memcpy(&expected[at], &from.planes[plane][at], static_cast<std::size_t>(rect.width) * size);
                }
            EXPECT_TRUE(to.now(plane) == expected) << "plane " << plane;
        }
    }

    std::unique_ptr<Device> device;
};

const Rects shapes[] = {{{0, 0, width, height}},
                        {{5, 3, 40, 20}},
                        {{0, 7, width, 1}},
                        {{96, 60, 1, 1}},
                        {{0, 0, 10, 7}, {20, 0, 30, 7}, {3, 7, 90, 11}}};

TEST_F(Straight, AllPlanesBetweenImagesAndScratchMemoryAreOneSubmission) {
    constexpr VkImageUsageFlags no_depths = 0, attached = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    for (const VkFormat color : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT})
        for (const VkImageUsageFlags depths : {no_depths, attached, attached | VK_IMAGE_USAGE_SAMPLED_BIT})
            for (const Rects &rects : shapes)
                for (const int around : {0, 2}) {
                    SCOPED_TRACE(testing::Message() << color << ", depths 0x" << std::hex << depths << ", "
                                                    << rects.size() << " rectangles, around " << around);
                    const Picture from(*device, color, depths, 1), to(*device, color, depths, 11);
                    EXPECT_TRUE(copies(from, to, rects, around));
                    expect_copied(from, to, rects);
                }
}

/// As sparse pictures have them. Copy commands would take a GPU a microsecond for each rectangle.
TEST_F(Straight, ManyRectanglesAreOneSubmissionToo) {
    Rects cells;
    for (int y = 1; y + 4 < height; y += 9)
        for (int x = y % 4; x + 6 < width; x += 8)
            cells.push_back({x, y, 3 + x % 4, 1 + x % 5});
    for (const VkFormat color : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT})
        for (const VkImageUsageFlags depths : {0u, unsigned{VK_IMAGE_USAGE_SAMPLED_BIT}})
            for (const int around : {0, 2}) {
                SCOPED_TRACE(testing::Message() << color << ", depths " << depths << ", around " << around);
                const Picture from(*device, color, depths, 1), to(*device, color, 0, 11);
                const auto drawn = from.surface(pixmpi::Direction::pack), shown = to.surface(pixmpi::Direction::unpack);
                const auto region = device_suite::region_of(cells);
                const Room room(*drawn, cells, around);
                const auto in_room = device_suite::region_of(room.there);
                EXPECT_TRUE(copy({drawn, region}, {room.memory, in_room}));
                EXPECT_TRUE(copy({pixmpi::planes_of(room.memory).front(), in_room}, {shown, region}));
                expect_copied(from, to, cells);
                if (!depths)
                    continue;
                // What of the depths has come is seen by way of an image that copy commands write to.
                const Picture behind(*device, color, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, 21);
                for (std::size_t k = 0; k < cells.size(); k += 30) {
                    const std::size_t end = std::min(k + 30, cells.size());
                    const Rects some(cells.begin() + static_cast<std::ptrdiff_t>(k),
                                     cells.begin() + static_cast<std::ptrdiff_t>(end)),
                        in_memory(room.there.begin() + static_cast<std::ptrdiff_t>(k),
                                  room.there.begin() + static_cast<std::ptrdiff_t>(end));
                    EXPECT_TRUE(copy({room.memory, device_suite::region_of(in_memory)},
                                     {behind.surface(pixmpi::Direction::unpack), device_suite::region_of(some)}));
                }
                expect_copied(from, behind, cells);
            }
}

/// A copy that would write more than its pixels is none; what is copied all the same is right.
TEST_F(Straight, PixelsBesideAreNotWritten) {
    for (const Rects &rects : shapes) {
        SCOPED_TRACE(testing::Message() << rects.size() << " rectangles, x " << rects.front().x);
        const Picture from(*device, VK_FORMAT_R8_UNORM, 0, 1), to(*device, VK_FORMAT_R8_UNORM, 0, 11);
        const auto drawn = from.surface(pixmpi::Direction::pack), shown = to.surface(pixmpi::Direction::unpack);
        std::shared_ptr<pixmpi::Surface> room;
        ASSERT_EQ(pixmpi::make_scratch_like(*drawn, *drawn->device, {width, height}, room), PIXMPI_SUCCESS);
        const auto all = device_suite::region_of({{0, 0, width, height}}), some = device_suite::region_of(rects);
        ASSERT_TRUE(copy({shown, all}, {room, all}));
        ASSERT_TRUE(copy({drawn, some}, {room, some}));
        ASSERT_TRUE(copy({room, all}, {shown, all}));
        expect_copied(from, to, rects);
    }
}

TEST_F(Straight, AFailedSubmissionLeavesNothingBehind) {
    const Picture from(*device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, 1),
        to(*device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, 11);
    const auto drawn = from.surface(pixmpi::Direction::pack);
    std::shared_ptr<pixmpi::Surface> room;
    ASSERT_EQ(pixmpi::make_scratch_like(*drawn, *drawn->device, {width, height}, room), PIXMPI_SUCCESS);
    const auto all = device_suite::region_of({{0, 0, width, height}});
    std::unique_ptr<StraightCopy> none;
    vk_interpose::hand("vkQueueSubmit").fail(VK_ERROR_INITIALIZATION_FAILED, 0, 1);
    EXPECT_NE(StraightCopy::make({drawn, all}, {room, all}, none), PIXMPI_SUCCESS);
    EXPECT_EQ(none, nullptr);
    vk_interpose::heal_all();
    EXPECT_TRUE(copies(from, to, shapes[1], 0));
    expect_copied(from, to, shapes[1]);
}

} // namespace
