#include "object/api_vk.h"

#include "measure/job.h"
#include "object/vk_object.h"

#include <algorithm>
#include <cstdlib>
#include <error.h>

namespace {

class VkApi final : public Api {
  public:
    const char *name() const override { return "vk"; }
    std::vector<std::string> objects() const override { return {"image", "buffer"}; }
    std::string open(std::optional<int> card) override {
        if (card)
            setenv("PIXMPI_VK_DEVICE", std::to_string(*card).c_str(), 1);
        if (vkMPI_Context_create(nullptr, &context_) != PIXMPI_SUCCESS)
            return pixMPI_Error_text();
        gpu_.emplace(context_);
        return "";
    }
    void close() override {
        gpu_.reset();
        check(vkMPI_Context_free(&context_));
    }
    std::string driver() const override {
        const char *name = nullptr;
        check(vkMPI_Context_name(context_, &name));
        return name;
    }
    bool software() const override {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(gpu_->physical_device, &properties);
        return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    }
    GpuUuid gpu() const override {
        VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        all.pNext = &ids;
        vkGetPhysicalDeviceProperties2(gpu_->physical_device, &all);
        GpuUuid uuid{};
        std::copy_n(ids.deviceUUID, uuid.size(), uuid.begin());
        return uuid;
    }
    std::unique_ptr<Object> make(const std::string &kind, const Shape2D &shape, std::string &problem) override {
        auto object = std::make_unique<VkObject>(*gpu_, shape);
        try {
            problem = object->make(kind == "buffer");
        } catch (const demo::Error &error) {
            problem = error.what();
        }
        return object;
    }
    std::unique_ptr<CardMemory> card_memory(Object &object, const RegionCase &what, std::string &) override {
        return make_vk_card_memory(*gpu_, object, what, software());
    }

  private:
    vkMPI_Context context_ = VKMPI_CONTEXT_NULL;
    std::optional<demo::Gpu> gpu_;
};

} // namespace

std::unique_ptr<Api> make_vk_api() { return std::make_unique<VkApi>(); }
