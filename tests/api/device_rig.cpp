#include "device_rig.h"

#include "cases.h"

namespace api {

const pixMPI_Device_mode device_modes[3] = {PIXMPI_MODE_SUSPENDING, PIXMPI_MODE_RUNNING, PIXMPI_MODE_TIMELINE};

const char *mode_name(pixMPI_Device_mode mode) {
    return mode == PIXMPI_MODE_SUSPENDING ? "suspending" : mode == PIXMPI_MODE_RUNNING ? "running" : "timeline";
}

void DeviceRig::make_own(vkMPI_Surface &window, std::size_t bytes) {
    Own &own = own_.emplace_back();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VK_NEED(vkCreateBuffer(device.info.device, &info, nullptr, &own.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.info.device, own.buffer, &needs);
    VkMemoryAllocateInfo wanted{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    wanted.allocationSize = needs.size;
    wanted.memoryTypeIndex = device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK_NEED(vkAllocateMemory(device.info.device, &wanted, nullptr, &own.memory));
    VK_NEED(vkBindBufferMemory(device.info.device, own.buffer, own.memory, 0));
    window = vkMPI_Buffer(device.context(), own.buffer, PIXMPI_R8, static_cast<int>(bytes), 1);
    window.buffer_usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    window.buffer_bytes = bytes;
}

DeviceRig::DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, bool own_buffers)
    : device(need_vulkan()), bytes_(window_bytes) {
    for (int i = 0; i < 3; ++i)
        if (own_buffers && i < 2)
            make_own(windows_[i], bytes_);
        else
            NEED_OK(vkMPI_Window_allocate(device.context(), bytes_, &windows_[i], &memory_[i]));
    NEED_OK(vkMPI_Endpoint_create(device.context(), world(), &info, 3, windows_, &endpoint));
    NEED_OK(pixMPI_Endpoint_comm(endpoint, &space, &slots, &first));
    make_sets();
}

void DeviceRig::make_sets() {
    const VkDevice name = device.info.device;
    VkDescriptorSetLayoutBinding bindings[3];
    for (std::uint32_t i = 0; i < 3; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo shape{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    shape.bindingCount = 3;
    shape.pBindings = bindings;
    VK_NEED(vkCreateDescriptorSetLayout(name, &shape, nullptr, &set_layout_));
    const VkDescriptorPoolSize buffers{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &buffers;
    VK_NEED(vkCreateDescriptorPool(name, &pool, nullptr, &pool_));
    VkDescriptorSetAllocateInfo wanted{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    wanted.descriptorPool = pool_;
    wanted.descriptorSetCount = 1;
    wanted.pSetLayouts = &set_layout_;
    VK_NEED(vkAllocateDescriptorSets(name, &wanted, &set_));
    for (std::uint32_t i = 0; i < 3; ++i) {
        const VkDescriptorBufferInfo part{windows_[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set_;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &part;
        vkUpdateDescriptorSets(name, 1, &write, 0, nullptr);
    }
    VkDescriptorSetLayout layouts[2] = {VK_NULL_HANDLE, set_layout_};
    NEED_OK(vkMPI_Endpoint_layout(endpoint, &layouts[0]));
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Numbers)};
    VkPipelineLayoutCreateInfo all{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    all.setLayoutCount = 2;
    all.pSetLayouts = layouts;
    all.pushConstantRangeCount = 1;
    all.pPushConstantRanges = &push;
    VK_NEED(vkCreatePipelineLayout(name, &all, nullptr, &layout_));
}

void DeviceRig::use(std::span<const std::uint32_t> code) {
    const VkDevice name = device.info.device;
    vkDestroyPipeline(name, pipeline_, nullptr);
    VkShaderModuleCreateInfo source{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    source.codeSize = code.size_bytes();
    source.pCode = code.data();
    VkShaderModule module = VK_NULL_HANDLE;
    VK_NEED(vkCreateShaderModule(name, &source, nullptr, &module));
    VkComputePipelineCreateInfo pipeline{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = module;
    pipeline.stage.pName = "main";
    pipeline.layout = layout_;
    VK_NEED(vkCreateComputePipelines(name, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipeline_));
    vkDestroyShaderModule(name, module, nullptr);
    clear_found();
}

void DeviceRig::clear_found() { std::memset(memory_[2], 0, bytes_); }

vkMPI_Kernel DeviceRig::kernel(const Numbers &numbers, int groups) {
    pushed_ = numbers;
    vkMPI_Kernel one{};
    one.pipeline = pipeline_;
    one.layout = layout_;
    one.set_count = 1;
    one.sets = &set_;
    one.push_bytes = sizeof pushed_;
    one.push = &pushed_;
    one.groups = groups;
    return one;
}

pixMPI_Endpoint_stats DeviceRig::stats() const {
    pixMPI_Endpoint_stats all{};
    CHECK_OK(pixMPI_Endpoint_get_stats(endpoint, &all));
    return all;
}

DeviceRig::~DeviceRig() {
    if (endpoint)
        CHECK_OK(vkMPI_Endpoint_free(&endpoint));
    const VkDevice name = device.info.device;
    vkDestroyPipeline(name, pipeline_, nullptr);
    vkDestroyPipelineLayout(name, layout_, nullptr);
    vkDestroyDescriptorPool(name, pool_, nullptr);
    vkDestroyDescriptorSetLayout(name, set_layout_, nullptr);
    for (int i = 0; i < 3; ++i)
        if (memory_[i])
            CHECK_OK(vkMPI_Window_free(&windows_[i]));
    for (const Own &own : own_) {
        vkDestroyBuffer(name, own.buffer, nullptr);
        vkFreeMemory(name, own.memory, nullptr);
    }
    CHECK_SILENCE(device);
}

} // namespace api
