#include "device/vulkan_device.h"

#include "base/environment.h"
#include "shader/vk_passes.h"
#include "surface/surface.h"
#include "transfer/stages.h"
#include "transfer/transfer.h"

#include <algorithm>
#include <set>

namespace vkmpi {

using namespace pixmpi;

namespace {

/// The queues of all contexts.
std::multiset<VkQueue> &queues() {
    static auto *const all = new std::multiset<VkQueue>;
    return *all;
}

} // namespace

VulkanDevice::VulkanDevice(const vkMPI_Context_info &given)
    : info(given), batches(*this), views(*this), shaders(*this), thread_(std::this_thread::get_id()),
      thread_number_(gettid()) {
    for (std::uint32_t i = 0; i < given.extension_count; ++i)
        extension_names_.emplace_back(given.extensions[i]);
    for (const std::string &one : extension_names_)
        extension_pointers_.push_back(one.c_str());
    info.extensions = extension_pointers_.data();
    queues().insert(info.queue);
}

bool VulkanDevice::has_queue_alone() const { return queues().count(info.queue) == 1; }

VulkanDevice::~VulkanDevice() {
    if (const auto own = queues().find(info.queue); own != queues().end())
        queues().erase(own);
    if (!vk.DestroyDevice) // it was never opened
        return;
    message_device.reset();
    shaders.drop_lists(); // they go back to the batches
    batches.destroy();
    views.destroy();
    shaders.destroy();
    peer_memory.reset();
    windows_.clear();
    imports_list_.clear();
    for (auto &idle : idle_buffers_)
        idle.pop_all();
}

Status VulkanDevice::make(const vkMPI_Context_info &info, std::unique_ptr<Headless> headless,
                          std::shared_ptr<VulkanDevice> &device) {
    std::shared_ptr<VulkanDevice> made(new VulkanDevice(info), [](VulkanDevice *one) {
        if (one->finish())
            delete one; // else it stays: what is under way may use all of it
    });
    made->headless_ = std::move(headless);
    if (const Status status = made->open())
        return status;
    core().add_device(made);
    device = std::move(made);
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::open() {
    Vk functions;
    if (const Status status = find_loader(info.get_instance_proc_addr, info.get_instance_proc_addr))
        return status;
    if (const Status status = load_instance_functions(info.get_instance_proc_addr, info.instance, functions))
        return status;
    vk = functions;
    if (const Status status = look_at_device())
        return status;
    if (const Status status = load_device_functions(info.device, functions))
        return status;
    vk = functions;
    if (const Status status = look_at_queue())
        return status;
    if (const Status status = choose_ways())
        return status;
    if (const Status status = views.open())
        return status;
    return batches.open();
}

bool VulkanDevice::finish() {
    const bool ours = batches.finish();
    return (!message_device || message_device->batches.finish()) && ours;
}

bool VulkanDevice::has(const char *extension) const {
    return std::count(extension_names_.begin(), extension_names_.end(), extension) > 0;
}

Status VulkanDevice::look_at_device() {
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vk.GetPhysicalDeviceProperties(info.physical_device, &properties);
    const std::uint32_t version = properties.apiVersion;
    if (version < VK_API_VERSION_1_2)
        return fail(PIXMPI_ERR_DEVICE, "device: %s has Vulkan %u.%u, expected 1.2 or later", properties.deviceName,
                    VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features.pNext = &timeline;
    vk.GetPhysicalDeviceFeatures2(info.physical_device, &features);
    if (!timeline.timelineSemaphore)
        return fail(PIXMPI_ERR_DEVICE, "device: %s has no timeline semaphores, expected the feature timelineSemaphore",
                    properties.deviceName);
    const bool imports = has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    all.pNext = &driver;
    driver.pNext = &ids;
    if (imports)
        ids.pNext = &host;
    vk.GetPhysicalDeviceProperties2(info.physical_device, &all);
    if (imports)
        import_alignment_ = host.minImportedHostPointerAlignment;
    if (has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
        std::copy_n(ids.deviceUUID, VK_UUID_SIZE, traits_.gpu.device.begin());
        std::copy_n(ids.driverUUID, VK_UUID_SIZE, traits_.gpu.driver.begin());
    }
    vk.GetPhysicalDeviceMemoryProperties(info.physical_device, &memory);
    software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    traits_.api = "vk";
    traits_.name = std::string(properties.deviceName) + ", Vulkan " + std::to_string(VK_API_VERSION_MAJOR(version)) +
                   "." + std::to_string(VK_API_VERSION_MINOR(version)) + ", " + driver.driverName + " " +
                   driver.driverInfo;
    traits_.band_bytes = std::size_t{4} << 20; // a submission costs about 50 us: a band should outlast it
    traits_.has_threads = software;
    traits_.copies_in_order = traits_.has_one_queue = traits_.gains_by_passes = !software;
    traits_.shares_with_mpi = true;
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::look_at_queue() {
    std::uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vk.GetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, families.data());
    if (info.queue_family >= count)
        return fail(PIXMPI_ERR_DEVICE, "info.queue_family: %u, expected less than the device's %u families",
                    info.queue_family, count);
    queue_flags = families[info.queue_family].queueFlags;
    granularity = families[info.queue_family].minImageTransferGranularity;
    if (!(queue_flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)))
        return fail(PIXMPI_ERR_DEVICE,
                    "info.queue_family: %u has no copy commands, expected graphics, compute or transfer",
                    info.queue_family);
    return PIXMPI_SUCCESS;
}

// A CPU runs copy commands faster than shaders that do the same; a GPU needs a microsecond for each copied piece.
Status VulkanDevice::choose_ways() {
    const bool compute = queue_flags & VK_QUEUE_COMPUTE_BIT;
    bool copies = false;
    shader_packs = !software;
    if (const Status status = pixmpi::read_word("PIXMPI_VK_PATH", copies))
        return status;
    if (const Status status = pixmpi::read_word("PIXMPI_VK_PACK", shader_packs))
        return status;
    if (import_alignment_)
        vk.GetMemoryHostPointerPropertiesEXT = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
            vk.GetDeviceProcAddr(info.device, "vkGetMemoryHostPointerPropertiesEXT"));
    if (traits_.gpu)
        vk.GetMemoryFdKHR =
            reinterpret_cast<PFN_vkGetMemoryFdKHR>(vk.GetDeviceProcAddr(info.device, "vkGetMemoryFdKHR"));
    traits_.reaches_shared = vk.GetMemoryHostPointerPropertiesEXT && !copies;
    traits_.counts_bands = software && traits_.reaches_shared;
    shader_packs = shader_packs && compute;
    if (info.features & VKMPI_FEATURE_PRIVATE_DATA)
        load_private_data(info.device, vk);
    waits_ahead = !software;
    if (const Status status = pixmpi::read_word("PIXMPI_VK_AHEAD", waits_ahead))
        return status;
    // A program with a lock may wait for the queue while a call waits for a message.
    waits_ahead = waits_ahead && shader_packs && !info.lock_queue;
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::check(VkResult result, const char *function) {
    if (result == VK_ERROR_DEVICE_LOST)
        lost_ = true;
    return vkmpi::check(result, function);
}

Status VulkanDevice::submit(Queue::Submissions submissions) {
    const VkResult result = queue_.submit(submissions);
    if (result == VK_TIMEOUT)
        return fail(PIXMPI_ERR_TIMEOUT, "context: lock_queue has not returned for too long; expected that a thread "
                                        "which holds the program's lock of the queue does not call the library");
    return check(result, "vkQueueSubmit");
}

Status VulkanDevice::submit(VkCommandBuffer commands, VkSemaphore timeline, std::uint64_t value) {
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &value;
    VkSubmitInfo one{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    one.pNext = &values;
    one.commandBufferCount = commands ? 1 : 0;
    one.pCommandBuffers = &commands;
    one.signalSemaphoreCount = 1;
    one.pSignalSemaphores = &timeline;
    return submit({&one, 1});
}

Buffer *VulkanDevice::imported(const std::byte *bytes, std::size_t count, std::size_t &offset) {
    need_lock("a device's imports were used");
    if (!imports())
        return nullptr;
    const auto covers = [&](const StageMap &map) { return bytes >= map.base && bytes + count <= map.base + map.bytes; };
    for (Import &one : imports_list_)
        if (covers(*one.map)) {
            offset = static_cast<std::size_t>(bytes - one.map->base);
            return one.buffer.get();
        }
    const std::shared_ptr<const StageMap> map = core().shared_memory(bytes);
    if (!map || !covers(*map))
        return nullptr;
    // Processes that are not known elsewhere any more have gone.
    std::erase_if(imports_list_, [](const Import &one) { return one.map.use_count() == (one.buffer ? 2 : 1); });
    Import made{map, nullptr};
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(map->base) % import_alignment_ == 0 && map->bytes % import_alignment_ == 0;
    if (!aligned || Buffer::import(*this, map->base, map->bytes, made.buffer, map) != PIXMPI_SUCCESS) {
        made.buffer.reset();
        core().log(PIXMPI_LOG_INFO, "vkmpi: this device cannot import stage memory; the CPU copies it");
    }
    imports_list_.push_back(std::move(made));
    offset = static_cast<std::size_t>(bytes - map->base);
    return imports_list_.back().buffer.get();
}

namespace {

Status make_buffer(VulkanDevice &device, Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    return place == Place::host ? Buffer::make(device, place, bytes, buffer)
                                : Buffer::make_scratch(device, bytes, buffer);
}

} // namespace

Status VulkanDevice::acquire_buffer(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    need_lock("a device's buffers were used");
    auto &idle = idle_buffers_[static_cast<std::size_t>(place)];
    if (auto found = idle.pop(bytes)) {
        buffer = std::move(*found);
        return PIXMPI_SUCCESS;
    }
    const Status status = make_buffer(*this, place, bytes, buffer);
    if (status != PIXMPI_ERR_MEMORY || idle.empty())
        return status;
    idle.pop_all();
    return make_buffer(*this, place, bytes, buffer);
}

void VulkanDevice::give_idle_memory() {
    batches.drop_idle();
    idle_buffers_[static_cast<std::size_t>(Place::host)].pop_all();
}

void VulkanDevice::end_vain_waits() {
    ++vain_waits;
    batches.let_go();
}

void VulkanDevice::give_back(Place place, std::unique_ptr<Buffer> buffer) {
    need_lock("a device's buffers were used");
    if (buffer && !is_overdue())
        idle_buffers_[static_cast<std::size_t>(place)].give_back(std::move(buffer));
}

Status VulkanDevice::make_stage(StageKind kind, std::byte *given, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    need_lock("a device's stage was made");
    auto made = std::make_unique<VulkanStage>(shared_from_this());
    if (const Status status = made->open(kind, given, bytes))
        return status;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::export_memory(std::size_t bytes, std::unique_ptr<DeviceMemory> &made, int &descriptor) {
    if (!vk.GetMemoryFdKHR)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: no vkGetMemoryFdKHR");
    std::unique_ptr<Buffer> buffer;
    if (const Status status = Buffer::make_exported(*this, bytes, buffer, descriptor))
        return status;
    made = std::make_unique<VulkanMemory>(*this, std::move(buffer));
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::import_memory(int descriptor, std::size_t bytes, std::unique_ptr<DeviceMemory> &made) {
    std::unique_ptr<Buffer> buffer;
    if (const Status status = Buffer::import(*this, descriptor, bytes, buffer))
        return status;
    made = std::make_unique<VulkanMemory>(*this, std::move(buffer));
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                                   std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) {
    need_lock("a device's transfer was made");
    auto one = std::static_pointer_cast<VulkanSurface>(std::move(surface));
    if (direction == Direction::pack && one->base) // where the CPU combines
        one = one->base;
    transfer = std::make_unique<VulkanTransfer>(direction, std::move(one), std::move(region));
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::make_straight_copy(std::span<const Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    return make_image_copy(planes, copy);
}

// Images that the shader has both at once. What the program was promised for them is others' work: see Plan.
std::shared_ptr<Surface> VulkanDevice::combine_onto(const std::shared_ptr<Surface> &room,
                                                    const std::shared_ptr<Surface> &base, int x, int y) {
    const auto to = std::static_pointer_cast<VulkanSurface>(room), from = std::static_pointer_cast<VulkanSurface>(base);
    const bool moved = x + from->corner_x != to->corner_x || y + from->corner_y != to->corner_y;
    if (!shader_packs || moved || to->access(Direction::unpack) != Access::storage ||
        from->access(Direction::pack) != Access::storage || to->format != from->format || to->base || from->base ||
        to->watch || from->watch)
        return nullptr;
    const auto made = std::static_pointer_cast<VulkanSurface>(to->again());
    made->extent = to->extent;
    made->corner_x = to->corner_x;
    made->corner_y = to->corner_y;
    made->base = std::static_pointer_cast<VulkanSurface>(from->again());
    return made;
}

Status VulkanDevice::make_passes(std::unique_ptr<Passes> &passes) {
    if (queue_flags & VK_QUEUE_COMPUTE_BIT)
        passes = std::make_unique<VulkanPasses>(shared_from_this());
    return PIXMPI_SUCCESS;
}

Status VulkanDevice::make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) {
    return VulkanSurface::make(shared_from_this(), format, extent, surface);
}

} // namespace vkmpi
