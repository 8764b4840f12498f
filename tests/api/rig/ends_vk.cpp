// Ends in Vulkan, on a device without a window that the validation layers watch.
#include "rig/ends_vk.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <test_gpus.h>
#include <unistd.h>
#include <vk_interpose.h>

namespace api {
namespace {

// Where Vulkan has no device there is nothing to test, and ctest is told so. Before MPI begins, so that no rank waits.
const bool able = [] {
    std::string reason;
    if (vk_rig::any_device(reason))
        return true;
    std::printf("skipped: %s\n", reason.c_str());
    std::fflush(stdout);
    ::_exit(77);
}();

int send(vkMPI_Surface s, pixMPI_Region r, int dest, int tag, MPI_Comm c) {
    return vkMPI_Send(s, r, dest, tag, c, nullptr);
}
int recv(vkMPI_Surface s, pixMPI_Region r, int source, int tag, MPI_Comm c, MPI_Status *status) {
    return vkMPI_Recv(s, r, source, tag, c, status, nullptr);
}
int isend(vkMPI_Surface s, pixMPI_Region r, int dest, int tag, MPI_Comm c, pixMPI_Request *request) {
    return vkMPI_Isend(s, r, dest, tag, c, request, nullptr);
}
int irecv(vkMPI_Surface s, pixMPI_Region r, int source, int tag, MPI_Comm c, pixMPI_Request *request) {
    return vkMPI_Irecv(s, r, source, tag, c, request, nullptr);
}
int sendrecv(vkMPI_Surface s, pixMPI_Region sr, int dest, int sendtag, vkMPI_Surface r, pixMPI_Region rr, int source,
             int recvtag, MPI_Comm c, MPI_Status *status) {
    return vkMPI_Sendrecv(s, sr, dest, sendtag, r, rr, source, recvtag, c, status, nullptr, nullptr);
}
int sendrecv_replace(vkMPI_Surface s, pixMPI_Region r, int dest, int sendtag, int source, int recvtag, MPI_Comm c,
                     MPI_Status *status) {
    return vkMPI_Sendrecv_replace(s, r, dest, sendtag, source, recvtag, c, status, nullptr);
}

const Verbs<vkMPI_Surface> verbs{
    send, recv, isend, irecv, vkMPI_Send_init, vkMPI_Recv_init, sendrecv, sendrecv_replace, [](const vkMPI_Surface &s) {
        return vkMPI_Any(&s, nullptr);
    }};

/// How an image is made, and its layout between messages.
struct Manner {
    VkImageLayout layout;
    std::uint32_t levels, layers; ///< the last of each is the surface
    VkImageUsageFlags usage;      ///< in addition to copies
    VkImageCreateFlags flags;
};
constexpr Manner plain{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT, 0};
/// Shaders may access these images, whatever their format.
constexpr Manner layered{VK_IMAGE_LAYOUT_GENERAL, 2, 3, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT};

class ImageEnd : public VerbEnd<vkMPI_Surface> {
  public:
    ImageEnd(pixMPI_Format format_, int width_, int height_, const Manner &manner)
        : VerbEnd(verbs, format_, width_, height_), device_(need_vulkan()), layout_(manner.layout),
          aspects_(vkMPI_Aspects_of(vkMPI_Format_to_vulkan(format_))) {
        VkImageCreateInfo info = vk_rig::image_2d(vkMPI_Format_to_vulkan(format), width << (manner.levels - 1),
                                                  height << (manner.levels - 1));
        info.mipLevels = manner.levels;
        info.arrayLayers = manner.layers;
        VkImageCreateInfo whole = info;
        whole.usage |= manner.usage;
        whole.flags = manner.flags;
        if (vk_rig::exists(device_, whole)) // shaders store to no depths and to no sRGB
            info = whole;
        image_ = vk_rig::make_image(device_, info);
        place_ = {manner.levels - 1, manner.layers - 1, 0};
        surface = vkMPI_Image(device_.context(), image_.name, &info, layout_);
        surface.level = place_.level;
        surface.layer = place_.layer;
        device_.run([&](VkCommandBuffer commands) {
            vk_rig::change_layout(commands, image_.name, vk_rig::range_of(image_, place_), VK_IMAGE_LAYOUT_UNDEFINED,
                                  layout_);
        });
    }
    ~ImageEnd() override {
        vkDeviceWaitIdle(device_.info.device);
        vk_rig::destroy(device_, image_);
        CHECK_SILENCE(device_);
    }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        vk_rig::write(device_, image_, place_, format, aspects_, width, height, pixels.data(), layout_, layout_);
    }
    Bytes read() override {
        Bytes pixels(bytes());
        vk_rig::read(device_, image_, place_, format, aspects_, width, height, pixels.data(), layout_);
        return pixels;
    }

