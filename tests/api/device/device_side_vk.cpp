// Endpoints of Vulkan, on the device of the other tests.
#include "device/device_side.h"
#include "rig/ends_vk.h"

#include <vkmpi_device.h>

#include <map>
#include <vector>

namespace api {
namespace {

class VulkanSide final : public DeviceSide {
  public:
    VulkanSide() : device_(need_vulkan()), name_(device_.info.device) {}
    ~VulkanSide() override {
        vkDestroyDescriptorPool(name_, pool_, nullptr);
        vkDestroyDescriptorSetLayout(name_, set_layout_, nullptr);
        for (vk_rig::Buffer &own : own_)
            vk_rig::destroy(device_, own);
    }
    bool is_vulkan() const override { return true; }
    int allocate(int window, std::size_t bytes, bool seen) override {
        allocated[window] = true;
        return vkMPI_Window_create(device_.context(), bytes, &windows_[window], seen ? &memory[window] : nullptr);
    }
    int free_window(int window) override { return vkMPI_Window_free(&windows_[window]); }
    void make_own(int window, std::size_t bytes) override;
    void name_as_pixels(int window, std::size_t bytes) override {
        windows_[window].pixels = PIXMPI_RGBA8;
        windows_[window].width = static_cast<int>(bytes / 4);
        windows_[window].row_bytes = static_cast<std::int64_t>(bytes);
    }
    End &make_image(int window, int width, int height) override {
        images_.push_back(make_end<vkMPI_Surface>("vk", "image", width, height));
        windows_[window] = images_.back()->named();
        return *images_.back();
    }
    int create(const pixMPI_Endpoint_info *info, int window_count, pixMPI_Endpoint *endpoint) override {
        return vkMPI_Endpoint_create(device_.context(), world(), info, window_count, windows_, endpoint);
    }
    void use(pixMPI_Endpoint endpoint, const Shader &shader) override;
    int start(Start how, pixMPI_Endpoint endpoint, const Numbers *numbers, int groups,
              pixMPI_Request *request) override;
    void check_silence() override { CHECK_SILENCE(device_); }

  private:
    void make_set();
    void compile(VkPipelineLayout layout, const Shader &shader, VkPipeline &made);
    void dispatch_nothing(VkDescriptorSetLayout endpoint, VkPipelineLayout layout, VkPipeline pipeline);

