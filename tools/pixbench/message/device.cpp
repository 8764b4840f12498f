// Messages that begin inside a running shader, compared with those that the host makes between two dispatches, in the
// same run. DCGN's figure 6 (ping-pong), figure 7 (broadcast) and table 1 (barriers) on two ranks, or on two slots of
// one. The shaders write and check the words of a ping-pong in both ways, of long messages a part in each round.
#include "measure/job.h"
#include "modes.h"

#include "device_turns_0.spv.h"
#include "device_turns_1.spv.h"
#include "device_turns_2.spv.h"
#include "device_turns_3.spv.h"
#include "device_turns_4.spv.h"
#include "device_turns_5.spv.h"
#include "device_turns_6.spv.h"
#include "device_turns_7.spv.h"
#include "device_turns_8.spv.h"
#include "device_turns_host.spv.h"

#include <algorithm>
#include <cstring>
#include <error.h>
#include <memory>
#include <mpi.h>
#include <pixmpi_collectives.h>
#include <span>
#include <vk.h>
#include <vkmpi_device.h>

namespace {

constexpr std::size_t kinds = 9; ///< of shaders

bool is_on_cpu(const demo::Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}
/// In a message: drivers on the CPU would take minutes for more.
std::uint32_t most_words(const demo::Gpu &gpu) { return is_on_cpu(gpu) ? 1U << 20 : 1U << 24; }

struct Numbers {
    std::uint32_t what = 0, rounds = 1, words = 2, turn = 0;
};

struct Case {
    const char *name;
    std::uint32_t what, words;
    int groups; ///< of each rank; 0: what there are slots
    bool halves() const { return what <= 1 || what == 5 || what >= 7; }
    int parts() const { return halves() ? 2 : what == 6 ? groups : 1; }
};
constexpr std::uint32_t ring_words = 4096; ///< of the calls with the most data
constexpr Case cases[] = {{"8 bytes, half a round trip", 0, 2, 0},
                          {"1 KB, half a round trip", 0, 256, 0},
                          {"16 KB in the ring", 5, ring_words, 0},
                          {"16 KB, half a round trip", 1, 4096, 0},
                          {"256 KB, half a round trip", 1, 1 << 16, 0},
                          {"4 MB, half a round trip", 1, 1 << 20, 0},
                          {"64 MB, half a round trip", 1, 1 << 24, 0},
                          {"8 bytes, slot to host rank", 8, 2, 0},
                          {"16 KB put with a signal", 7, 4096, 0},
                          {"256 KB put with a signal", 7, 1 << 16, 0},
                          {"4 MB put with a signal", 7, 1 << 20, 0},
                          {"64 MB put with a signal", 7, 1 << 24, 0},
                          {"barrier, 1 workgroup a slot", 2, 0, 0},
                          {"barrier, 64 workgroups", 2, 0, 64},
                          {"broadcast of 1 KB", 3, 256, 0},
                          {"suspension and resumption", 4, 0, 1},
                          {"a signal, of 64 workgroups", 6, 1, 64}};

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

/// The endpoint and the shader's way.
class ByShader {
  public:
    ByShader(const demo::Gpu &gpu, int slots, bool long_data) : gpu_(gpu), slots_(slots) {
        const std::size_t words = long_data ? ring_words : most_words(gpu);
        check(vkMPI_Window_create(gpu.context, 4 * sizeof(std::uint32_t) * words, &windows_[0], nullptr));
        check(vkMPI_Window_create(gpu.context, 8, &windows_[1], reinterpret_cast<void **>(&found_)));
        pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
        info.slots = slots;
        info.data_words = long_data ? ring_words : 256;
        info.ring_entries = long_data ? 2 : 16;
        info.calls = long_data ? 2 : 16;
        info.state_words = 2048; // of workgroups of 1,024
        check(vkMPI_Endpoint_create(gpu.context, MPI_COMM_WORLD, &info, 1, windows_, &endpoint_));
        make_layout();
        const std::span<const std::uint32_t> codes[kinds] = {device_turns_0, device_turns_1, device_turns_2,
                                                             device_turns_3, device_turns_4, device_turns_5,
                                                             device_turns_6, device_turns_7, device_turns_8};
        for (std::size_t i = 0; i < kinds; ++i)
            if (long_data == (i == 5))
                pipelines_[i] = make_pipeline(codes[i], i == 1 || i == 5 || i == 7 ? lanes_of_windows() : 64);
    }
    ~ByShader() {
        check(pixMPI_Endpoint_free(&endpoint_));
        for (const VkPipeline pipeline : pipelines_)
            vkDestroyPipeline(gpu_.device, pipeline, nullptr);
        vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
        vkDestroyDescriptorPool(gpu_.device, pool_, nullptr);
        vkDestroyDescriptorSetLayout(gpu_.device, set_layout_, nullptr);
        for (vkMPI_Surface &window : windows_)
            check(vkMPI_Window_free(&window));
    }
    ByShader(const ByShader &) = delete;

