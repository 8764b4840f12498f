// Device memory of CUDA without gaps, or an array, and the driver's functions that make them and move them by hand.
#pragma once

#include "object/object.h"

#include <cudampi.h>

#include <cstdint>

/// NVIDIA's driver library, loaded when it is asked for; 0 is success.
struct CudaCalls {
    /// CUDA_MEMCPY3D, half of it for each end.
    struct End {
        std::size_t x_bytes, y, z, level;
        int type; ///< of_host, in_array, or memory_at an address of CUDA's
        const void *host;
        std::uint64_t address;
        void *array, *reserved;
        std::size_t pitch, height;
    };
    struct Copy {
        End from, to;
        std::size_t width_bytes, height, depth;
    };
    struct ArrayShape {
        std::size_t width, height, depth;
        int format;
        unsigned channels, flags;
    };
    static constexpr int of_host = 1, in_array = 3, memory_at = 4;

    int (*cuInit)(unsigned) = nullptr;
    int (*cuDeviceGetCount)(int *) = nullptr;
    int (*cuDeviceGet)(int *, int) = nullptr;
    int (*cuDeviceGetName)(char *, int, int) = nullptr;
    int (*cuDeviceGetUuid)(unsigned char *, int) = nullptr;
    int (*cuDevicePrimaryCtxRetain)(void **, int) = nullptr;
    int (*cuCtxPushCurrent_v2)(void *) = nullptr;
    int (*cuCtxPopCurrent_v2)(void **) = nullptr;
    int (*cuMemAlloc_v2)(std::uint64_t *, std::size_t) = nullptr;
    int (*cuMemFree_v2)(std::uint64_t) = nullptr;
    int (*cuMemHostAlloc)(void **, std::size_t, unsigned) = nullptr;
    int (*cuMemFreeHost)(void *) = nullptr;
    int (*cuArray3DCreate_v2)(void **, const ArrayShape *) = nullptr;
    int (*cuArrayDestroy)(void *) = nullptr;
    int (*cuStreamCreate)(void **, unsigned) = nullptr;
    int (*cuStreamSynchronize)(void *) = nullptr;
    int (*cuStreamDestroy_v2)(void *) = nullptr;
    int (*cuMemcpy3DAsync_v2)(const Copy *, void *) = nullptr;

    /// Whether it is all there, and finds a GPU.
    bool load();
};

class CudaObject final : public Object {
  public:
    CudaObject(const CudaCalls &cuda, void *context, const Shape2D &shape)
        : Object(shape), cuda_(cuda), context_(context) {}
    ~CudaObject() override;
    /// What is wrong, or nothing.
    std::string make(bool array);

    void read(pixMPI_Rect rect, void *memory) override;
    void write(pixMPI_Rect rect, const void *memory) override;
    void read_all(std::span<const pixMPI_Rect> rects, std::byte *memory) override;
    void write_all(std::span<const pixMPI_Rect> rects, const std::byte *memory) override;
    std::byte *staging() override { return static_cast<std::byte *>(staging_); }
    bool make_own_memory(std::size_t size) override;
    void read_to_own(pixMPI_Rect rect, std::size_t at) override { submit(rect, own_ + at, true); }
    void write_from_own(pixMPI_Rect rect, std::size_t at) override { submit(rect, own_ + at, false); }
    void finish() override;
    /// Completed receives are seen by any stream.
    void await_received() override {}
    void touch(int frame) override;
    End end() override;
    std::unique_ptr<Fill> make_fill(int, std::string &problem) override {
        problem = "pixels: --api cuda computes none, expected gl, vk or host";
        return nullptr;
    }

  private:
    class Current;
    bool is_pinned(const std::byte *memory) const;
    /// Between the rectangle and memory in which its rows follow each other.
    void submit(pixMPI_Rect rect, const void *memory, bool out) const;

    const CudaCalls &cuda_;
    void *const context_;
    std::uint64_t memory_ = 0;
    void *array_ = nullptr, *stream_ = nullptr, *staging_ = nullptr;
    std::byte *own_ = nullptr;
    std::size_t own_bytes_ = 0;
};
