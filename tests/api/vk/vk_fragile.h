// A device with a layer between the library and Vulkan that may fail or pretend to be another one.
#pragma once

#include "rig/ends_vk.h"

#include <vk_interpose.h>

namespace api {

/// A device with a Vulkan that may fail. Whatever fails is healed at its end.
struct Fragile {
    explicit Fragile(const vk_interpose::Disguise &as = {}) {
        vk_interpose::disguise = as;
        std::string reason;
        vk_rig::Options options = rig_options();
        vulkan_entry();
        options.get = vk_interpose::get_instance_proc_addr;
        device = vk_rig::Device::make(options, reason);
        if (!device)
            failed(__FILE__, __LINE__, reason);
        NEED(device != nullptr);
        say_device("vk", device->name(), device->uuid());
    }
    ~Fragile() {
        vk_interpose::heal_all();
        vkDeviceWaitIdle(device->info.device); // what the library was told is lost goes on
        const std::string said = device->close();
        if (!said.empty())
            failed(__FILE__, __LINE__, said);
    }
    /// Another context in its place: much cheaper than another device.
    void renew_context() const { CHECK_OK(device->renew_context()); }
    std::unique_ptr<vk_rig::Device> device;
};

} // namespace api
