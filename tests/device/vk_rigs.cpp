// Surfaces that are images: every kind of subresource, in layouts of all sorts.
#include "vk_rig_contexts.h"

#include "base/format.h"

#include <algorithm>
#include <map>

using namespace vk_rig;
using namespace device_suite;

namespace {

enum class Kind {
    plane,
    storage, ///< that shaders may load and store
    linear,  ///< tiling
    array,
    slices,
    level,
    cube,
    depth_part, ///< of an image that has stencils as well
    stencil_part
};

struct Object {
    Image image;
    Place place, beside; ///< beside: a part that must not be touched, where there is one
    VkImageAspectFlags aspect = 0;
    VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
    Extent extent;
};

bool has_neighbour(Kind kind) { return kind == Kind::array || kind == Kind::slices || kind == Kind::cube; }
bool is_part(Kind kind) { return kind == Kind::depth_part || kind == Kind::stencil_part; }
bool is_color(pixMPI_Format format) {
    const pixmpi::Numbers numbers = pixmpi::format_info(format).numbers;
    return numbers != pixmpi::Numbers::depth && numbers != pixmpi::Numbers::stencil &&
           numbers != pixmpi::Numbers::depth_stencil;
}

class ImageRig : public VulkanRig {
  public:
    ImageRig(Path path, Kind kind) : VulkanRig(path), kind_(kind) {}
    ~ImageRig() override {
        vkDeviceWaitIdle(vk().info.device);
        for (auto &[surface, object] : objects_)
            destroy(vk(), object.image);
    }

    // Where a queue copies blocks only, by way of a buffer: see vk_rig_buffers.cpp.
    int largest() const override { return vk().validated && copies_only(path_) ? 64 : 300; }

    std::vector<pixMPI_Format> formats(Direction) const override {
        std::vector<pixMPI_Format> all;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
            const auto format = static_cast<pixMPI_Format>(i);
            // Vulkan copies depths and stencils on queues for graphics only.
            if (exists(vk(), info_of(format, {16, 16})) && (is_color(format) || !copies_only(path_)))
                all.push_back(format);
        }
        return all;
    }

