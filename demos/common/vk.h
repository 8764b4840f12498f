// The little Vulkan 1.2 that the demos need: images and buffers, compute shaders that fill them, and commands. Device
// and queue are those of a context of vkMPI, so that its messages see what was submitted before them, and what is
// submitted afterwards sees them.
#pragma once

#include "picture.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <vector>
#include <vkmpi.h>

namespace demo {

/// Throws when Vulkan reports an error; `what` says after what.
void check_vk(VkResult result, const char *what);

/// What a context is made of, and a command pool.
class Gpu {
  public:
    explicit Gpu(vkMPI_Context context);
    ~Gpu();
    Gpu(const Gpu &) = delete;
    Gpu &operator=(const Gpu &) = delete;

    /// Records commands, submits them and waits for their end.
    void run(const std::function<void(VkCommandBuffer)> &record) const;
    /// Waits for all that has been submitted.
    void finish() const { vkQueueWaitIdle(queue); }
    /// Memory for an image or a buffer; `host`: that can be mapped.
    VkDeviceMemory allocate(const VkMemoryRequirements &needs, bool host) const;

    const vkMPI_Context context;
    VkPhysicalDevice physical_device = {};
    VkDevice device = {};
    VkQueue queue = {};
    VkCommandPool pool = {};
    double tick = 0; ///< seconds from one time stamp to the next; 0: there are none
};

/// A value of a timeline semaphore; or a binary semaphore, and then the value means nothing.
struct SemaphorePoint {
    VkSemaphore semaphore;
    std::uint64_t value = 0;
};

/// What is waited for and what is signalled, for messages and for commands.
class Sync {
  public:
    Sync(std::initializer_list<SemaphorePoint> waits, std::initializer_list<SemaphorePoint> signals);
    /// What that says; null: nothing.
    explicit Sync(const vkMPI_Sync *other);
    Sync(const Sync &) = delete;
    Sync &operator=(const Sync &) = delete;

    Sync &wait_for(SemaphorePoint point);
    Sync &signal(SemaphorePoint point);
    operator const vkMPI_Sync *() const { return &sync_; }

  private:
    struct Points {
        std::vector<VkSemaphore> semaphores;
        std::vector<std::uint64_t> values;
        void add(SemaphorePoint point);
    };
    Points waits_, signals_;
    vkMPI_Sync sync_ = {};
};

/// A semaphore with values to wait for; it is at 0.
class Timeline {
  public:
    explicit Timeline(const Gpu &gpu);
    ~Timeline();
    Timeline(const Timeline &) = delete;
    Timeline &operator=(const Timeline &) = delete;
    SemaphorePoint at(std::uint64_t value) const { return {semaphore_, value}; }

  private:
    const Gpu &gpu_;
    VkSemaphore semaphore_ = {};
};

/// Commands that are recorded and submitted again and again. They see what was written by all that were submitted
/// before.
class Commands {
  public:
    /// `timed`: seconds() is wanted, which costs the GPU some time itself.
    explicit Commands(const Gpu &gpu, bool timed = true);
    ~Commands();
    Commands(const Commands &) = delete;
    Commands &operator=(const Commands &) = delete;

    /// Starts a new recording, after the last one has been carried out.
    VkCommandBuffer begin();
    void submit(const vkMPI_Sync *sync = nullptr);
    void wait() const;
    bool over() const;
    /// How long the GPU took for them, once they have been carried out.
    double seconds() const;

  private:
    const Gpu &gpu_;
    VkCommandBuffer buffer_ = {};
    VkFence done_ = {};
    VkQueryPool times_ = {};
};

/// All that the commands before it have written is there for those after it.
void barrier(VkCommandBuffer commands);

/// A 2D image in the layout GENERAL, all zero.
class Image {
  public:
    Image(const Gpu &gpu, int width, int height, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM);
    ~Image();
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;

