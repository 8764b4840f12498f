// Semaphores for tests, and the argument that names them.
#pragma once

#include "rig/ends_vk.h"

#include <cstring>

namespace api {

struct Timeline {
    explicit Timeline(vk_rig::Device &device_, std::uint64_t value = 0)
        : device(device_), name(device_.make_timeline(value)) {}
    Timeline(const Timeline &) = delete;
    ~Timeline() {
        vkDeviceWaitIdle(device.info.device);
        device.destroy(name);
    }
    vk_rig::Device &device;
    const VkSemaphore name;
};

struct Binary {
    explicit Binary(vk_rig::Device &device_) : device(device_), name(device_.make_binary()) {}
    Binary(const Binary &) = delete;
    ~Binary() {
        vkDeviceWaitIdle(device.info.device);
        device.destroy(name);
    }
    vk_rig::Device &device;
    const VkSemaphore name;
};

/// SyncList().wait(drawn, 3).signal(sent): what vkMPI_Sync wants, as long as the expression lives.
class SyncList {
  public:
    SyncList &wait(const Timeline &one, std::uint64_t value) { return add(waits_, one.name, value); }
    SyncList &wait(const Binary &one) { return add(waits_, one.name, 0); }
    SyncList &signal(const Timeline &one, std::uint64_t value) { return add(signals_, one.name, value); }
    SyncList &signal(const Binary &one) { return add(signals_, one.name, 0); }
    operator const vkMPI_Sync *() {
        sync_ = {static_cast<std::uint32_t>(waits_.names.size()),   waits_.names.data(),   waits_.values.data(),
                 static_cast<std::uint32_t>(signals_.names.size()), signals_.names.data(), signals_.values.data()};
        return &sync_;
    }

  private:
    SyncList &add(vk_rig::Semaphores &list, VkSemaphore name, std::uint64_t value) {
        list.names.push_back(name);
        list.values.push_back(value);
        return *this;
    }
    vk_rig::Semaphores waits_, signals_;
    vkMPI_Sync sync_{};
};

} // namespace api