    void tame(pixMPI_Format format, Bytes &pixels) const override {
        if (!is_color(format))
            make_plain(format, pixels);
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, Extent extent, const Bytes &pixels) override {
        Object object;
        object.extent = extent;
        const VkImageCreateInfo info = info_of(format, extent);
        object.image = make_image(vk(), info);
        object.aspect = kind_ == Kind::depth_part     ? VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT}
                        : kind_ == Kind::stencil_part ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT}
                                                      : vkMPI_Aspects_of(info.format);
        object.layout = any_layout(info);
        if (kind_ == Kind::level)
            object.place.level = 1;
        if (kind_ == Kind::array || kind_ == Kind::cube)
            object.place.layer = 2;
        if (kind_ == Kind::slices)
            object.place.slice = 1;
        object.beside = object.place;
        if (has_neighbour(kind_)) {
            ++(kind_ == Kind::slices ? object.beside.slice : object.beside.layer);
            write(vk(), object.image, object.beside, format, object.aspect, extent.width, extent.height,
                  pattern(format, extent).data(), VK_IMAGE_LAYOUT_UNDEFINED, object.layout);
        }
        VkImageLayout before = kind_ == Kind::slices ? object.layout : VK_IMAGE_LAYOUT_UNDEFINED;
        if (is_part(kind_)) {
            write(vk(), object.image, object.place, other_format(format),
                  vkMPI_Aspects_of(info.format) & ~object.aspect, extent.width, extent.height,
                  pattern(other_format(format), extent).data(), before, object.layout);
            before = object.layout;
        }
        write(vk(), object.image, object.place, format, object.aspect, extent.width, extent.height, pixels.data(),
              before, object.layout);
        vkMPI_Surface named = vkMPI_Image(vk().context(), object.image.name, &info, object.layout);
        named.aspect = object.aspect;
        named.level = object.place.level;
        named.layer = object.place.layer;
        named.slice = object.place.slice;
        EXPECT_EQ(vkMPI_Format_from_vulkan(info.format, object.aspect), format);
        const auto surface = resolved(named);
        EXPECT_NE(surface, nullptr);
        objects_[surface.get()] = object;
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        return read_part(object, object.place, static_cast<vkmpi::VulkanSurface &>(surface).format, object.aspect);
    }

    void check(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        const pixMPI_Format format = static_cast<vkmpi::VulkanSurface &>(surface).format;
        if (has_neighbour(kind_)) {
            Bytes expected = pattern(format, object.extent);
            drop_unused(format, expected);
            EXPECT_TRUE(read_part(object, object.beside, format, object.aspect) == expected)
                << "the layer or slice beside it was touched";
        }
        if (is_part(kind_)) {
            const VkImageAspectFlags other = vkMPI_Aspects_of(object.image.info.format) & ~object.aspect;
            EXPECT_TRUE(read_part(object, object.place, other_format(format), other) ==
                        pattern(other_format(format), object.extent))
                << "the other aspect was touched";
        }
        VulkanRig::check(surface);
    }

  private:
    static pixMPI_Format other_format(pixMPI_Format format) {
        return format == PIXMPI_STENCIL8 ? PIXMPI_DEPTH32F : PIXMPI_STENCIL8;
    }

    static Bytes pattern(pixMPI_Format format, Extent extent) {
        Bytes pixels(static_cast<std::size_t>(extent.width * extent.height * pixMPI_Format_bytes(format)));
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = static_cast<std::byte>(i * 7 + 1);
        if (!is_color(format))
            make_plain(format, pixels);
        return pixels;
    }

    Bytes read_part(const Object &object, const Place &place, pixMPI_Format format, VkImageAspectFlags aspect) const {
        Bytes pixels(
            static_cast<std::size_t>(object.extent.width * object.extent.height * pixMPI_Format_bytes(format)));
        vk_rig::read(vk(), object.image, place, format, aspect, object.extent.width, object.extent.height,
                     pixels.data(), object.layout);
        drop_unused(format, pixels);
        return pixels;
    }

    VkFormat stored(pixMPI_Format format) const {
        if (kind_ == Kind::depth_part)
            return format == PIXMPI_DEPTH24    ? VK_FORMAT_D24_UNORM_S8_UINT
                   : format == PIXMPI_DEPTH32F ? VK_FORMAT_D32_SFLOAT_S8_UINT
                                               : VK_FORMAT_UNDEFINED;
        if (kind_ == Kind::stencil_part)
            return format == PIXMPI_STENCIL8 ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_UNDEFINED;
        return vkMPI_Format_to_vulkan(format);
    }

    VkImageCreateInfo info_of(pixMPI_Format format, Extent extent) const {
        VkImageCreateInfo info = image_2d(stored(format), extent.width, extent.height);
        const auto side = static_cast<std::uint32_t>(std::max(extent.width, extent.height));
        switch (kind_) {
        case Kind::linear:
            info.tiling = VK_IMAGE_TILING_LINEAR;
            break;
        case Kind::array:
            info.arrayLayers = 4;
            break;
        case Kind::slices:
            info.imageType = VK_IMAGE_TYPE_3D;
            info.extent.depth = 3;
            break;
        case Kind::level: // of an odd size
            info.extent = {2 * info.extent.width + 1, 2 * info.extent.height + 1, 1};
            info.mipLevels = 2;
            break;
        case Kind::cube: // faces are square
            info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
            info.extent = {side, side, 1};
            info.arrayLayers = 6;
            break;
        default:
            break;
        }
        VkImageCreateInfo also = info;
        also.flags |= kind_ == Kind::storage ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT : 0;
        also.usage |= kind_ == Kind::plane ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
        return exists(vk(), also) ? also : info;
    }

    // One after another, so that a run has them all.
    VkImageLayout any_layout(const VkImageCreateInfo &info) {
        constexpr VkImageLayout all[] = {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        return all[made_++ % (info.usage & VK_IMAGE_USAGE_SAMPLED_BIT ? 4 : 3)];
    }

    const Kind kind_;
    unsigned made_ = 0;
    std::map<const pixmpi::Surface *, Object> objects_;
};

void add(Path path, Kind kind, const char *name) {
    add_rig((std::string(path_name(path)) + "_" + name).c_str(),
            [path, kind] { return std::make_unique<ImageRig>(path, kind); });
}

const bool added = [] {
    const std::pair<Kind, const char *> kinds[] = {
        {Kind::plane, "plane"}, {Kind::storage, "storage"},       {Kind::linear, "linear"},
        {Kind::array, "array"}, {Kind::slices, "slices"},         {Kind::level, "level"},
        {Kind::cube, "cube"},   {Kind::depth_part, "depth_part"}, {Kind::stencil_part, "stencil_part"}};
    const auto matters_to_shaders = [](Kind kind) {
        return kind == Kind::storage || kind == Kind::slices || kind == Kind::level || is_part(kind);
    };
    for (const auto &[kind, name] : kinds) {
        add(Path::commands, kind, name);
        if (matters_to_shaders(kind))
            add(Path::shaders, kind, name);
    }
    for (const Path path :
         {Path::shaders, Path::commands_copied, Path::shaders_copied, Path::transfer_queue, Path::whole_queue})
        add(path, Kind::plane, "plane");
    add(Path::transfer_queue, Kind::level, "level");
    return true;
}();

} // namespace
