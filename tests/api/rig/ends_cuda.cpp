// Ends in CUDA: memory of all kinds, and arrays. The writes of a test are still under way in the program's stream when
// the message begins. The library's streams are not among those that a read waits for.
#include "rig/ends.h"

#include <cuda_rig_memory.h>
#include <cudampi.h>
#include <test_gpus.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace api {
namespace {

// Where CUDA has no GPU there is nothing to test, and ctest is told so. Before MPI begins, so that no rank waits.
const bool able = [] {
    std::string reason;
    if (cuda_rig::is_there(reason))
        return true;
    std::printf("skipped: %s\n", reason.c_str());
    std::fflush(stdout);
    ::_exit(77);
}();

const Verbs<pixMPI_Surface> verbs{cudaMPI_Send,
                                  cudaMPI_Recv,
                                  cudaMPI_Isend,
                                  cudaMPI_Irecv,
                                  cudaMPI_Send_init,
                                  cudaMPI_Recv_init,
                                  cudaMPI_Sendrecv,
                                  cudaMPI_Sendrecv_replace,
                                  [](const pixMPI_Surface &s) { return s; }};

int gpu() {
    static const int number = [] {
        unsigned char uuid[16];
        const int chosen = test_gpus::card_of(rank) % cuda_rig::gpu_count();
        const std::string name = cuda_rig::name_of(chosen, uuid);
        say_device("cuda", name, uuid);
        return chosen;
    }();
    return number;
}

/// The program's own, as long as it runs.
void *stream() {
    static const auto *const one = new cuda_rig::Stream(gpu());
    return one->name();
}
CUstream_st *as_cuda(void *name) { return static_cast<CUstream_st *>(name); }

std::span<const std::byte> bytes_of(const Bytes &bytes) { return std::as_bytes(std::span(bytes)); }

/// Who names it: this library, with a stream, or pixMPI_Memory: its legacy stream waits for no other one.
enum class Named { with_stream, plainly };

class MemoryEnd : public VerbEnd<pixMPI_Surface> {
  public:
    MemoryEnd(pixMPI_Format format_, int width_, int height_, cuda_rig::Kind kind, std::size_t between, Named named)
        : VerbEnd(verbs, format_, width_, height_), row_(static_cast<std::size_t>(width_ * pixel_bytes)),
          pitch_(row_ + between), stream_(named == Named::with_stream ? stream() : nullptr),
          content_(pitch_ * static_cast<std::size_t>(height_), gap), memory_(gpu(), kind, content_.size()) {
        surface = named == Named::plainly
                      ? pixMPI_Memory(memory_.address(), format, width, height)
                      : cudaMPI_On_stream(cudaMPI_Memory(memory_.address(), format, width, height), as_cuda(stream_));
        surface.row_bytes = static_cast<std::ptrdiff_t>(pitch_);
        memory_.write(bytes_of(content_), stream_); // the gaps, for tests that write no pixels
    }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
            std::copy_n(pixels.data() + y * row_, row_, content_.data() + y * pitch_);
        memory_.write(bytes_of(content_), stream_);
    }
    Bytes read() override {
        load();
        Bytes pixels(bytes());
        for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
            std::copy_n(content_.data() + y * pitch_, row_, pixels.data() + y * row_);
        return pixels;
    }
    void check_surroundings() override {
        load();
        for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
            for (std::size_t x = row_; x < pitch_; ++x)
                CHECK_EQ(content_[y * pitch_ + x], gap);
    }

  private:
    static constexpr std::uint8_t gap = 0x5a;
    void load() { memory_.read(std::as_writable_bytes(std::span(content_)), stream_); }
    const std::size_t row_, pitch_;
    void *const stream_;
    Bytes content_;
    cuda_rig::Memory memory_;
};

class ArrayEnd : public VerbEnd<pixMPI_Surface> {
  public:
    ArrayEnd(pixMPI_Format format_, int width_, int height_)
        : VerbEnd(verbs, format_, width_, height_),
          array_(gpu(), static_cast<std::size_t>(width_), static_cast<std::size_t>(height_), number(format_),
                 channels(format_), cuda_rig::ArrayKind::mipmapped) {
        surface = cudaMPI_On_stream(cudaMPI_Mipmapped(array_.name(), format, static_cast<int>(array_.level()),
                                                      static_cast<int>(array_.layer())),
                                    as_cuda(stream()));
    }
    void write(const Bytes &pixels) override { array_.write(bytes_of(pixels), row_bytes(), stream()); }
    Bytes read() override {
        Bytes pixels(bytes());
        array_.read(std::as_writable_bytes(std::span(pixels)), row_bytes(), stream());
        return pixels;
    }

  private:
    std::size_t row_bytes() const { return static_cast<std::size_t>(width * pixel_bytes); }
    /// Four unsigned numbers, or one of one or two bytes.
    static unsigned channels(pixMPI_Format format) { return pixMPI_Format_bytes(format) < 4 ? 1 : 4; }
    static int number(pixMPI_Format format) {
        const int each = pixMPI_Format_bytes(format) / static_cast<int>(channels(format));
        return each == 1 ? 1 : each == 2 ? 2 : 3; // as CUDA counts
    }
    cuda_rig::Array array_;
};

template <cuda_rig::Kind kind, std::size_t between, Named named>
std::unique_ptr<End> make_memory_end(pixMPI_Format format, int width, int height) {
    return std::make_unique<MemoryEnd>(format, width, height, kind, between, named);
}

/// CUDA has no arrays of three channels.
std::unique_ptr<End> make_array_end(pixMPI_Format format, int width, int height) {
    if (pixMPI_Format_bytes(format) % 3 == 0)
        return make_memory_end<cuda_rig::Kind::device, 0, Named::with_stream>(format, width, height);
    return std::make_unique<ArrayEnd>(format, width, height);
}

const bool added = [] {
    using cuda_rig::Kind;
    subject = "cuda";
    add_end_kind({"cuda", "device memory with a pitch", make_memory_end<Kind::device, 48, Named::with_stream>, true});
    add_end_kind({"cuda", "a plain pointer", make_memory_end<Kind::device, 0, Named::plainly>, true});
    add_end_kind({"cuda", "managed memory", make_memory_end<Kind::managed, 4, Named::with_stream>, true});
    add_end_kind({"cuda", "mipmapped array", make_array_end, false});
    return true;
}();

} // namespace
} // namespace api
