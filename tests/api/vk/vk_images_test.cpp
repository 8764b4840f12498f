// What pNext of VkImageCreateInfo says of an image, depths and stencils with different layouts, and regions that are
// made for one message.
#include "vk/vk_fragile.h"
#include "vk/vk_sync.h"

using namespace api;

namespace {

constexpr int edge = 48;
constexpr VkImageAspectFlags depths = VK_IMAGE_ASPECT_DEPTH_BIT, stencils = VK_IMAGE_ASPECT_STENCIL_BIT;

/// An image for one message, made of whatever the test says.
struct AnImage {
    AnImage(vk_rig::Device &device_, const VkImageCreateInfo &info)
        : device(device_), image(vk_rig::make_image(device_, info)) {}
    AnImage(const AnImage &) = delete;
    ~AnImage() {
        vkDeviceWaitIdle(device.info.device);
        vk_rig::destroy(device, image);
    }
    Bytes fill(pixMPI_Format format, VkImageAspectFlags aspect, std::uint64_t seed) {
        Bytes pixels = pattern(static_cast<std::size_t>(edge * edge * pixMPI_Format_bytes(format)), seed);
        for (std::size_t i = 3; format == PIXMPI_DEPTH32F && i < pixels.size(); i += 4)
            pixels[i] = 0x3e; // numbers from 0 to 1
        vk_rig::write(device, image, {}, format, aspect, edge, edge, pixels.data(), now, VK_IMAGE_LAYOUT_GENERAL);
        now = VK_IMAGE_LAYOUT_GENERAL;
        return pixels;
    }
    Bytes read(pixMPI_Format format, VkImageAspectFlags aspect) {
        Bytes pixels(static_cast<std::size_t>(edge * edge * pixMPI_Format_bytes(format)));
        vk_rig::read(device, image, {}, format, aspect, edge, edge, pixels.data(), VK_IMAGE_LAYOUT_GENERAL);
        return pixels;
    }
    void change(VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to) {
        device.run([&](VkCommandBuffer commands) {
            vk_rig::change_layout(commands, image.name, {aspect, 0, 1, 0, 1}, from, to);
        });
    }
    vkMPI_Surface surface(VkImageAspectFlags aspect) const {
        vkMPI_Surface one = vkMPI_Image(device.context(), image.name, &image.info, VK_IMAGE_LAYOUT_GENERAL);
        one.aspect = aspect;
        return one;
    }

    vk_rig::Device &device;
    vk_rig::Image image;
    VkImageLayout now = VK_IMAGE_LAYOUT_UNDEFINED;
};

VkImageCreateInfo both_aspects() {
    VkImageCreateInfo info = vk_rig::image_2d(VK_FORMAT_D32_SFLOAT_S8_UINT, edge, edge);
    info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return info;
}

int exchange(const vkMPI_Surface &out, const vkMPI_Surface &in) {
    return vkMPI_Sendrecv(out, PIXMPI_WHOLE, next_rank(), 1, in, PIXMPI_WHOLE, previous_rank(), 1, world(),
                          MPI_STATUS_IGNORE, nullptr, nullptr);
}

} // namespace

RANK_CASE(vk_images, list_of_view_formats, 1) {
    // Shaders take images by views of integers, which not every list allows. The layers hear each wrong view.
    vk_rig::Device &device = need_vulkan();
    for (const bool integers : {false, true})
        for (const VkImageUsageFlagBits usage : {VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT}) {
            note("usage %d, %s integers", static_cast<int>(usage), integers ? "with" : "without");
            const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM,
                                        integers ? VK_FORMAT_R32_UINT : VK_FORMAT_R8G8B8A8_UINT};
            VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
            list.viewFormatCount = 2;
            list.pViewFormats = formats;
            VkImageCreateInfo info = vk_rig::image_2d(formats[0], edge, edge);
            info.pNext = &list;
            info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
            info.usage |= usage;
            AnImage out(device, info), in(device, info);
            const Bytes sent = out.fill(PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT, 1);
            in.fill(PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT, 2);
            const vkMPI_Surface from = out.surface(VK_IMAGE_ASPECT_COLOR_BIT);
            CHECK_EQ(from.no_integer_views, integers ? VK_FALSE : VK_TRUE);
            CHECK_OK(exchange(from, in.surface(VK_IMAGE_ASPECT_COLOR_BIT)));
            CHECK_PIXELS(in.read(PIXMPI_RGBA8, VK_IMAGE_ASPECT_COLOR_BIT), sent, edge, 4);
            CHECK_SILENCE(device);
        }
    CHECK_EQ(vkMPI_Integer_format(VK_FORMAT_R8G8B8_UNORM), VK_FORMAT_UNDEFINED);
    CHECK_EQ(vkMPI_Integer_format(VK_FORMAT_D32_SFLOAT), VK_FORMAT_UNDEFINED);
}