    vk_rig::Device &device_;
    const VkDevice name_;
    vkMPI_Surface windows_[PIXMPI_MAX_WINDOWS + 1]{};
    std::vector<vk_rig::Buffer> own_;
    std::vector<std::unique_ptr<VerbEnd<vkMPI_Surface>>> images_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE; ///< both of Pipelines
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

void VulkanSide::make_own(int window, std::size_t bytes) {
    vkMPI_Surface &surface = windows_[window];
    surface = vkMPI_Buffer(device_.context(), VK_NULL_HANDLE, PIXMPI_R8, static_cast<int>(bytes), 1);
    surface.buffer_usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    surface.buffer_bytes = bytes;
    own_.push_back(vk_rig::make_buffer(device_, bytes, surface.buffer_usage, false));
    surface.buffer = own_.back().name;
}

void VulkanSide::make_set() {
    VkDescriptorSetLayoutBinding bindings[most_windows];
    for (std::uint32_t i = 0; i < most_windows; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo shape{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    shape.bindingCount = most_windows;
    shape.pBindings = bindings;
    VK_NEED(vkCreateDescriptorSetLayout(name_, &shape, nullptr, &set_layout_));
    const VkDescriptorPoolSize buffers{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, most_windows};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &buffers;
    VK_NEED(vkCreateDescriptorPool(name_, &pool, nullptr, &pool_));
    VkDescriptorSetAllocateInfo wanted{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    wanted.descriptorPool = pool_;
    wanted.descriptorSetCount = 1;
    wanted.pSetLayouts = &set_layout_;
    VK_NEED(vkAllocateDescriptorSets(name_, &wanted, &set_));
    for (std::uint32_t i = 0; i < most_windows; ++i) {
        const vkMPI_Surface &bound = windows_[windows_[i].kind == VKMPI_BUFFER ? i : most_windows - 1];
        const VkDescriptorBufferInfo part{bound.buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set_;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &part;
        vkUpdateDescriptorSets(name_, 1, &write, 0, nullptr);
    }
}

namespace {

/// Of all endpoints; their descriptor sets are alike: drivers take long to make a pipeline, and some longer to compile
/// it in its first dispatch.
struct Pipelines {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::map<const char *, VkPipeline> all; ///< by the shader's name
};

Pipelines &pipelines(vk_rig::Device &device) {
    static auto *const made = new Pipelines;
    if (!device.before_close)
        device.before_close = [&device] {
            for (const auto &[name, pipeline] : made->all)
                vkDestroyPipeline(device.info.device, pipeline, nullptr);
            vkDestroyPipelineLayout(device.info.device, made->layout, nullptr);
            *made = {};
        };
    return *made;
}

} // namespace

void VulkanSide::use(pixMPI_Endpoint endpoint, const Shader &shader) {
    if (!set_)
        make_set();
    VkDescriptorSetLayout layouts[2] = {VK_NULL_HANDLE, set_layout_};
    NEED_OK(vkMPI_Endpoint_layout(endpoint, &layouts[0]));
    Pipelines &made = pipelines(device_);
    if (!made.layout) {
        const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Numbers)};
        VkPipelineLayoutCreateInfo all{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        all.setLayoutCount = 2;
        all.pSetLayouts = layouts;
        all.pushConstantRangeCount = 1;
        all.pPushConstantRanges = &push;
        VK_NEED(vkCreatePipelineLayout(name_, &all, nullptr, &made.layout));
    }
    layout_ = made.layout;
    VkPipeline &known = made.all[shader.name];
    if (!known) {
        compile(layout_, shader, known);
        dispatch_nothing(layouts[0], layout_, known);
    }
    pipeline_ = known;
}

void VulkanSide::compile(VkPipelineLayout layout, const Shader &shader, VkPipeline &made) {
    VkShaderModuleCreateInfo source{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    source.codeSize = shader.spirv.size_bytes();
    source.pCode = shader.spirv.data();
    VkShaderModule module = VK_NULL_HANDLE;
    VK_NEED(vkCreateShaderModule(name_, &source, nullptr, &module));
    VkComputePipelineCreateInfo pipeline{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = module;
    pipeline.stage.pName = "main";
    pipeline.layout = layout;
    VK_NEED(vkCreateComputePipelines(name_, VK_NULL_HANDLE, 1, &pipeline, nullptr, &made));
    vkDestroyShaderModule(name_, module, nullptr);
}

/// Lavapipe compiles in the first dispatch, also in one without workgroups.
void VulkanSide::dispatch_nothing(VkDescriptorSetLayout endpoint, VkPipelineLayout layout, VkPipeline pipeline) {
    constexpr std::uint32_t blocks = 3; // of an endpoint
    const VkDescriptorPoolSize buffers{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, blocks};
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.maxSets = 1;
    info.poolSizeCount = 1;
    info.pPoolSizes = &buffers;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VK_NEED(vkCreateDescriptorPool(name_, &info, nullptr, &pool));
    VkDescriptorSetAllocateInfo wanted{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    wanted.descriptorPool = pool;
    wanted.descriptorSetCount = 1;
    wanted.pSetLayouts = &endpoint;
    VkDescriptorSet sets[2] = {VK_NULL_HANDLE, set_};
    VK_NEED(vkAllocateDescriptorSets(name_, &wanted, &sets[0]));
    const VkDescriptorBufferInfo nothing{windows_[most_windows - 1].buffer, 0, VK_WHOLE_SIZE};
    for (std::uint32_t i = 0; i < blocks; ++i) {
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = sets[0];
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &nothing;
        vkUpdateDescriptorSets(name_, 1, &write, 0, nullptr);
    }
    const Numbers numbers;
    const auto record = [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, nullptr);
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof numbers, &numbers);
        vkCmdDispatch(commands, 0, 1, 1);
    };
    device_.submit(record, {}, {});
    device_.idle(); // however long that takes
    vkDestroyDescriptorPool(name_, pool, nullptr);
}

int VulkanSide::start(Start how, pixMPI_Endpoint endpoint, const Numbers *numbers, int groups,
                      pixMPI_Request *request) {
    vkMPI_Kernel one = VKMPI_KERNEL_INIT;
    one.pipeline = pipeline_;
    one.layout = layout_;
    one.set_count = 1;
    one.sets = &set_;
    one.push_bytes = sizeof *numbers;
    one.push = numbers;
    one.groups = groups;
    const vkMPI_Kernel *const kernel = numbers ? &one : nullptr;
    if (how == Start::blocking)
        return vkMPI_Endpoint_run(endpoint, kernel);
    return how == Start::nonblocking ? vkMPI_Endpoint_irun(endpoint, kernel, request)
                                     : vkMPI_Endpoint_run_init(endpoint, kernel, request);
}

} // namespace

std::unique_ptr<DeviceSide> make_vulkan_side() { return std::make_unique<VulkanSide>(); }

} // namespace api
