// A context: what a program has set, and what its frames keep. The calls of IceT's interface work on the current one.
#pragma once

#include "communicator.h"
#include "image.h"

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <optional>
#include <pixmpi_compositor.h>
#include <string>
#include <utility>
#include <vector>

namespace icet {

struct Tile {
    pixMPI_Rect viewport;
    int display; ///< the rank that shows it
};

struct Vertex {
    double at[4];
};

/// What calls have set: what icetCopyState copies.
struct Settings {
    std::vector<Tile> tiles;
    int render_width = 0, render_height = 0; ///< as the program has set them, or 0
    std::vector<Vertex> bounds;              ///< none: drawn pixels may be anywhere
    Formats formats;
    IceTEnum strategy = ICET_STRATEGY_REDUCE, single_strategy = ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC;
    IceTEnum mode = ICET_COMPOSITE_MODE_Z_BUFFER;
    std::vector<IceTInt> order; ///< ranks from front to back
    std::vector<IceTInt> group; ///< ranks that draw the same data as this one, and this one
    IceTDrawCallbackType draw = nullptr;
    std::map<IceTEnum, bool> features = {
        {ICET_FLOATING_VIEWPORT, true},    {ICET_ORDERED_COMPOSITE, false}, {ICET_CORRECT_COLORED_BACKGROUND, false},
        {ICET_COMPOSITE_ONE_BUFFER, true}, {ICET_INTERLACE_IMAGES, true},   {ICET_COLLECT_IMAGES, true},
        {ICET_RENDER_EMPTY_IMAGES, false},
    };
    IceTBitField diagnostics = ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS;
    bool gl_initialized = false;
    IceTEnum gl_read_buffer = 0;
    void (*gl_draw)() = nullptr;
    bool gl3_initialized = false;
    void (*gl3_draw)(const IceTDouble *, const IceTDouble *, const IceTInt *, IceTUInt) = nullptr;

    int widest() const { return most(&pixMPI_Rect::width); }
    int highest() const { return most(&pixMPI_Rect::height); }
    pixMPI_Rect display() const; ///< around all tiles
    /// Of what is drawn at a time: at least as large as each tile.
    int width_to_render() const { return std::max(render_width, widest()); }
    int height_to_render() const { return std::max(render_height, highest()); }

  private:
    int most(int pixMPI_Rect::*extent) const {
        int most = 0;
        for (const Tile &tile : tiles)
            most = std::max(most, tile.viewport.*extent);
        return most;
    }
};

/// What icetGet says of the last frame, or of the one that is drawn.
struct Seen {
    std::array<double, 16> projection{}, modelview{};
    pixMPI_Rect contained{};             ///< of the display, where this rank's geometry may be
    double near = -1, far = 1;           ///< depths of its bounds, from -1 to 1
    std::vector<int> tiles;              ///< that this rank's geometry may touch
    std::optional<pixMPI_Rect> rendered; ///< of what was drawn at a time, the part that counts
    Background background;               ///< as the program named it
};

/// Times of a frame, in seconds, and what it has sent.
struct Record {
    double render = 0, read = 0, write = 0, total = 0;
    std::uint64_t bytes_sent = 0;
    double composite() const { return std::max(0.0, total - render - read - write); }
};

/// A compositor, and what it was made for.
class TileCompositor {
  public:
    TileCompositor() = default;
    TileCompositor(TileCompositor &&other) noexcept
        : handle_(std::exchange(other.handle_, PIXMPI_COMPOSITOR_NULL)), op_(other.op_), result_(other.result_),
          behind_(std::move(other.behind_)), blank_(other.blank_), has_background_(other.has_background_) {}
    TileCompositor &operator=(TileCompositor &&) = delete;
    ~TileCompositor();
    /// For the next frame. `order`: ranks from front to back. Returns a code of pixmpi's.
    int prepare(pixMPI_Op op, int result, const Settings &settings, const std::vector<int> &order, MPI_Comm comm);
    /// What is shown where no rank is nearer; or nothing. All ranks call it.
    int set_background(const Background *background, Formats formats, int width);
    /// What the picture holds from the frame before is not known.
    int forget_picture() { return pixMPI_Compositor_set_kept(handle_, 1); }
    pixMPI_Compositor handle() const { return handle_; }

