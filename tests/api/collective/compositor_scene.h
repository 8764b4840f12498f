// Scenes for compositors: what all ranks draw in a frame, and what becomes of it.
#pragma once

#include "collective/collective_ends.h"

#include <pixmpi_compositor.h>

namespace api {

/// What all ranks draw in a frame, and what becomes of it; the same on all ranks.
struct Scene {
    int width = 0, height = 0;
    pixMPI_Format color = PIXMPI_RGBA8, depth = PIXMPI_FORMAT_NONE;
    pixMPI_Op op = PIXMPI_NEAREST;
    std::vector<int> order;
    std::vector<pixMPI_Rect> active; ///< by rank
    std::vector<Bytes> drawn;        ///< by rank; a pixel with depth has it behind its colour
    Bytes merged;
    std::size_t color_bytes() const { return static_cast<std::size_t>(pixMPI_Format_bytes(color)); }
    std::size_t pixel_bytes() const { return color_bytes() + static_cast<std::size_t>(pixMPI_Format_bytes(depth)); }
    std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

/// Of a random size up to `most`, the same on all ranks.
Scene make_scene(pixMPI_Op op, pixMPI_Format color, pixMPI_Format depth, int most, std::uint64_t seed);

/// Row by row, so that a failure says which. Blending in another order of the same neighbours is rounded otherwise: by
/// half a level, or a last bit, a rank.
void check_rows(const Scene &scene, const Bytes &seen, const Bytes &wanted, std::size_t pixel_bytes, int first,
                int count);
Bytes without_depth(const Scene &scene, const Bytes &all);

struct Compositor {
    pixMPI_Compositor handle = PIXMPI_COMPOSITOR_NULL;
    Compositor(pixMPI_Op op, int result) { NEED_OK(pixMPI_Compositor_create(op, result, world(), &handle)); }
    ~Compositor() { CHECK_OK(pixMPI_Compositor_free(&handle)); }
    Compositor(const Compositor &) = delete;
};

} // namespace api
