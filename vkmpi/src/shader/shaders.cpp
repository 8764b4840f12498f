#include "shader/shaders.h"

#include "shader/glsl_compiler.h"
#include "shader/shader_codes.h"
#include "transfer/stages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr std::uint32_t group = 64, most_in_a_row = 65535, buffers_of_a_set = 4, fetched_at_binding = 5,
                        base_at_binding = 6,
                        sets_of_a_batch = 20; // few for a band; pixbench has many bands in a row
constexpr std::uint32_t push_bytes = 56;

/// As shaders/copy_segments.comp has it.
struct Segment {
    std::uint32_t from, to, bytes, first;
};

} // namespace

Shaders::Kind Shaders::image_kind(Direction direction, const Pixels &pixels) {
    const int size = std::countr_zero(static_cast<unsigned>(pixels.pixel_bytes));
    if (pixels.access == Access::none)
        return {(direction == Direction::pack ? first_pack_rows : first_unpack_rows) + size};
    const bool pack = direction == Direction::pack;
    if (pixels.access == Access::depths)
        return {pixels.laid ? lay_depths_code : depths_code};
    if (pixels.access == Access::fetch)
        return {first_fetch + size};
    if (pixels.laid)
        return {(pack ? first_lay : first_raise) + size - 2};
    if (pack)
        return {first_pack + size - 2};
    if (pixels.copied)
        return {first_copy + size - 2};
    const int combine = pixels.base ? first_onto : first_combine;
    return {(pixels.how.operation != 0 ? combine : first_unpack) + size - 2,
            {pixels.how.operation, pixels.how.numbers, pixels.how.present_first},
            pixels.how.user};
}

Shaders::Kind Shaders::buffer_kind(const ShaderCombination &how, int pixel_bytes) {
    return {buffer_code,
            {how.operation, how.numbers, how.present_first, group_words(how, pixel_bytes)},
            how.user,
            how.user ? pixel_bytes : 0};
}

