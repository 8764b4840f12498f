#include "collective/collective_ends.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace api {
namespace {

std::size_t size_of(const End &end) { return static_cast<std::size_t>(end.pixel_bytes); }

std::size_t take(const Bytes &from, std::size_t at, Bytes &plane, std::size_t i, const End &end) {
    std::copy_n(&from[at], size_of(end), &plane[i * size_of(end)]);
    return at + size_of(end);
}

void put(Bytes &to, const Bytes &plane, std::size_t i, const End &end) {
    to.insert(to.end(), &plane[i * size_of(end)], &plane[i * size_of(end)] + size_of(end));
}

/// OpenGL has no textures with blue first.
bool holds(const EndKind &kind, pixMPI_Format format) {
    return format != PIXMPI_BGRA8 || std::string_view(kind.api) != "gl";
}

} // namespace

std::uint64_t run_seed() {
    const char *given = std::getenv("PIXMPI_SEEDS");
    return given ? std::strtoull(given, nullptr, 10) : 1;
}

void Picture::write(const Bytes &pixels) {
    if (!depths_)
        return colors_->write(pixels);
    Bytes colors(colors_->bytes()), depths(depths_->bytes());
    for (std::size_t i = 0, at = 0; at < pixels.size(); ++i) {
        at = take(pixels, at, colors, i, *colors_);
        at = take(pixels, at, depths, i, *depths_);
    }
    colors_->write(colors);
    depths_->write(depths);
}

Bytes Picture::read() {
    const Bytes colors = colors_->read();
    if (!depths_)
        return colors;
    const Bytes depths = meaning(depths_->read());
    Bytes pixels;
    for (std::size_t i = 0; i * size_of(*colors_) < colors.size(); ++i) {
        put(pixels, colors, i, *colors_);
        put(pixels, depths, i, *depths_);
    }
    return pixels;
}

void Picture::check_surroundings() {
    colors_->check_surroundings();
    if (depths_)
        depths_->check_surroundings();
}

Bytes Picture::meaning(Bytes depths) const {
    for (std::size_t at = 0; depths_->format == PIXMPI_DEPTH24 && at < depths.size(); at += 4)
        depths[at] = 0;
    for (std::size_t at = 4; depths_->format == PIXMPI_DEPTH32F_STENCIL8 && at < depths.size(); at += 8)
        std::fill_n(&depths[at + 1], 3, std::uint8_t{0});
    return depths;
}

Ends in_memory(const Case &one) {
    const auto make = [&] {
        return Picture(make_memory(one.format, one.width, one.height),
                       one.depth ? make_memory(one.depth, one.width, one.height) : nullptr);
    };
    return {make(), make()};
}

Ends make_ends(const Case &one, std::size_t offset) {
    const auto &kinds = end_kinds();
    const auto make = [&](std::size_t i) {
        const EndKind &kind = kinds[(static_cast<std::size_t>(rank) + i) % kinds.size()];
        if (!holds(kind, one.format))
            return Picture(make_memory(one.format, one.width, one.height));
        return Picture(kind.make(one.format, one.width, one.height),
                       one.depth ? kind.make(one.depth, one.width, one.height) : nullptr);
    };
    Ends ends{make(offset), make(2 * offset + 1)};
    return ends;
}

void fill(const Case &one, Ends &ends) {
    ends.send.write(one.ranks[static_cast<std::size_t>(rank)].send);
    ends.recv.write(one.ranks[static_cast<std::size_t>(rank)].recv);
}

void check(const Case &one, Ends &ends) {
    CHECK_PIXELS(ends.recv.read(), expected(one, rank), one.width, one.pixel_bytes());
    if (one.verb != Verb::bcast)
        CHECK_PIXELS(ends.send.read(), one.ranks[static_cast<std::size_t>(rank)].send, one.width, one.pixel_bytes());
    ends.send.check_surroundings();
    ends.recv.check_surroundings();
}

void run(const Case &one, Form form, Ends &ends, pixMPI_Op op) {
    fill(one, ends);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(call(one, form, ends.send.any(), ends.recv.any(), world(), op, &request));
    if (form == Form::nonblocking)
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    if (form != Form::persistent) {
        check(one, ends);
        return;
    }
    for (int turn = 0; turn < 2; ++turn) {
        fill(one, ends);
        NEED_OK(pixMPI_Start(&request));
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        check(one, ends);
    }
    NEED_OK(pixMPI_Request_free(&request));
}

void after_it_all_is_well() {
    const Case one = make_case(Verb::allreduce, PIXMPI_RGBA8, PIXMPI_SUM, size, 5000, 12);
    Ends ends = in_memory(one);
    run(one, Form::blocking, ends, PIXMPI_SUM);
}

} // namespace api