    /// Seconds of `rounds`.
    double run(const Case &what, std::uint32_t rounds) {
        const Numbers numbers{what.what, rounds, what.words, what.what == 7 ? puts_ : signals_};
        vkMPI_Kernel kernel = VKMPI_KERNEL_INIT;
        kernel.pipeline = pipelines_[what.what];
        kernel.layout = layout_;
        kernel.set_count = 1;
        kernel.sets = &set_;
        kernel.push_bytes = sizeof numbers;
        kernel.push = &numbers;
        kernel.groups = what.groups ? what.groups : slots_;
        idle_barrier(MPI_COMM_WORLD);
        const double before = MPI_Wtime();
        if (what.what == 8)
            answer(kernel, rounds, what.words);
        else
            check(vkMPI_Endpoint_run(endpoint_, &kernel));
        const double after = MPI_Wtime();
        if (what.what == 6)
            signals_ += rounds * static_cast<std::uint32_t>(what.groups / slots_);
        if (what.what == 7)
            puts_ += rounds;
        return after - before;
    }
    std::uint32_t wrong() const { return found_[0]; }
    const char *mode() const {
        constexpr const char *names[] = {"automatic", "suspending", "running", "timeline"};
        pixMPI_Device_mode mode = PIXMPI_MODE_AUTOMATIC;
        check(pixMPI_Endpoint_mode(endpoint_, &mode));
        return names[mode];
    }