  private:
    pixMPI_Compositor handle_ = PIXMPI_COMPOSITOR_NULL;
    pixMPI_Op op_ = PIXMPI_OP_NULL;
    int result_ = 0;
    Image behind_; ///< a row, all of it is `blank_`
    std::optional<Background> blank_;
    bool has_background_ = false;
};

/// What a tile needs from frame to frame.
struct TileWork {
    Image drawn;
    std::optional<Background> blank; ///< all of `drawn` is this, except `dirty`
    pixMPI_Rect dirty{};
    TileCompositor compositor;

    /// Fills `drawn` except `active`, as far as it is not like that from the frame before.
    void make_blank(Formats formats, int width, int height, const Background &background, const pixMPI_Rect &active);
};

} // namespace icet

struct IceTContextStruct {
    std::shared_ptr<icet::Communicator> communicator;
    icet::Settings settings;
    bool drawing = false;
    std::vector<icet::TileWork> tiles;
    icet::Image floating; ///< drawn once for several tiles
    icet::Image result;
    int result_of = -1;              ///< the tile whose compositor has written all that `result` holds
    std::shared_ptr<void> gl_target; ///< what the library for OpenGL keeps
    icet::Background background;
    icet::Seen seen;
    icet::Record record;
    int frames = 0;
    int valid_tile = -1, valid_offset = 0, valid_pixels = 0;

    int rank() const { return communicator->rank; }
    int size() const { return communicator->size; }
    int tile_displayed() const; ///< -1: none
};

namespace icet {

using Context = IceTContextStruct;

/// Thrown where something is wrong; a call of the interface prints it, and icetGetError returns it.
struct Failure {
    IceTEnum error;
    std::string text;
};

// What the library for OpenGL calls, too.
extern "C" {
ICET_EXPORT Context *icetInternalCurrent();
ICET_EXPORT void icetInternalRaise(const char *call, IceTEnum error, const char *text);
ICET_EXPORT void icetInternalWarn(const char *call, IceTEnum error, const char *text);
}

/// The body of a call: nothing is thrown out of it. Returns `otherwise` when it fails.
template <class Result, class Body> Result in_context(const char *call, Result otherwise, Body &&body) {
    Context *const context = icetInternalCurrent();
    if (!context) {
        icetInternalRaise(call, ICET_INVALID_OPERATION, "no context is current, expected one of icetCreateContext");
        return otherwise;
    }
    try {
        return body(*context);
    } catch (const Failure &failure) {
        icetInternalRaise(call, failure.error, failure.text.c_str());
    } catch (const std::bad_alloc &) {
        icetInternalRaise(call, ICET_OUT_OF_MEMORY, "out of memory");
    }
    return otherwise;
}
template <class Body> void in_context(const char *call, Body &&body) {
    in_context(call, 0, [&](Context &context) {
        body(context);
        return 0;
    });
}

/// A frame under way has its tiles and formats.
inline void check_not_drawing(const Context &context) {
    if (context.drawing)
        throw Failure{ICET_INVALID_OPERATION, "called while a frame is drawn"};
}

/// Throws what pixmpi says of a code that is not PIXMPI_SUCCESS.
inline void check(int code) {
    if (code != PIXMPI_SUCCESS)
        throw Failure{code == PIXMPI_ERR_MEMORY ? IceTEnum{ICET_OUT_OF_MEMORY} : IceTEnum{ICET_SANITY_CHECK_FAIL},
                      pixMPI_Error_text()};
}

} // namespace icet
