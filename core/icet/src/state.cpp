// icetGet: what a context knows, as numbers that each caller gets in the type of its own.
#include "context.h"

using namespace icet;

namespace {

using Numbers = std::vector<double>; // all integers of a context fit

template <class Value> Numbers one(Value value) { return {static_cast<double>(value)}; }
void add(Numbers &numbers, const pixMPI_Rect &rect) {
    for (const int part : {rect.x, rect.y, rect.width, rect.height})
        numbers.push_back(part);
}

/// Of tiles and bounds, if it is one of these.
std::optional<Numbers> shape_of(const Settings &settings, IceTEnum pname) {
    Numbers numbers;
    switch (pname) {
    case ICET_NUM_TILES:
        return one(settings.tiles.size());
    case ICET_TILE_VIEWPORTS:
        for (const Tile &tile : settings.tiles)
            add(numbers, tile.viewport);
        return numbers;
    case ICET_GLOBAL_VIEWPORT:
        add(numbers, settings.display());
        return numbers;
    case ICET_TILE_MAX_WIDTH:
        return one(settings.widest());
    case ICET_TILE_MAX_HEIGHT:
        return one(settings.highest());
    case ICET_DISPLAY_NODES:
        for (const Tile &tile : settings.tiles)
            numbers.push_back(tile.display);
        return numbers;
    case ICET_PHYSICAL_RENDER_WIDTH:
        return one(settings.width_to_render());
    case ICET_PHYSICAL_RENDER_HEIGHT:
        return one(settings.height_to_render());
    case ICET_NUM_BOUNDING_VERTS:
        return one(settings.bounds.size());
    case ICET_GEOMETRY_BOUNDS:
        for (const Vertex &vertex : settings.bounds)
            for (int i = 0; i < 3; ++i)
                numbers.push_back(vertex.at[i] / vertex.at[3]);
        return numbers;
    default:
        return std::nullopt;
    }
}

std::optional<Numbers> setting_of(const Settings &settings, IceTEnum pname) {
    Numbers numbers;
    switch (pname) {
    case ICET_DIAGNOSTIC_LEVEL:
        return one(settings.diagnostics);
    case ICET_COLOR_FORMAT:
        return one(settings.formats.color);
    case ICET_DEPTH_FORMAT:
        return one(settings.formats.depth);
    case ICET_STRATEGY:
        return one(settings.strategy);
    case ICET_SINGLE_IMAGE_STRATEGY:
        return one(settings.single_strategy);
    case ICET_COMPOSITE_MODE:
        return one(settings.mode);
    case ICET_STRATEGY_SUPPORTS_ORDERING:
        return one(1);
    case ICET_DATA_REPLICATION_GROUP:
        return Numbers(settings.group.begin(), settings.group.end());
    case ICET_DATA_REPLICATION_GROUP_SIZE:
        return one(settings.group.size());
    case ICET_MAGIC_K:
        return one(4);
    case ICET_MAX_IMAGE_SPLIT:
        return one(0);
    case ICET_COMPOSITE_ORDER:
        return Numbers(settings.order.begin(), settings.order.end());
    case ICET_PROCESS_ORDERS: // how many are in front of each rank
        numbers.resize(settings.order.size());
        for (std::size_t place = 0; place < settings.order.size(); ++place)
            numbers[static_cast<std::size_t>(settings.order[place])] = static_cast<double>(place);
        return numbers;
    case ICET_GL_INITIALIZED:
        return one(settings.gl_initialized || settings.gl3_initialized);
    case ICET_GL_READ_BUFFER:
        return one(settings.gl_read_buffer);
    default:
        if (const auto found = settings.features.find(pname); found != settings.features.end())
            return one(found->second);
        return std::nullopt;
    }
}

std::optional<Numbers> record_of(const Context &context, IceTEnum pname) {
    const Record &record = context.record;
    switch (pname) {
    case ICET_RENDER_TIME:
        return one(record.render);
    case ICET_BUFFER_READ_TIME:
        return one(record.read);
    case ICET_BUFFER_WRITE_TIME:
        return one(record.write);
    case ICET_COMPRESS_TIME:
    case ICET_INTERLACE_TIME:
    case ICET_COMPARE_TIME:
    case ICET_COLLECT_TIME:
        return one(0);
    case ICET_COMPOSITE_TIME:
        return one(record.composite());
    case ICET_TOTAL_DRAW_TIME:
        return one(record.total);
    case ICET_BYTES_SENT:
        return one(record.bytes_sent);
    case ICET_FRAME_COUNT:
        return one(context.frames);
    case ICET_IS_DRAWING_FRAME:
        return one(context.drawing);
    case ICET_VALID_PIXELS_TILE:
        return one(context.valid_tile);
    case ICET_VALID_PIXELS_OFFSET:
        return one(context.valid_offset);
    case ICET_VALID_PIXELS_NUM:
        return one(context.valid_pixels);
    case ICET_BACKGROUND_COLOR:
        return Numbers(context.background.color.begin(), context.background.color.end());
    case ICET_BACKGROUND_COLOR_WORD:
        return one(context.background.word());
    default:
        return std::nullopt;
    }
}

/// Of the frame that is drawn, or the last one.
std::optional<Numbers> seen_of(const Context &context, IceTEnum pname) {
    const Seen &seen = context.seen;
    Numbers numbers;
    switch (pname) {
    case ICET_PROJECTION_MATRIX:
        return Numbers(seen.projection.begin(), seen.projection.end());
    case ICET_MODELVIEW_MATRIX:
        return Numbers(seen.modelview.begin(), seen.modelview.end());
    case ICET_CONTAINED_VIEWPORT:
        add(numbers, seen.contained);
        return numbers;
    case ICET_NEAR_DEPTH:
        return one(seen.near);
    case ICET_FAR_DEPTH:
        return one(seen.far);
    case ICET_NUM_CONTAINED_TILES:
        return one(seen.tiles.size());
    case ICET_CONTAINED_TILES_LIST:
        return Numbers(seen.tiles.begin(), seen.tiles.end());
    case ICET_CONTAINED_TILES_MASK:
        numbers.resize(context.settings.tiles.size());
        for (const int tile : seen.tiles)
            if (const auto place = static_cast<std::size_t>(tile); place < numbers.size())
                numbers[place] = 1;
        return numbers;
    case ICET_RENDERED_VIEWPORT:
        if (seen.rendered)
            add(numbers, *seen.rendered);
        return numbers;
    case ICET_TRUE_BACKGROUND_COLOR:
        return Numbers(seen.background.color.begin(), seen.background.color.end());
    case ICET_TRUE_BACKGROUND_COLOR_WORD:
        return one(seen.background.word());
    default:
        return std::nullopt;
    }
}

bool pointer_of(const Settings &settings, IceTEnum pname, void *&pointer) {
    if (pname == ICET_DRAW_FUNCTION)
        return pointer = reinterpret_cast<void *>(settings.draw), true;
    if (pname == ICET_GL_DRAW_FUNCTION) // of the layer that the context has
        return pointer = settings.gl3_initialized ? reinterpret_cast<void *>(settings.gl3_draw)
                                                  : reinterpret_cast<void *>(settings.gl_draw),
               true;
    return false;
}

Numbers numbers_of(const Context &context, IceTEnum pname) {
    if (const auto shape = shape_of(context.settings, pname))
        return *shape;
    if (const auto setting = setting_of(context.settings, pname))
        return *setting;
    if (const auto record = record_of(context, pname))
        return *record;
    if (const auto seen = seen_of(context, pname))
        return *seen;
    if (pname == ICET_RANK)
        return one(context.rank());
    if (pname == ICET_NUM_PROCESSES)
        return one(context.size());
    if (pname == ICET_TILE_DISPLAYED)
        return one(context.tile_displayed());
    void *pointer = nullptr;
    if (pointer_of(context.settings, pname, pointer))
        throw Failure{ICET_BAD_CAST, "pname: " + std::to_string(pname) + ", a pointer, expected numbers"};
    throw Failure{ICET_INVALID_ENUM, "pname: " + std::to_string(pname) + ", expected state of a context"};
}

/// Integers wrap around, so that a word of colours is also one as a signed integer.
template <class Type> Type as(double value) {
    if constexpr (std::is_same_v<Type, IceTBoolean>)
        return value != 0;
    else if constexpr (std::is_floating_point_v<Type>)
        return static_cast<Type>(value);
    else
        return static_cast<Type>(static_cast<std::int64_t>(value));
}

template <class Type> void get(const char *call, IceTEnum pname, Type *params) {
    in_context(call, [&](Context &context) {
        if (!params)
            throw Failure{ICET_INVALID_VALUE, "params: null, expected room for the values"};
        for (const double value : numbers_of(context, pname))
            *params++ = as<Type>(value);
    });
}

} // namespace

void icetGetDoublev(IceTEnum pname, IceTDouble *params) { get("icetGetDoublev", pname, params); }
void icetGetFloatv(IceTEnum pname, IceTFloat *params) { get("icetGetFloatv", pname, params); }
void icetGetIntegerv(IceTEnum pname, IceTInt *params) { get("icetGetIntegerv", pname, params); }
void icetGetBooleanv(IceTEnum pname, IceTBoolean *params) { get("icetGetBooleanv", pname, params); }
void icetGetEnumv(IceTEnum pname, IceTEnum *params) { get("icetGetEnumv", pname, params); }
void icetGetBitFieldv(IceTEnum pname, IceTBitField *bitfield) { get("icetGetBitFieldv", pname, bitfield); }

void icetGetPointerv(IceTEnum pname, IceTVoid **params) {
    in_context("icetGetPointerv", [&](Context &context) {
        if (!params)
            throw Failure{ICET_INVALID_VALUE, "params: null, expected room for a pointer"};
        if (!pointer_of(context.settings, pname, *params)) {
            numbers_of(context, pname);
            throw Failure{ICET_BAD_CAST, "pname: " + std::to_string(pname) + ", numbers, expected a pointer"};
        }
    });
}
