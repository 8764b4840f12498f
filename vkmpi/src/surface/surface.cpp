#include "surface/surface.h"

#include "context/vk_formats.h"

#include <algorithm>
#include <utility>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr VkPipelineStageFlags all_stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkAccessFlags reads_and_writes = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

Status read_list(const char *names, const char *values_name, std::uint32_t count, const VkSemaphore *semaphores,
                 const std::uint64_t *values, Semaphores &list) {
    list.clear();
    if (count && !semaphores)
        return fail(PIXMPI_ERR_ARGUMENT, "sync.%s: null, expected %u semaphores", names, count);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!semaphores[i])
            return fail(PIXMPI_ERR_ARGUMENT, "sync.%s[%u]: null, expected a semaphore%s", names, i, values_name);
        list.add(semaphores[i], values ? values[i] : 0);
    }
    return PIXMPI_SUCCESS;
}

} // namespace

Status Sync::read(const vkMPI_Sync *given, Sync &sync) {
    sync.clear();
    if (!given)
        return PIXMPI_SUCCESS;
    if (const Status status = read_list("waits", "", given->wait_count, given->waits, given->wait_values, sync.waits))
        return status;
    return read_list("signals", "", given->signal_count, given->signals, given->signal_values, sync.signals);
}

VulkanSurface::VulkanSurface(std::shared_ptr<VulkanDevice> device_, const vkMPI_Surface &named_, pixMPI_Format format_,
                             Extent extent_)
    : Surface(std::move(device_), extent_, format_), named(named_), full(extent_) {
    promises_ = this;
    state_.layouts = before();
}

Status VulkanSurface::make(std::shared_ptr<VulkanDevice> device, pixMPI_Format format, Extent extent,
                           std::shared_ptr<Surface> &surface) {
    const std::int64_t row = std::int64_t{extent.width} * format_info(format).bytes;
    std::unique_ptr<Buffer> own;
    // Whole words, for shaders.
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(4, (row * extent.height + 3) / 4 * 4));
    if (const Status status = device->acquire_buffer(Place::device, bytes, own))
        return status;
    vkMPI_Surface named{};
    named.kind = VKMPI_BUFFER;
    named.buffer = own->name();
    named.buffer_bytes = own->bytes();
    named.buffer_usage = Buffer::usage;
    named.pixels = format;
    named.width = extent.width;
    named.height = extent.height;
    named.row_bytes = row;
    named.family = named.family_after = VK_QUEUE_FAMILY_IGNORED;
    auto made = std::make_shared<VulkanSurface>(std::move(device), named, format, extent);
    made->own_ = std::move(own);
    made->is_scratch = true;
    surface = std::move(made);
    return PIXMPI_SUCCESS;
}

int VulkanSurface::depth_stencil_mode() const {
    if (!is_image())
        return -1;
    switch (format) {
    case PIXMPI_DEPTH24:
        return 0;
    case PIXMPI_DEPTH24_STENCIL8:
        return 1;
    case PIXMPI_DEPTH32F_STENCIL8:
        return 2;
    default:
        return -1;
    }
}

int VulkanSurface::aspect_bytes(VkImageAspectFlagBits aspect) const {
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        return 1;
    return depth_stencil_mode() >= 0 ? 4 : pixel_bytes;
}

VkBufferImageCopy VulkanSurface::image_copy(const pixMPI_Rect &rect, VkDeviceSize offset,
                                            VkImageAspectFlags aspect) const {
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset;
    copy.imageSubresource = {aspect, named.level, named.layer, 1};
    copy.imageOffset = {rect.x, rect.y, static_cast<std::int32_t>(named.slice)};
    copy.imageExtent = {static_cast<std::uint32_t>(rect.width), static_cast<std::uint32_t>(rect.height), 1};
    return copy;
}

