// The kernels of cudampi: they move the pixels of any list of rectangles between a surface in memory, or an array, and
// packed memory or another surface, and combine them. One source: clang makes PTX of it, without CUDA's toolkit, or
// NVIDIA's compiler does (cmake/kernels.cmake), and a C++ compiler a library for the host, which tests run in the place
// of a GPU. The PTX of a kernel is one of its own (KERNEL_MOVE, KERNEL_ARRAY, KERNEL_COMBINE), since the driver takes
// seconds for the one that combines.
//
// Each 32 threads have a chunk of elements of up to 16 bytes. A thread moves up to 8 of them, each 32 behind the one
// before, so that neighbours read and write what lies side by side. A list is of chunks, where rectangles fill them. Or
// it is of pieces: a chunk that is a part of one row needs two addresses; else each element finds its piece by binary
// search in what the chunk has of them.
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

// What clang is told by a pragma. What the kernels call in headers is constexpr, which NVIDIA's compiler takes for
// both.
#ifdef __NVCC__
#define ON_GPU __device__
#else
#define ON_GPU
#endif

// Else all that a thread is told is copied for it.
#define INLINED inline __attribute__((always_inline)) ON_GPU

#if defined(__clang__) || defined(__NVCC__)
#define PIXMPI_UNROLL _Pragma("unroll")
#else
#define PIXMPI_UNROLL
#endif

#include "combine/choose_loop.h"
#include "combine.h"

namespace cudampi::kernels {
namespace {

constexpr std::uint32_t chunks = threads / lanes; ///< of a block
/// Of a processor, which has registers for so many if none needs more than 40: memory is waited for, not computing.
[[maybe_unused]] constexpr int blocks_at_once = 6;

/// Addresses need registers, too.
[[maybe_unused]] constexpr std::uint32_t addresses_at_once(std::uint32_t turns) { return turns < 4 ? 2 : 4; }

INLINED Piece read_piece(const Piece *piece) {
#if defined(__CUDA__) || defined(__NVCC__) // else what is in Work is copied to memory, so that both have an address
    std::uint64_t words[5];
    PIXMPI_UNROLL
    for (int i = 0; i < 5; ++i)
        asm("ld.global.nc.u64 %0, [%1];" : "=l"(words[i]) : "l"(reinterpret_cast<const std::uint64_t *>(piece) + i));
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    return {words[0],      words[1],       low(words[2]), high(words[2]),
            low(words[3]), high(words[3]), low(words[4]), high(words[4])};
#else
    return *piece;
#endif
}

/// Goes through the pieces of a chunk.
class Cursor {
  public:
    INLINED Cursor(const Work &work, std::uint64_t chunk) : work_(work), piece_(work.only[0]) {
        if (!work.list)
            return;
        const auto *const owners = reinterpret_cast<const std::uint32_t *>(work.owners);
        at_ = owners[chunk];
        last_ = owners[chunk + 1];
        piece_ = read_piece(list() + at_);
    }
    /// The piece that has the element; elements are asked for in ascending order.
    INLINED const Piece &find(std::uint32_t element) {
        if (element < piece_.end)
            return piece_;
        if (!work_.list) {
            PIXMPI_UNROLL
            for (std::uint32_t i = 1; i < few; ++i) // without an index that is not known: all stays in registers
                if (i < work_.pieces && work_.only[i].at <= element)
                    piece_ = work_.only[i];
            return piece_;
        }
        for (std::uint32_t high = last_ + 1; high - at_ > 1;) {
            const std::uint32_t middle = at_ + (high - at_) / 2;
            if (list()[middle].at <= element)
                at_ = middle;
            else
                high = middle;
        }
        return piece_ = read_piece(list() + at_);
    }