Status Shaders::make_layout() {
    const Vk &vk = device_.vk;
    // Buffers, then an image to store to, one to fetch from, and one to combine with.
    VkDescriptorSetLayoutBinding bindings[buffers_of_a_set + 3];
    for (std::uint32_t i = 0; i < buffers_of_a_set + 3; ++i)
        bindings[i] = {i,
                       i < buffers_of_a_set      ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                       : i == fetched_at_binding ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                 : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                       1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = buffers_of_a_set + 3;
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

Status Shaders::pipeline(const Kind &kind, VkPipeline &found) {
    VkPipeline &known = pipelines_[kind];
    const Status status = known ? PIXMPI_SUCCESS : make_pipeline(kind, codes[kind.code], known);
    found = known;
    return status;
}

Status Shaders::make_pipeline(const Kind &kind, std::span<const std::uint32_t> code, VkPipeline &made) {
    const Vk &vk = device_.vk;
    if (!layout_)
        if (const Status status = make_layout())
            return status;
    VkShaderModuleCreateInfo source{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    source.codeSize = code.size_bytes();
    source.pCode = code.data();
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
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}}; // some have fewer
    const VkSpecializationInfo constants{4, entries, sizeof kind.constants, kind.constants.data()};
    info.stage.pSpecializationInfo = &constants;
    const VkResult result = vk.CreateComputePipelines(device_.info.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
    vk.DestroyShaderModule(device_.info.device, module, nullptr);
    return device_.check(result, "vkCreateComputePipelines");
}

Status Shaders::compile_user(const Pixels &pixels, const std::shared_ptr<const UserOperation> &user, bool &possible) {
    const bool in_buffer = pixels.access == Access::none;
    const Kind kind = in_buffer ? buffer_kind(pixels.how, pixels.pixel_bytes) : image_kind(Direction::unpack, pixels);
    const auto known = pipelines_.find(kind);
    possible = (known != pipelines_.end() && known->second) || has_glsl_compiler();
    if (!possible || (known != pipelines_.end() && known->second))
        return PIXMPI_SUCCESS;
    drop_pipelines();
    std::string head = "#version 450\n#define BYTES " + std::to_string(pixels.pixel_bytes) + "\n";
    if (in_buffer)
        head += "#define WORDS " + std::to_string(group_words(pixels.how, pixels.pixel_bytes)) + "u\n";
    else
        head += std::string("#define FORMAT ") + (pixels.pixel_bytes == 4   ? "r32ui\n"
                                                  : pixels.pixel_bytes == 8 ? "rgba16ui\n#define HALVES\n"
                                                                            : "rgba32ui\n") +
                (pixels.base ? "#define ONTO\n" : "");
    std::vector<std::uint32_t> words;
    std::string complaint;
    compile_glsl(user->shader(in_buffer ? PixelsIn::buffer : PixelsIn::image, head, pixels.how.numbers,
                              pixels.how.present_first != 0),
                 words, complaint);
    if (words.empty())
        return user->refuse(pixels.how.numbers, complaint);
    users_[user->number] = user;
    return make_pipeline(kind, words, pipelines_[kind]);
}

// What still runs belongs to a transfer, which has its operation.
void Shaders::drop_pipelines() {
    std::erase_if(users_, [&](const auto &user) {
        if (!user.second.expired())
            return false;
        std::erase_if(pipelines_, [&](const auto &one) {
            if (one.first.user != user.first)
                return false;
            device_.retire(
                [&d = device_, pipeline = one.second] { d.vk.DestroyPipeline(d.info.device, pipeline, nullptr); });
            return true;
        });
        return true;
    });
}

void Shaders::destroy() {
    lists_.clear();
    nothing_.reset();
    const Vk &vk = device_.vk;
    for (const auto &[kind, one] : pipelines_)
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

Status Shaders::bind_nothing(VkDescriptorBufferInfo &info) {
    if (!nothing_)
        if (const Status status = Buffer::make(device_, Place::device, 256, nothing_))
            return status;
    info = {nothing_->name(), 0, nothing_->bytes()};
    return PIXMPI_SUCCESS;
}

bool Shaders::can_copy(std::span<const Link> links, const Span &surface, const Span &packed) const {
    const VkDeviceSize most = std::min<VkDeviceSize>(device_.properties.limits.maxStorageBufferRange, UINT32_MAX / 2);
    return !links.empty() && surface.bytes + 512 < most && packed.bytes + 512 < most;
}

Status Shaders::bind_set(Batch &batch, const Use &use) {
    const Vk &vk = device_.vk;
    if (!batch.sets) {
        const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets_of_a_batch * buffers_of_a_set},
                                              {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2 * sets_of_a_batch},
                                              {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, sets_of_a_batch}};
        VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        info.maxSets = sets_of_a_batch;
        info.poolSizeCount = 3;
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
    const VkDescriptorImageInfo images[] = {{VK_NULL_HANDLE, use.view, VK_IMAGE_LAYOUT_GENERAL},
                                            {VK_NULL_HANDLE, use.base, VK_IMAGE_LAYOUT_GENERAL}};
    const bool fetch = use.access == Access::fetch || use.access == Access::depths;
    VkWriteDescriptorSet writes[3];
    std::uint32_t count = 0;
    const auto write = [&](std::uint32_t binding, std::uint32_t descriptors, VkDescriptorType type,
                           const VkDescriptorImageInfo *image) {
        writes[count++] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, binding, 0, descriptors, type, image,
                           image ? nullptr : use.buffers, nullptr};
    };
    write(0, use.buffer_count, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, nullptr);
    if (use.view)
        write(fetch ? fetched_at_binding : buffers_of_a_set, 1,
              fetch ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &images[0]);
    if (use.base)
        write(base_at_binding, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &images[1]);
    vk.UpdateDescriptorSets(device_.info.device, count, writes, 0, nullptr);
    vk.CmdBindDescriptorSets(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
    return PIXMPI_SUCCESS;
}

Status Shaders::dispatch(Batch &batch, const Use &use, void *sizes, std::size_t bytes, std::uint32_t &row,
                         std::uint32_t in_group) {
    // As few rows as can be, all alike: groups beyond the last also cost time.
    const std::uint32_t rows = (use.groups + most_in_a_row - 1) / most_in_a_row;
    const std::uint32_t wide = rows ? (use.groups + rows - 1) / rows : 0;
    row = wide * in_group;
    return launch(batch, use, sizes, bytes, wide, rows);
}

Status Shaders::launch(Batch &batch, const Use &use, const void *sizes, std::size_t bytes, std::uint32_t across,
                       std::uint32_t down) {
    const Vk &vk = device_.vk;
    VkPipeline shader = VK_NULL_HANDLE;
    if (const Status status = pipeline(use.kind, shader))
        return status;
    if (const Status status = bind_set(batch, use))
        return status;
    vk.CmdBindPipeline(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
    vk.CmdPushConstants(batch.commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(bytes),
                        sizes);
    if (batch.ahead)
        return device_.batches.dispatch_ahead(batch, {across, down, 1});
    vk.CmdDispatch(batch.commands, across, down, 1);
    return PIXMPI_SUCCESS;
}

Status Shaders::run_waiting(Batch &batch, std::span<const Span, 3> buffers, std::uint32_t turns, std::uint32_t looks) {
    VkDescriptorBufferInfo bound[3];
    std::transform(buffers.begin(), buffers.end(), bound, [&](const Span &one) { return bind(one).info; });
    const std::uint32_t numbers[] = {turns, looks};
    return launch(batch, {{running_code}, bound, 3, VK_NULL_HANDLE, Access::none, 1}, numbers, sizeof numbers, 1, 1);
}

VkFormat Shaders::integer_view(int pixel_bytes) {
    switch (pixel_bytes) {
    case 1:
        return VK_FORMAT_R8_UINT;
    case 2:
        return VK_FORMAT_R16_UINT;
    case 4:
        return VK_FORMAT_R32_UINT;
    case 8:
        return VK_FORMAT_R16G16B16A16_UINT;
    case 16:
        return VK_FORMAT_R32G32B32A32_UINT;
    default:
        return VK_FORMAT_UNDEFINED;
    }
}

bool Shaders::can_move_rows(const Span &rows, std::uint64_t row_bytes, const Span &packed, int pixel_bytes) const {
    const VkDeviceSize most = std::min<VkDeviceSize>(device_.properties.limits.maxStorageBufferRange, UINT32_MAX / 2);
    return shader_supports(static_cast<std::uint64_t>(pixel_bytes), rows.offset, row_bytes) &&
           rows.bytes + 512 < most && can_move(packed, pixel_bytes);
}

bool Shaders::can_move(const Span &packed, int pixel_bytes) const {
    constexpr std::uint32_t invocations = WorkList::group * 32;
    return device_.properties.limits.maxComputeWorkGroupInvocations >= invocations &&
           packed.offset % static_cast<VkDeviceSize>(std::min(pixel_bytes, 4)) == 0 &&
           packed.bytes + 512 < device_.properties.limits.maxStorageBufferRange;
}

Status Shaders::move_pixels(Batch &batch, Direction direction, const Pixels &pixels,
                            const std::shared_ptr<const Region> &region, std::uint64_t first, std::uint64_t count,
                            const Span &packed, bool &moved) {
    const auto size = static_cast<std::uint32_t>(pixels.pixel_bytes);
    const bool rows = pixels.access == Access::none;
    const WorkLists::CachedWork *work = nullptr;
    moved = false;
    if (const Status status =
            lists_.get(batch, region, first, count, rows ? Cut::of_buffers(size) : Cut::of(direction, size), work))
        return status;
    if (work->units == 0)
        return PIXMPI_SUCCESS;
    moved = true;
    VkDescriptorBufferInfo nothing{};
    if (const Status status = bind_nothing(nothing))
        return status;
    const Bound there = rows || pixels.laid ? bind(pixels.rows) : Bound{};
    const Bound band = pixels.copied ? Bound{nothing, 0} : pixels.laid ? there : bind(packed);
    VkDescriptorBufferInfo buffers[] = {nothing, band.info, nothing, there.info};
    if (work->kind != 0) {
        const VkBuffer list = work->buffer ? work->buffer->name() : batch.list->name();
        buffers[0] = {list, 0, work->pieces_bytes};
        if (work->kind == 2)
            buffers[2] = {list, work->owners_at, work->owners_bytes};
    }
    struct {
        std::uint32_t units, from, row, kind;
        WorkPiece only;
        std::uint32_t there, row_bytes; // of rows in a buffer; or the shift
    } sizes{work->units, band.rest / std::min(size, 4u), 0, work->kind, {}, there.rest, pixels.row_bytes};
    if (pixels.copied) {
        sizes.there = static_cast<std::uint32_t>(pixels.copied->x);
        sizes.row_bytes = static_cast<std::uint32_t>(pixels.copied->y);
    }
    if (pixels.laid) // of the first pixel of the image, which may lie before the buffer
        sizes.there -= static_cast<std::uint32_t>(pixels.laid->y) * pixels.row_bytes +
                       static_cast<std::uint32_t>(pixels.laid->x) * size;
    static_assert(sizeof sizes == push_bytes);
    const auto run = [&] {
        const Use use{image_kind(direction, pixels), buffers, rows ? 4u : 3u, pixels.view, pixels.access,
                      work_groups(sizes.units),      pixels.base};
        return dispatch(batch, use, &sizes, sizeof sizes, sizes.row, 1);
    };
    if (work->kind != 0)
        return run();
    for (std::size_t i = 0; i < work->few.count; ++i) {
        sizes.units = work->few.units[i];
        sizes.only = work->few.pieces[i];
        if (const Status status = run())
            return status;
    }
    return PIXMPI_SUCCESS;
}

Status Shaders::copy_links(Batch &batch, Direction direction, std::span<const Link> links, const Span &surface,
                           const Span &packed) {
    const bool pack = direction == Direction::pack;
    const Bound from = bind(pack ? surface : packed), to = bind(pack ? packed : surface);
    const std::size_t bytes = links.size() * sizeof(Segment);
    if (const Status status = device_.batches.need(batch, &Batch::list, Place::host, bytes))
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
    return dispatch(batch, {{0}, buffers, 3, VK_NULL_HANDLE, Access::none, (words + group - 1) / group}, &sizes,
                    sizeof sizes, sizes.row, group);
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
    const std::uint32_t groups = (sizes.count + group - 1) / group;
    return dispatch(batch, {{first_depth_stencil + parts.mode}, buffers, 3, VK_NULL_HANDLE, Access::none, groups},
                    &sizes, sizeof sizes, sizes.row, group);
}

Status Shaders::run(Batch &batch, const Pass &pass) {
    VkDescriptorBufferInfo buffers[buffers_of_a_set];
    std::uint32_t count = 0;
    for (const Stage *stage : pass.stages)
        if (stage) {
            const auto &own = static_cast<const VulkanStage &>(*stage);
            buffers[count++] = bind({own.buffer, own.base, own.bytes}).info; // they begin where buffers do
        }
    const int code = first_pass + static_cast<int>(pass.kind) - static_cast<int>(PassKind::jpeg_forward);
    return launch(batch, {{code, pass.constants}, buffers, count, VK_NULL_HANDLE, Access::none, 0}, pass.sizes.data(),
                  sizeof pass.sizes, pass.across, pass.down);
}

bool Shaders::can_combine(const CombiningBand &band) const {
    const VkDeviceSize most = std::min<VkDeviceSize>(device_.properties.limits.maxStorageBufferRange, UINT32_MAX / 2);
    return band.possible(most - 512);
}

Status Shaders::combine(Batch &batch, const CombiningBand &band, const Span &pixels, const Span &depths,
                        const Span &incoming) {
    const auto part = [&](const Span &all, const CombiningBand::Bytes &bytes) {
        return bind({all.buffer, all.offset + bytes.begin, bytes.size});
    };
    const Bound there = bind(incoming);
    const Kind kind = band.has_depths()
                          ? Kind{nearest_code, {band.how.operation, band.how.numbers, band.how.present_first}}
                          : buffer_kind(band.how, band.pixel_bytes());
    VkDescriptorBufferInfo nothing{};
    if (const Status status = bind_nothing(nothing))
        return status;
    const auto run = [&](const Bound &here, const Bound &behind, const VkDescriptorBufferInfo &list,
                         const CombiningDispatch &one) {
        const VkDescriptorBufferInfo buffers[4] = {here.info, there.info, behind.info, list};
        const std::array<std::uint32_t, 4> words[] = {one.sizes, one.places};
        return launch(batch, {kind, buffers, 4, VK_NULL_HANDLE, Access::none, 0}, words, sizeof words, one.across,
                      one.down);
    };
    const auto depths_of = [&](const CombiningBand::Bytes &bytes) {
        return band.has_depths() ? part(depths, bytes) : Bound{nothing, 0};
    };
    if (band.is_many()) {
        const Bound here = part(pixels, band.pixels()), behind = depths_of(band.depths());
        const CombiningList list = band.list(here.rest, behind.rest, there.rest);
        VkDescriptorBufferInfo uploaded{};
        if (const Status status = upload(batch, list, uploaded))
            return status;
        return run(here, behind, uploaded, list.dispatch);
    }
    for (const Piece &piece : band) {
        const Bound here = part(pixels, band.pixels(piece.rect)), behind = depths_of(band.depths(piece.rect));
        if (const Status status = run(here, behind, nothing, band.dispatch(piece, here.rest, behind.rest, there.rest)))
            return status;
    }
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
