// The kernels of cudampi: they move the pixels of any list of rectangles between a surface in memory and packed memory,
// and combine them. One source: clang makes PTX of it, without CUDA's toolkit, or NVIDIA's compiler does
// (cmake/kernels.cmake), and a C++ compiler a library for the host, which tests run in the place of a GPU. The PTX of a
// kernel is one of its own (KERNEL_MOVE, KERNEL_COMBINE), since the driver takes seconds for the one that combines.
//
// A thread moves up to 8 elements of up to 16 bytes, each a block's width behind the one before, so that neighbours read and
// write what lies side by side in packed memory, and mostly in the surface. A block's list of pieces begins where the
// host says; from there each element finds its piece by binary search in what the block has of them.
#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <cstdlib>
#pragma clang force_cuda_host_device begin
#include <cstring>
#pragma clang force_cuda_host_device end
#include "base/format.h"
#include "base/status.h"
#include "combine/srgb.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#pragma clang force_cuda_host_device begin
#endif

#include "work.h"

// What clang is told by a pragma. What the kernels call in headers is constexpr, which NVIDIA's compiler takes for both.
#ifdef __NVCC__
#define ON_GPU __device__
#else
#define ON_GPU
#endif

#if defined(__clang__) || defined(__NVCC__)
#define PIXMPI_UNROLL _Pragma("unroll")
#else
#define PIXMPI_UNROLL
#endif

#include "combine/choose_loop.h"

namespace cudampi::kernels {
namespace {

struct Place {
    std::uint64_t surface, packed; ///< addresses of an element
};

/// The piece that has the element, of those from `low` on and before `high`.
ON_GPU const Piece &find(const Piece *pieces, std::uint32_t low, std::uint32_t high, std::uint64_t element) {
    while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (pieces[middle].at <= element)
            low = middle;
        else
            high = middle;
    }
    return pieces[low];
}

/// What a block has of a list.
struct Range {
    std::uint32_t low = 0, high = 0;
};

ON_GPU Range range_of(const Work &work, std::uint64_t block) {
    if (!work.list)
        return {};
    const auto *const owners = reinterpret_cast<const std::uint32_t *>(work.owners);
    return {owners[block], owners[block + 1] + 1};
}

ON_GPU Place place_of(const Work &work, const Range &range, std::uint64_t element) {
    Piece piece = work.only[0];
    if (work.list) {
        piece = find(reinterpret_cast<const Piece *>(work.list), range.low, range.high, element);
    } else {
        PIXMPI_UNROLL
        for (std::uint32_t i = 1; i < few; ++i) // without an index that is not known, so that all stays in registers
            if (i < work.pieces && work.only[i].at <= element)
                piece = work.only[i];
    }
    const auto inside = static_cast<std::uint32_t>(element - piece.at);
    const std::uint32_t row = inside / piece.width, column = inside - row * piece.width;
    return {work.surface + piece.begin + row * work.row_bytes + std::uint64_t{column} * work.element_bytes,
            work.packed + element * work.element_bytes};
}

#ifndef KERNEL_COMBINE
struct alignas(16) Words {
    std::uint32_t word[4];
};

template <class Element> ON_GPU Element load_from(std::uint64_t address) {
    return *reinterpret_cast<const Element *>(address);
}
template <class Element> ON_GPU void store_to(std::uint64_t address, Element value) {
    *reinterpret_cast<Element *>(address) = value;
}
#if defined(__CUDA__) || defined(__NVCC__) // else clang makes two accesses of 8 bytes out of one of 16
template <> ON_GPU Words load_from(std::uint64_t address) {
    Words v;
    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(address)
                 : "memory");
    return v;
}
template <> ON_GPU void store_to(std::uint64_t address, Words v) {
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]),
                 "r"(v.word[3])
                 : "memory");
}
#endif

