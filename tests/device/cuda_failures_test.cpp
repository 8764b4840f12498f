// What a transfer on CUDA does where the driver fails, or must not be asked; the stand-in makes it fail.
#include "cuda_rig_memory.h"
#include "suite.h"

#include "gpu/cuda.h"
#include "request/runtime.h"

#include <cudampi.h>
#include <surface/cuda_surface.h>

#include <dlfcn.h>

using namespace device_suite;
using pixmpi::StageKind;

namespace {

constexpr int out_of_memory = 2, unknown = 999;
constexpr int edge = 64, pixels = edge * edge;

template <class Function> Function *stand_in(const char *name) {
    return reinterpret_cast<Function *>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
}

class CudaFailures : public testing::Test {
  protected:
    void SetUp() override {
        fail_ = stand_in<void(const char *, int, int, int)>("fakeCudaFail");
        if (!fail_)
            GTEST_SKIP() << "NVIDIA's driver does not fail when it is told to";
        pixmpi::StageMemory &stage = pixmpi::runtime().stage;
        if (!stage.map().base) {
            ASSERT_EQ(stage.open(std::size_t{64} << 20, 1), PIXMPI_SUCCESS);
        }
        setenv("PIXMPI_CUDA_PACK", "kernels", 1);
        memory_ = std::make_unique<cuda_rig::Memory>(0, cuda_rig::Kind::device, pixels);
        stream_ = std::make_unique<cuda_rig::Stream>(0);
        fill(1);
        const pixMPI_Surface named = cudaMPI_On_stream(cudaMPI_Memory(memory_->address(), PIXMPI_R8UI, edge, edge),
                                                       static_cast<CUstream_st *>(stream_->name()));
        ASSERT_EQ(cudampi::resolve(named, surface_), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_EQ(device().make_stage(StageKind::mapped, nullptr, pixels, stage_), PIXMPI_SUCCESS);
    }
    void TearDown() override {
        if (fail_)
            stand_in<void()>("fakeCudaHeal")();
    }
    pixmpi::Device &device() { return *surface_->device; }
    void fill(int value) {
        const Bytes bytes(pixels, std::byte(value));
        memory_->write(bytes, stream_->name());
        Bytes there(pixels);
        memory_->read(there, stream_->name()); // and it is over
    }
    std::unique_ptr<pixmpi::Transfer> begun(Direction direction) {
        std::unique_ptr<pixmpi::Transfer> transfer;
        EXPECT_EQ(device().make_transfer(direction, surface_, region_of({{0, 0, edge, edge}}), transfer),
                  PIXMPI_SUCCESS);
        transfer->start();
        EXPECT_EQ(transfer->begin(pixels), PIXMPI_SUCCESS);
        return transfer;
    }
    static bool settles(pixmpi::Transfer &transfer) {
        for (int i = 0; i < 100'000'000; ++i)
            if (transfer.settled())
                return true;
        return false;
    }

    void (*fail_)(const char *, int, int, int) = nullptr;
    std::unique_ptr<cuda_rig::Memory> memory_;
    std::unique_ptr<cuda_rig::Stream> stream_;
    std::shared_ptr<cudampi::CudaSurface> surface_;
    std::unique_ptr<pixmpi::Stage> stage_;
};

} // namespace

TEST_F(CudaFailures, a_question_that_fails_does_not_end_the_work) {
    const auto transfer = begun(Direction::pack);
    std::fill_n(stage_->host, pixels, std::byte{9});
    cuda_rig::hurry(50'000);
    pixmpi::Ticket ticket = pixmpi::done;
    ASSERT_EQ(transfer->copy(0, pixels, *stage_, 0, ticket), PIXMPI_SUCCESS);
    transfer->give_up();
    fail_("cuEventQuery", unknown, 0, 1);
    ASSERT_TRUE(settles(*transfer));
    EXPECT_TRUE(std::all_of(stage_->host, stage_->host + pixels, [](std::byte b) { return b == std::byte{1}; }));
}

TEST_F(CudaFailures, a_gpu_that_was_reset_is_found_anew) {
    const auto calls = stand_in<int(const char *)>("fakeCudaCalls");
    const auto retained = [&] { return calls("cuDevicePrimaryCtxRetain"); };
    ASSERT_NE(pixmpi::CudaGpu::find(device().gpu()), nullptr);
    const int before = retained();
    const pixmpi::CudaGpu *const found = pixmpi::CudaGpu::find(device().gpu());
    EXPECT_EQ(retained(), before);
    constexpr int context_is_destroyed = 709;
    fail_("cuCtxPushCurrent_v2", context_is_destroyed, 0, 1);
    const pixmpi::CudaGpu *const anew = pixmpi::CudaGpu::find(device().gpu());
    EXPECT_EQ(retained(), before + 1);
    EXPECT_NE(anew, found);
    EXPECT_EQ(pixmpi::CudaGpu::find(device().gpu()), anew);
}

#ifdef WITH_KERNELS
TEST_F(CudaFailures, what_fails_for_memory_is_not_combined) {
    const auto transfer = begun(Direction::unpack);
    std::fill_n(stage_->host, pixels, std::byte{2});
    pixmpi::Combination sum;
    sum.operation = pixmpi::Operation::sum;
    const auto combine = [&] {
        bool accepted = false;
        pixmpi::Ticket ticket = pixmpi::done;
        const pixmpi::Status status = transfer->combine(sum, nullptr, 0, pixels, *stage_, 0, ticket, accepted);
        EXPECT_TRUE(accepted);
        return status;
    };
    ASSERT_EQ(combine(), PIXMPI_SUCCESS);
    fail_("cuEventCreate", out_of_memory, 0, 1);
    int again = 0; // events of other tests may be there
    while (combine() == PIXMPI_SUCCESS && again < 64)
        ++again;
    ASSERT_LT(again, 64);
    fail_("cuEventRecord", out_of_memory, 0, 1);
    EXPECT_EQ(combine(), PIXMPI_ERR_DEVICE); // it may have been done: it is not done once more
    transfer->give_up();
    ASSERT_TRUE(settles(*transfer));
    Bytes result(pixels);
    memory_->read(result, stream_->name());
    EXPECT_EQ(static_cast<int>(result[0]), 1 + 2 * (again + 2));
}

TEST_F(CudaFailures, messages_of_many_rectangles_free_nothing) {
    const auto calls = stand_in<int(const char *)>("fakeCudaCalls");
    const auto freed = [&] { return calls("cuMemFree_v2") + calls("cuMemFreeHost"); };
    const auto transfer = [&](int first) {
        std::vector<pixMPI_Rect> rects;
        for (int x = first; x < edge; x += 2)
            rects.push_back({x, 0, 1, edge});
        const std::uint64_t count = rects.size() * edge;
        std::unique_ptr<pixmpi::Transfer> made;
        ASSERT_EQ(device().make_transfer(Direction::pack, surface_, region_of(rects), made), PIXMPI_SUCCESS);
        made->start();
        ASSERT_EQ(made->begin(count), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        ASSERT_EQ(made->copy(0, count, *stage_, 0, ticket), PIXMPI_SUCCESS);
        made->give_up();
        ASSERT_TRUE(settles(*made));
    };
    const int before = freed();
    for (int i = 0; i < 20; ++i)
        ASSERT_NO_FATAL_FAILURE(transfer(i));
    EXPECT_EQ(freed(), before);
}
#endif
