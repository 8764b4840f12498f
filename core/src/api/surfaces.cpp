// Formats, and the constructors of plain values: surfaces, codecs, pictures of files. They check nothing: the call that
// takes a value does. And what a surface is like.
#include "api/core.h"
#include "pixmpi_collectives.h"
#include "pixmpi_file.h"

#include <cstdint>
#include <strings.h>
#include <type_traits>

using namespace pixmpi;

// A value that any language can pass: in C by value, elsewhere as a structure of this size.
static_assert(sizeof(pixMPI_Surface) == 64 && std::is_trivial_v<pixMPI_Surface>);
static_assert(std::is_standard_layout_v<pixMPI_Surface>);

int pixMPI_Format_bytes(pixMPI_Format format) { return format_info(format).bytes; }

const char *pixMPI_Format_name(pixMPI_Format format) { return format_info(format).name; }

pixMPI_Format pixMPI_Format_named(const char *name) {
    constexpr char prefix[] = "PIXMPI_";
    if (!name)
        return PIXMPI_FORMAT_NONE;
    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
        if (strcasecmp(name, format_info(static_cast<pixMPI_Format>(i)).name) == 0)
            return static_cast<pixMPI_Format>(i);
    return PIXMPI_FORMAT_NONE;
}

pixMPI_Codec pixMPI_Codec_of(int kind, int quality) {
    pixMPI_Codec codec{};
    codec.kind = static_cast<std::uint8_t>(kind);
    codec.quality = static_cast<std::uint8_t>(quality);
    return codec;
}

pixMPI_Surface pixMPI_Memory(const void *data, pixMPI_Format format, int width, int height) {
    pixMPI_Surface surface{};
    surface.data = const_cast<void *>(data);
    surface.format = format;
    surface.width = width;
    surface.height = height;
    surface.row_bytes = std::ptrdiff_t{width} * pixMPI_Format_bytes(format);
    return surface;
}

pixMPI_Surface pixMPI_Coded(pixMPI_Surface surface, pixMPI_Codec codec) {
    surface.codec = codec;
    return surface;
}

pixMPI_Surface pixMPI_With_depth(const pixMPI_Surface *colors, const pixMPI_Surface *depths) {
    pixMPI_Surface surface{};
    surface.api = PIXMPI_API_WITH_DEPTH;
    surface.data = const_cast<pixMPI_Surface *>(colors);
    surface.offset = reinterpret_cast<std::intptr_t>(depths);
    if (colors)
        surface.codec = colors->codec;
    return surface;
}

pixMPI_Surface pixMPI_Sub(pixMPI_Surface surface, int x, int y, int width, int height) {
    pixMPI_Rect part{x, y, width, height};
    if (surface.has_part) {
        const pixMPI_Rect &whole = surface.part;
        const bool within =
            x >= 0 && y >= 0 && width >= 0 && height >= 0 && x <= whole.width - width && y <= whole.height - height;
        part = within ? pixMPI_Rect{whole.x + x, whole.y + y, width, height}
                      : pixMPI_Rect{x, y, -1, -1}; // which the call that takes the surface refuses
    }
    surface.has_part = 1;
    surface.part = part;
    return surface;
}

pixMPI_Surface pixMPI_In_place(void) {
    pixMPI_Surface surface{};
    surface.api = PIXMPI_API_IN_PLACE;
    return surface;
}

pixMPI_Surface pixMPI_No_surface(void) { return pixMPI_Memory(nullptr, PIXMPI_FORMAT_NONE, 0, 0); }

pixMPI_Picture pixMPI_Raw_picture(pixMPI_Format format, int width, int height) {
    pixMPI_Picture picture{};
    picture.width = width;
    picture.height = height;
    picture.format = format;
    return picture;
}

pixMPI_Picture pixMPI_Tiff_picture(pixMPI_Format format, int width, int height, int tile_width, int tile_height) {
    pixMPI_Picture picture = pixMPI_Raw_picture(format, width, height);
    picture.container = PIXMPI_CONTAINER_TIFF;
    picture.tile_width = tile_width;
    picture.tile_height = tile_height;
    return picture;
}

namespace {

constexpr Use to_look{false, false, 0, true};

} // namespace

int pixMPI_Surface_get_format(pixMPI_Surface surface, pixMPI_Format *format) {
    return public_call("pixMPI_Surface_get_format", [&]() -> Status {
        std::shared_ptr<Surface> found;
        if (const Status error = find_surface(surface, to_look, found))
            return error;
        if (format)
            *format = found->format;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Surface_get_size(pixMPI_Surface surface, int *width, int *height) {
    return public_call("pixMPI_Surface_get_size", [&]() -> Status {
        std::shared_ptr<Surface> found;
        if (const Status error = find_surface(surface, to_look, found))
            return error;
        if (width)
            *width = found->extent.width;
        if (height)
            *height = found->extent.height;
        return PIXMPI_SUCCESS;
    });
}