template <class Element> ON_GPU void move(const Work &work, std::uint64_t block, std::uint32_t thread) {
    const Range range = range_of(work, block);
    const std::uint64_t first = block * threads * work.turns + thread;
    const auto has = [&](std::uint32_t i) { return i < work.turns && first + i * threads < work.elements; };
    Element values[turns];
    std::uint64_t to[turns];
    PIXMPI_UNROLL
    for (std::uint32_t i = 0; i < turns; ++i) {
        if (!has(i))
            continue;
        const Place place = place_of(work, range, first + i * threads);
        to[i] = work.unpacks ? place.surface : place.packed;
        values[i] = load_from<Element>(work.unpacks ? place.packed : place.surface);
    }
    PIXMPI_UNROLL
    for (std::uint32_t i = 0; i < turns; ++i)
        if (has(i))
            store_to(to[i], values[i]);
}

ON_GPU void move_some(const Work &work, std::uint64_t block, std::uint32_t thread) {
    switch (work.element_bytes) {
    case 1:
        return move<std::uint8_t>(work, block, thread);
    case 2:
        return move<std::uint16_t>(work, block, thread);
    case 4:
        return move<std::uint32_t>(work, block, thread);
    case 8:
        return move<std::uint64_t>(work, block, thread);
    default:
        return move<Words>(work, block, thread);
    }
}

#endif

#ifndef KERNEL_MOVE
/// Of one element, by the loop that it is given.
struct CombineElement {
    static constexpr bool takes_vectors = false, takes_tables = false;
    std::byte *result;
    const std::byte *present, *incoming;
    std::uint32_t bytes;
    template <class Loop> ON_GPU int operator()(Loop) const {
        constexpr std::uint32_t most = 16;
        if (bytes == most && most % Loop::bytes == 0) { // in registers
            alignas(16) std::byte here[most], there[most];
            std::memcpy(here, __builtin_assume_aligned(present, most), most);
            std::memcpy(there, __builtin_assume_aligned(incoming, most), most);
            Loop::run(here, there, most / Loop::bytes);
            std::memcpy(__builtin_assume_aligned(result, most), here, most);
        } else {
            for (std::uint32_t at = 0; at < bytes; ++at)
                result[at] = present[at];
            for (std::uint32_t at = 0; at < bytes; at += Loop::bytes)
                Loop::run(result + at, incoming + at, 1);
        }
        return 0;
    }
    ON_GPU static int none() { return 0; }
};

ON_GPU void combine_some(const Work &work, std::uint64_t block, std::uint32_t thread, const pixmpi::FormatInfo &info) {
    const Range range = range_of(work, block);
    for (std::uint32_t i = 0; i < work.turns; ++i) {
        const std::uint64_t element = (block * work.turns + i) * threads + thread;
        if (element >= work.elements)
            return;
        const Place place = place_of(work, range, element);
        CombineElement one{reinterpret_cast<std::byte *>(place.surface),
                           reinterpret_cast<const std::byte *>(work.present + (place.surface - work.surface)),
                           reinterpret_cast<const std::byte *>(place.packed), work.element_bytes};
        pixmpi::loops::Choice<CombineElement>(static_cast<pixmpi::Operation>(work.operation),
                                              static_cast<pixmpi::Order>(work.order), one)
            .of(info, static_cast<pixMPI_Format>(work.format));
    }
}
#endif

} // namespace
} // namespace cudampi::kernels

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#define KERNEL __attribute__((global)) void
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#elif defined(__NVCC__)
#define KERNEL __global__ void
#define BLOCK blockIdx.x
#define THREAD threadIdx.x
#endif

#ifdef KERNEL
using namespace cudampi::kernels;
extern "C" {
#ifdef KERNEL_MOVE
KERNEL pixmpi_move(const Work work) { move_some(work, BLOCK, THREAD); }
#else
KERNEL pixmpi_combine(const Work work, const pixmpi::FormatInfo info) { combine_some(work, BLOCK, THREAD, info); }
#endif
}
#else
extern "C" {
// As a GPU would, one thread after the other; for the stand-in of CUDA's driver.
void pixmpi_move(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::move_some(*work, block, thread);
}
void pixmpi_combine(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::combine_some(*work, block, thread, pixmpi::format_info(static_cast<pixMPI_Format>(work->format)));
}
}
#endif
