#include "vk_rig_device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace vk_rig {
namespace {

constexpr const char *layer = "VK_LAYER_KHRONOS_validation";
constexpr std::uint64_t patience = 20'000'000'000; // nanoseconds

VKAPI_ATTR VkBool32 VKAPI_CALL heard(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *said, void *messages) {
    if (types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
        static_cast<Messages *>(messages)->add( // newer layers have SYNC-HAZARD... in the name alone
            std::string(said->pMessageIdName ? said->pMessageIdName : "") + ": " + said->pMessage);
    return VK_FALSE;
}

bool wants_validation() {
    const char *text = std::getenv("PIXMPI_TEST_VALIDATION");
    return !text || std::strcmp(text, "0") != 0;
}

/// All of the kind that suits tests best: GPUs, or what draws with the CPU where there are none.
std::vector<VkPhysicalDevice> best_devices(VkInstance instance) {
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> all(count), best;
    vkEnumeratePhysicalDevices(instance, &count, all.data());
    for (const VkPhysicalDeviceType type :
         {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
          VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU}) {
        for (const VkPhysicalDevice one : all) {
            VkPhysicalDeviceProperties properties;
            vkGetPhysicalDeviceProperties(one, &properties);
            if (properties.deviceType == type)
                best.push_back(one);
        }
        if (!best.empty())
            return best;
    }
    return all;
}

template <class Function> Function find(VkInstance instance, const char *name) {
    return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

} // namespace

void need(VkResult result, const char *call) {
    if (result == VK_SUCCESS)
        return;
    std::fprintf(stderr, "the test's own %s gave %d\n", call, static_cast<int>(result));
    std::abort();
}

bool any_device(std::string &reason) {
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = VK_NULL_HANDLE;
    if (const VkResult result = vkCreateInstance(&info, nullptr, &instance)) {
        reason = "no Vulkan: vkCreateInstance gave " + std::to_string(result);
        return false;
    }
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    vkDestroyInstance(instance, nullptr);
    if (count == 0)
        reason = "Vulkan finds no device on this machine";
    return count > 0;
}

const std::vector<VkPhysicalDeviceProperties> &cards() {
    static const std::vector<VkPhysicalDeviceProperties> found = [] {
        std::vector<VkPhysicalDeviceProperties> all;
        const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        VkInstance instance = VK_NULL_HANDLE;
        if (vkCreateInstance(&info, nullptr, &instance))
            return all;
        for (const VkPhysicalDevice one : best_devices(instance))
            vkGetPhysicalDeviceProperties(one, &all.emplace_back());
        vkDestroyInstance(instance, nullptr);
        return all;
    }();
    return found;
}

void Messages::add(std::string text) {
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
}

std::string Messages::take() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string &text : texts_)
        all += text + "\n";
    texts_.clear();
    return all;
}

std::unique_ptr<Device> Device::make(const Options &options, std::string &reason) {
    std::unique_ptr<Device> made(new Device);
    return made->open(options, reason) ? std::move(made) : nullptr;
}

Device::~Device() { close(); }

bool Device::open(const Options &options, std::string &reason) {
    if (options.headless ? !take_over(reason) : !make_instance(reason) || !make_device(options, reason))
        return false;
    if (options.headless)
        queues_[0] = queues_[1] = {info.queue, info.queue_family};
    for (Queue &queue : queues_) {
        VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = queue.family;
        VK_NEED(vkCreateCommandPool(info.device, &pool, nullptr, &queue.pool));
    }
    if (options.headless)
        return true;
    info.get_instance_proc_addr = options.get;
    info.lock_queue = options.lock;
    info.unlock_queue = options.unlock;
    info.lock_data = options.lock_data;
    if (vkMPI_Context_create(&info, &context_) == PIXMPI_SUCCESS)
        return true;
    reason = pixMPI_Error_text();
    return false;
}

// The context goes last then, and the device with it.
bool Device::take_over(std::string &reason) {
    owned_ = false;
    if (vkMPI_Context_create(nullptr, &context_) || vkMPI_Context_get_info(context_, &info))
        return reason = pixMPI_Error_text(), false;
    vkGetPhysicalDeviceMemoryProperties(info.physical_device, &memory_);
    return true;
}