RANK_CASE(vk_images, usage_of_stencils, 1) {
    vk_rig::Device &device = need_vulkan();
    constexpr VkImageUsageFlags copies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkImageStencilUsageCreateInfo apart{VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO};
    VkImageCreateInfo info = both_aspects();
    info.pNext = &apart;
    for (const bool stencils_too : {true, false}) {
        note("stencils %s copied", stencils_too ? "are" : "are not");
        apart.stencilUsage = stencils_too ? info.usage : info.usage & ~copies;
        AnImage out(device, info), in(device, info);
        for (AnImage *one : {&out, &in}) {
            one->change(depths | stencils, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
            one->now = VK_IMAGE_LAYOUT_GENERAL;
        }
        const Bytes sent = out.fill(PIXMPI_DEPTH32F, depths, 3);
        CHECK_OK(exchange(out.surface(depths), in.surface(depths)));
        CHECK_PIXELS(in.read(PIXMPI_DEPTH32F, depths), sent, edge, 4);
        for (const VkImageAspectFlags aspect : {stencils, depths | stencils})
            if (stencils_too)
                CHECK_OK(exchange(out.surface(aspect), in.surface(aspect)));
            else
                CHECK_FAILS(exchange(out.surface(aspect), in.surface(aspect)), PIXMPI_ERR_SURFACE,
                            "vkMPI_Sendrecv surface.stencil_usage expected");
        CHECK_SILENCE(device);
    }
}

RANK_CASE(vk_images, separate_layouts, 1) {
    vk_rig::Options options = rig_options();
    options.separate_layouts = true;
    std::string reason;
    const auto device = vk_rig::Device::make(options, reason);
    NEED(device != nullptr);
    constexpr VkImageLayout of_depths = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
                            of_stencils = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL,
                            general = VK_IMAGE_LAYOUT_GENERAL;
    for (const VkImageAspectFlags aspect : {depths, stencils, depths | stencils}) {
        note("aspects %u", aspect);
        AnImage out(*device, both_aspects()), in(*device, both_aspects());
        const pixMPI_Format formats[] = {PIXMPI_DEPTH32F, PIXMPI_STENCIL8};
        Bytes sent[2], kept[2];
        for (int i = 0; i < 2; ++i) {
            sent[i] = out.fill(formats[i], i == 0 ? depths : stencils, 4);
            kept[i] = in.fill(formats[i], i == 0 ? depths : stencils, 5);
        }
        vkMPI_Surface from = out.surface(aspect), to = in.surface(aspect);
        for (const auto &[image, surface] : {std::pair(&out, &from), {&in, &to}}) {
            image->change(depths, general, of_depths);
            image->change(stencils, general, of_stencils);
            surface->separate_stencil = VK_TRUE;
            surface->layout = of_depths;
            surface->stencil_layout = of_stencils;
            surface->layout_after = surface->stencil_layout_after = general;
        }
        CHECK_OK(exchange(from, to));
        for (AnImage *image : {&out, &in}) { // what has not moved is where it was
            if (!(aspect & depths))
                image->change(depths, of_depths, general);
            if (!(aspect & stencils))
                image->change(stencils, of_stencils, general);
        }
        for (int i = 0; i < 2; ++i)
            CHECK_PIXELS(in.read(formats[i], i == 0 ? depths : stencils),
                         aspect & (i == 0 ? depths : stencils) ? sent[i] : kept[i], edge,
                         pixMPI_Format_bytes(formats[i]));
        CHECK(device->messages.take().empty());
        from.separate_stencil = VK_FALSE;
        CHECK_FAILS(exchange(from, to), PIXMPI_ERR_SURFACE, "vkMPI_Sendrecv surface.layout depths separate_stencil");
        from = out.surface(aspect);
        from.separate_stencil = VK_TRUE;
        from.layout = from.layout_after = of_stencils;
        from.stencil_layout = from.stencil_layout_after = of_depths;
        CHECK_FAILS(exchange(from, to), PIXMPI_ERR_SURFACE, "vkMPI_Sendrecv layout expected separate_stencil");
    }
    CHECK(device->close().empty());
}

RANK_CASE(vk_images, regions_made_for_one_message, 1) {
    // Shaders have a list of rectangles for each. After some such messages, memory is seldom made for one: where a batch
    // is not over yet, and another one begins.
    Fragile fragile;
    constexpr int tile = 4, across = edge / tile, turns = 24, first_ones = 12;
    VulkanImage out(*fragile.device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true),
        in(*fragile.device, PIXMPI_RGBA8, edge, edge, VK_IMAGE_LAYOUT_GENERAL, true);
    Bytes expected = in.fill(2);
    int made = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const Bytes sent = out.fill(seed_of(static_cast<std::uint64_t>(turn), static_cast<std::uint64_t>(rank)));
        std::vector<pixMPI_Rect> rects; // as many as not to be sent by a command for each
        for (int i = turn % 2; i < across * across; i += 2)
            rects.push_back({i % across * tile, i / across * tile, tile, tile - 1});
        pixMPI_Region region = PIXMPI_WHOLE;
        CHECK_OK(pixMPI_Region_indexed(static_cast<int>(rects.size()), rects.data(), &region));
        CHECK_OK(pixMPI_Region_commit(&region));
        vk_interpose::hand("vkAllocateMemory").calls = 0;
        CHECK_OK(vkMPI_Sendrecv(out.surface(), region, rank, 1, in.surface(), region, rank, 1, world(),
                                MPI_STATUS_IGNORE, nullptr, nullptr));
        if (turn >= first_ones)
            made += vk_interpose::hand("vkAllocateMemory").calls;
        CHECK_OK(pixMPI_Region_free(&region));
        const Shape shape = list_of(rects);
        unpack(expected, edge, 4, shape, pack(sent, edge, 4, shape));
        CHECK_PIXELS(in.read(), expected, edge, 4);
    }
    CHECK(made < turns - first_ones);
}
