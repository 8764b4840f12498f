#include "pixels/pixels_fill_vk.h"

#include "fill_buffer_1.spv.h"
#include "fill_buffer_2.spv.h"
#include "fill_buffer_4.spv.h"
#include "fill_image_1.spv.h"
#include "fill_image_2.spv.h"
#include "fill_image_4.spv.h"
#include "object/object.h"

#include <error.h>
#include <span>

using demo::check_vk;

namespace {

struct Push {
    std::int32_t rect[4];
    std::uint32_t sizes[4];
};

using Code = std::span<const std::uint32_t>;

/// The shader for pixels of that many words.
Code code(bool image, int words) {
    if (words == 1)
        return image ? Code(fill_image_1) : Code(fill_buffer_1);
    if (words == 2)
        return image ? Code(fill_image_2) : Code(fill_buffer_2);
    return image ? Code(fill_image_4) : Code(fill_buffer_4);
}

class VkFill final : public Fill {
  public:
    VkFill(const Object &object, const demo::Gpu &gpu, const vkMPI_Surface &image, const demo::Buffer *buffer,
           int steps)
        : object_(object), gpu_(gpu), steps_(static_cast<std::uint32_t>(steps)),
          kernel_(gpu, code(!buffer, object.pixel_bytes / 4).data(), code(!buffer, object.pixel_bytes / 4).size_bytes(),
                  {.images = buffer ? 0U : 1U, .buffers = buffer ? 1U : 0U, .push_bytes = sizeof(Push)}),
          commands_(gpu, false) {
        if (!buffer)
            make_view(image);
        bound_ = buffer ? kernel_.bind({}, {buffer}) : kernel_.bind_views({view_});
    }
    ~VkFill() override {
        commands_.wait();
        vkDestroyImageView(gpu_.device, view_, nullptr);
    }

    void run(pixMPI_Rect rect, std::uint32_t seed) override {
        const Push push{{rect.x, rect.y, rect.width, rect.height},
                        {seed, steps_, static_cast<std::uint32_t>(object_.width), 0}};
        kernel_.run(commands_.begin(), bound_, push, rect.width, rect.height);
        commands_.submit();
    }
    void await() override {
        while (!commands_.over()) { // vkWaitForFences is 20 us later
        }
    }

  private:
    /// As plain integers; the image may be looked at so (VkObject).
    void make_view(const vkMPI_Surface &image) {
        const VkFormat format = object_.pixel_bytes == 4   ? VK_FORMAT_R32_UINT
                                : object_.pixel_bytes == 8 ? VK_FORMAT_R16G16B16A16_UINT
                                                           : VK_FORMAT_R32G32B32A32_UINT;
        const VkImageViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                         .image = image.image,
                                         .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                         .format = format,
                                         .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
        check_vk(vkCreateImageView(gpu_.device, &info, nullptr, &view_), "making an image view");
    }

    const Object &object_;
    const demo::Gpu &gpu_;
    const std::uint32_t steps_;
    demo::Kernel kernel_;
    demo::Commands commands_;
    VkImageView view_ = {};
    VkDescriptorSet bound_ = {};
};

} // namespace

std::unique_ptr<Fill> make_vk_fill(const Object &object, const demo::Gpu &gpu, const vkMPI_Surface &image,
                                   const demo::Buffer *buffer, int steps, std::string &problem) {
    problem = fill_problem(object);
    if (problem.empty() && !buffer && !(image.usage & VK_IMAGE_USAGE_STORAGE_BIT))
        problem = std::string("--format: shaders of this device do not store to ") + pixMPI_Format_name(object.format);
    if (!problem.empty())
        return nullptr;
    try {
        return std::make_unique<VkFill>(object, gpu, image, buffer, steps);
    } catch (const demo::Error &error) {
        problem = error.what();
        return nullptr;
    }
}
