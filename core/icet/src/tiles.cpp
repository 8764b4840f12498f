// The calls that say what is shown where, and where geometry may be.
#include "context.h"

#include <cstring>
#include <limits>

using namespace icet;

namespace {

std::string wrong(const char *argument, long long value, const std::string &expected) {
    return std::string(argument) + ": " + std::to_string(value) + ", expected " + expected;
}

/// pixmpi's rectangles have coordinates of int, and so have distances between tiles.
void check_extent(const char *argument, IceTInt from, IceTSizeType extent) {
    constexpr int limit = std::numeric_limits<int>::max() / 4;
    if (from < -limit || from > limit || extent > limit)
        throw Failure{ICET_INVALID_VALUE,
                      wrong(argument, from, "a tile within " + std::to_string(limit) + " pixels of the origin")};
}

void add_tile(Context &context, const Tile &tile) {
    const pixMPI_Rect &at = tile.viewport;
    if (at.width < 1)
        throw Failure{ICET_INVALID_VALUE, wrong("width", at.width, "from 1")};
    if (at.height < 1)
        throw Failure{ICET_INVALID_VALUE, wrong("height", at.height, "from 1")};
    check_extent("x", at.x, at.width);
    check_extent("y", at.y, at.height);
    if (tile.display < 0 || tile.display >= context.size())
        throw Failure{ICET_INVALID_VALUE,
                      wrong("display_rank", tile.display, "0 to " + std::to_string(context.size() - 1))};
    for (const Tile &other : context.settings.tiles)
        if (other.display == tile.display)
            throw Failure{ICET_INVALID_VALUE, wrong("display_rank", tile.display, "a rank that shows no other tile")};
    context.settings.tiles.push_back(tile);
    context.settings.render_width = context.settings.render_height = 0; // from now on that of the largest tile
}

double coordinate(IceTEnum type, const std::byte *at) {
    const auto read = [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    };
    switch (type) {
    case ICET_SHORT:
        return read(IceTShort());
    case ICET_INT:
        return read(IceTInt());
    case ICET_FLOAT:
        return read(IceTFloat());
    default:
        return read(IceTDouble());
    }
}

std::size_t bytes_of(IceTEnum type) {
    switch (type) {
    case ICET_SHORT:
        return sizeof(IceTShort);
    case ICET_INT:
        return sizeof(IceTInt);
    case ICET_FLOAT:
        return sizeof(IceTFloat);
    case ICET_DOUBLE:
        return sizeof(IceTDouble);
    default:
        throw Failure{ICET_INVALID_ENUM, wrong("type", type, "ICET_SHORT, ICET_INT, ICET_FLOAT or ICET_DOUBLE")};
    }
}

} // namespace

void icetResetTiles(void) {
    in_context("icetResetTiles", [](Context &context) {
        check_not_drawing(context);
        context.settings.tiles.clear();
        context.settings.render_width = context.settings.render_height = 0;
    });
}

int icetAddTile(IceTInt x, IceTInt y, IceTSizeType width, IceTSizeType height, int display_rank) {
    return in_context("icetAddTile", -1, [&](Context &context) {
        check_not_drawing(context);
        add_tile(context, {{x, y, width, height}, display_rank});
        return static_cast<int>(context.settings.tiles.size()) - 1;
    });
}

void icetPhysicalRenderSize(IceTInt width, IceTInt height) {
    const char *const call = "icetPhysicalRenderSize";
    in_context(call, [&](Context &context) {
        Settings &settings = context.settings;
        if (width < settings.widest() || height < settings.highest())
            icetInternalWarn(call, ICET_INVALID_VALUE, "width, height: smaller than a tile, which counts instead");
        settings.render_width = width;
        settings.render_height = height;
    });
}

void icetBoundingVertices(IceTInt size, IceTEnum type, IceTSizeType stride, IceTSizeType count,
                          const IceTVoid *pointer) {
    in_context("icetBoundingVertices", [&](Context &context) {
        if (count == 0)
            return context.settings.bounds.clear(); // whatever the other arguments are
        if (size < 1 || size > 4)
            throw Failure{ICET_INVALID_VALUE, wrong("size", size, "1 to 4")};
        if (stride < 0)
            throw Failure{ICET_INVALID_VALUE, wrong("stride", stride, "from 0")};
        if (count < 0)
            throw Failure{ICET_INVALID_VALUE, wrong("count", count, "from 0")};
        if (!pointer)
            throw Failure{ICET_INVALID_VALUE, "pointer: null, expected vertices"};
        const std::size_t bytes = bytes_of(type);
        const std::size_t step = stride ? static_cast<std::size_t>(stride) : static_cast<std::size_t>(size) * bytes;
        std::vector<Vertex> bounds(static_cast<std::size_t>(count), Vertex{{0, 0, 0, 1}});
        for (std::size_t i = 0; i < bounds.size(); ++i)
            for (std::size_t part = 0; part < static_cast<std::size_t>(size); ++part)
                bounds[i].at[part] =
                    coordinate(type, static_cast<const std::byte *>(pointer) + i * step + part * bytes);
        context.settings.bounds = std::move(bounds);
    });
}

void icetBoundingBoxd(IceTDouble x_min, IceTDouble x_max, IceTDouble y_min, IceTDouble y_max, IceTDouble z_min,
                      IceTDouble z_max) {
    in_context("icetBoundingBoxd", [&](Context &context) {
        std::vector<Vertex> corners;
        for (int i = 0; i < 8; ++i)
            corners.push_back({{i & 1 ? x_max : x_min, i & 2 ? y_max : y_min, i & 4 ? z_max : z_min, 1}});
        context.settings.bounds = std::move(corners);
    });
}

void icetBoundingBoxf(IceTFloat x_min, IceTFloat x_max, IceTFloat y_min, IceTFloat y_max, IceTFloat z_min,
                      IceTFloat z_max) {
    icetBoundingBoxd(x_min, x_max, y_min, y_max, z_min, z_max);
}
