#include "endpoint/vk_endpoint.h"

#include "api/endpoints.h"
#include "device/vk_contexts.h"
#include "surface/surface.h"

#include <cstring>
#include <unistd.h>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr double patience = 10; // with a dispatch that does not end

/// Bytes of the device's memory, which the message queue moves.
class NearWindow final : public Window {
  public:
    NearWindow(const vkMPI_Surface &named, std::uint64_t size, std::shared_ptr<Buffer> buffer)
        : named_(named), buffer_(std::move(buffer)) {
        bytes = size;
        named_.pixels = PIXMPI_R8;
    }
    Status surface(Direction direction, std::uint64_t offset, std::uint64_t count,
                   std::shared_ptr<Surface> &surface) override {
        vkMPI_Surface part = named_;
        part.offset += offset;
        part.width = static_cast<int>(count);
        part.height = 1;
        part.row_bytes = static_cast<std::int64_t>(count);
        return resolve(part, direction, surface);
    }
    Span part(std::uint64_t offset, std::uint64_t count) const {
        return {named_.buffer, named_.offset + offset, count};
    }

  private:
    vkMPI_Surface named_;
    const std::shared_ptr<Buffer> buffer_;
};

} // namespace

VulkanEndpoint::~VulkanEndpoint() {
    device->retire([&d = *device, pool = pool_, shape = layout] {
        d.vk.DestroyDescriptorPool(d.info.device, pool, nullptr);
        d.vk.DestroyDescriptorSetLayout(d.info.device, shape, nullptr);
    });
}