bool Device::make_instance(std::string &reason) {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2; // what the library says it needs, and nothing later
    const VkValidationFeatureEnableEXT also[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = also;
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.pNext = &features;
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = heard;
    messenger.pUserData = &messages;
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    create.pApplicationInfo = &application;
    if (wants_validation()) {
        create.pNext = &messenger; // also hears what is said of the instance itself
        create.enabledLayerCount = create.enabledExtensionCount = 1;
        create.ppEnabledLayerNames = &layer;
        create.ppEnabledExtensionNames = &extension;
    }
    if (const VkResult result = vkCreateInstance(&create, nullptr, &info.instance)) {
        reason = "vkCreateInstance gave " + std::to_string(result) +
                 (result == VK_ERROR_LAYER_NOT_PRESENT ? ": the validation layers are not installed" : "");
        info.instance = VK_NULL_HANDLE;
        return false;
    }
    validated = wants_validation();
    messenger.pNext = nullptr;
    if (validated)
        VK_NEED(find<PFN_vkCreateDebugUtilsMessengerEXT>(info.instance, "vkCreateDebugUtilsMessengerEXT")(
            info.instance, &messenger, nullptr, &messenger_));
    return true;
}

bool Device::make_device(const Options &options, std::string &reason) {
    const std::vector<VkPhysicalDevice> cards = best_devices(info.instance);
    if (cards.empty()) {
        reason = "no Vulkan device";
        return false;
    }
    info.physical_device = cards[static_cast<std::size_t>(options.card) % cards.size()];
    if (options.extensions) {
        std::uint32_t count = 0;
        if (vkMPI_Device_extensions(options.get, info.instance, info.physical_device, &count, nullptr))
            return reason = pixMPI_Error_text(), false;
        extensions_.resize(count);
        if (vkMPI_Device_extensions(options.get, info.instance, info.physical_device, &count, extensions_.data()))
            return reason = pixMPI_Error_text(), false;
    }
    vkGetPhysicalDeviceMemoryProperties(info.physical_device, &memory_);
    const bool two = choose_queues(options.second_queue);
    bool apart = queues_[0].family != queues_[1].family;
    if (!two) { // a queue for the messages of shaders: another family's, or by option the only one
        queues_[1].family = find_compute_beside(queues_[0].family);
        apart = queues_[0].family != queues_[1].family;
    }
    const float priorities[] = {1, 1};
    VkDeviceQueueCreateInfo families[2] = {{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO},
                                           {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO}};
    for (std::size_t i = 0; i < 2; ++i) {
        families[i].queueFamilyIndex = queues_[i].family;
        families[i].queueCount = two && !apart ? 2 : 1;
        families[i].pQueuePriorities = priorities;
    }
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    timeline.timelineSemaphore = VK_TRUE;
    VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures separate{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES};
    separate.separateDepthStencilLayouts = VK_TRUE;
    VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    create.pNext = &timeline;
    if (options.separate_layouts)
        timeline.pNext = &separate;
    VkPhysicalDevicePrivateDataFeaturesEXT numbers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES_EXT};
    numbers.privateData = VK_TRUE;
    const std::string_view needed = VK_EXT_PRIVATE_DATA_EXTENSION_NAME;
    if (options.private_data && std::find(extensions_.begin(), extensions_.end(), needed) != extensions_.end()) {
        numbers.pNext = const_cast<void *>(create.pNext);
        create.pNext = &numbers;
        info.features = VKMPI_FEATURE_PRIVATE_DATA;
    }
    create.queueCreateInfoCount = apart ? 2 : 1;
    create.pQueueCreateInfos = families;
    create.enabledExtensionCount = info.extension_count = static_cast<std::uint32_t>(extensions_.size());
    create.ppEnabledExtensionNames = info.extensions = extensions_.data();
    if (const VkResult result = vkCreateDevice(info.physical_device, &create, nullptr, &info.device)) {
        reason = "vkCreateDevice gave " + std::to_string(result);
        info.device = VK_NULL_HANDLE;
        return false;
    }
    vkGetDeviceQueue(info.device, queues_[1].family, 0, &queues_[1].name);
    vkGetDeviceQueue(info.device, queues_[0].family, two && !apart ? 1 : 0, &queues_[0].name);
    info.queue = queues_[0].name;
    info.queue_family = queues_[0].family;
    if (!two && (apart || std::getenv("VK_RIG_MESSAGES"))) {
        info.message_queue = queues_[1].name;
        info.message_family = queues_[1].family;
        queues_[1] = queues_[0];
    }
    return true;
}

