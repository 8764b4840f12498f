#include "transfer.h"

#include <cstring>
#include <numeric>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr VkAccessFlags shader_reads_and_writes = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags copies_read_and_write = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

constexpr std::size_t few = 32; // with fewer pieces, copy commands are about as fast as shaders
constexpr VkPipelineStageFlags copies_only = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags with_shaders = copies_only | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

// Between the steps of one band: copies and shaders.
void order(const Vk &vk, VkCommandBuffer commands, bool shaders) {
    VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    one.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    one.dstAccessMask = copies_read_and_write;
    if (shaders) {
        one.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
        one.dstAccessMask |= shader_reads_and_writes;
    }
    const VkPipelineStageFlags stages = shaders ? with_shaders : copies_only;
    vk.CmdPipelineBarrier(commands, stages, stages, 0, 1, &one, 0, nullptr, 0, nullptr);
}

// At the end of a band that was packed, for the CPU and for others that read host memory.
void order_for_host(const Vk &vk, VkCommandBuffer commands, bool shaders) {
    VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    one.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (shaders)
        one.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
    one.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vk.CmdPipelineBarrier(commands, shaders ? with_shaders : copies_only, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &one, 0,
                          nullptr, 0, nullptr);
}

// The band is another queue's now, or was one's: of another process, another device.
void hand_over(const VulkanDevice &device, VkCommandBuffer commands, const Span &band, Direction direction) {
    const bool shaders = device.queue_flags & VK_QUEUE_COMPUTE_BIT, pack = direction == Direction::pack;
    const VkPipelineStageFlags ours = shaders ? with_shaders : copies_only;
    VkBufferMemoryBarrier one{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
    one.srcAccessMask = pack ? VK_ACCESS_MEMORY_WRITE_BIT : 0;
    one.dstAccessMask = pack ? 0 : VK_ACCESS_MEMORY_READ_BIT;
    one.srcQueueFamilyIndex = pack ? device.info.queue_family : VK_QUEUE_FAMILY_EXTERNAL;
    one.dstQueueFamilyIndex = pack ? VK_QUEUE_FAMILY_EXTERNAL : device.info.queue_family;
    one.buffer = band.buffer;
    one.offset = band.offset;
    one.size = band.bytes;
    const auto from = pack ? ours : VkPipelineStageFlags{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
    const auto to = pack ? VkPipelineStageFlags{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT} : ours;
    device.vk.CmdPipelineBarrier(commands, from, to, 0, 0, nullptr, 1, &one, 0, nullptr);
}

std::size_t round_up(std::size_t n) { return (n + 255) / 256 * 256; } // as far as storage buffers' offsets ever ask

} // namespace

VulkanTransfer::VulkanTransfer(Direction direction, std::shared_ptr<VulkanSurface> surface,
                               std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)), device_(surface_->vulkan()) {}

VulkanTransfer::~VulkanTransfer() {
    constexpr double patience = 2;
    abandon();
    if (last_ && !settled())
        device_.batches.wait(last_, patience);
    settled();
}

void VulkanTransfer::start() {
    closed_ = false;
    surface_->start();
}