Status VulkanEndpoint::make_set() {
    constexpr std::uint32_t count = 3;
    const Vk &vk = device->vk;
    const VkDevice name = device->info.device;
    VkDescriptorSetLayoutBinding bindings[count];
    for (std::uint32_t i = 0; i < count; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo shape{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    shape.bindingCount = count;
    shape.pBindings = bindings;
    if (const Status status =
            device->check(vk.CreateDescriptorSetLayout(name, &shape, nullptr, &layout), "vkCreateDescriptorSetLayout"))
        return status;
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    if (const Status status =
            device->check(vk.CreateDescriptorPool(name, &pool, nullptr, &pool_), "vkCreateDescriptorPool"))
        return status;
    VkDescriptorSetAllocateInfo wanted{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    wanted.descriptorPool = pool_;
    wanted.descriptorSetCount = 1;
    wanted.pSetLayouts = &layout;
    if (const Status status = device->check(vk.AllocateDescriptorSets(name, &wanted, &set), "vkAllocateDescriptorSets"))
        return status;
    const Buffer *const buffers[count] = {in_.get(), out_.get(), kept_.get()};
    VkDescriptorBufferInfo parts[count];
    VkWriteDescriptorSet writes[count];
    for (std::uint32_t i = 0; i < count; ++i) {
        parts[i] = {buffers[i]->name(), 0, VK_WHOLE_SIZE};
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &parts[i];
    }
    vk.UpdateDescriptorSets(name, count, writes, 0, nullptr);
    return PIXMPI_SUCCESS;
}

Status VulkanEndpoint::open(std::size_t in_words, std::size_t out_words, std::size_t kept_words) {
    const struct {
        const char *name;
        std::size_t words;
        Place place;
        std::unique_ptr<Buffer> &buffer;
    } blocks[] = {{"results (calls, data_words)", in_words, Place::near, in_},
                  {"rings (ring_entries, data_words)", out_words, Place::host, out_},
                  {"states (state_words)", kept_words, Place::device, kept_}};
    const std::size_t most = device->properties.limits.maxStorageBufferRange;
    for (const auto &block : blocks) {
        if (block.words * sizeof(std::uint32_t) > most)
            return fail(PIXMPI_ERR_ARGUMENT, "info: %s of %u bytes at most fit into a storage buffer, not %zu",
                        block.name, static_cast<unsigned>(most), block.words * sizeof(std::uint32_t));
        if (const Status status =
                Buffer::make_scratch(*device, block.words * sizeof(std::uint32_t), block.buffer, block.place))
            return status;
    }
    const auto words_of = [](const Buffer &buffer, std::size_t words) {
        return std::span(reinterpret_cast<std::uint32_t *>(buffer.mapped()), words);
    };
    in = words_of(*in_, in_words);
    out = words_of(*out_, out_words);
    return make_set();
}

Status VulkanEndpoint::copy(const Window &from, std::uint64_t offset, const Window &to, std::uint64_t to_offset,
                            std::uint64_t bytes, Ticket &ticket, bool &accepted) {
    const auto *const source = dynamic_cast<const NearWindow *>(&from);
    const auto *const target = dynamic_cast<const NearWindow *>(&to);
    accepted = copies_ && source && target;
    return accepted ? copies_->add(source->part(offset, bytes), target->part(to_offset, bytes), ticket)
                    : PIXMPI_SUCCESS;
}

VulkanKernel::VulkanKernel(std::shared_ptr<VulkanEndpoint> endpoint, const vkMPI_Kernel &kernel)
    : endpoint_(std::move(endpoint)), device_(endpoint_->device), pipeline_(kernel.pipeline),
      layout_(kernel.layout), sets_{endpoint_->set} {
    sets_.insert(sets_.end(), kernel.sets, kernel.sets + kernel.set_count);
    const auto *const bytes = static_cast<const std::byte *>(kernel.push);
    push_.assign(bytes, bytes + kernel.push_bytes);
}

VulkanKernel::~VulkanKernel() {
    if (!batch_)
        return;
    vulkan().batches.wait(batch_->number, patience);
    vulkan().batches.release(*batch_);
}

void VulkanKernel::record(VkCommandBuffer commands, std::uint32_t groups) const {
    const Vk &vk = vulkan().vk;
    constexpr VkPipelineStageFlags works = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT;
    all.dstAccessMask =
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    vk.CmdPipelineBarrier(commands, works, works, 0, 1, &all, 0, nullptr, 0, nullptr);
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                             static_cast<std::uint32_t>(sets_.size()), sets_.data(), 0, nullptr);
    if (!push_.empty())
        vk.CmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(push_.size()),
                            push_.data());
    vk.CmdDispatch(commands, groups, 1, 1);
    vk.CmdPipelineBarrier(commands, works, works, 0, 1, &all, 0, nullptr, 0, nullptr);
}

Status VulkanKernel::dispatch(std::uint32_t groups) {
    Batch *batch = nullptr;
    if (const Status status = vulkan().batches.acquire(batch))
        return status;
    record(batch->commands, groups);
    Semaphores waits, signals; // none
    if (const Status status = vulkan().batches.submit(*batch, waits, signals)) {
        vulkan().batches.release(*batch);
        return status;
    }
    batch_ = batch;
    return PIXMPI_SUCCESS;
}

Status VulkanKernel::poll(bool &over) {
    over = !batch_;
    if (over)
        return PIXMPI_SUCCESS;
    std::uint64_t reached = 0;
    if (const Status status = vulkan().batches.progress(reached))
        return status;
    over = batch_->number <= reached;
    if (over)
        vulkan().batches.release(*std::exchange(batch_, nullptr));
    return PIXMPI_SUCCESS;
}

Status make_window(vkMPI_Context context, const vkMPI_Surface &named, std::unique_ptr<Window> &window) {
    if (named.context != context)
        return fail(PIXMPI_ERR_CONTEXT, "its context is another one, expected the endpoint's");
    std::shared_ptr<Surface> all;
    for (const Direction direction : {Direction::pack, Direction::unpack})
        if (const Status status = resolve(named, direction, all))
            return status;
    std::shared_ptr<VulkanDevice> device;
    if (const Status status = find_context(context, "context", device))
        return status;
    const auto own = device->windows().find(named.buffer);
    if (named.kind != VKMPI_BUFFER || own == device->windows().end()) {
        const auto find = [](const vkMPI_Surface &part, Direction direction, std::shared_ptr<Surface> &surface) {
            return resolve(part, direction, surface);
        };
        window = std::make_unique<SurfaceWindow<vkMPI_Surface, decltype(find)>>(named, *all, named.kind == VKMPI_BUFFER,
                                                                                find);
        return PIXMPI_SUCCESS;
    }
    if (own->second->near()) {
        vkMPI_Surface moved = named;
        moved.context = device->messages;
        window = std::make_unique<NearWindow>(moved, bytes_of(*all), own->second);
        window->card = own->second->card();
        window->card_offset = named.offset;
        return PIXMPI_SUCCESS;
    }
    struct Owner {
        std::shared_ptr<VulkanDevice> device; // goes after its buffer
        std::shared_ptr<Buffer> buffer;
    };
    const auto owner = std::make_shared<const Owner>(Owner{device, own->second});
    window = pixmpi::endpoint_core().memory_window(own->second->mapped() + named.offset, bytes_of(*all), owner);
    return PIXMPI_SUCCESS;
}

bool Buffer::make_card_window(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    std::shared_ptr<pixmpi::CardMemory> card =
        device.software ? nullptr : pixmpi::endpoint_core().card_memory(device.gpu(), bytes);
    const int descriptor = card ? card->descriptor() : -1;
    if (descriptor < 0)
        return false;
    std::unique_ptr<Buffer> made(new Buffer(device, card->bytes));
    made->shared_ = made->near_ = true;
    const Status status = made->import(descriptor);
    close(descriptor);
    if (status) {
        core().log(PIXMPI_LOG_INFO, "vkmpi: a window of CUDA's memory is not imported; other GPUs do not reach it");
        return false;
    }
    made->card_ = std::move(card);
    buffer = std::move(made);
    return true;
}

Status Buffer::make_window(VulkanDevice &device, std::size_t bytes, bool seen, std::unique_ptr<Buffer> &buffer) {
    if (!seen && device.message_device && make_card_window(device, bytes, buffer))
        return PIXMPI_SUCCESS;
    for (const Place place : {Place::near, Place::host}) {
        if (place == Place::near && !device.message_device)
            continue;
        std::unique_ptr<Buffer> made(new Buffer(device, whole_groups(bytes)));
        made->shared_ = made->near_ = place == Place::near;
        const Status status = make(std::move(made), place, buffer);
        if (!status || place == Place::host)
            return status;
        core().log(PIXMPI_LOG_INFO, "vkmpi: a window does not fit into the device's memory that the CPU sees; it is "
                                    "the host's");
    }
    return PIXMPI_ERR_MEMORY;
}

} // namespace vkmpi