/// The first family with compute that is another one; `family` where there is none.
std::uint32_t Device::find_compute_beside(std::uint32_t family) const {
    const std::vector<VkQueueFamilyProperties> families = list_families();
    for (std::uint32_t i = 0; i < families.size(); ++i)
        if (i != family && families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return i;
    return family;
}

std::vector<VkQueueFamilyProperties> Device::list_families() const {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, families.data());
    return families;
}

/// Their families, the program's first; true when there are to be two queues.
bool Device::choose_queues(bool second) {
    const std::vector<VkQueueFamilyProperties> families = list_families();
    for (std::uint32_t i = 1; second && i < families.size(); ++i)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            queues_[0].family = i;
            return true;
        }
    return second && families[0].queueCount > 1;
}

int Device::renew_context() {
    const int code = context_ ? vkMPI_Context_free(&context_) : PIXMPI_SUCCESS;
    return code ? code : vkMPI_Context_create(&info, &context_);
}

std::string Device::close() {
    std::string refused;
    if (before_close)
        std::exchange(before_close, nullptr)();
    const auto leave = [&] {
        if (context_ && vkMPI_Context_free(&context_) != PIXMPI_SUCCESS)
            refused = std::string(pixMPI_Error_text()) + "\n";
    };
    if (owned_)
        leave();
    if (info.device) {
        idle();
        for (Queue &queue : queues_)
            vkDestroyCommandPool(info.device, queue.pool, nullptr);
        for (const VkFence fence : std::exchange(idle_fences_, {}))
            vkDestroyFence(info.device, fence, nullptr);
        free_all_memory();
        if (owned_)
            vkDestroyDevice(info.device, nullptr);
        info.device = VK_NULL_HANDLE;
    }
    if (messenger_)
        find<PFN_vkDestroyDebugUtilsMessengerEXT>(info.instance, "vkDestroyDebugUtilsMessengerEXT")(
            info.instance, messenger_, nullptr);
    if (owned_ && info.instance)
        vkDestroyInstance(info.instance, nullptr);
    if (!owned_)
        leave();
    messenger_ = VK_NULL_HANDLE;
    info.instance = VK_NULL_HANDLE;
    return refused + messages.take();
}

VkCommandBuffer Device::recorded(Queue &queue, const std::function<void(VkCommandBuffer)> &record) {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    if (queue.idle.empty()) {
        VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        one.commandPool = queue.pool;
        one.commandBufferCount = 1;
        VK_NEED(vkAllocateCommandBuffers(info.device, &one, &commands));
    } else {
        commands = queue.idle.back();
        queue.idle.pop_back();
    }
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    VK_NEED(vkBeginCommandBuffer(commands, &begin));
    record(commands);
    VK_NEED(vkEndCommandBuffer(commands));
    return commands;
}

void Device::submit_locked(const Queue &queue, const VkSubmitInfo &submission, VkFence fence) {
    if (info.lock_queue)
        info.lock_queue(info.lock_data);
    VK_NEED(vkQueueSubmit(queue.name, 1, &submission, fence));
    if (info.unlock_queue)
        info.unlock_queue(info.lock_data);
}

void Device::run(const std::function<void(VkCommandBuffer)> &record) {
    Queue &queue = queues_[0];
    const VkCommandBuffer commands = recorded(queue, record);
    VkFence fence = VK_NULL_HANDLE;
    if (idle_fences_.empty()) {
        VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        VK_NEED(vkCreateFence(info.device, &create, nullptr, &fence));
    } else {
        fence = idle_fences_.back();
        idle_fences_.pop_back();
    }
    VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &commands;
    submit_locked(queue, submission, fence);
    VK_NEED(vkWaitForFences(info.device, 1, &fence, VK_TRUE, patience));
    VK_NEED(vkResetFences(info.device, 1, &fence));
    idle_fences_.push_back(fence);
    queue.idle.push_back(commands);
}

