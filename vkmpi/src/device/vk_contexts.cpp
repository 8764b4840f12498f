#include "device/vk_contexts.h"

#include "base/handles.h"
#include "base/struct_size.h"
#include "device/rates.h"

#include <cstring>

namespace vkmpi {

using namespace pixmpi;

namespace {

// Never destroyed: handles are compared until the very end.
HandleTable<VulkanDevice> &contexts() {
    static auto *const one = new HandleTable<VulkanDevice>(0x81);
    return *one;
}

template <class Body> int on_context(const char *call, vkMPI_Context context, Body body) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<VulkanDevice> device;
        if (const Status status = find_context(context, "context", device))
            return status;
        return body(*device);
    });
}

Status check_info(const vkMPI_Context_info &info) {
    const auto missing = [](const char *what) {
        return fail(PIXMPI_ERR_ARGUMENT, "info.%s: null, expected the program's own", what);
    };
    if (!info.instance)
        return missing("instance");
    if (!info.physical_device)
        return missing("physical_device");
    if (!info.device)
        return missing("device");
    if (!info.queue)
        return missing("queue");
    if (info.extension_count && !info.extensions)
        return fail(PIXMPI_ERR_ARGUMENT, "info.extensions: null, expected %u names", info.extension_count);
    if (!info.lock_queue != !info.unlock_queue)
        return fail(PIXMPI_ERR_ARGUMENT, "info.%s: null, expected a function, as the other half of the lock",
                    info.lock_queue ? "unlock_queue" : "lock_queue");
    if (info.features & ~VKMPI_FEATURE_PRIVATE_DATA)
        return fail(PIXMPI_ERR_ARGUMENT, "info.features: 0x%llx, expected VKMPI_FEATURE_PRIVATE_DATA or 0",
                    static_cast<unsigned long long>(info.features));
    return PIXMPI_SUCCESS;
}

// The same device by its other queue, as a context that the program does not know.
Status open_message_device(VulkanDevice &device) {
    if (!device.info.message_queue)
        return PIXMPI_SUCCESS;
    vkMPI_Context_info info = device.info;
    info.queue = info.message_queue;
    info.queue_family = info.message_family;
    info.message_queue = VK_NULL_HANDLE;
    if (const Status status = VulkanDevice::make(info, nullptr, device.message_device))
        return fail(status, "info.message_queue: %s", pixMPI_Error_text());
    device.messages = static_cast<vkMPI_Context>(contexts().insert(device.message_device));
    return PIXMPI_SUCCESS;
}

// Whether others than the table of handles and the caller hold it: surfaces and stages of messages.
bool is_busy(const std::shared_ptr<VulkanDevice> &device) {
    constexpr long table_and_ours = 2;
    return device && (!core().idle(*device) || device.use_count() > table_and_ours);
}

} // namespace

Status find_context(vkMPI_Context handle, const char *argument, std::shared_ptr<VulkanDevice> &device) {
    device = contexts().find(handle);
    if (device)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_CONTEXT, "%s: %s, expected one made by vkMPI_Context_create", argument,
                handle ? "not a context, or destroyed" : "null");
}

} // namespace vkmpi

using namespace vkmpi;
using pixmpi::call_without_lock;
using pixmpi::core;
using pixmpi::fail;
using pixmpi::public_call;

int vkMPI_Context_create(const vkMPI_Context_info *info, vkMPI_Context *context) {
    const char *const name = "vkMPI_Context_create";
    std::unique_ptr<Headless> headless;
    vkMPI_Context_info own{};
    // Without the lock, as instances and devices may take half a second.
    const int failed = call_without_lock(name, [&]() -> Status {
        if (!context)
            return fail(PIXMPI_ERR_ARGUMENT, "context: null, expected a pointer to a handle");
        if (const Status status = read_struct("info", info, own))
            return status;
        return info ? check_info(own) : make_headless(headless, own);
    });
    if (failed)
        return failed;
    return public_call(name, [&]() -> Status {
        std::shared_ptr<VulkanDevice> device;
        if (const Status status = VulkanDevice::make(own, std::move(headless), device))
            return status;
        if (const Status status = open_message_device(*device))
            return status;
        *context = static_cast<vkMPI_Context>(contexts().insert(std::move(device)));
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Context_free(vkMPI_Context *context) {
    return public_call("vkMPI_Context_free", [&]() -> Status {
        if (!context)
            return fail(PIXMPI_ERR_ARGUMENT, "context: null, expected a pointer to a handle");
        std::shared_ptr<VulkanDevice> device;
        if (const Status status = find_context(*context, "context", device))
            return status;
        if (!device->usable())
            return fail(PIXMPI_ERR_CONTEXT, "context: belongs to another thread, expected this one to be bound");
        if (is_busy(device) || is_busy(device->message_device))
            return fail(PIXMPI_ERR_REQUEST, "context: requests that use it have not completed, or persistent ones or "
                                            "endpoints have not been freed; expected none");
        if (device->is_held_up() || (device->message_device && device->message_device->is_held_up()))
            return fail(PIXMPI_ERR_TIMEOUT, "context: lock_queue has been called and has not returned, expected that "
                                            "the program's lock of the queue is free");
        if (!device->finish())
            return fail(PIXMPI_ERR_DEVICE, "context: what it has submitted does not end; expected the semaphores that "
                                           "this waits for to be signalled before");
        contexts().erase(device->messages);
        contexts().erase(*context);
        *context = VKMPI_CONTEXT_NULL;
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Context_get_info(vkMPI_Context context, vkMPI_Context_info *info) {
    return on_context("vkMPI_Context_get_info", context, [&](VulkanDevice &device) -> Status {
        if (const Status status = check_struct("info", info))
            return status;
        write_struct(device.info, info);
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Context_bind(vkMPI_Context context) {
    return on_context("vkMPI_Context_bind", context, [](VulkanDevice &device) -> Status {
        device.batches.let_go(); // the thread that it was bound to may wait
        device.bind_to_this_thread();
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Context_name(vkMPI_Context context, const char **name) {
    return on_context("vkMPI_Context_name", context, [&](VulkanDevice &device) -> Status {
        if (name)
            *name = device.name();
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Context_rates(vkMPI_Context context, pixMPI_Format format, double *pack, double *unpack) {
    return on_context("vkMPI_Context_rates", context, [&](VulkanDevice &device) -> Status {
        if (!device.usable())
            return fail(PIXMPI_ERR_CONTEXT, "context: belongs to another thread, expected this one to be bound");
        Rates rates;
        if (const Status status = measure_rates(context, device, format, rates))
            return status;
        if (pack)
            *pack = rates.pack;
        if (unpack)
            *unpack = rates.unpack;
        return PIXMPI_SUCCESS;
    });
}