Span VulkanSurface::span() const {
    const auto rows = static_cast<VkDeviceSize>(extent.height), row = static_cast<VkDeviceSize>(named.row_bytes);
    const VkDeviceSize last = static_cast<VkDeviceSize>(extent.width) * static_cast<VkDeviceSize>(pixel_bytes);
    return {named.buffer, named.offset, rows ? (rows - 1) * row + last : 0};
}

bool VulkanSurface::shaders_may() const {
    const Span all = span();
    const VkDeviceSize end = all.offset + all.bytes;
    return (named.buffer_usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) &&
           (end % 4 == 0 || (named.buffer_bytes && (end + 3) / 4 * 4 <= named.buffer_bytes));
}

VulkanSurface::~VulkanSurface() {
    if (own_)
        vulkan().give_back(Place::device, std::move(own_));
}

// Storing, and loading from what can be stored to, needs one of the formats that every device with compute has: for
// images of optimal tiling.
Access VulkanSurface::access(Direction direction) const {
    if (!is_image() || named.type != VK_IMAGE_TYPE_2D)
        return Access::none;
    if (named.format == VK_FORMAT_D32_SFLOAT) // others are not stored as they travel
        return direction == Direction::pack && (named.usage & VK_IMAGE_USAGE_SAMPLED_BIT) ? Access::depths
                                                                                          : Access::none;
    if (named.aspect != VK_IMAGE_ASPECT_COLOR_BIT)
        return Access::none;
    const VkFormat plain = Shaders::integer_view(pixel_bytes);
    const bool viewed = named.format == plain || ((named.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) &&
                                                  !named.no_integer_views && named.tiling == VK_IMAGE_TILING_OPTIMAL);
    if (plain == VK_FORMAT_UNDEFINED || !viewed)
        return Access::none;
    if (pixel_bytes >= 4 && (named.usage & VK_IMAGE_USAGE_STORAGE_BIT))
        return Access::storage;
    return direction == Direction::pack && (named.usage & VK_IMAGE_USAGE_SAMPLED_BIT) ? Access::fetch : Access::none;
}

Status VulkanSurface::integer_view(Access access, VkImageView &view) {
    const bool stores = access == Access::storage;
    std::shared_ptr<const ImageView> &known = (*views_)[stores];
    if (!known)
        if (const Status status = vulkan().views.get(
                named, access == Access::depths ? named.format : Shaders::integer_view(pixel_bytes),
                stores ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT, known))
            return status;
    view = known->name();
    return PIXMPI_SUCCESS;
}

// Several messages at once leave the layout alone.
std::shared_ptr<Surface> VulkanSurface::again() const {
    vkMPI_Surface inner = named;
    if (is_image())
        inner.layout = inner.layout_after = inner.stencil_layout = inner.stencil_layout_after = VK_IMAGE_LAYOUT_GENERAL;
    inner.family = inner.family_after = VK_QUEUE_FAMILY_IGNORED;
    auto made = std::make_shared<VulkanSurface>(std::static_pointer_cast<VulkanDevice>(device), inner, format, full);
    made->watch = watch;
    made->views_ = views_;
    made->is_scratch = is_scratch;
    if (base)
        made->base = std::static_pointer_cast<VulkanSurface>(base->again());
    return made;
}

void VulkanSurface::make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const {
    const auto ours = std::static_pointer_cast<VulkanDevice>(device);
    vkMPI_Surface first = named, last = named;
    if (is_image())
        first.layout_after = first.stencil_layout_after = last.layout = last.stencil_layout = VK_IMAGE_LAYOUT_GENERAL;
    first.family_after = last.family = VK_QUEUE_FAMILY_IGNORED;
    opening = std::make_shared<VulkanSurface>(ours, first, format, full);
    closing = std::make_shared<VulkanSurface>(ours, last, format, full);
}

void VulkanSurface::hand_over(Surface &opening, Surface &closing) {
    Sync waits, signals;
    waits.waits = claim_waits();
    signals.signals = claim_signals();
    static_cast<VulkanSurface &>(opening).expect(std::move(waits), 1);
    static_cast<VulkanSurface &>(closing).expect(std::move(signals), 1);
}