void Device::submit(Queue &queue, const std::function<void(VkCommandBuffer)> &record, const Semaphores &waits,
                    const Semaphores &signals) {
    queue.flying.push_back(recorded(queue, record));
    const std::vector<VkPipelineStageFlags> stages(waits.names.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.waitSemaphoreValueCount = static_cast<std::uint32_t>(waits.values.size());
    values.pWaitSemaphoreValues = waits.values.data();
    values.signalSemaphoreValueCount = static_cast<std::uint32_t>(signals.values.size());
    values.pSignalSemaphoreValues = signals.values.data();
    VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submission.pNext = &values;
    submission.waitSemaphoreCount = static_cast<std::uint32_t>(waits.names.size());
    submission.pWaitSemaphores = waits.names.data();
    submission.pWaitDstStageMask = stages.data();
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &queue.flying.back();
    submission.signalSemaphoreCount = static_cast<std::uint32_t>(signals.names.size());
    submission.pSignalSemaphores = signals.names.data();
    submit_locked(queue, submission, VK_NULL_HANDLE);
}

void Device::idle() {
    for (Queue &queue : queues_) {
        if (queue.flying.empty())
            continue;
        VK_NEED(vkQueueWaitIdle(queue.name));
        queue.idle.insert(queue.idle.end(), queue.flying.begin(), queue.flying.end());
        queue.flying.clear();
    }
}

VkSemaphore Device::make_timeline(std::uint64_t value) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    type.initialValue = value;
    VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    create.pNext = &type;
    VkSemaphore made = VK_NULL_HANDLE;
    VK_NEED(vkCreateSemaphore(info.device, &create, nullptr, &made));
    return made;
}

VkSemaphore Device::make_binary() {
    VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made = VK_NULL_HANDLE;
    VK_NEED(vkCreateSemaphore(info.device, &create, nullptr, &made));
    return made;
}

void Device::destroy(VkSemaphore semaphore) { vkDestroySemaphore(info.device, semaphore, nullptr); }

void Device::signal(VkSemaphore timeline, std::uint64_t value) {
    VkSemaphoreSignalInfo one{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    one.semaphore = timeline;
    one.value = value;
    VK_NEED(vkSignalSemaphore(info.device, &one));
}

std::uint64_t Device::value_of(VkSemaphore timeline) {
    std::uint64_t value = 0;
    VK_NEED(vkGetSemaphoreCounterValue(info.device, timeline, &value));
    return value;
}

bool Device::wait_for(VkSemaphore timeline, std::uint64_t value) {
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline;
    wait.pValues = &value;
    return vkWaitSemaphores(info.device, &wait, patience) == VK_SUCCESS;
}

std::uint32_t Device::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                  VkMemoryPropertyFlags better) const {
    for (const VkMemoryPropertyFlags flags : {wanted | better, wanted, VkMemoryPropertyFlags{0}})
        for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i)
            if ((allowed >> i & 1) && (memory_.memoryTypes[i].propertyFlags & flags) == flags)
                return i;
    return 0;
}

std::string Device::name() const {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(info.physical_device, &properties);
    return properties.deviceName;
}

std::array<std::uint8_t, VK_UUID_SIZE> Device::uuid() const {
    VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    all.pNext = &ids;
    vkGetPhysicalDeviceProperties2(info.physical_device, &all);
    std::array<std::uint8_t, VK_UUID_SIZE> uuid;
    std::copy_n(ids.deviceUUID, VK_UUID_SIZE, uuid.begin());
    return uuid;
}

void change_layout(VkCommandBuffer commands, VkImage image, const VkImageSubresourceRange &range, VkImageLayout from,
                   VkImageLayout to) {
    VkImageMemoryBarrier one{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    one.srcAccessMask = one.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    one.oldLayout = from;
    one.newLayout = to;
    one.srcQueueFamilyIndex = one.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    one.image = image;
    one.subresourceRange = range;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &one);
}

void order_all(VkCommandBuffer commands) {
    VkMemoryBarrier one{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    one.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    one.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    vkCmdPipelineBarrier(commands, all, all, 0, 1, &one, 0, nullptr, 0, nullptr);
}

} // namespace vk_rig
