// An image or a buffer of Vulkan. Reading and writing it by hand is in naive_vk.cpp.
#pragma once

#include "object/object.h"
#include "pixels/pixels_fill_vk.h"

#include <optional>
#include <string>
#include <vk.h>

class VkObject final : public Object {
  public:
    VkObject(const demo::Gpu &gpu, const Shape2D &shape);
    ~VkObject() override;
    /// What is wrong, or nothing; throws demo::Error.
    std::string make(bool buffer);

    void read(pixMPI_Rect rect, void *memory) override { read_all({&rect, 1}, static_cast<std::byte *>(memory)); }
    void write(pixMPI_Rect rect, const void *memory) override {
        write_all({&rect, 1}, static_cast<const std::byte *>(memory));
    }
    void read_all(std::span<const pixMPI_Rect> rects, std::byte *memory) override;
    void write_all(std::span<const pixMPI_Rect> rects, const std::byte *memory) override;
    std::byte *staging() override { return static_cast<std::byte *>(staging_->data()); }
    bool make_own_memory(std::size_t size) override;
    void read_to_own(pixMPI_Rect rect, std::size_t at) override { to_or_from_own(Way::out, rect, at); }
    void write_from_own(pixMPI_Rect rect, std::size_t at) override { to_or_from_own(Way::in, rect, at); }
    void finish() override;
    /// Completed receives of vkMPI have been carried out; by hand a fence has been waited for. (To ask an idle queue of
    /// NVIDIA's whether it is idle takes 33 us.)
    void await_received() override {
        if (open_)
            finish();
    }
    void touch(int frame) override;
    End end() override;
    std::unique_ptr<Fill> make_fill(int steps, std::string &problem) override {
        return make_vk_fill(*this, gpu_, surface_, buffer_ ? &*buffer_ : nullptr, steps, problem);
    }
    const vkMPI_Surface &surface() const { return surface_; }
    /// One copy command between all rectangles and memory where they lie one after another.
    void record_read(VkCommandBuffer commands, std::span<const pixMPI_Rect> rects, VkBuffer memory) {
        copy(commands, Way::out, rects, memory, 0);
    }
    void record_write(VkCommandBuffer commands, std::span<const pixMPI_Rect> rects, VkBuffer memory) {
        copy(commands, Way::in, rects, memory, 0);
    }

  private:
    enum class Way { out, in };
    /// Commands that can be submitted again while the same is wanted.
    struct Recording {
        VkCommandBuffer commands = {};
        std::vector<pixMPI_Rect> rects;
        std::size_t at = 0;
    };
    std::string make_image();
    void make_commands();
    void copy(VkCommandBuffer commands, Way way, std::span<const pixMPI_Rect> rects, VkBuffer memory, std::size_t at);
    void record(Recording &recording, Way way, std::span<const pixMPI_Rect> rects, std::size_t at);
    void submit_and_wait(VkCommandBuffer commands) const;
    std::size_t brush_bytes() const;
    bool is_staging(const std::byte *memory) const;
    void to_or_from_own(Way way, pixMPI_Rect rect, std::size_t at);

    const demo::Gpu &gpu_;
    vkMPI_Surface surface_{};
    VkImage image_ = {};
    VkDeviceMemory image_memory_ = {};
    std::optional<demo::Buffer> buffer_;  ///< if it is no image
    std::optional<demo::Buffer> staging_; ///< host memory, as large as the object
    Recording reading_, writing_;
    VkFence done_ = {};
    std::vector<VkBufferImageCopy> image_copies_;
    std::vector<VkBufferCopy> buffer_copies_;

    std::optional<demo::Buffer> own_, brush_;
    std::optional<demo::Commands> own_commands_, touching_;
    VkCommandBuffer open_ = {}; ///< of own_commands_, while they are recorded
};