  private:
    /// The last process is the host rank that sends back what slot 0 sends.
    void answer(const vkMPI_Kernel &kernel, std::uint32_t rounds, std::uint32_t words) {
        MPI_Comm space = MPI_COMM_NULL;
        int rank = 0, size = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        check(pixMPI_Endpoint_comm(endpoint_, &space, nullptr, nullptr));
        pixMPI_Request run = PIXMPI_REQUEST_NULL;
        check(vkMPI_Endpoint_irun(endpoint_, &kernel, &run));
        std::vector<std::uint32_t> data(words);
        const int bytes = static_cast<int>(sizeof(std::uint32_t) * words);
        const pixMPI_Surface memory = pixMPI_Memory(data.data(), PIXMPI_R8, bytes, 1); // slots send bytes
        for (std::uint32_t round = 0; rank == size - 1 && round < rounds; ++round) {
            check(pixMPI_Recv(memory, PIXMPI_WHOLE, 0, 1, space, MPI_STATUS_IGNORE));
            check(pixMPI_Send(memory, PIXMPI_WHOLE, 0, 1, space));
        }
        check(pixMPI_Wait(&run, MPI_STATUS_IGNORE));
    }
    /// Drivers on the CPU go through lane after lane between two barriers.
    std::uint32_t lanes_of_windows() const { return is_on_cpu(gpu_) ? 64 : 1024; }
    void make_layout() {
        VkDescriptorSetLayoutBinding bindings[2];
        for (std::uint32_t i = 0; i < 2; ++i)
            bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        const VkDescriptorSetLayoutCreateInfo shape{
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
        demo::check_vk(vkCreateDescriptorSetLayout(gpu_.device, &shape, nullptr, &set_layout_), "making a set layout");
        const VkDescriptorPoolSize buffers{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
        const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                              .maxSets = 1,
                                              .poolSizeCount = 1,
                                              .pPoolSizes = &buffers};
        demo::check_vk(vkCreateDescriptorPool(gpu_.device, &pool, nullptr, &pool_), "making a descriptor pool");
        const VkDescriptorSetAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = pool_,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &set_layout_};
        demo::check_vk(vkAllocateDescriptorSets(gpu_.device, &wanted, &set_), "making a descriptor set");
        for (std::uint32_t i = 0; i < 2; ++i) {
            const VkDescriptorBufferInfo part{windows_[i].buffer, 0, VK_WHOLE_SIZE};
            const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstSet = set_,
                                             .dstBinding = i,
                                             .descriptorCount = 1,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .pBufferInfo = &part};
            vkUpdateDescriptorSets(gpu_.device, 1, &write, 0, nullptr);
        }
        VkDescriptorSetLayout layouts[2] = {{}, set_layout_};
        check(vkMPI_Endpoint_layout(endpoint_, &layouts[0]));
        const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Numbers)};
        const VkPipelineLayoutCreateInfo all{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 2,
                                             .pSetLayouts = layouts,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
        demo::check_vk(vkCreatePipelineLayout(gpu_.device, &all, nullptr, &layout_), "making a pipeline layout");
    }

    VkPipeline make_pipeline(std::span<const std::uint32_t> code, std::uint32_t lanes) const {
        const VkShaderModuleCreateInfo source{
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_bytes(), .pCode = code.data()};
        VkShaderModule module = {};
        demo::check_vk(vkCreateShaderModule(gpu_.device, &source, nullptr, &module), "making a shader module");
        const VkSpecializationMapEntry entry{0, 0, sizeof lanes};
        const VkSpecializationInfo constants{1, &entry, sizeof lanes, &lanes};
        const VkComputePipelineCreateInfo pipeline{
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = module,
                      .pName = "main",
                      .pSpecializationInfo = &constants},
            .layout = layout_};
        VkPipeline made = {};
        const VkResult result = vkCreateComputePipelines(gpu_.device, {}, 1, &pipeline, nullptr, &made);
        vkDestroyShaderModule(gpu_.device, module, nullptr);
        demo::check_vk(result, "making a compute pipeline");
        return made;
    }

    const demo::Gpu &gpu_;
    const int slots_;
    vkMPI_Surface windows_[2]{};
    std::uint32_t *found_ = nullptr;
    pixMPI_Endpoint endpoint_ = PIXMPI_ENDPOINT_NULL;
    VkDescriptorSetLayout set_layout_ = {};
    VkDescriptorPool pool_ = {};
    VkDescriptorSet set_ = {};
    VkPipelineLayout layout_ = {};
    VkPipeline pipelines_[kinds] = {};
    std::uint32_t signals_ = 0, puts_ = 0; ///< that each slot has got in all runs
};

/// The same turns, with a dispatch for each and messages of vkMPI in between.
class ByHost {
  public:
    ByHost(const demo::Gpu &gpu, const Team &team)
        : gpu_(gpu), team_(team), window_(gpu, 2 * sizeof(std::uint32_t) * most_words(gpu)), found_(gpu, 8, true),
          kernel_(gpu, device_turns_host, {.images = 0, .buffers = 2, .push_bytes = sizeof(Numbers)}),
          commands_(gpu, false), bound_(kernel_.bind({}, {&window_, &found_})) {
        std::memset(found_.data(), 0, 8);
    }

    double run(const Case &what, std::uint32_t rounds) {
        idle_barrier(MPI_COMM_WORLD);
        const double before = MPI_Wtime();
        for (std::uint32_t turn = 0; turn < rounds; ++turn)
            step(what, turn);
        return MPI_Wtime() - before;
    }
    std::uint32_t wrong() const { return *static_cast<const std::uint32_t *>(found_.data()); }

