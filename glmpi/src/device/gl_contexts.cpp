#include "device/gl_contexts.h"

#include <algorithm>
#include <vector>

namespace glmpi {

namespace {

// Contexts belong to the process, so does this list. Under the library's lock.
struct Registry {
    std::vector<std::shared_ptr<GlDevice>> devices;

    // Of the context at that address; one that was there before and is gone is dropped.
    std::shared_ptr<GlDevice> find(const CurrentContext &context) {
        const auto found = std::find_if(devices.begin(), devices.end(),
                                        [&](const auto &d) { return d->context.handle == context.handle; });
        if (found == devices.end())
            return nullptr;
        if ((*found)->context.system == context.system && (*found)->same_context())
            return *found;
        (*found)->forget();
        devices.erase(found);
        return nullptr;
    }
};

// Never destroyed: at exit, contexts and their libraries may go before we do.
Registry &registry() {
    static auto *const one = new Registry;
    pixmpi::need_lock("the list of contexts was used");
    return *one;
}

} // namespace

Status current_device(std::shared_ptr<GlDevice> &device) {
    const CurrentContext context = current_context();
    if (!context.system)
        return pixmpi::fail(PIXMPI_ERR_CONTEXT,
                            "context: none is current on this thread, expected one of OpenGL 3.3 or later");
    Registry &all = registry();
    device = all.find(context);
    if (device) {
        device->delete_leftovers();
        return PIXMPI_SUCCESS;
    }
    if (const Status status = GlDevice::make(context, device))
        return status;
    all.devices.push_back(device);
    return PIXMPI_SUCCESS;
}

Status device_numbered(std::uint64_t number, std::shared_ptr<GlDevice> &device) {
    Registry &all = registry();
    const auto found =
        std::find_if(all.devices.begin(), all.devices.end(), [&](const auto &d) { return d->number == number; });
    if (found == all.devices.end())
        return pixmpi::fail(PIXMPI_ERR_CONTEXT, "surface: its context has been released or destroyed");
    device = *found;
    return PIXMPI_SUCCESS;
}

Status release_current() {
    const CurrentContext context = current_context();
    if (!context.system)
        return pixmpi::fail(PIXMPI_ERR_CONTEXT, "context: none is current on this thread, expected the one to release");
    Registry &all = registry();
    const std::shared_ptr<GlDevice> device = all.find(context);
    if (!device)
        return PIXMPI_SUCCESS;
    if (!pixmpi::core().idle(*device))
        return pixmpi::fail(PIXMPI_ERR_REQUEST,
                            "context: requests that use it are under way, expected all to have completed");
    if (device->endpoints > 0)
        return pixmpi::fail(PIXMPI_ERR_REQUEST, "context: %d endpoints have not been freed, expected none",
                            device->endpoints);
    device->release();
    std::erase(all.devices, device);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