Status VulkanTransfer::begin(std::uint64_t pixels) {
    pixels_ = pixels;
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                            Ticket &ticket) {
    Band band{first,   count, static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes),
              nullptr, {},    false,
              true};
    const VulkanSurface::State before = surface_->save();
    const bool was_closed = closed_;
    Batch *batch = nullptr;
    if (const Status status = device_.batches.take(batch))
        return status;
    const auto *own = dynamic_cast<VulkanStage *>(&stage);
    if (own && own->buffer) {
        band.packed = {own->buffer, own->base + offset, band.bytes};
        band.foreign = own->foreign;
        band.in_host_memory = own->host != nullptr;
    } else {
        band.host = stage.host + offset;
        if (const Status status = device_.batches.need(batch->carry, Place::host, round_up(band.bytes))) {
            device_.batches.give(*batch);
            return status;
        }
        band.packed = {batch->carry->name(), 0, band.bytes};
        if (direction_ == Direction::unpack) {
            std::memcpy(batch->carry->mapped(), band.host, band.bytes);
            core().count_copied(band.bytes);
        }
    }
    Status status = record(*batch, band);
    if (status == PIXMPI_SUCCESS)
        status = submit(*batch, first + count == pixels_);
    if (status) { // nothing has happened
        surface_->restore(before);
        closed_ = was_closed;
        device_.shaders.drop_lists(); // some may not have been written
        device_.batches.give(*batch);
        return status;
    }
    pending_.push_back({batch, direction_ == Direction::pack ? band.host : nullptr, band.bytes});
    ticket = last_ = batch->number;
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::record(Batch &batch, const Band &band) {
    if (band.foreign && direction_ == Direction::unpack)
        hand_over(device_, batch.commands, band.packed, direction_);
    if (surface_->is_image()) {
        bool recorded = false;
        if (const Status status = record_pixels(batch, band, recorded))
            return status;
        if (!recorded) {
            const BandPlan &plan =
                device_.plans.get(region_, band.first, band.count, image_input(band.packed), plan_image);
            if (const Status status = record_image(batch, band, plan))
                return status;
        }
    } else if (const Status status = record_buffer(batch, band)) {
        return status;
    }
    if (direction_ == Direction::pack) {
        if (band.foreign)
            hand_over(device_, batch.commands, band.packed, direction_);
        else
            order_for_host(device_.vk, batch.commands, device_.queue_flags & VK_QUEUE_COMPUTE_BIT);
    }
    return PIXMPI_SUCCESS;
}

// ---- buffers

Status VulkanTransfer::record_buffer(Batch &batch, const Band &band) {
    PlanInput input;
    input.direction = direction_;
    input.pixel_bytes = surface_->pixel_bytes;
    input.row_bytes = surface_->named.row_bytes;
    const BandPlan &plan = device_.plans.get(region_, band.first, band.count, input, plan_buffer);
    const Span all = surface_->span();
    const bool pack = direction_ == Direction::pack;
    const bool shaders = device_.shader_packs && surface_->shaders_may() && plan.links.size() > few &&
                         device_.shaders.can_copy(plan.links, all, band.packed);
    VkAccessFlags access = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (pack)
        access = shaders ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_TRANSFER_READ_BIT;
    else if (shaders) // words at the edges of a row are read, changed and written
        access = shader_reads_and_writes;
    surface_->enter(batch.commands, access, shaders && !pack);
    return link(batch, plan, all, band.packed, shaders);
}

Status VulkanTransfer::link(Batch &batch, const BandPlan &plan, const Span &surface, const Span &packed, bool shaders) {
    if (shaders)
        return device_.shaders.copy_links(batch, direction_, plan.links, surface, packed);
    const bool pack = direction_ == Direction::pack;
    buffer_copies_.clear();
    for (const Link &one : plan.links) {
        const VkDeviceSize here = surface.offset + one.surface, there = packed.offset + one.packed;
        buffer_copies_.push_back({pack ? here : there, pack ? there : here, one.bytes});
    }
    device_.vk.CmdCopyBuffer(batch.commands, pack ? surface.buffer : packed.buffer,
                             pack ? packed.buffer : surface.buffer, static_cast<std::uint32_t>(buffer_copies_.size()),
                             buffer_copies_.data());
    return PIXMPI_SUCCESS;
}

// ---- images

// An image that shaders can access: no scratch memory, and nothing beside the region is touched. To host memory, copy
// commands are as fast where there are few pieces.
Status VulkanTransfer::record_pixels(Batch &batch, const Band &band, bool &recorded) {
    const Access access = device_.shader_packs ? surface_->access(direction_) : Access::none;
    if (access == Access::none || (band.in_host_memory && region_->rects.size() <= few && !device_.software) ||
        !device_.shaders.can_move(band.packed, surface_->pixel_bytes))
        return PIXMPI_SUCCESS;
    Pixels pixels{VK_NULL_HANDLE, access, surface_->pixel_bytes};
    if (const Status status = surface_->integer_view(access, pixels.view))
        return status;
    surface_->enter(batch.commands,
                    direction_ == Direction::pack ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_SHADER_WRITE_BIT, false);
    return device_.shaders.move_pixels(batch, direction_, pixels, region_, band.first, band.count, band.packed,
                                       recorded);
}