  private:
    vk_rig::Device &device_;
    const VkImageLayout layout_;
    const VkImageAspectFlags aspects_;
    vk_rig::Image image_;
    vk_rig::Place place_;
};

/// Rows with gaps, after a beginning that is not the surface's.
class BufferEnd : public VerbEnd<vkMPI_Surface> {
  public:
    BufferEnd(pixMPI_Format format_, int width_, int height_, VkBufferUsageFlags also)
        : VerbEnd(verbs, format_, width_, height_), device_(need_vulkan()) {
        surface = vkMPI_Buffer(device_.context(), VK_NULL_HANDLE, format, width, height);
        row_ = static_cast<std::size_t>(surface.row_bytes);
        surface.offset = before;
        surface.row_bytes += 16;
        surface.buffer_usage |= also;
        pitch_ = static_cast<std::size_t>(surface.row_bytes);
        content_.assign(before + pitch_ * static_cast<std::size_t>(height), gap);
        buffer_ = vk_rig::make_buffer(device_, content_.size(), surface.buffer_usage, false);
        surface.buffer = buffer_.name;
        surface.buffer_bytes = content_.size();
        vk_rig::write(device_, buffer_, content_.data());
    }
    ~BufferEnd() override {
        vkDeviceWaitIdle(device_.info.device);
        vk_rig::destroy(device_, buffer_);
        CHECK_SILENCE(device_);
    }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        for (int y = 0; y < height; ++y)
            std::copy_n(pixels.data() + row_ * static_cast<std::size_t>(y), row_, row(y));
        vk_rig::write(device_, buffer_, content_.data());
    }
    Bytes read() override {
        vk_rig::read(device_, buffer_, content_.data());
        Bytes pixels(bytes());
        for (int y = 0; y < height; ++y)
            std::copy_n(row(y), row_, pixels.data() + row_ * static_cast<std::size_t>(y));
        return pixels;
    }
    void check_surroundings() override {
        vk_rig::read(device_, buffer_, content_.data());
        for (std::size_t i = 0; i < before; ++i)
            CHECK_EQ(content_[i], gap);
        for (int y = 0; y < height; ++y)
            for (std::size_t x = row_; x < pitch_; ++x)
                CHECK_EQ(row(y)[x], gap);
    }

  private:
    static constexpr std::uint8_t gap = 0x5a;
    static constexpr std::size_t before = 44;
    std::uint8_t *row(int y) { return content_.data() + before + pitch_ * static_cast<std::size_t>(y); }
    vk_rig::Device &device_;
    vk_rig::Buffer buffer_;
    std::size_t row_ = 0, pitch_ = 0;
    Bytes content_;
};

template <class Kind, auto... more> std::unique_ptr<End> make(pixMPI_Format format, int width, int height) {
    return std::make_unique<Kind>(format, width, height, more...);
}
template <const Manner &manner> std::unique_ptr<End> make_image(pixMPI_Format format, int width, int height) {
    return std::make_unique<ImageEnd>(format, width, height, manner);
}