  private:
    void step(const Case &what, std::uint32_t turn) {
        const bool alone = team_.ranks == 1;
        if (what.halves() || what.what == 6) {
            if (team_.rank > 1)
                return;
            const int groups = static_cast<int>(std::clamp(what.words / 64, 1U, 64U));
            for (int half = 0; half < 2; ++half) {
                const bool sends = team_.rank == half;
                if (sends || alone)
                    dispatch(0, what.words, turn, groups);
                move(what.words, sends, alone);
                if (!sends || alone)
                    dispatch(1, what.words, turn, groups);
            }
            return;
        }
        dispatch(what.what == 3 && team_.rank == 0 ? 0 : 2, what.words, turn, what.groups ? what.groups : 1);
        if (what.what == 2)
            check(pixMPI_Barrier(MPI_COMM_WORLD));
        if (what.what == 3) {
            const vkMPI_Surface all = part(what.words, 0);
            check(pixMPI_Bcast(vkMPI_Any(&all, nullptr), PIXMPI_WHOLE, 0, MPI_COMM_WORLD));
        }
    }
    vkMPI_Surface part(std::uint32_t words, std::uint32_t first) const {
        vkMPI_Surface surface = window_.surface(PIXMPI_R32UI, static_cast<int>(words), 1);
        surface.offset = std::uint64_t{4} * first;
        return surface;
    }
    void move(std::uint32_t words, bool sends, bool alone) {
        const vkMPI_Surface out = part(words, 0), in = part(words, words);
        if (alone)
            check(vkMPI_Sendrecv(out, PIXMPI_WHOLE, 0, 1, in, PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
                                 nullptr, nullptr));
        else if (sends)
            check(vkMPI_Send(out, PIXMPI_WHOLE, 1 - team_.rank, 1, MPI_COMM_WORLD, nullptr));
        else
            check(vkMPI_Recv(in, PIXMPI_WHOLE, 1 - team_.rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, nullptr));
    }
    void dispatch(std::uint32_t what, std::uint32_t words, std::uint32_t turn, int groups) {
        const Numbers numbers{what, 1, words, turn};
        kernel_.run(commands_.begin(), bound_, numbers, 8 * groups, 1); // groups of 8 x 8, as demos have them
        commands_.submit();
        commands_.wait();
    }

    const demo::Gpu &gpu_;
    const Team &team_;
    demo::Buffer window_, found_;
    demo::Kernel kernel_;
    demo::Commands commands_;
    VkDescriptorSet bound_;
};

std::uint32_t rounds_for(double seconds_of_one, double seconds) {
    return static_cast<std::uint32_t>(std::clamp(seconds / std::max(seconds_of_one, 1e-7), 3.0, 2000.0));
}

/// Seconds of a round: the median of the repetitions, of the slowest rank.
template <class Way> double measure(Way &way, const Case &what, const DeviceSettings &settings) {
    const auto slowest = [](double mine) {
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return all;
    };
    constexpr std::uint32_t warm_up = 3;
    way.run(what, warm_up);
    const std::uint32_t rounds = rounds_for(slowest(way.run(what, warm_up)) / warm_up, settings.seconds);
    std::vector<double> all;
    for (int i = 0; i < settings.repetitions; ++i)
        all.push_back(slowest(way.run(what, rounds)) / rounds);
    return median(all);
}

} // namespace

std::vector<DeviceRow> measure_device(const Team &team, const DeviceSettings &settings, std::string &about) {
    check(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr));
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    const bool made = vkMPI_Context_create(nullptr, &context) == PIXMPI_SUCCESS;
    check_all(made, pixMPI_Error_text(), MPI_COMM_WORLD);
    std::vector<DeviceRow> rows;
    {
        const demo::Gpu gpu(context);
        const int slots = team.ranks == 1 ? 2 : 1;
        ByShader by_shader(gpu, slots, false), with_long_data(gpu, slots, true);
        ByHost by_host(gpu, team);
        const char *name = nullptr;
        check(vkMPI_Context_name(context, &name));
        about = std::string(name) + ", mode " + by_shader.mode();
        for (const Case &what : cases) {
            if (what.words > most_words(gpu))
                continue;
            DeviceRow &row = rows.emplace_back();
            row.name = what.name;
            row.shader_us = 1e6 * measure(what.what == 5 ? with_long_data : by_shader, what, settings) / what.parts();
            row.host_us = 1e6 * measure(by_host, what, settings) / (what.what == 6 ? 2 : what.parts());
        }
        const std::uint32_t wrong = by_shader.wrong() + with_long_data.wrong();
        check_all(wrong == 0, std::to_string(wrong) + " words of shaders are wrong", MPI_COMM_WORLD);
        check_all(by_host.wrong() == 0, std::to_string(by_host.wrong()) + " words of the host are wrong",
                  MPI_COMM_WORLD);
    }
    check(vkMPI_Context_free(&context));
    return rows;
}