    VkImage image() const { return image_; }
    VkImageView view() const { return view_; }
    int width() const { return static_cast<int>(info_.extent.width); }
    int height() const { return static_cast<int>(info_.extent.height); }
    /// For messages.
    vkMPI_Surface surface() const { return vkMPI_Image(gpu_.context, image_, &info_, VK_IMAGE_LAYOUT_GENERAL); }
    /// What it holds; of a R8G8B8A8 image. Its first row is the highest of the picture.
    Picture picture() const;

  private:
    const Gpu &gpu_;
    VkImageCreateInfo info_ = {};
    VkImage image_ = {};
    VkImageView view_ = {};
    VkDeviceMemory memory_ = {};
};

class Buffer {
  public:
    Buffer(const Gpu &gpu, std::size_t bytes, bool host = false);
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    VkBuffer buffer() const { return buffer_; }
    std::size_t bytes() const { return bytes_; }
    /// Pixels at its beginning, for messages.
    vkMPI_Surface surface(pixMPI_Format format, int width, int height) const;
    /// Its memory, if it is the host's.
    void *data() const { return data_; }
    /// All of it, from and to memory of the host.
    void write(const void *from) const;
    void read(void *to) const;

  private:
    const Gpu &gpu_;
    std::size_t bytes_;
    VkBuffer buffer_ = {};
    VkDeviceMemory memory_ = {};
    void *data_ = nullptr;
};

/// A compute shader's pipeline, and the descriptor sets that it is bound to.
class ComputePipeline {
  public:
    /// `types`: of the bindings of its last set, of which `most_sets` can be made. `before`: the set before that, if any.
    ComputePipeline(const Gpu &gpu, const std::uint32_t *code, std::size_t bytes,
                    const std::vector<VkDescriptorType> &types, std::uint32_t push_bytes, std::uint32_t most_sets,
                    VkDescriptorSetLayout before = {});
    ~ComputePipeline();
    ComputePipeline(const ComputePipeline &) = delete;
    ComputePipeline &operator=(const ComputePipeline &) = delete;

    VkDescriptorSet make_set() const;
    void bind(VkDescriptorSet set, std::uint32_t binding, VkImageView image) const;
    void bind(VkDescriptorSet set, std::uint32_t binding, VkBuffer buffer) const;

    const std::uint32_t push_bytes;
    VkPipelineLayout layout = {};
    VkPipeline pipeline = {};

  private:
    void write(VkWriteDescriptorSet what) const;
    const Gpu &gpu_;
    const std::vector<VkDescriptorType> types_;
    VkDescriptorSetLayout bindings_ = {};
    VkDescriptorPool pool_ = {};
};

/// A compute shader. Its bindings are images first and buffers after them, its work groups of 8 x 8 invocations.
class Kernel {
  public:
    struct Needs {
        std::uint32_t images = 0, buffers = 0, push_bytes = 0;
    };
    template <std::size_t n>
    Kernel(const Gpu &gpu, const std::uint32_t (&code)[n], Needs needs) : Kernel(gpu, code, sizeof code, needs) {}
    Kernel(const Gpu &gpu, const std::uint32_t *code, std::size_t bytes, Needs needs);

    /// What its bindings are. May be made a few times; stays as long as the kernel.
    VkDescriptorSet bind(std::initializer_list<const Image *> images,
                         std::initializer_list<const Buffer *> buffers = {});
    /// The same of images that are not this file's, in the layout GENERAL.
    VkDescriptorSet bind_views(const std::vector<VkImageView> &images,
                               std::initializer_list<const Buffer *> buffers = {});
    /// Runs it `width` x `height` times, or a little more often, to fill its groups.
    template <class Push>
    void run(VkCommandBuffer commands, VkDescriptorSet bound, const Push &push, int width, int height) const {
        dispatch(commands, bound, &push, width, height);
    }

  private:
    void dispatch(VkCommandBuffer commands, VkDescriptorSet bound, const void *push, int width, int height) const;
    const Gpu &gpu_;
    const Needs needs_;
    const ComputePipeline pipeline_;
};

} // namespace demo
