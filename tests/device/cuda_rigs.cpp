// Pixels of CUDA: memory of all kinds, with and without gaps, by kernels and by copy commands, and arrays.
#include "cuda_rig_memory.h"
#include "rig.h"

#include "base/format.h"
#include "request/runtime.h"

#include <cudampi.h>
#include <surface/cuda_surface.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace device_suite;

namespace {

/// GPU 0 is for kernels, GPU 1, where there is one, for copy commands: what packs is chosen once for each.
enum class Way { kernels, copies };
int gpu_for(Way way) { return way == Way::copies ? std::min(1, cuda_rig::gpu_count() - 1) : 0; }

class CudaRig : public DeviceRig {
  public:
    explicit CudaRig(Way way) : way_(way), gpu(gpu_for(way)) {
        pixmpi::StageMemory &stage = pixmpi::runtime().stage; // it counts pinned memory
        if (!stage.map().base) {
            EXPECT_EQ(stage.open(std::size_t{64} << 20, 1), PIXMPI_SUCCESS);
        }
        cuda_rig::hurry(20);
        setenv("PIXMPI_CUDA_PACK", way == Way::copies ? "copies" : "kernels", 1);
        const cuda_rig::Memory some(gpu, cuda_rig::Kind::device, 4);
        std::shared_ptr<cudampi::CudaSurface> surface;
        EXPECT_EQ(cudampi::resolve(cudaMPI_Memory(some.address(), PIXMPI_R8, 1, 1), surface), PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        device_ = std::static_pointer_cast<cudampi::CudaDevice>(surface->device);
#ifdef WITH_KERNELS
        EXPECT_EQ(device_->kernels() != nullptr, gpu == 0);
#endif
    }
    pixmpi::Device &device() override { return *device_; }
    std::size_t offset_unit() const override { return 1; }

  protected:
    std::shared_ptr<pixmpi::Surface> resolved(const pixMPI_Surface &named) {
        const cuda_rig::Current current(gpu); // arrays ask for it
        std::shared_ptr<cudampi::CudaSurface> surface;
        EXPECT_EQ(cudampi::resolve(named, surface), PIXMPI_SUCCESS) << pixMPI_Error_text();
        return surface;
    }
    const Way way_;
    const int gpu;
    std::shared_ptr<cudampi::CudaDevice> device_;
};

class MemoryRig : public CudaRig {
  public:
    MemoryRig(Way way, cuda_rig::Kind kind, std::size_t before, std::size_t between)
        : CudaRig(way), kind_(kind), before_(before), between_(between), stream_(gpu) {}

    // Of memory, only the bytes of a pixel make a difference, except what combines: all formats once.
    std::vector<pixMPI_Format> formats(pixmpi::Direction) const override {
        const bool each = kind_ == cuda_rig::Kind::device && way_ == Way::kernels && before_ == 0;
        std::vector<pixMPI_Format> all;
        std::set<int> sizes;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
            if (const auto format = static_cast<pixMPI_Format>(i);
                sizes.insert(pixMPI_Format_bytes(format)).second || each)
                all.push_back(format);
        return all;
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, pixmpi::Extent extent, const Bytes &pixels) override {
        Object object;
        object.rows = static_cast<std::size_t>(extent.height);
        object.row = static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(pixMPI_Format_bytes(format));
        Bytes content(bytes_of(object), gap);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(&pixels[y * object.row], object.row, &content[place(object, y)]);
        object.memory = std::make_unique<cuda_rig::Memory>(gpu, kind_, content.size());
        object.memory->write(content, stream_.name()); // the message has to wait for it
        pixMPI_Surface named = cudaMPI_Memory(static_cast<std::byte *>(object.memory->address()) + before_, format,
                                              extent.width, extent.height);
        named.row_bytes = static_cast<std::ptrdiff_t>(object.row + between_);
        const auto surface = resolved(cudaMPI_On_stream(named, static_cast<CUstream_st *>(stream_.name())));
        objects_[surface.get()] = std::move(object);
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        const Bytes content = content_of(object);
        Bytes pixels(object.rows * object.row);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(&content[place(object, y)], object.row, &pixels[y * object.row]);
        return pixels;
    }

    void check(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        Bytes content = content_of(object);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(place(object, y)), object.row, gap);
        EXPECT_TRUE(std::all_of(content.begin(), content.end(), [](std::byte b) { return b == gap; }))
            << "written beside the rows";
    }