  private:
    INLINED const Piece *list() const { return reinterpret_cast<const Piece *>(work_.list); }
    const Work &work_;
    std::uint32_t at_ = 0, last_ = 0;
    Piece piece_;
};

/// The row of an element of a piece.
INLINED std::uint32_t row_of(const Piece &piece, std::uint32_t inside) {
    if (piece.reciprocal)
        return static_cast<std::uint32_t>(std::uint64_t{inside} * piece.reciprocal >> 32);
    return piece.width == 1 ? inside : inside / piece.width;
}

/// Of an element.
struct Place {
    std::uint64_t here, there; ///< addresses; in an array as Piece::here
};

/// Here is an array.
INLINED Place place_in_array(const Work &work, const Piece &piece, std::uint32_t inside) {
    std::uint32_t row = 0, column = 0;
    if (piece.here_skip == in_tiles) {
        const std::uint32_t tile = inside / (tile_width * tile_rows), in_tile = inside % (tile_width * tile_rows),
                            across = piece.width / tile_width;
        row =
            piece.reciprocal ? static_cast<std::uint32_t>(std::uint64_t{tile} * piece.reciprocal >> 32) : tile / across;
        column = (tile - row * across) * tile_width + in_tile % tile_width;
        row = row * tile_rows + in_tile / tile_width;
    } else {
        row = row_of(piece, inside);
        column = inside - row * piece.width;
    }
    return {piece.here + (std::uint64_t{row} << 32) + column * work.element_bytes,
            work.there + piece.there + (std::uint64_t{row} * piece.width + column) * work.element_bytes +
                std::uint64_t{row} * piece.there_skip};
}

template <bool array> INLINED Place place_of(const Work &work, const Piece &piece, std::uint32_t element) {
    const std::uint32_t inside = element - piece.at;
    if constexpr (array)
        return place_in_array(work, piece, inside);
    const std::uint64_t bytes = std::uint64_t{inside} * work.element_bytes;
    Place place{work.here + piece.here + bytes, work.there + piece.there + bytes};
    if (piece.here_skip | piece.there_skip) {
        const std::uint64_t row = row_of(piece, inside);
        place.here += row * piece.here_skip;
        place.there += row * piece.there_skip;
    }
    return place;
}

/// What a chunk has, and which of it a thread has first.
struct Share {
    std::uint64_t chunk;
    std::uint32_t first, lane;
    bool any;
    INLINED Share(const Work &work, std::uint64_t block, std::uint32_t thread)
        : chunk(block * chunks + thread / lanes), lane(thread % lanes) {
        const std::uint64_t begin = chunk * (lanes * work.turns);
        any = begin < work.elements;
        first = static_cast<std::uint32_t>(begin);
    }
};

#ifndef KERNEL_COMBINE
struct alignas(16) Words {
    std::uint32_t word[4];
};

template <class Element> INLINED Element load_from(std::uint64_t address) {
    return *reinterpret_cast<const Element *>(address);
}
template <class Element> INLINED void store_to(std::uint64_t address, Element value) {
    *reinterpret_cast<Element *>(address) = value;
}
#if defined(__CUDA__) || defined(__NVCC__) // else clang makes two accesses of 8 bytes out of one of 16
template <> INLINED Words load_from(std::uint64_t address) {
    Words v;
    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(address)
                 : "memory");
    return v;
}
template <> INLINED void store_to(std::uint64_t address, Words v) {
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]),
                 "r"(v.word[3])
                 : "memory");
}
#endif

#if defined(__CUDA__) || defined(__NVCC__)
// An access needs no more than the object, whatever format the array has. Operands have the same numbers both ways.
#define BY_SHAPE(access, type, c, x, y, layer)                                                                         \
    if (work.shape == flat)                                                                                            \
        access("2d." type, c, "{" x ", " y "}");                                                                       \
    else if (work.shape == layered)                                                                                    \
        access("a2d." type, c, "{" layer ", " x ", " y ", " y "}");                                                    \
    else                                                                                                               \
        access("3d." type, c, "{" x ", " y ", " layer ", " layer "}")
#define OF_PIXEL                                                                                                       \
    "l"(work.here), "r"(static_cast<std::uint32_t>(at)), "r"(static_cast<std::uint32_t>(at >> 32)), "r"(work.layer)
