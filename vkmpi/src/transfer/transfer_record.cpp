// The commands of one band.

#include "transfer/transfer.h"

#include "combine/nearest.h"

#include <bit>
#include <numeric>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr VkAccessFlags shader_reads_and_writes = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags copies_read_and_write = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

constexpr std::size_t few = 32; // with fewer pieces, copy commands are about as fast as shaders
constexpr VkPipelineStageFlags copies_only = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags with_shaders = copies_only | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

// What follows finds what copies and, if there may be some, shaders have written.
void order(const Vk &vk, VkCommandBuffer commands, bool shaders, VkPipelineStageFlags stages, VkAccessFlags access) {
    VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    one.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (shaders)
        one.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
    one.dstAccessMask = access;
    vk.CmdPipelineBarrier(commands, shaders ? with_shaders : copies_only, stages, 0, 1, &one, 0, nullptr, 0, nullptr);
}

// The band is another queue's now, or was one's: of another process, another device.
void hand_over(const VulkanDevice &device, Batch &batch, const Span &band, Direction direction) {
    const bool shaders = device.queue_flags & VK_QUEUE_COMPUTE_BIT, pack = direction == Direction::pack;
    const VkPipelineStageFlags ours = shaders ? with_shaders : copies_only;
    const VkAccessFlags by_shaders = pack ? VK_ACCESS_SHADER_WRITE_BIT : VK_ACCESS_SHADER_READ_BIT;
    const VkAccessFlags accesses =
        (pack ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT) | (shaders ? by_shaders : 0);
    VkBufferMemoryBarrier one{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
    one.srcAccessMask = pack ? accesses : 0;
    one.dstAccessMask = pack ? 0 : accesses;
    one.srcQueueFamilyIndex = pack ? device.info.queue_family : VK_QUEUE_FAMILY_EXTERNAL;
    one.dstQueueFamilyIndex = pack ? VK_QUEUE_FAMILY_EXTERNAL : device.info.queue_family;
    one.buffer = band.buffer;
    one.offset = band.offset;
    one.size = band.bytes;
    if (batch.first.any()) // others' bands; or the host's, which Vulkan wants apart from changes of owner
        device.batches.flush(batch);
    batch.first.buffer = one;
    batch.first.from |= pack ? ours : VkPipelineStageFlags{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
    batch.first.to |= pack ? VkPipelineStageFlags{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT} : ours;
}

std::size_t round_up(std::size_t n) { return (n + 255) / 256 * 256; } // as far as storage buffers' offsets ever ask

} // namespace

void order_steps(const Vk &vk, VkCommandBuffer commands, bool shaders) {
    order(vk, commands, shaders, shaders ? with_shaders : copies_only,
          shaders ? copies_read_and_write | shader_reads_and_writes : copies_read_and_write);
}

Status VulkanTransfer::record(Batch &batch, const BandWork &band) {
    if (band.foreign && direction_ == Direction::unpack)
        hand_over(device_, batch, band.packed, direction_);
    const bool combines = band.how.operation != 0;
    if (!surface_->is_image() || !(combines || moved_by_shader(band) || copied_directly(band)))
        device_.batches.flush(batch); // what they read first may be the band
    if (combines && !surface_->is_image())
        return record_combined(batch, band);
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
    if (direction_ == Direction::pack && band.foreign)
        hand_over(device_, batch, band.packed, direction_); // at the end of the batch, or in front of the next band
    else if (direction_ == Direction::pack && !band.host && !band.in_host_memory) // for what unpacks it next
        order_steps(device_.vk, batch.commands, device_.queue_flags & VK_QUEUE_COMPUTE_BIT);
    else if (direction_ == Direction::pack) // for the CPU and for others that read host memory
        order(device_.vk, batch.commands, device_.queue_flags & VK_QUEUE_COMPUTE_BIT,
              VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
              VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    return PIXMPI_SUCCESS;
}

// ---- buffers

PlanInput VulkanTransfer::buffer_input() const {
    PlanInput input;
    input.direction = direction_;
    input.pixel_bytes = surface_->pixel_bytes;
    input.row_bytes = surface_->named.row_bytes;
    return input;
}

// Copy commands for many rows take longer than a shader.
Status VulkanTransfer::record_rows(Batch &batch, const BandWork &band, bool &recorded) {
    const Pixels pixels{VK_NULL_HANDLE,        Access::none,
                        surface_->pixel_bytes, {},
                        surface_->span(),      static_cast<std::uint32_t>(surface_->named.row_bytes)};
    const auto pixel = static_cast<std::uint64_t>(pixels.pixel_bytes);
    if (!device_.shader_packs || !surface_->shaders_may() ||
        !is_scattered(*region_, band.first, band.count, pixel, pixels.row_bytes, few) ||
        !device_.shaders.can_move_rows(pixels.rows, pixels.row_bytes, band.packed, pixels.pixel_bytes))
        return PIXMPI_SUCCESS;
    surface_->enter(batch,
                    direction_ == Direction::pack ? VkAccessFlags{VK_ACCESS_SHADER_READ_BIT} : shader_reads_and_writes,
                    false);
    return device_.shaders.move_pixels(batch, direction_, pixels, region_, band.first, band.count, band.packed,
                                       recorded);
}

Status VulkanTransfer::record_buffer(Batch &batch, const BandWork &band) {
    if (const unsigned unit = block_unit(band.packed))
        return record_stacked(batch, band, unit);
    bool recorded = false;
    if (const Status status = record_rows(batch, band, recorded); status || recorded)
        return status;
    const BandPlan &plan = device_.plans.get(region_, band.first, band.count, buffer_input(), plan_buffer);
    const Span all = surface_->span();
    const bool pack = direction_ == Direction::pack;
    const bool shaders = device_.shader_packs && surface_->shaders_may() && plan.links.size() > few &&
                         device_.shaders.can_copy(plan.links, all, band.packed);
    VkAccessFlags access = VK_ACCESS_TRANSFER_WRITE_BIT;
    if (pack)
        access = shaders ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_TRANSFER_READ_BIT;
    else if (shaders) // words at the edges of a row are read, changed and written
        access = shader_reads_and_writes;
    surface_->enter(batch, access, shaders && !pack);
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

bool VulkanTransfer::combined_in_buffer(const BandWork &band) const {
    return device_.shader_packs && !surface_->is_image() && surface_->shaders_may() &&
           device_.shaders.can_combine(combining(band));
}

// Where both planes are buffers without gaps between rows, as scratch memory is.
bool VulkanTransfer::nearest_by_shader(const BandWork &band) const {
    const auto plain = [](const VulkanSurface &surface) {
        return !surface.is_image() && surface.named.offset % 4 == 0 &&
               surface.named.row_bytes == std::int64_t{surface.extent.width} * surface.pixel_bytes;
    };
    return plain(*surface_) && plain(*band.depths) && band.depths->shaders_may() && band.packed.offset % 4 == 0 &&
           combined_in_buffer(band);
}

CombiningBand VulkanTransfer::combining(const BandWork &band) const {
    const auto plane = [](const VulkanSurface &surface, std::size_t in_band) {
        return CombiningBand::Plane{static_cast<std::uint64_t>(surface.pixel_bytes),
                                    static_cast<std::uint64_t>(surface.named.row_bytes), in_band};
    };
    if (!band.depths)
        return {band.how, plane(*surface_, 0), *region_, band.first, band.count};
    const PlanesInBand at(surface_->format, band.depths->format, band.count);
    return {band.how, plane(*surface_, at.colors), plane(*band.depths, at.depths), *region_, band.first, band.count};
}

Status VulkanTransfer::record_combined(Batch &batch, const BandWork &band) {
    if (band.depths) {
        open_.second = band.depths;
        open_.second_before = band.depths->save();
        band.depths->enter(batch, shader_reads_and_writes, true);
    }
    surface_->enter(batch, shader_reads_and_writes, true);
    return device_.shaders.combine(batch, combining(band), surface_->span(), band.depths ? band.depths->span() : Span{},
                                   band.packed);
}

// ---- images

// An image that shaders can access: no scratch memory, and nothing beside the region is touched. To host memory, copy
// commands are as fast where there are few pieces.
bool VulkanTransfer::moved_by_shader(const BandWork &band) const {
    return device_.shader_packs && surface_->access(direction_) != Access::none &&
           !(band.in_host_memory && region_->rects.size() <= few && !device_.software) &&
           device_.shaders.can_move(band.packed, surface_->pixel_bytes);
}

// Of an image, only what the shader loads and stores, and surely has a work list for.
bool VulkanTransfer::combined_by_shader(const BandWork &band) const {
    if (!surface_->is_image())
        return combined_in_buffer(band);
    const Span packed = band.host ? Span{VK_NULL_HANDLE, 0, band.bytes} : band.packed;
    return device_.shader_packs && surface_->access(direction_) == Access::storage &&
           device_.shaders.can_move(packed, surface_->pixel_bytes) && has_work_list(*region_, band.count);
}

Status VulkanTransfer::record_pixels(Batch &batch, const BandWork &band, bool &recorded) {
    const bool combines = band.how.operation != 0;
    if (!combines && !moved_by_shader(band))
        return PIXMPI_SUCCESS;
    const Access access = surface_->access(direction_);
    Pixels pixels{VK_NULL_HANDLE, access, surface_->pixel_bytes, band.how};
    if (const Status status = surface_->integer_view(access, pixels.view))
        return status;
    VkAccessFlags accesses = VK_ACCESS_SHADER_READ_BIT;
    if (direction_ == Direction::unpack)
        accesses = combines ? shader_reads_and_writes : VkAccessFlags{VK_ACCESS_SHADER_WRITE_BIT};
    surface_->enter(batch, accesses, false);
    if (VulkanSurface *const base = combines ? surface_->base.get() : nullptr) {
        if (const Status status = base->integer_view(access, pixels.base))
            return status;
        base->enter(batch, VK_ACCESS_SHADER_READ_BIT, false);
    }
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
    input.extent = s.full;
    input.grain_x = device_.granularity.width;
    input.grain_y = device_.granularity.height;
    return input;
}

// Scratch memory: the pixels as they travel and, where they have to be joined, depths and stencils behind them.
std::size_t VulkanTransfer::scratch_bytes(const BandPlan &plan) const {
    const auto pixels = static_cast<std::size_t>(plan.scratch_pixels);
    const std::size_t packed = round_up(pixels * static_cast<std::size_t>(surface_->pixel_bytes));
    return surface_->depth_stencil_mode() < 0 ? packed : packed + round_up(pixels * 4) + round_up(pixels);
}

Span VulkanTransfer::scratch_pixels(const Batch &batch, const BandPlan &plan) const {
    return {batch.scratch->name(), 0, plan.scratch_pixels * static_cast<VkDeviceSize>(surface_->pixel_bytes)};
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
    const VkDeviceSize count = plan.scratch_pixels;
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
        order_steps(device_.vk, batch.commands, true);
        return device_.shaders.depth_stencil(batch, direction, parts);
    }
    if (const Status status = device_.shaders.depth_stencil(batch, direction, parts))
        return status;
    order_steps(device_.vk, batch.commands, true);
    copy();
    return PIXMPI_SUCCESS;
}

Status VulkanTransfer::record_image(Batch &batch, const BandWork &band, const BandPlan &plan) {
    const bool pack = direction_ == Direction::pack;
    const auto aspect = static_cast<VkImageAspectFlagBits>(surface_->named.aspect);
    if (plan.links.empty()) {
        surface_->enter(batch, pack ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_TRANSFER_WRITE_BIT, false);
        copy_pieces(batch, direction_, plan, aspect, band.packed);
        return PIXMPI_SUCCESS;
    }
    if (plan.keeps && !(surface_->named.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.usage: 0x%x, expected VK_IMAGE_USAGE_TRANSFER_SRC_BIT as well: the queue "
                    "copies whole blocks of the image only",
                    surface_->named.usage);
    if (const Status status = device_.batches.need(batch, &Batch::scratch, Place::device, scratch_bytes(plan)))
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
        surface_->enter(batch, VK_ACCESS_TRANSFER_READ_BIT, plan.keeps);
        if (const Status status = move(Direction::pack))
            return status;
        order_steps(device_.vk, batch.commands, compute);
    }
    if (const Status status = link(batch, plan, pixels, band.packed, shaders))
        return status;
    if (pack)
        return PIXMPI_SUCCESS;
    order_steps(device_.vk, batch.commands, compute);
    surface_->enter(batch, VK_ACCESS_TRANSFER_WRITE_BIT, plan.keeps);
    return move(Direction::unpack);
}

} // namespace vkmpi