  private:
    static constexpr std::byte gap{0x77};
    struct Object {
        std::unique_ptr<cuda_rig::Memory> memory;
        std::size_t rows = 0, row = 0;
    };
    std::size_t place(const Object &object, std::size_t y) const { return before_ + y * (object.row + between_); }
    std::size_t bytes_of(const Object &object) const { return place(object, object.rows); }
    Bytes content_of(const Object &object) const {
        Bytes content(bytes_of(object));
        object.memory->read(content, stream_.name()); // which does not wait for the library's own
        return content;
    }

    const cuda_rig::Kind kind_;
    const std::size_t before_, between_;
    std::map<const pixmpi::Surface *, Object> objects_;
    cuda_rig::Stream stream_;
};

struct ArrayFormat {
    pixMPI_Format format;
    int number;
    unsigned channels;
};
constexpr ArrayFormat array_formats[] = {{PIXMPI_R8, 1, 1},        {PIXMPI_RGBA8, 1, 4},      {PIXMPI_RG16, 2, 2},
                                         {PIXMPI_RG32UI, 3, 2},    {PIXMPI_RGBA16F, 0x10, 4}, {PIXMPI_R32F, 0x20, 1},
                                         {PIXMPI_RGBA32F, 0x20, 4}};

class ArrayRig : public CudaRig {
  public:
    explicit ArrayRig(cuda_rig::ArrayKind kind) : CudaRig(Way::kernels), kind_(kind), stream_(gpu) {}

    std::vector<pixMPI_Format> formats(pixmpi::Direction) const override {
        std::vector<pixMPI_Format> all;
        for (const ArrayFormat &one : array_formats)
            all.push_back(one.format);
        return all;
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, pixmpi::Extent extent, const Bytes &pixels) override {
        const ArrayFormat &in_cuda = *std::find_if(std::begin(array_formats), std::end(array_formats),
                                                   [&](const ArrayFormat &one) { return one.format == format; });
        const auto width = static_cast<std::size_t>(extent.width);
        Object object{nullptr, width * static_cast<std::size_t>(pixMPI_Format_bytes(format)), pixels.size()};
        object.array = std::make_unique<cuda_rig::Array>(gpu, width, static_cast<std::size_t>(extent.height),
                                                         in_cuda.number, in_cuda.channels, kind_);
        object.array->write(pixels, object.row, stream_.name());
        const auto layer = static_cast<int>(object.array->layer());
        const pixMPI_Surface named = kind_ == cuda_rig::ArrayKind::mipmapped
                                         ? cudaMPI_Mipmapped(object.array->name(), PIXMPI_FORMAT_NONE,
                                                             static_cast<int>(object.array->level()), layer)
                                         : cudaMPI_Array(object.array->name(), PIXMPI_FORMAT_NONE, layer);
        const auto surface = resolved(cudaMPI_On_stream(named, static_cast<CUstream_st *>(stream_.name())));
        EXPECT_EQ(surface->format, format);
        objects_[surface.get()] = std::move(object);
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        Bytes pixels(object.bytes);
        object.array->read(pixels, object.row, stream_.name());
        return pixels;
    }

  private:
    struct Object {
        std::unique_ptr<cuda_rig::Array> array;
        std::size_t row = 0, bytes = 0;
    };
    const cuda_rig::ArrayKind kind_;
    std::map<const pixmpi::Surface *, Object> objects_;
    cuda_rig::Stream stream_;
};

const bool added = [] {
    using cuda_rig::Kind;
    const auto memory = [](const char *name, Way way, Kind kind, std::size_t before, std::size_t between) {
        add_rig(name, [=] { return std::make_unique<MemoryRig>(way, kind, before, between); });
    };
    memory("cuda_kernels", Way::kernels, Kind::device, 0, 0);
    memory("cuda_kernels_pitched", Way::kernels, Kind::device, 64, 48);
    memory("cuda_kernels_odd", Way::kernels, Kind::device, 3, 5);
    memory("cuda_managed", Way::kernels, Kind::managed, 0, 16);
    memory("cuda_pinned", Way::kernels, Kind::pinned, 8, 8);
    memory("cuda_copies", Way::copies, Kind::device, 4, 12);
    const auto array = [](const char *name, cuda_rig::ArrayKind kind) {
        add_rig(name, [=] { return std::make_unique<ArrayRig>(kind); });
    };
    array("cuda_array", cuda_rig::ArrayKind::plain);
    array("cuda_array_flat", cuda_rig::ArrayKind::flat);
    array("cuda_array_solid", cuda_rig::ArrayKind::solid);
    array("cuda_mipmapped", cuda_rig::ArrayKind::mipmapped);
    return true;
}();

} // namespace