#define LOAD(type, c, place) asm volatile("suld.b." type ".trap {%0}, [%1, " place "];" : "=" c(v) : OF_PIXEL)
#define STORE(type, c, place) asm volatile("sust.b." type ".trap [%1, " place "], {%0};" ::c(v), OF_PIXEL : "memory")
#define LOAD_WORDS(type, c, place)                                                                                     \
    asm volatile("suld.b." type ".trap {%0, %1, %2, %3}, [%4, " place "];"                                             \
                 : "=" c(v.word[0]), "=" c(v.word[1]), "=" c(v.word[2]), "=" c(v.word[3])                              \
                 : OF_PIXEL)
#define STORE_WORDS(type, c, place)                                                                                    \
    asm volatile("sust.b." type ".trap [%4, " place "], {%0, %1, %2, %3};" ::c(v.word[0]), c(v.word[1]), c(v.word[2]), \
                 c(v.word[3]), OF_PIXEL                                                                                \
                 : "memory")
#define ARRAY_ACCESS(Element, Register, type, c)                                                                       \
    template <> INLINED Element load_pixel(const Work &work, std::uint64_t at) {                                       \
        Register v;                                                                                                    \
        BY_SHAPE(LOAD, type, c, "%2", "%3", "%4");                                                                     \
        return static_cast<Element>(v);                                                                                \
    }                                                                                                                  \
    template <> INLINED void store_pixel(const Work &work, std::uint64_t at, Element value) {                          \
        const Register v = value;                                                                                      \
        BY_SHAPE(STORE, type, c, "%2", "%3", "%4");                                                                    \
    }
template <class Element> INLINED Element load_pixel(const Work &work, std::uint64_t at);
template <class Element> INLINED void store_pixel(const Work &work, std::uint64_t at, Element value);
ARRAY_ACCESS(std::uint8_t, std::uint16_t, "b8", "h") // the narrowest register
ARRAY_ACCESS(std::uint16_t, std::uint16_t, "b16", "h")
ARRAY_ACCESS(std::uint32_t, std::uint32_t, "b32", "r")
ARRAY_ACCESS(std::uint64_t, std::uint64_t, "b64", "l")
template <> INLINED Words load_pixel(const Work &work, std::uint64_t at) {
    Words v;
    BY_SHAPE(LOAD_WORDS, "v4.b32", "r", "%5", "%6", "%7");
    return v;
}
template <> INLINED void store_pixel(const Work &work, std::uint64_t at, Words v) {
    BY_SHAPE(STORE_WORDS, "v4.b32", "r", "%5", "%6", "%7");
}
#else
/// The stand-in's arrays.
inline std::uint64_t address_in(const Work &work, std::uint64_t at) {
    const auto &array = *reinterpret_cast<const HostArray *>(work.here);
    return array.address + work.layer * array.layer_bytes + (at >> 32) * array.row_bytes + (at & UINT32_MAX);
}
template <class Element> Element load_pixel(const Work &work, std::uint64_t at) {
    return load_from<Element>(address_in(work, at));
}
template <class Element> void store_pixel(const Work &work, std::uint64_t at, Element value) {
    store_to(address_in(work, at), value);
}
#endif

template <class Element, bool array> INLINED Element load(const Work &work, const Place &place) {
    if constexpr (array)
        return work.backwards ? load_from<Element>(place.there) : load_pixel<Element>(work, place.here);
    else
        return load_from<Element>(work.backwards ? place.there : place.here);
}
template <class Element, bool array> INLINED void store(const Work &work, std::uint64_t to, Element value) {
    if constexpr (array)
        if (work.backwards)
            return store_pixel(work, to, value);
    store_to(to, value);
}

/// A thread's share of one row of both ends.
template <class Element, bool array> INLINED void move_row(const Work &work, const Place &first) {
    constexpr std::uint64_t step = lanes * sizeof(Element);
    constexpr std::uint32_t most = turns_of(sizeof(Element));
    Element values[most];
    PIXMPI_UNROLL
    for (std::uint32_t i = 0; i < most; ++i)
        if (i < work.turns)
            values[i] = load<Element, array>(work, {first.here + i * step, first.there + i * step});
    const std::uint64_t to = work.backwards ? first.here : first.there;
    PIXMPI_UNROLL
    for (std::uint32_t i = 0; i < most; ++i)
        if (i < work.turns)
            store<Element, array>(work, to + i * step, values[i]);
}