VkImageLayout VulkanSurface::of_moved(const Layouts &layouts) const {
    return has_separate_stencil(named) && named.aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? layouts.stencil : layouts.all;
}

bool VulkanSurface::changes_layout() const {
    const bool stencils = has_separate_stencil(named) && (named.aspect & VK_IMAGE_ASPECT_STENCIL_BIT);
    return of_moved(before()) != of_moved(after()) || (stencils && named.stencil_layout != named.stencil_layout_after);
}

bool VulkanSurface::has_promises() const {
    const auto changes = [&](std::uint32_t family) {
        return family != VK_QUEUE_FAMILY_IGNORED && family != vulkan().info.queue_family;
    };
    return changes_layout() || changes(named.family) || changes(named.family_after) || !state_.sync.waits.empty() ||
           !state_.sync.signals.empty();
}

void VulkanSurface::expect(Sync sync, int uses) { state_ = {std::move(sync), uses, uses, false, 0, before()}; }

void VulkanSurface::start() {
    if (state_.starts == 0)
        expect({}, 1);
    --state_.starts;
    if (base)
        base->start();
}

Semaphores VulkanSurface::claim_waits() { return std::exchange(state_.sync.waits, {}); }
Semaphores VulkanSurface::claim_signals() { return std::exchange(state_.sync.signals, {}); }

// Together with the batch's dependencies that have not been recorded. Vulkan wants the host's apart from changes of
// owner.
void VulkanSurface::barrier(Batch &batch, VkPipelineStageFlags from_stage, VkAccessFlags from_access,
                            VkPipelineStageFlags to_stage, VkAccessFlags to_access, const Layouts &from,
                            const Layouts &to, std::uint32_t from_family, std::uint32_t to_family) const {
    const Vk &vk = vulkan().vk;
    const VkCommandBuffer commands = batch.commands;
    const VkPipelineStageFlags all_of_them = from_stage | to_stage | batch.first.from | batch.first.to;
    if ((all_of_them & VK_PIPELINE_STAGE_HOST_BIT) && (from_family != to_family || batch.first.buffer))
        vulkan().batches.flush(batch);
    const Dependencies first = std::exchange(batch.first, {});
    VkBufferMemoryBarrier buffers[2];
    std::uint32_t buffer_count = 0;
    if (first.buffer)
        buffers[buffer_count++] = *first.buffer;
    from_stage |= first.from;
    to_stage |= first.to;
    const std::uint32_t memory_count = first.memory ? 1 : 0;
    const VkMemoryBarrier *const memory = first.memory ? &*first.memory : nullptr;
    const bool transfer = from_family != to_family;
    const std::uint32_t source = transfer ? from_family : VK_QUEUE_FAMILY_IGNORED;
    const std::uint32_t target = transfer ? to_family : VK_QUEUE_FAMILY_IGNORED;
    if (is_image()) {
        VkImageMemoryBarrier barriers[2];
        std::uint32_t count = 0;
        const auto add = [&](VkImageAspectFlags aspects, VkImageLayout before, VkImageLayout after) {
            VkImageMemoryBarrier &one = barriers[count++] = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
            one.srcAccessMask = from_access;
            one.dstAccessMask = to_access;
            one.oldLayout = before;
            one.newLayout = after;
            one.srcQueueFamilyIndex = source;
            one.dstQueueFamilyIndex = target;
            one.image = named.image;
            one.subresourceRange = {aspects, named.level, 1, named.layer, 1};
        };
        if (!has_separate_stencil(named)) {
            add(vkMPI_Aspects_of(named.format), from.all, to.all);
        } else {
            if (named.aspect & VK_IMAGE_ASPECT_DEPTH_BIT)
                add(VK_IMAGE_ASPECT_DEPTH_BIT, from.all, to.all);
            if (named.aspect & VK_IMAGE_ASPECT_STENCIL_BIT)
                add(VK_IMAGE_ASPECT_STENCIL_BIT, from.stencil, to.stencil);
        }
        vk.CmdPipelineBarrier(commands, from_stage, to_stage, 0, memory_count, memory, buffer_count, buffers, count,
                              barriers);
    } else {
        const Span all = span();
        if (all.bytes == 0 && !first.any())
            return;
        VkBufferMemoryBarrier &one = buffers[buffer_count] = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
        one.srcAccessMask = from_access;
        one.dstAccessMask = to_access;
        one.srcQueueFamilyIndex = source;
        one.dstQueueFamilyIndex = target;
        one.buffer = all.buffer;
        one.offset = all.offset;
        one.size = all.bytes;
        buffer_count += all.bytes != 0;
        vk.CmdPipelineBarrier(commands, from_stage, to_stage, 0, memory_count, memory, buffer_count, buffers, 0,
                              nullptr);
    }
}

