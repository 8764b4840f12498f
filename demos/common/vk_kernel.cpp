#include "vk.h"

#include "error.h"

#include <string>
#include <vector>

namespace demo {

namespace {

std::vector<VkDescriptorType> types(const Kernel::Needs &needs) {
    std::vector<VkDescriptorType> all(needs.images, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    all.resize(needs.images + needs.buffers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    return all;
}

} // namespace

ComputePipeline::ComputePipeline(const Gpu &gpu, const std::uint32_t *code, std::size_t bytes,
                                 const std::vector<VkDescriptorType> &types, std::uint32_t push_bytes_,
                                 std::uint32_t most_sets, VkDescriptorSetLayout before)
    : push_bytes(push_bytes_), gpu_(gpu), types_(types) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    std::vector<VkDescriptorPoolSize> sizes;
    for (const VkDescriptorType type : types) {
        bindings.push_back(
            {static_cast<std::uint32_t>(bindings.size()), type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        sizes.push_back({type, most_sets});
    }
    const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                              .pBindings = bindings.data()};
    check_vk(vkCreateDescriptorSetLayout(gpu.device, &set, nullptr, &bindings_), "making a descriptor set layout");
    const VkDescriptorSetLayout sets[2] = {before, bindings_};
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = before ? 2u : 1u,
                                          .pSetLayouts = before ? sets : sets + 1,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &push};
    check_vk(vkCreatePipelineLayout(gpu.device, &info, nullptr, &layout), "making a pipeline layout");
    const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = most_sets,
                                          .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                          .pPoolSizes = sizes.data()};
    check_vk(vkCreateDescriptorPool(gpu.device, &pool, nullptr, &pool_), "making a descriptor pool");

    const VkShaderModuleCreateInfo source{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkShaderModule module;
    check_vk(vkCreateShaderModule(gpu.device, &source, nullptr, &module), "making a shader module");
    const VkComputePipelineCreateInfo stages{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                             .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                       .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                       .module = module,
                                                       .pName = "main"},
                                             .layout = layout};
    const VkResult result = vkCreateComputePipelines(gpu.device, {}, 1, &stages, nullptr, &pipeline);
    vkDestroyShaderModule(gpu.device, module, nullptr);
    check_vk(result, "making a compute pipeline");
}

ComputePipeline::~ComputePipeline() {
    vkDestroyPipeline(gpu_.device, pipeline, nullptr);
    vkDestroyDescriptorPool(gpu_.device, pool_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout, nullptr);
    vkDestroyDescriptorSetLayout(gpu_.device, bindings_, nullptr);
}

VkDescriptorSet ComputePipeline::make_set() const {
    const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = pool_,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &bindings_};
    VkDescriptorSet set;
    check_vk(vkAllocateDescriptorSets(gpu_.device, &info, &set), "making a descriptor set");
    return set;
}

void ComputePipeline::write(VkWriteDescriptorSet what) const {
    what.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    what.descriptorCount = 1;
    what.descriptorType = types_[what.dstBinding];
    vkUpdateDescriptorSets(gpu_.device, 1, &what, 0, nullptr);
}

void ComputePipeline::bind(VkDescriptorSet set, std::uint32_t binding, VkImageView image) const {
    const VkDescriptorImageInfo one{{}, image, VK_IMAGE_LAYOUT_GENERAL};
    write({.dstSet = set, .dstBinding = binding, .pImageInfo = &one});
}

void ComputePipeline::bind(VkDescriptorSet set, std::uint32_t binding, VkBuffer buffer) const {
    const VkDescriptorBufferInfo whole{buffer, 0, VK_WHOLE_SIZE};
    write({.dstSet = set, .dstBinding = binding, .pBufferInfo = &whole});
}

Kernel::Kernel(const Gpu &gpu, const std::uint32_t *code, std::size_t bytes, Needs needs)
    : gpu_(gpu), needs_(needs), pipeline_(gpu, code, bytes, types(needs), needs.push_bytes, 8) {}

VkDescriptorSet Kernel::bind(std::initializer_list<const Image *> images,
                             std::initializer_list<const Buffer *> buffers) {
    std::vector<VkImageView> views;
    for (const Image *image : images)
        views.push_back(image->view());
    return bind_views(views, buffers);
}

VkDescriptorSet Kernel::bind_views(const std::vector<VkImageView> &images,
                                   std::initializer_list<const Buffer *> buffers) {
    if (images.size() != needs_.images || buffers.size() != needs_.buffers)
        throw Error("a kernel that is bound to other things than it needs");
    const VkDescriptorSet bound = pipeline_.make_set();
    std::uint32_t binding = 0;
    for (VkImageView view : images)
        pipeline_.bind(bound, binding++, view);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu_.physical_device, &properties);
    for (const Buffer *buffer : buffers) {
        if (buffer->bytes() > properties.limits.maxStorageBufferRange)
            throw Error("a buffer of " + std::to_string(buffer->bytes()) +
                        " bytes, where shaders of this device reach " +
                        std::to_string(properties.limits.maxStorageBufferRange) + ": use a smaller --size");
        pipeline_.bind(bound, binding++, buffer->buffer());
    }
    return bound;
}

void Kernel::dispatch(VkCommandBuffer commands, VkDescriptorSet bound, const void *push, int width, int height) const {
    const auto groups = [](int invocations) { return static_cast<std::uint32_t>((invocations + 7) / 8); };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.layout, 0, 1, &bound, 0, nullptr);
    vkCmdPushConstants(commands, pipeline_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, needs_.push_bytes, push);
    vkCmdDispatch(commands, groups(width), groups(height), 1);
}

} // namespace demo
