#include "shaders.h"

#include "vulkan_device.h"

#include "copy_segments.spv.h"
#include "depth_stencil_0.spv.h"
#include "depth_stencil_1.spv.h"
#include "depth_stencil_2.spv.h"
#include "pack_image_1.spv.h"
#include "pack_image_2.spv.h"
#include "pack_image_4.spv.h"
#include "unpack_image_1.spv.h"
#include "unpack_image_2.spv.h"
#include "unpack_image_4.spv.h"

#include <algorithm>
#include <iterator>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr std::uint32_t group = 64, groups_in_a_row = 16384, buffers_of_a_set = 3, sets_of_a_batch = 4;
constexpr std::uint32_t push_bytes = 24;

/// As shaders/copy_segments.comp has it.
struct Segment {
    std::uint32_t from, to, bytes, first;
};

struct Code {
    const std::uint32_t *words;
    std::size_t bytes;
};

constexpr Code codes[] = {
    {copy_segments, sizeof copy_segments},     {depth_stencil_0, sizeof depth_stencil_0},
    {depth_stencil_1, sizeof depth_stencil_1}, {depth_stencil_2, sizeof depth_stencil_2},
    {pack_image_1, sizeof pack_image_1},       {pack_image_2, sizeof pack_image_2},
    {pack_image_4, sizeof pack_image_4},       {unpack_image_1, sizeof unpack_image_1},
    {unpack_image_2, sizeof unpack_image_2},   {unpack_image_4, sizeof unpack_image_4},
};
constexpr int first_depth_stencil = 1, first_pack = 4, first_unpack = 7;

} // namespace