void VulkanSurface::enter(Batch &batch, VkAccessFlags access, bool exclusive) {
    const std::uint32_t ours = vulkan().info.queue_family;
    const bool shaders = access & (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
    if (shaders)
        stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkImageLayout wanted = VK_IMAGE_LAYOUT_GENERAL;
    if (of_moved(before()) != VK_IMAGE_LAYOUT_GENERAL && !shaders)
        wanted = access & VK_ACCESS_TRANSFER_WRITE_BIT ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
                                                       : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    if (!is_image())
        wanted = state_.layouts.all;
    const bool first = !state_.entered;
    if (first)
        acquire(batch);
    if (first || state_.layouts.all != wanted || state_.last_access != access || exclusive)
        barrier(batch, all_stages, reads_and_writes, stages, access, state_.layouts, {wanted, wanted}, ours, ours);
    vulkan().batches.flush(batch);
    state_.last_access = access;
    state_.written = state_.written || (access & (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT));
    state_.layouts = {wanted, wanted};
}

void VulkanSurface::acquire(Batch &batch) {
    const std::uint32_t ours = vulkan().info.queue_family;
    state_.entered = true;
    if (named.family != VK_QUEUE_FAMILY_IGNORED && named.family != ours)
        barrier(batch, all_stages, 0, all_stages, reads_and_writes, state_.layouts, state_.layouts, named.family, ours);
}

// Its layout and its owner stay, and the CPU cannot look at it: whoever uses it next does so on a queue, when the batch
// is over.
bool VulkanSurface::needs_only_showing() const {
    constexpr VkImageUsageFlags by_host = 0x00400000; // VK_IMAGE_USAGE_HOST_TRANSFER_BIT: the CPU copies such images
    return !(named.usage & by_host) && state_.entered && is_image() && !has_promises() &&
           named.aspect == VK_IMAGE_ASPECT_COLOR_BIT && named.tiling == VK_IMAGE_TILING_OPTIMAL &&
           state_.layouts.all == after().all;
}

void VulkanSurface::leave(Batch &batch) {
    if (needs_only_showing()) {
        batch.shows |= state_.written; // what was only read has nothing to show
        return;
    }
    const std::uint32_t ours = vulkan().info.queue_family;
    if (!state_.entered) // nothing was copied; the program expects layout and owner all the same
        acquire(batch);
    // The CPU may look at mapped memory next.
    barrier(batch, all_stages, reads_and_writes, all_stages | VK_PIPELINE_STAGE_HOST_BIT, reads_and_writes,
            state_.layouts, after(), ours, ours);
    state_.layouts = after();
    if (named.family_after != VK_QUEUE_FAMILY_IGNORED && named.family_after != ours)
        barrier(batch, all_stages, reads_and_writes, all_stages, 0, state_.layouts, state_.layouts, ours,
                named.family_after);
}

} // namespace vkmpi
