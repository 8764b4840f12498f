// Colours and depths as one message, between images and buffers of Vulkan: whatever ways the planes go, both arrive.
#include "vk/vk_fragile.h"

#include "rig/pixels.h"

#include <utility>
#include <vector>

using namespace api;

namespace {

constexpr int width = 131, height = 77;

/// Colours and depths, each in an end of some kind.
struct Planes {
    Planes(const EndKind &kind, pixMPI_Format color, const EndKind &depth_kind, pixMPI_Format depth)
        : colors(kind.make(color, width, height)), depths(depth_kind.make(depth, width, height)) {}
    WithDepth any() const { return {colors->any(), depths->any()}; }

    std::unique_ptr<End> colors, depths;
};

/// What there is after a message of `shape` from the rank before.
Bytes received(const Bytes &before, const Bytes &sent, int pixel_bytes, const Shape &shape) {
    Bytes expected = before;
    unpack(expected, width, pixel_bytes, shape, pack(sent, width, pixel_bytes, shape));
    return expected;
}

std::uint64_t sent_by(int who, std::uint64_t turn, std::uint64_t plane) {
    return seed_of(static_cast<std::uint64_t>(who), turn, plane);
}

/// All ranks send to the next one.
void exchange(const Planes &from, const Planes &to, const Shape &shape, std::uint64_t turn) {
    from.colors->fill(sent_by(rank, turn, 0));
    from.depths->fill(sent_by(rank, turn, 1));
    const Bytes colors = to.colors->fill(55 + turn), depths = to.depths->fill(56 + turn);
    pixMPI_Request requests[2];
    NEED_OK(pixMPI_Irecv(to.any(), shape, previous_rank(), 5, world(), &requests[0]));
    NEED_OK(pixMPI_Isend(from.any(), shape, next_rank(), 5, world(), &requests[1]));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    const auto check = [&](End &end, const Bytes &before, std::uint64_t plane) {
        const Bytes sent = pattern(before.size(), sent_by(previous_rank(), turn, plane));
        CHECK_PIXELS(end.read(), received(before, sent, end.pixel_bytes, shape), width, end.pixel_bytes);
        end.check_surroundings();
    };
    check(*to.colors, colors, 0);
    check(*to.depths, depths, 1);
}

std::vector<const EndKind *> kinds_of_vulkan() {
    std::vector<const EndKind *> found;
    for (const EndKind &kind : end_kinds())
        if (std::string_view(kind.api) == "vk")
            found.push_back(&kind);
    return found;
}

} // namespace

RANK_CASE(vk_planes, both_arrive, 2) {
    const Shape shapes[] = {rectangle(0, 0, width, height), rectangle(7, 5, 60, 41), rectangle(3, 1, 1, 70),
                            blocks({3, 5, 9, 6}, 7, 6, 17, 11)};
    constexpr std::pair<pixMPI_Format, pixMPI_Format> formats[] = {{PIXMPI_RGBA8, PIXMPI_DEPTH32F},
                                                                   {PIXMPI_RGBA8, PIXMPI_DEPTH16},
                                                                   {PIXMPI_RGBA32F, PIXMPI_DEPTH32F},
                                                                   {PIXMPI_RGBA16, PIXMPI_DEPTH16}};
    const auto kinds = kinds_of_vulkan();
    std::uint64_t turn = 0;
    for (const EndKind *colors : kinds)
        for (const EndKind *depths : kinds)
            for (const auto &[color, depth] : formats) {
                note("%s with %s, %d and %d bytes", colors->name, depths->name, pixMPI_Format_bytes(color),
                     pixMPI_Format_bytes(depth));
                const Planes from(*colors, color, *depths, depth), to(*depths, color, *colors, depth);
                for (const Shape &shape : shapes)
                    exchange(from, to, shape, ++turn);
            }
}
