#include "vk.h"

#include "error.h"

#include <string>
#include <vector>

namespace demo {

namespace {

constexpr std::uint32_t most_bound = 8; ///< descriptor sets of a kernel

/// What the binding with that number is.
VkDescriptorType kind(const Kernel::Needs &needs, std::uint32_t binding) {
    return binding < needs.images ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

} // namespace

Kernel::Kernel(const Gpu &gpu, const std::uint32_t *code, std::size_t bytes, Needs needs) : gpu_(gpu), needs_(needs) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    std::vector<VkDescriptorPoolSize> sizes;
    for (std::uint32_t i = 0; i < needs.images + needs.buffers; ++i) {
        bindings.push_back({i, kind(needs, i), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        sizes.push_back({kind(needs, i), most_bound});
    }
    const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                              .pBindings = bindings.data()};
    check_vk(vkCreateDescriptorSetLayout(gpu.device, &set, nullptr, &bindings_), "making a descriptor set layout");
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, needs.push_bytes};
    const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &bindings_,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &push};
    check_vk(vkCreatePipelineLayout(gpu.device, &layout, nullptr, &layout_), "making a pipeline layout");
    const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = most_bound,
                                          .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                          .pPoolSizes = sizes.data()};
    check_vk(vkCreateDescriptorPool(gpu.device, &pool, nullptr, &pool_), "making a descriptor pool");

    const VkShaderModuleCreateInfo source{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkShaderModule module;
    check_vk(vkCreateShaderModule(gpu.device, &source, nullptr, &module), "making a shader module");
    const VkComputePipelineCreateInfo pipeline{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                               .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                         .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                         .module = module,
                                                         .pName = "main"},
                                               .layout = layout_};
    const VkResult result = vkCreateComputePipelines(gpu.device, {}, 1, &pipeline, nullptr, &pipeline_);
    vkDestroyShaderModule(gpu.device, module, nullptr);
    check_vk(result, "making a compute pipeline");
}

Kernel::~Kernel() {
    vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
    vkDestroyDescriptorPool(gpu_.device, pool_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
    vkDestroyDescriptorSetLayout(gpu_.device, bindings_, nullptr);
}

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
    const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = pool_,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &bindings_};
    VkDescriptorSet bound;
    check_vk(vkAllocateDescriptorSets(gpu_.device, &info, &bound), "making a descriptor set");
    std::uint32_t binding = 0;
    const auto put = [&](const VkDescriptorImageInfo *image, const VkDescriptorBufferInfo *buffer) {
        const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = bound,
                                         .dstBinding = binding,
                                         .descriptorCount = 1,
                                         .descriptorType = kind(needs_, binding),
                                         .pImageInfo = image,
                                         .pBufferInfo = buffer};
        vkUpdateDescriptorSets(gpu_.device, 1, &write, 0, nullptr);
        ++binding;
    };
    for (VkImageView view : images) {
        const VkDescriptorImageInfo one{{}, view, VK_IMAGE_LAYOUT_GENERAL};
        put(&one, nullptr);
    }
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu_.physical_device, &properties);
    for (const Buffer *buffer : buffers) {
        if (buffer->bytes() > properties.limits.maxStorageBufferRange)
            throw Error("a buffer of " + std::to_string(buffer->bytes()) +
                        " bytes, where shaders of this device reach " +
                        std::to_string(properties.limits.maxStorageBufferRange) + ": use a smaller --size");
        const VkDescriptorBufferInfo one{buffer->buffer(), 0, VK_WHOLE_SIZE};
        put(nullptr, &one);
    }
    return bound;
}

void Kernel::dispatch(VkCommandBuffer commands, VkDescriptorSet bound, const void *push, int width, int height) const {
    const auto groups = [](int invocations) { return static_cast<std::uint32_t>((invocations + 7) / 8); };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &bound, 0, nullptr);
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, needs_.push_bytes, push);
    vkCmdDispatch(commands, groups(width), groups(height), 1);
}

} // namespace demo
