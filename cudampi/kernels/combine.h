// A part of kernels.cpp: how a thread combines one element.
#pragma once

#include "combine/choose_loop.h"
#include "combine/nearest.h"
#include "work.h"

namespace cudampi::kernels {

/// Of one element, by the loop that it is given.
struct CombineElement {
    static constexpr bool uses_vectors = false, uses_tables = false;
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

// NEAREST: the depths of an element are compared, and depths and colours chosen.
template <class Depth, pixmpi::Order order>
ON_GPU void choose_nearest(const Work &work, std::uint64_t here, std::uint64_t there) {
    using Stored = typename Depth::Stored;
    const auto at = [](std::uint64_t address) { return reinterpret_cast<std::uint32_t *>(address); };
    for (std::uint32_t i = 0; i < work.element_bytes; i += sizeof(Stored)) {
        const std::uint64_t from_here = here + i - work.here, from_there = there + i - work.there;
        const Stored present = *reinterpret_cast<const Stored *>(work.present + from_here),
                     incoming = *reinterpret_cast<const Stored *>(there + i);
        const bool wins = pixmpi::depths::wins<Depth, order>(incoming, present);
        const std::uint64_t pixel = from_here / sizeof(Stored) * work.color_bytes;
        const std::uint32_t *const color = wins
                                               ? at(work.colors_there + from_there / sizeof(Stored) * work.color_bytes)
                                               : at(work.colors_present + pixel);
        std::uint32_t *const result = at(work.colors_here + pixel);
        *reinterpret_cast<Stored *>(here + i) = wins ? incoming : present;
        if (color != result)
            for (std::uint32_t word = 0; word < work.color_bytes / 4; ++word)
                result[word] = color[word];
    }
}

template <class Depth> ON_GPU void choose_nearest(const Work &work, std::uint64_t here, std::uint64_t there) {
    if (static_cast<pixmpi::Order>(work.order) == pixmpi::Order::present_first)
        choose_nearest<Depth, pixmpi::Order::present_first>(work, here, there);
    else
        choose_nearest<Depth, pixmpi::Order::incoming_first>(work, here, there);
}

ON_GPU inline void choose_nearest(const Work &work, std::uint64_t here, std::uint64_t there) {
    switch (static_cast<pixMPI_Format>(work.format)) {
    case PIXMPI_DEPTH16:
        return choose_nearest<pixmpi::depths::Unorm16>(work, here, there);
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return choose_nearest<pixmpi::depths::Unorm24>(work, here, there);
    case PIXMPI_DEPTH32F:
        return choose_nearest<pixmpi::depths::Float>(work, here, there);
    default:
        return choose_nearest<pixmpi::depths::FloatStencil>(work, here, there);
    }
}

ON_GPU inline void combine_element(const Work &work, std::uint64_t here, std::uint64_t there,
                                   const pixmpi::FormatInfo &info) {
    const auto operation = static_cast<pixmpi::Operation>(work.operation);
    if (operation == pixmpi::Operation::nearest)
        return choose_nearest(work, here, there);
    CombineElement one{reinterpret_cast<std::byte *>(here),
                       reinterpret_cast<const std::byte *>(work.present + (here - work.here)),
                       reinterpret_cast<const std::byte *>(there), work.element_bytes};
    pixmpi::loops::Choice<CombineElement>(operation, static_cast<pixmpi::Order>(work.order), one)
        .of(info, static_cast<pixMPI_Format>(work.format));
}

} // namespace cudampi::kernels
