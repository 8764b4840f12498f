#include "object/image_views.h"

#include "device/vulkan_device.h"

#include <algorithm>

namespace vkmpi {

ImageView::~ImageView() {
    if (name_)
        device_.retire([&d = device_, view = name_] { d.vk.DestroyImageView(d.info.device, view, nullptr); });
}

Status ImageViews::open() {
    if (!device_.vk.CreatePrivateDataSlotEXT)
        return PIXMPI_SUCCESS;
    const VkPrivateDataSlotCreateInfoEXT info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO_EXT, nullptr, 0};
    return device_.check(device_.vk.CreatePrivateDataSlotEXT(device_.info.device, &info, nullptr, &slot_),
                         "vkCreatePrivateDataSlot");
}

void ImageViews::destroy() {
    kept_.clear();
    if (slot_)
        device_.vk.DestroyPrivateDataSlotEXT(device_.info.device, slot_, nullptr);
}

/// 0: it cannot have one.
std::uint64_t ImageViews::number_of(VkImage image) {
    if (!slot_)
        return 0;
    const auto handle = reinterpret_cast<std::uint64_t>(image);
    std::uint64_t number = 0;
    device_.vk.GetPrivateDataEXT(device_.info.device, VK_OBJECT_TYPE_IMAGE, handle, slot_, &number);
    if (number)
        return number;
    const VkResult result =
        device_.vk.SetPrivateDataEXT(device_.info.device, VK_OBJECT_TYPE_IMAGE, handle, slot_, images_ + 1);
    return result == VK_SUCCESS ? ++images_ : 0;
}

Status ImageViews::get(const vkMPI_Surface &surface, VkFormat format, VkImageUsageFlags usage,
                       std::shared_ptr<const ImageView> &view) {
    pixmpi::need_lock("a device's views of images were used");
    const What what{number_of(surface.image), surface.level, surface.layer, surface.aspect, format, usage};
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept &one) { return one.what == what; });
    if (found != kept_.end()) {
        found->used = ++uses_;
        view = found->view;
        return PIXMPI_SUCCESS;
    }
    VkImageViewUsageCreateInfo narrowed{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO};
    narrowed.usage = usage;
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.pNext = &narrowed;
    info.image = surface.image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {surface.aspect, surface.level, 1, surface.layer, 1};
    const auto made = std::make_shared<ImageView>(device_);
    if (const Status status = device_.check(
            device_.vk.CreateImageView(device_.info.device, &info, nullptr, &made->name_), "vkCreateImageView"))
        return status;
    view = made;
    if (what.image)
        keep(what, view);
    return PIXMPI_SUCCESS;
}

// Views of images that have gone are those that nobody has used for longest.
void ImageViews::keep(const What &what, const std::shared_ptr<const ImageView> &view) {
    const Kept one{what, view, ++uses_};
    if (kept_.size() < most)
        kept_.push_back(one);
    else
        *std::min_element(kept_.begin(), kept_.end(),
                          [](const Kept &a, const Kept &b) { return a.used < b.used; }) = one;
}

} // namespace vkmpi