Status Shaders::make_layout() {
    const Vk &vk = device_.vk;
    VkDescriptorSetLayoutBinding bindings[buffers_of_a_set + 1]; // buffers, then an image
    for (std::uint32_t i = 0; i <= buffers_of_a_set; ++i)
        bindings[i] = {i, i < buffers_of_a_set ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                       1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = buffers_of_a_set + 1;
    set.pBindings = bindings;
    if (const Status status =
            device_.check(vk.CreateDescriptorSetLayout(device_.info.device, &set, nullptr, &set_layout_),
                          "vkCreateDescriptorSetLayout"))
        return status;
    const VkPushConstantRange sizes{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &sizes;
    return device_.check(vk.CreatePipelineLayout(device_.info.device, &info, nullptr, &layout_),
                         "vkCreatePipelineLayout");
}

Status Shaders::pipeline(int kind, VkPipeline &found) {
    const Vk &vk = device_.vk;
    found = pipelines_[kind];
    if (found)
        return PIXMPI_SUCCESS;
    if (!layout_)
        if (const Status status = make_layout())
            return status;
    const Code &code = codes[kind];
    VkShaderModuleCreateInfo source{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    source.codeSize = code.bytes;
    source.pCode = code.words;
    VkShaderModule module = VK_NULL_HANDLE;
    if (const Status status = device_.check(vk.CreateShaderModule(device_.info.device, &source, nullptr, &module),
                                            "vkCreateShaderModule"))
        return status;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    const VkResult result =
        vk.CreateComputePipelines(device_.info.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipelines_[kind]);
    vk.DestroyShaderModule(device_.info.device, module, nullptr);
    found = pipelines_[kind];
    return device_.check(result, "vkCreateComputePipelines");
}

void Shaders::destroy() {
    const Vk &vk = device_.vk;
    for (VkPipeline &one : pipelines_)
        vk.DestroyPipeline(device_.info.device, one, nullptr);
    vk.DestroyPipelineLayout(device_.info.device, layout_, nullptr);
    vk.DestroyDescriptorSetLayout(device_.info.device, set_layout_, nullptr);
}

// Descriptors begin at multiples of a limit, and the shaders work in words.
Shaders::Bound Shaders::bind(const Span &span) const {
    const VkDeviceSize grain = std::max<VkDeviceSize>(16, device_.properties.limits.minStorageBufferOffsetAlignment);
    const VkDeviceSize begin = span.offset / grain * grain;
    const VkDeviceSize end = (span.offset + span.bytes + 3) / 4 * 4;
    return {{span.buffer, begin, end - begin}, static_cast<std::uint32_t>(span.offset - begin)};
}

bool Shaders::can_copy(std::span<const Link> links, const Span &surface, const Span &packed) const {
    const VkDeviceSize most = std::min<VkDeviceSize>(device_.properties.limits.maxStorageBufferRange, UINT32_MAX / 2);
    return !links.empty() && surface.bytes + 512 < most && packed.bytes + 512 < most;
}

Status Shaders::bind_set(Batch &batch, const Use &use) {
    const Vk &vk = device_.vk;
    if (!batch.sets) {
        const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets_of_a_batch * buffers_of_a_set},
                                              {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sets_of_a_batch}};
        VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        info.maxSets = sets_of_a_batch;
        info.poolSizeCount = 2;
        info.pPoolSizes = sizes;
        if (const Status status = device_.check(
                vk.CreateDescriptorPool(device_.info.device, &info, nullptr, &batch.sets), "vkCreateDescriptorPool"))
            return status;
    }
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = batch.sets;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout_;
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (const Status status =
            device_.check(vk.AllocateDescriptorSets(device_.info.device, &allocate, &set), "vkAllocateDescriptorSets"))
        return status;
    VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                      {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
    writes[0].dstSet = writes[1].dstSet = set;
    writes[0].descriptorCount = use.buffer_count;
    writes[0].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[0].pBufferInfo = use.buffers;
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, use.view, VK_IMAGE_LAYOUT_GENERAL};
    writes[1].dstBinding = buffers_of_a_set;
    writes[1].descriptorCount = 1;
    writes[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    writes[1].pImageInfo = &image;
    vk.UpdateDescriptorSets(device_.info.device, use.view ? 2 : 1, writes, 0, nullptr);
    vk.CmdBindDescriptorSets(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
    return PIXMPI_SUCCESS;
}

Status Shaders::dispatch(Batch &batch, const Use &use, void *sizes, std::size_t bytes, std::uint32_t &row) {
    const Vk &vk = device_.vk;
    VkPipeline shader = VK_NULL_HANDLE;
    if (const Status status = pipeline(use.kind, shader))
        return status;
    if (const Status status = bind_set(batch, use))
        return status;
    const std::uint32_t groups = (use.invocations + group - 1) / group, wide = std::min(groups, groups_in_a_row);
    row = wide * group;
    vk.CmdBindPipeline(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
    vk.CmdPushConstants(batch.commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(bytes),
                        sizes);
    vk.CmdDispatch(batch.commands, wide, (groups + wide - 1) / wide, 1);
    return PIXMPI_SUCCESS;
}

VkFormat Shaders::integer_view(int words) {
    return words == 1 ? VK_FORMAT_R32_UINT : words == 2 ? VK_FORMAT_R16G16B16A16_UINT : VK_FORMAT_R32G32B32A32_UINT;
}

Status Shaders::move_pieces(Batch &batch, Direction direction, VkImageView view, int words,
                            std::span<const ImagePiece> pieces, std::uint64_t pixels, const Span &packed) {
    struct Work {
        std::uint32_t x, y, width, at;
    };
    const std::size_t bytes = pieces.size() * sizeof(Work);
    if (const Status status = device_.batches.need(batch.list, Place::host, bytes))
        return status;
    auto *work = reinterpret_cast<Work *>(batch.list->mapped());
    for (const ImagePiece &piece : pieces)
        *work++ = {static_cast<std::uint32_t>(piece.rect.x), static_cast<std::uint32_t>(piece.rect.y),
                   static_cast<std::uint32_t>(piece.rect.width), static_cast<std::uint32_t>(piece.at)};
    const Bound band = bind(packed);
    struct {
        std::uint32_t pieces, pixels, first_word, row;
    } sizes{static_cast<std::uint32_t>(pieces.size()), static_cast<std::uint32_t>(pixels), band.rest / 4, 0};
    const VkDescriptorBufferInfo buffers[] = {{batch.list->name(), 0, bytes}, band.info};
    const int of_words = words == 4 ? 2 : words - 1;
    const Use use{(direction == Direction::pack ? first_pack : first_unpack) + of_words, buffers, 2, view,
                  sizes.pixels};
    return dispatch(batch, use, &sizes, sizeof sizes, sizes.row);
}

Status Shaders::copy_links(Batch &batch, Direction direction, std::span<const Link> links, const Span &surface,
                           const Span &packed) {
    const bool pack = direction == Direction::pack;
    const Bound from = bind(pack ? surface : packed), to = bind(pack ? packed : surface);
    const std::size_t bytes = links.size() * sizeof(Segment);
    if (const Status status = device_.batches.need(batch.list, Place::host, bytes))
        return status;
    auto *segment = reinterpret_cast<Segment *>(batch.list->mapped());
    std::uint32_t words = 0;
    for (const Link &link : links) {
        const auto here = static_cast<std::uint32_t>(link.surface), there = static_cast<std::uint32_t>(link.packed);
        const auto size = static_cast<std::uint32_t>(link.bytes);
        *segment = {pack ? here : there, pack ? there : here, size, words};
        const std::uint32_t begin = segment->to + to.rest;
        words += (begin + size + 3) / 4 - begin / 4;
        ++segment;
    }
    struct {
        std::uint32_t count, words, row, from_offset, to_offset;
    } sizes{static_cast<std::uint32_t>(links.size()), words, 0, from.rest, to.rest};
    const VkDescriptorBufferInfo buffers[3] = {{batch.list->name(), 0, bytes}, from.info, to.info};
    return dispatch(batch, {0, buffers, 3, VK_NULL_HANDLE, words}, &sizes, sizeof sizes, sizes.row);
}

Status Shaders::depth_stencil(Batch &batch, Direction direction, const DepthStencil &parts) {
    const Bound depths = bind(parts.depths), stencils = bind(parts.stencils), pixels = bind(parts.pixels);
    struct {
        std::uint32_t count, row, join, depth_offset, stencil_offset, pixel_offset;
    } sizes{static_cast<std::uint32_t>(parts.count / 4),
            0,
            direction == Direction::pack ? 1u : 0u,
            depths.rest / 4,
            stencils.rest / 4,
            pixels.rest / 4};
    const VkDescriptorBufferInfo buffers[3] = {depths.info, stencils.info, pixels.info};
    return dispatch(batch, {first_depth_stencil + parts.mode, buffers, 3, VK_NULL_HANDLE, sizes.count}, &sizes,
                    sizeof sizes, sizes.row);
}

} // namespace vkmpi
