// The loops have no branches where a colour is a word, so that they become vector code (-O3, as combine.cpp).
#include "combine/nearest.h"

#include "base/format.h"
#include "base/load.h"

#include <cstring>

namespace pixmpi {
namespace {

using Word = std::uint32_t;

/// Colours of one word.
template <class Depth, Order order>
void words(Planes<std::byte> present, Planes<const std::byte> incoming, std::size_t pixels, std::size_t) {
    using Stored = typename Depth::Stored;
    std::byte *__restrict color = present.colors, *__restrict depth = present.depths;
    const std::byte *__restrict new_color = incoming.colors, *__restrict new_depth = incoming.depths;
    for (std::size_t i = 0; i < pixels; ++i) {
        const auto there = load<Stored>(new_depth + i * sizeof(Stored)),
                   here = load<Stored>(depth + i * sizeof(Stored));
        const auto new_one = load<Word>(new_color + i * sizeof(Word)), old_one = load<Word>(color + i * sizeof(Word));
        const bool there_wins = depths::wins<Depth, order>(there, here);
        const Stored nearer = there_wins ? there : here;
        const Word chosen = there_wins ? new_one : old_one;
        std::memcpy(depth + i * sizeof(Stored), &nearer, sizeof nearer);
        std::memcpy(color + i * sizeof(Word), &chosen, sizeof chosen);
    }
}

/// Colours of several: pixels that lie together mostly come from one side.
template <class Depth, Order order>
void wide(Planes<std::byte> present, Planes<const std::byte> incoming, std::size_t pixels, std::size_t words_each) {
    using Stored = typename Depth::Stored;
    const std::size_t size = words_each * sizeof(Word);
    for (std::size_t i = 0; i < pixels; ++i) {
        const auto there = load<Stored>(incoming.depths + i * sizeof(Stored));
        if (!depths::wins<Depth, order>(there, load<Stored>(present.depths + i * sizeof(Stored))))
            continue;
        std::memcpy(present.depths + i * sizeof(Stored), &there, sizeof there);
        std::memcpy(present.colors + i * size, incoming.colors + i * size, size);
    }
}

template <class Depth> Nearest::Loop loop(Order order, bool one_word) {
    constexpr Order p = Order::present_first, i = Order::incoming_first;
    if (one_word)
        return order == p ? words<Depth, p> : words<Depth, i>;
    return order == p ? wide<Depth, p> : wide<Depth, i>;
}

Nearest::Loop loop_for(Order order, pixMPI_Format depth, bool one_word) {
    switch (depth) {
    case PIXMPI_DEPTH16:
        return loop<depths::Unorm16>(order, one_word);
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return loop<depths::Unorm24>(order, one_word);
    case PIXMPI_DEPTH32F:
        return loop<depths::Float>(order, one_word);
    default:
        return loop<depths::FloatStencil>(order, one_word);
    }
}

} // namespace

Nearest::Nearest(Order order, pixMPI_Format color, pixMPI_Format depth)
    : words_(static_cast<std::size_t>(format_info(color).bytes) / sizeof(Word)) {
    loop_ = loop_for(order, depth, words_ == 1);
}

} // namespace pixmpi