INLINED Chunk read_chunk(const Chunk *chunk) {
#if defined(__CUDA__) || defined(__NVCC__)
    std::uint64_t words[4];
    asm("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(words[0]), "=l"(words[1]) : "l"(chunk));
    asm("ld.global.nc.v2.u64 {%0, %1}, [%2+16];" : "=l"(words[2]), "=l"(words[3]) : "l"(chunk));
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    return {words[0], words[1], low(words[2]), high(words[2]), low(words[3]), high(words[3])};
#else
    return *chunk;
#endif
}

/// A thread's elements of a chunk: as many as there are registers for are read before the first one is written.
template <class Element> INLINED void move_chunk(const Work &work, std::uint64_t block, std::uint32_t thread) {
    const Share share(work, block, thread);
    if (!share.any)
        return;
    constexpr std::uint32_t most = turns_of(sizeof(Element)), at_once = addresses_at_once(most);
    const Chunk chunk = read_chunk(reinterpret_cast<const Chunk *>(work.list) + share.chunk);
    const std::uint64_t here = work.here + chunk.here, there = work.there + chunk.there;
    const std::uint64_t from = work.backwards ? there : here, to = work.backwards ? here : there;
    const std::uint32_t from_skip = work.backwards ? chunk.there_skip : chunk.here_skip,
                        to_skip = work.backwards ? chunk.here_skip : chunk.there_skip;
    if (chunk.reciprocal == 0 && chunk.count == lanes * most) {
        const std::uint64_t inside = share.lane * sizeof(Element);
        constexpr std::uint64_t step = lanes * sizeof(Element);
        Element values[most];
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < most; ++i)
            values[i] = load_from<Element>(from + inside + i * step);
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < most; ++i)
            store_to(to + inside + i * step, values[i]);
        return;
    }
    const auto place = [&](std::uint64_t first, std::uint32_t skip, std::uint32_t element) {
        const std::uint64_t row = (std::uint64_t{element} * chunk.reciprocal + element) >> 32;
        return first + element * sizeof(Element) + row * skip;
    };
    for (std::uint32_t first = share.lane; first < chunk.count; first += at_once * lanes) {
        Element values[at_once];
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < at_once; ++i)
            if (const std::uint32_t element = first + i * lanes; element < chunk.count)
                values[i] = load_from<Element>(place(from, from_skip, element));
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < at_once; ++i)
            if (const std::uint32_t element = first + i * lanes; element < chunk.count)
                store_to(place(to, to_skip, element), values[i]);
    }
}

template <class Element, bool array> INLINED void move(const Work &work, std::uint64_t block, std::uint32_t thread) {
    const Share share(work, block, thread);
    if (!share.any)
        return;
    Cursor cursor(work, share.chunk);
    const Piece &piece = cursor.find(share.first);
    const std::uint32_t all = lanes * work.turns, inside = share.first - piece.at;
    const bool rows = array || (piece.here_skip | piece.there_skip);
    if (inside + all <= piece.end - piece.at && !(array && piece.here_skip) &&
        (!rows || inside - row_of(piece, inside) * piece.width + all <= piece.width))
        return move_row<Element, array>(work, place_of<array>(work, piece, share.first + share.lane));
    constexpr std::uint32_t at_once = addresses_at_once(turns_of(sizeof(Element)));
    for (std::uint32_t turn = 0; turn < work.turns; turn += at_once) {
        const std::uint32_t first = share.first + turn * lanes + share.lane;
        const auto has = [&](std::uint32_t i) { return turn + i < work.turns && first + i * lanes < work.elements; };
        Element values[at_once];
        std::uint64_t to[at_once];
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (!has(i))
                continue;
            const std::uint32_t element = first + i * lanes;
            const Place place = place_of<array>(work, cursor.find(element), element);
            to[i] = work.backwards ? place.here : place.there;
            values[i] = load<Element, array>(work, place);
        }
        PIXMPI_UNROLL
        for (std::uint32_t i = 0; i < at_once; ++i)
            if (has(i))
                store<Element, array>(work, to[i], values[i]);
    }
}

