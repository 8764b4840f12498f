// Messages through the memory of GPUs: what is expected of them, and hands on the stand-in for CUDA.
#pragma once

#include "vk/vk_fragile.h"

#include <cuda.h>
#include <dlfcn.h>
#include <test_gpus.h>

namespace api {

/// A function of the stand-in; null where CUDA is not it, but missing or the real one.
template <class Function> Function *fake_cuda_function(const char *name) {
    static void *const library = test_gpus::count() ? dlopen("libcuda.so.1", RTLD_NOW) : nullptr;
    return library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
}
inline bool has_fake_cuda() { return fake_cuda_function<FakeCudaHeal>("fakeCudaHeal") != nullptr; }
inline void heal_cuda() {
    if (has_fake_cuda())
        fake_cuda_function<FakeCudaHeal>("fakeCudaHeal")();
}
/// Whether NVIDIA's own drives this rank's GPU, and the library may use it.
bool has_real_cuda();
inline bool has_cuda() { return has_fake_cuda() || has_real_cuda(); }

bool on_one_gpu(int a, int b);
/// Whether messages between images of two ranks go through the memory of GPUs.
bool takes_peer(int a, int b);

/// Bytes sent that way so far.
inline std::uint64_t bytes_by(pixMPI_Route route) {
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&stats));
    return stats.bytes_by_route[route];
}

inline int around(VulkanImage &out, VulkanImage &in, int tag = 1, const vkMPI_Sync *send = nullptr,
                  const vkMPI_Sync *receive = nullptr) {
    return vkMPI_Sendrecv(out.surface(), PIXMPI_WHOLE, next_rank(), tag, in.surface(), PIXMPI_WHOLE, previous_rank(),
                          tag, world(), MPI_STATUS_IGNORE, send, receive);
}

/// Two images that a message goes around the ring between.
struct Pictures {
    explicit Pictures(vk_rig::Device &device, int edge_ = 300)
        : edge(edge_), out(device, PIXMPI_RGBA8, edge, edge), in(device, PIXMPI_RGBA8, edge, edge) {}
    static std::uint64_t seed(int of, int turn) {
        return seed_of(static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(turn));
    }
    void fill(int turn) {
        turn_ = turn;
        out.fill(seed(rank, turn));
        in.fill(seed(rank, turn + 1000));
    }
    void check() {
        CHECK_PIXELS(
            in.read(),
            pattern(static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge) * 4, seed(previous_rank(), turn_)),
            edge, 4);
    }
    /// One message that has to arrive.
    void pass(int turn) {
        fill(turn);
        NEED_OK(around(out, in));
        check();
    }
    /// One from the image to host memory, of as many pixels, and one from there into the other image.
    void pass_to(End &memory, int turn) {
        fill(turn);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        CHECK_OK(memory.irecv(PIXMPI_WHOLE, previous_rank(), 2, &request));
        CHECK_OK(vkMPI_Send(out.surface(), PIXMPI_WHOLE, next_rank(), 2, world(), nullptr));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_PIXELS(memory.read(), pattern(memory.bytes(), seed(previous_rank(), turn)), edge, 4);
    }
    void pass_from(End &memory, int turn) {
        fill(turn);
        memory.fill(seed(rank, turn));
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        CHECK_OK(memory.isend(PIXMPI_WHOLE, next_rank(), 2, &request));
        CHECK_OK(vkMPI_Recv(in.surface(), PIXMPI_WHOLE, previous_rank(), 2, world(), MPI_STATUS_IGNORE, nullptr));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        check();
    }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(edge) * static_cast<std::uint64_t>(edge) * 4; }
    const int edge;
    VulkanImage out, in;

  private:
    int turn_ = 0;
};

/// A dozen images that go around the ring at once, more than fit into small memory.
class Crowd {
  public:
    explicit Crowd(vk_rig::Device &device) {
        for (int i = 0; i < 2 * count; ++i) {
            images_.push_back(std::make_unique<VulkanImage>(device, PIXMPI_RGBA8, edge, edge));
            images_.back()->fill(i < count ? Pictures::seed(rank, 50 + i) : 1);
        }
    }
    void pass() { CHECK_EQ(pass_or_fail(), 0); }
    /// How many messages have failed; the others have arrived.
    int pass_or_fail() {
        std::vector<pixMPI_Request> requests(2 * count, PIXMPI_REQUEST_NULL);
        for (int i = 0; i < 2 * count; ++i) {
            const vkMPI_Surface surface = image(i).surface();
            pixMPI_Request &request = requests[static_cast<std::size_t>(i)];
            CHECK_OK(i < count
                         ? vkMPI_Isend(surface, PIXMPI_WHOLE, next_rank(), i, world(), &request, nullptr)
                         : vkMPI_Irecv(surface, PIXMPI_WHOLE, previous_rank(), i - count, world(), &request, nullptr));
        }
        int failed = 0;
        for (int i = 0; i < 2 * count; ++i) {
            const int code = pixMPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
            CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_MEMORY || code == PIXMPI_ERR_DEVICE ||
                  code == PIXMPI_ERR_PEER);
            failed += code != PIXMPI_SUCCESS;
            if (i >= count && code == PIXMPI_SUCCESS)
                CHECK_PIXELS(image(i).read(),
                             pattern(std::size_t{edge} * edge * 4, Pictures::seed(previous_rank(), 50 + i - count)),
                             edge, 4);
        }
        return failed;
    }
    std::uint64_t bytes() const { return std::uint64_t{count} * edge * edge * 4; }

  private:
    static constexpr int count = 12, edge = 600;
    VulkanImage &image(int i) { return *images_[static_cast<std::size_t>(i)]; }
    std::vector<std::unique_ptr<VulkanImage>> images_;
};

/// Counts what is sent by a route from here on.
class Counted {
  public:
    explicit Counted(pixMPI_Route route) : route_(route), before_(bytes_by(route)) {}
    std::uint64_t bytes() const { return bytes_by(route_) - before_; }

  private:
    const pixMPI_Route route_;
    const std::uint64_t before_;
};

} // namespace api