// Vulkan wants the offsets of copies to be multiples of a pixel, and of 4 for depths, stencils and queues that only
// copy.
PlanInput VulkanTransfer::image_input(const Span &packed) const {
    const VulkanSurface &s = *surface_;
    const VkQueueFlags flags = device_.queue_flags;
    const bool depth = s.named.aspect != VK_IMAGE_ASPECT_COLOR_BIT;
    const bool words = depth || !(flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT));
    const int mode = s.depth_stencil_mode();
    const auto size = static_cast<unsigned>(s.pixel_bytes), grain = words ? std::lcm(size, 4u) : size;
    PlanInput input;
    input.direction = direction_;
    input.pixel_bytes = s.pixel_bytes;
    input.direct = mode < 0 && packed.offset % grain == 0;
    input.pad = mode >= 0 ? 4 : grain / size;
    input.shaders =
        device_.shader_packs && (direction_ == Direction::pack || (s.named.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
    input.extent = s.extent;
    input.grain_x = device_.granularity.width;
    input.grain_y = device_.granularity.height;
    return input;
}

// Scratch memory: the pixels as they travel and, where they have to be joined, depths and stencils behind them.
std::size_t VulkanTransfer::scratch_bytes(const BandPlan &plan) const {
    const auto pixels = static_cast<std::size_t>((plan.scratch_pixels + 3) / 4 * 4);
    const std::size_t packed = round_up(pixels * static_cast<std::size_t>(surface_->pixel_bytes));
    return surface_->depth_stencil_mode() < 0 ? packed : packed + round_up(pixels * 4) + round_up(pixels);
}

Span VulkanTransfer::scratch_pixels(const Batch &batch, const BandPlan &plan) const {
    const auto pixels = static_cast<VkDeviceSize>((plan.scratch_pixels + 3) / 4 * 4);
    return {batch.scratch->name(), 0, pixels * static_cast<VkDeviceSize>(surface_->pixel_bytes)};
}

void VulkanTransfer::copy_pieces(Batch &batch, Direction direction, const BandPlan &plan, VkImageAspectFlagBits aspect,
                                 const Span &memory) {
    const Vk &vk = device_.vk;
    const auto size = static_cast<VkDeviceSize>(surface_->aspect_bytes(aspect));
    image_copies_.clear();
    for (const ImagePiece &piece : plan.pieces)
        image_copies_.push_back(surface_->image_copy(piece.rect, memory.offset + piece.at * size, aspect));
    const auto count = static_cast<std::uint32_t>(image_copies_.size());
    if (direction == Direction::pack)
        vk.CmdCopyImageToBuffer(batch.commands, surface_->named.image, surface_->layout(), memory.buffer, count,
                                image_copies_.data());
    else
        vk.CmdCopyBufferToImage(batch.commands, memory.buffer, surface_->named.image, surface_->layout(), count,
                                image_copies_.data());
}

// Between the image and the pixels in scratch memory.
Status VulkanTransfer::move_depth_stencil(Batch &batch, Direction direction, const BandPlan &plan) {
    const int mode = surface_->depth_stencil_mode();
    const Span pixels = scratch_pixels(batch, plan);
    const auto count = static_cast<VkDeviceSize>((plan.scratch_pixels + 3) / 4 * 4);
    Span depths{pixels.buffer, round_up(pixels.bytes), count * 4};
    Span stencils{pixels.buffer, depths.offset + round_up(depths.bytes), count};
    const auto copy = [&] {
        copy_pieces(batch, direction, plan, VK_IMAGE_ASPECT_DEPTH_BIT, depths);
        if (mode > 0)
            copy_pieces(batch, direction, plan, VK_IMAGE_ASPECT_STENCIL_BIT, stencils);
    };
    const DepthStencil parts{mode, depths, stencils, pixels, count};
    if (direction == Direction::pack) {
        copy();
        order(device_.vk, batch.commands, true);
        return device_.shaders.depth_stencil(batch, direction, parts);
    }
    if (const Status status = device_.shaders.depth_stencil(batch, direction, parts))
        return status;
    order(device_.vk, batch.commands, true);
    copy();
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::record_image(Batch &batch, const Band &band, const BandPlan &plan) {
    const bool pack = direction_ == Direction::pack;
    const auto aspect = static_cast<VkImageAspectFlagBits>(surface_->named.aspect);
    if (plan.links.empty()) {
        surface_->enter(batch.commands, pack ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_TRANSFER_WRITE_BIT, false);
        copy_pieces(batch, direction_, plan, aspect, band.packed);
        return PIXMPI_SUCCESS;
    }
    if (plan.keeps && !(surface_->named.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.usage: 0x%x, expected VK_IMAGE_USAGE_TRANSFER_SRC_BIT as well: the queue "
                    "copies whole blocks of the image only",
                    surface_->named.usage);
    if (const Status status = device_.batches.need(batch.scratch, Place::device, scratch_bytes(plan)))
        return status;
    const Span pixels = scratch_pixels(batch, plan);
    const bool joined = surface_->depth_stencil_mode() >= 0;
    const auto move = [&](Direction direction) -> Status {
        if (joined)
            return move_depth_stencil(batch, direction, plan);
        copy_pieces(batch, direction, plan, aspect, pixels);
        return PIXMPI_SUCCESS;
    };
    const bool shaders =
        device_.shader_packs && plan.links.size() > few && device_.shaders.can_copy(plan.links, pixels, band.packed);
    const bool compute = shaders || joined;
    if (pack || plan.keeps) {
        surface_->enter(batch.commands, VK_ACCESS_TRANSFER_READ_BIT, plan.keeps);
        if (const Status status = move(Direction::pack))
            return status;
        order(device_.vk, batch.commands, compute);
    }
    if (const Status status = link(batch, plan, pixels, band.packed, shaders))
        return status;
    if (pack)
        return PIXMPI_SUCCESS;
    order(device_.vk, batch.commands, compute);
    surface_->enter(batch.commands, VK_ACCESS_TRANSFER_WRITE_BIT, plan.keeps);
    return move(Direction::unpack);
}

// ---- ways through the queue

Status VulkanTransfer::submit(Batch &batch, bool last) {
    const bool leaves = last && !closed_ && surface_->last_use();
    if (last)
        closed_ = true;
    Semaphores waits = surface_->take_waits(), signals;
    if (leaves) {
        surface_->leave(batch.commands);
        signals = surface_->take_signals();
    }
    return device_.batches.submit(batch, waits, signals);
}

Status VulkanTransfer::close() {
    if (closed_)
        return PIXMPI_SUCCESS;
    closed_ = true;
    if (!surface_->last_use())
        return PIXMPI_SUCCESS;
    Batch *batch = nullptr;
    if (const Status status = device_.batches.take(batch))
        return status;
    surface_->leave(batch->commands);
    Semaphores waits = surface_->take_waits(), signals = surface_->take_signals();
    const Status status = device_.batches.submit(*batch, waits, signals);
    if (status == PIXMPI_SUCCESS)
        last_ = batch->number;
    device_.batches.give(*batch);
    return status;
}

Status VulkanTransfer::poll(Ticket ticket, bool &over) {
    std::uint64_t reached = 0;
    if (const Status status = device_.batches.progress(reached))
        return status;
    over = ticket <= reached;
    while (!pending_.empty() && pending_.front().batch->number <= reached) {
        const Pending one = pending_.front();
        pending_.pop_front();
        if (one.to) {
            std::memcpy(one.to, one.batch->carry->mapped(), one.bytes);
            core().count_copied(one.bytes);
        }
        device_.batches.give(*one.batch);
        if (core().stage_is_short())
            device_.batches.drop_idle();
    }
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::end() { return close(); }

void VulkanTransfer::abandon() {
    for (Pending &one : pending_)
        one.to = nullptr;
}

bool VulkanTransfer::settled() {
    if (!closed_) {
        if (!device_.usable())
            return false;
        close();
    }
    if (device_.lost()) {
        pending_.clear();
        return true;
    }
    bool over = true;
    return poll(last_, over) != PIXMPI_SUCCESS || (over && pending_.empty());
}

} // namespace vkmpi
