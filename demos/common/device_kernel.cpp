#include "device_kernel.h"

#include <pixmpi.h>

namespace demo {

namespace {

pixMPI_Surface in_memory(const void *memory, std::size_t bytes) {
    return pixMPI_Memory(memory, PIXMPI_R8, static_cast<int>(bytes), 1);
}

} // namespace

MessageWindow::MessageWindow(const Gpu &gpu, std::size_t bytes) { vkMPI_Window_create(gpu.context, bytes, &surface_, nullptr); }

MessageWindow::~MessageWindow() { vkMPI_Window_free(&surface_); }

vkMPI_Surface MessageWindow::part(std::size_t offset, std::size_t bytes) const {
    vkMPI_Surface part = surface_;
    part.offset += offset;
    part.width = static_cast<int>(bytes);
    part.row_bytes = static_cast<std::int64_t>(bytes);
    return part;
}

void MessageWindow::write(std::size_t offset, const void *from, std::size_t bytes) const {
    const vkMPI_Surface to = part(offset, bytes);
    pixMPI_Copy(in_memory(from, bytes), PIXMPI_WHOLE, vkMPI_Any(&to, nullptr), PIXMPI_WHOLE);
}

void MessageWindow::read(std::size_t offset, void *to, std::size_t bytes) const {
    const vkMPI_Surface from = part(offset, bytes);
    pixMPI_Copy(vkMPI_Any(&from, nullptr), PIXMPI_WHOLE, in_memory(to, bytes), PIXMPI_WHOLE);
}

Endpoint::Endpoint(const Gpu &gpu, const pixMPI_Endpoint_info &given, const std::vector<vkMPI_Surface> &windows,
                   MPI_Comm comm) {
    constexpr double patient = 120; // drivers compile a shader in its first dispatch, on busy cores for long
    pixMPI_Endpoint_info info = given;
    info.struct_size = sizeof info;
    if (info.timeout == 0)
        info.timeout = patient;
    vkMPI_Endpoint_create(gpu.context, comm, &info, static_cast<int>(windows.size()), windows.data(), &handle);
    pixMPI_Endpoint_comm(handle, &space, &slots, &first);
}

Endpoint::~Endpoint() { pixMPI_Endpoint_free(&handle); }

DeviceLimits::DeviceLimits(const Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    const bool software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    groups = software ? 4 : 1024;
    turns = software ? 1 << 14 : 1 << 24;
}

DeviceKernel::DeviceKernel(const Gpu &gpu, const Endpoint &endpoint, const std::uint32_t *code, std::size_t bytes,
                           const std::vector<VkBuffer> &buffers, std::size_t push_bytes)
    : gpu_(gpu), endpoint_(endpoint), push_bytes_(static_cast<std::uint32_t>(push_bytes)) {
    bind(buffers);
    VkDescriptorSetLayout sets[2] = {{}, bindings_};
    vkMPI_Endpoint_layout(endpoint.handle, &sets[0]);
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes_};
    const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 2,
                                            .pSetLayouts = sets,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &push};
    check_vk(vkCreatePipelineLayout(gpu.device, &layout, nullptr, &layout_), "making a pipeline layout");
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

void DeviceKernel::bind(const std::vector<VkBuffer> &buffers) {
    const auto count = static_cast<std::uint32_t>(buffers.size());
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < count; ++i)
        bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = count,
                                              .pBindings = bindings.data()};
    check_vk(vkCreateDescriptorSetLayout(gpu_.device, &set, nullptr, &bindings_), "making a descriptor set layout");
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    const VkDescriptorPoolCreateInfo pool{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    check_vk(vkCreateDescriptorPool(gpu_.device, &pool, nullptr, &pool_), "making a descriptor pool");
    const VkDescriptorSetAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = pool_,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &bindings_};
    check_vk(vkAllocateDescriptorSets(gpu_.device, &wanted, &bound_), "making a descriptor set");
    for (std::uint32_t i = 0; i < count; ++i) {
        const VkDescriptorBufferInfo whole{buffers[i], 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = bound_,
                                         .dstBinding = i,
                                         .descriptorCount = 1,
                                         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         .pBufferInfo = &whole};
        vkUpdateDescriptorSets(gpu_.device, 1, &write, 0, nullptr);
    }
}

DeviceKernel::~DeviceKernel() {
    vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
    vkDestroyDescriptorPool(gpu_.device, pool_, nullptr);
    vkDestroyDescriptorSetLayout(gpu_.device, bindings_, nullptr);
}

vkMPI_Kernel DeviceKernel::described(const void *push, int groups) const {
    return {.struct_size = sizeof(vkMPI_Kernel),
            .pipeline = pipeline_,
            .layout = layout_,
            .set_count = 1,
            .sets = &bound_,
            .push_bytes = push_bytes_,
            .push = push,
            .groups = groups};
}

} // namespace demo