/// `Move`: the function for elements of its type.
template <template <class> class Move>
INLINED void move_some(const Work &work, std::uint64_t block, std::uint32_t thread) {
    switch (work.element_bytes) {
    case 1:
        return Move<std::uint8_t>::run(work, block, thread);
    case 2:
        return Move<std::uint16_t>::run(work, block, thread);
    case 4:
        return Move<std::uint32_t>::run(work, block, thread);
    case 8:
        return Move<std::uint64_t>::run(work, block, thread);
    default:
        return Move<Words>::run(work, block, thread);
    }
}
#define MOVE(Name, function)                                                                                           \
    template <class Element> struct Name {                                                                             \
        INLINED static void run(const Work &work, std::uint64_t block, std::uint32_t thread) {                         \
            function(work, block, thread);                                                                             \
        }                                                                                                              \
    };
MOVE(Pieces, (move<Element, false>))
MOVE(Chunks, (move_chunk<Element>))
MOVE(Array, (move<Element, true>))
#endif

#if !defined(KERNEL_MOVE) && !defined(KERNEL_ARRAY)
ON_GPU void combine_some(const Work &work, std::uint64_t block, std::uint32_t thread, const pixmpi::FormatInfo &info) {
    const Share share(work, block, thread);
    if (!share.any)
        return;
    Cursor cursor(work, share.chunk);
    for (std::uint32_t i = 0; i < work.turns; ++i) {
        const std::uint64_t element = std::uint64_t{share.first} + i * lanes + share.lane;
        if (element >= work.elements)
            return;
        const Place place = place_of<false>(work, cursor.find(static_cast<std::uint32_t>(element)),
                                            static_cast<std::uint32_t>(element));
        combine_element(work, place.here, place.there, info);
    }
}
#endif

} // namespace
} // namespace cudampi::kernels

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#define KERNEL __attribute__((global)) void
#define FOR_MANY __attribute__((launch_bounds(threads, blocks_at_once)))
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#elif defined(__NVCC__)
#define KERNEL __global__ void
#define FOR_MANY __launch_bounds__(threads, blocks_at_once)
#define BLOCK blockIdx.x
#define THREAD threadIdx.x
#endif

#ifdef KERNEL
using namespace cudampi::kernels;
extern "C" {
#if defined(KERNEL_MOVE)
KERNEL FOR_MANY pixmpi_move(const Work work) { move_some<Pieces>(work, BLOCK, THREAD); }
KERNEL FOR_MANY pixmpi_chunks(const Work work) { move_some<Chunks>(work, BLOCK, THREAD); }
#elif defined(KERNEL_ARRAY)
KERNEL FOR_MANY pixmpi_array(const Work work) { move_some<Array>(work, BLOCK, THREAD); }
#else
KERNEL pixmpi_combine(const Work work, const pixmpi::FormatInfo info) { combine_some(work, BLOCK, THREAD, info); }
#endif
}
#else
extern "C" {
// As a GPU would, one thread after the other; for the stand-in of CUDA's driver.
void pixmpi_move(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::move_some<cudampi::kernels::Pieces>(*work, block, thread);
}
void pixmpi_chunks(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::move_some<cudampi::kernels::Chunks>(*work, block, thread);
}
void pixmpi_array(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::move_some<cudampi::kernels::Array>(*work, block, thread);
}
void pixmpi_combine(const cudampi::kernels::Work *work, std::uint32_t block, std::uint32_t thread) {
    cudampi::kernels::combine_some(*work, block, thread, pixmpi::format_info(static_cast<pixMPI_Format>(work->format)));
}
}
#endif
