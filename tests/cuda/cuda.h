// A stand-in for NVIDIA's driver library, as far as the library (core/src/gpu/cuda_driver.h) and tests call it: GPUs
// with memory of the host, and with copies and kernels that are made late, copies in pieces, at times that cannot be
// foretold. It ends the program, with a text, when it is handed what the real one may crash on. The CPU cannot touch
// memory of cuMemAlloc. What follows is for tests, which find it by dlsym.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

extern "C" {

/// The named function gives `result` instead of doing its work: `times` times, after `after` calls more.
using FakeCudaFail = void(const char *function, int result, int after, int times);
void fakeCudaFail(const char *function, int result, int after, int times);
/// All functions work again, and all memory is there.
using FakeCudaHeal = void();
void fakeCudaHeal();
/// How often a function was called.
using FakeCudaCalls = int(const char *function);
int fakeCudaCalls(const char *function);
/// The largest piece of memory that is available.
using FakeCudaLimit = void(std::size_t bytes);
void fakeCudaLimit(std::size_t bytes);
/// The GPU that has all of this memory mapped, -1 for none of it; ends the program when that holds for a part.
/// `for_networks`: that cards of networks may read and write it.
using FakeCudaOwner = int(const void *memory, std::size_t bytes, bool *for_networks);
int fakeCudaOwner(const void *memory, std::size_t bytes, bool *for_networks);
/// The GPU with the current context of this thread, or -1.
using FakeCudaCurrent = int();
int fakeCudaCurrent();
/// How late a copy may be, in microseconds; 0: as usual.
using FakeCudaDelay = void(unsigned most);
void fakeCudaDelay(unsigned most);
/// Null, or what makes the descriptors that are exported.
using FakeCudaExport = void(int (*make)());
void fakeCudaExport(int (*make)());
}

namespace fake_cuda {

/// CUDA_ARRAY3D_DESCRIPTOR.
struct Shape {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
/// A half of CUDA_MEMCPY3D.
struct End {
    std::size_t x_bytes, y, z, level;
    int type;
    const void *host;
    std::uint64_t address;
    void *array, *reserved;
    std::size_t pitch, height;
};
struct Copy {
    End from, to;
    std::size_t width_bytes, height, depth;
};

using Result = int;
constexpr Result success = 0, invalid_value = 1, out_of_memory = 2, invalid_device = 101, not_ready = 600,
                 unknown = 999;
constexpr std::size_t grain = std::size_t{2} << 20;

/// Says what was wrong and aborts.
[[noreturn, gnu::format(printf, 1, 2)]] void wrong(const char *format, ...);

/// Counts the call of a function; whether it should fail now, and how.
bool fails(const char *function, Result &result);
std::size_t memory_limit();
unsigned longest_delay();
int (*exported_instead())();

/// The context that this thread has current; ends the program when there is none. A GPU's context is its number + 1.
int current_gpu(const char *function);
int gpu_count();

/// Where the stand-in itself reads and writes what a program knows by its address on a GPU.
void *inside(std::uint64_t address);

struct Span {
    std::uint64_t address;
    std::size_t bytes;
};
/// Work for a stream, to be made late. `some`: null, or makes a part of it, which may happen before. Its spans may not
/// go away meanwhile.
struct Task {
    std::function<void()> all, some{};
    std::vector<Span> spans{};
};
/// `stream`: null and 1 are the GPU's legacy stream.
void submit(const char *function, void *stream, Task task);
/// Makes all work, as what frees memory does.
void finish_all(const char *function);
/// The GPU of a stream.
int gpu_of_stream(const char *function, void *stream);

/// Whether it is memory of cuMemAlloc, cuMemHostAlloc or cuMemAllocManaged that the GPU may access; ends the program
/// where a part of it is not.
bool is_allocated(const char *function, int gpu, std::uint64_t address, std::size_t bytes);
/// Whether such an address is of cuMemMap; sets its GPU.
bool is_mapped(std::uint64_t address, int &gpu);
/// Whether it is of cuMemHostRegister.
bool is_registered(std::uint64_t address);

/// By which another process maps memory of cuMemAlloc: a part of the file that has it.
struct Handle {
    int process, file;
    std::uint64_t offset, bytes;
    unsigned char others[40];
};

/// Memory that `gpu` may access throughout.
void check_range(const char *function, int gpu, std::uint64_t address, std::size_t bytes);
/// That no copy under way touches it.
void check_unused(const char *function, std::uint64_t address, std::size_t bytes);

} // namespace fake_cuda
