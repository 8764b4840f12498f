#include "object/api_cuda.h"

#include "measure/job.h"
#include "object/cuda_object.h"

#include <mpi_facts.h>

namespace {

class CudaApi final : public Api {
  public:
    const char *name() const override { return "cuda"; }
    std::vector<std::string> objects() const override { return {"memory", "array"}; }
    std::string open(std::optional<int> card) override {
        if (!cuda_.load())
            return "there is no libcuda.so.1, or it finds no GPU";
        int count = 0, device = 0;
        char text[256] = {};
        cuda_.cuDeviceGetCount(&count);
        const int number = card ? *card : demo::rank_within_host() % count;
        if (cuda_.cuDeviceGet(&device, number) != 0)
            return "--device: " + std::to_string(number) + ", expected less than " + std::to_string(count);
        if (cuda_.cuDeviceGetName(text, static_cast<int>(sizeof text) - 1, device) != 0 ||
            cuda_.cuDeviceGetUuid(uuid_.data(), device) != 0 || cuda_.cuDevicePrimaryCtxRetain(&context_, device) != 0)
            return "CUDA: GPU " + std::to_string(number) + " cannot be used";
        text_ = std::string("CUDA, ") + text;
        return "";
    }
    void close() override {
        void *popped = nullptr;
        if (cuda_.cuCtxPushCurrent_v2(context_) != 0)
            return;
        check(cudaMPI_Context_release());
        cuda_.cuCtxPopCurrent_v2(&popped);
    }
    std::string driver() const override { return text_; }
    bool software() const override { return false; }
    GpuUuid gpu() const override { return uuid_; }
    std::unique_ptr<Object> make(const std::string &kind, const Shape2D &shape, std::string &problem) override {
        auto object = std::make_unique<CudaObject>(cuda_, context_, shape);
        problem = object->make(kind == "array");
        return object;
    }

  private:
    CudaCalls cuda_;
    void *context_ = nullptr;
    GpuUuid uuid_{};
    std::string text_;
};

} // namespace

std::unique_ptr<Api> make_cuda_api() { return std::make_unique<CudaApi>(); }