const bool added = [] {
    subject = "vk";
    add_end_kind({"vk", "image", make_image<plain>, false});
    add_end_kind({"vk", "level and layer", make_image<layered>, false});
    add_end_kind({"vk", "buffer", make<BufferEnd, VkBufferUsageFlags{0}>, false});
    const char *pack = std::getenv("PIXMPI_VK_PACK");
    if (pack && std::string_view(pack) == "shader") // else they are handled as the others are
        add_end_kind(
            {"vk", "storage buffer", make<BufferEnd, VkBufferUsageFlags{VK_BUFFER_USAGE_STORAGE_BUFFER_BIT}>, false});
    return true;
}();

std::unique_ptr<vk_rig::Device> &the_device() {
    static std::unique_ptr<vk_rig::Device> one;
    return one;
}

} // namespace

vk_rig::Device &need_vulkan() {
    std::string reason;
    if (!the_device()) {
        vk_rig::Options options = rig_options();
        options.get = vulkan_entry();
        the_device() = vk_rig::Device::make(options, reason);
        if (!the_device())
            failed(__FILE__, __LINE__, reason);
        NEED(the_device() != nullptr);
        at_end([] { the_device().reset(); });
        say_device("vk", the_device()->name(), the_device()->uuid());
    }
    return *the_device();
}

vk_rig::Options rig_options() {
    vk_rig::Options options;
    options.card = test_gpus::card_of(rank);
    return options;
}

PFN_vkGetInstanceProcAddr vulkan_entry() {
    if (test_gpus::count() == 0)
        return nullptr;
    vk_interpose::gpu = rank % test_gpus::count();
    return vk_interpose::get_instance_proc_addr;
}

void check_silence(const char *file, int line, vk_rig::Device &device) {
    if (const std::string said = device.messages.take(); !said.empty())
        failed(file, line, "the validation layers said: " + said);
}

VulkanImage::VulkanImage(vk_rig::Device &device_, pixMPI_Format format_, int width_, int height_, VkImageLayout layout_,
                         bool storage)
    : device(device_), format(format_), width(width_), height(height_), layout(layout_) {
    VkImageCreateInfo info = vk_rig::image_2d(vkMPI_Format_to_vulkan(format), width, height);
    info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (storage) {
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
        info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    }
    image = vk_rig::make_image(device, info);
    write(Bytes(static_cast<std::size_t>(width * height * pixMPI_Format_bytes(format))));
}

VulkanImage::~VulkanImage() {
    vkDeviceWaitIdle(device.info.device);
    vk_rig::destroy(device, image);
    CHECK_SILENCE(device);
}

void VulkanImage::write(const Bytes &pixels) {
    vk_rig::write(device, image, {}, format, vkMPI_Aspects_of(image.info.format), width, height, pixels.data(),
                  VK_IMAGE_LAYOUT_UNDEFINED, layout);
}

Bytes VulkanImage::read(VkImageLayout now) {
    Bytes pixels(static_cast<std::size_t>(width * height * pixMPI_Format_bytes(format)));
    vk_rig::read(device, image, {}, format, vkMPI_Aspects_of(image.info.format), width, height, pixels.data(), now);
    return pixels;
}

Bytes VulkanImage::fill(std::uint64_t seed) {
    Bytes pixels = pattern(static_cast<std::size_t>(width * height * pixMPI_Format_bytes(format)), seed);
    write(pixels);
    return pixels;
}

void VulkanImage::record_clear(VkCommandBuffer commands, std::uint32_t rgba8) const {
    const VkImageSubresourceRange range = vk_rig::range_of(image, {});
    VkClearColorValue color{};
    for (int i = 0; i < 4; ++i)
        color.float32[i] = static_cast<float>(rgba8 >> 8 * i & 255) / 255;
    vk_rig::change_layout(commands, image.name, range, layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image.name, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
    vk_rig::change_layout(commands, image.name, range, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
}

} // namespace api

// The last case of a run: nothing is left when the device goes, and no layer has said anything.
RANK_CASE(vk_last, device_goes, 1) {
    if (api::the_device()) {
        const std::string said = api::the_device()->close();
        if (!said.empty())
            api::failed(__FILE__, __LINE__, "closing the device: " + said);
        api::the_device().reset();
    }
}
