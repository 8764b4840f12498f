// A frame: what each rank draws of each tile, composed by one compositor for each tile.
#pragma once

#include "projection.h"

namespace icet {

/// A frame as the program asks for it. Without matrices geometry may be anywhere within `valid`.
struct View {
    const double *projection, *modelview;
    Background background;
    std::optional<pixMPI_Rect> valid; ///< as seen from the display's corner; none: all
    std::optional<Failure> refused;   ///< what is wrong with the call; this rank takes part, so that all ranks know
};

/// A part of the display that is to be drawn.
struct Wish {
    pixMPI_Rect part;         ///< as large as what is rendered at a time
    pixMPI_Rect wanted;       ///< what of it is looked at, as seen from its corner
    const double *projection; ///< that shows this part; null without matrices
    const double *modelview;
    Background background;
    Formats formats; ///< the planes that are composed
    bool stays;      ///< nothing else is drawn until the frame is over, and the part is a tile
};

/// Where a rank's pixels come from.
class Source {
  public:
    struct Drawn {
        Planes planes; ///< of the part that was wished for
        bool ours;     ///< in the room that was given
    };
    Source() = default;
    virtual ~Source() = default;
    Source(const Source &) = delete;
    Source &operator=(const Source &) = delete;

    /// Whether all of the display is there at once.
    virtual bool drawn_before() const { return false; }
    /// Pixels that are not wanted may be anything. `room` is for callers that need memory.
    virtual Drawn draw(const Wish &wish, Image &room) = 0;
};

extern "C" {
/// Throws on all ranks when it fails on one. The image is that of the tile that this rank shows, or null.
ICET_EXPORT IceTImage icetInternalFrame(Context &context, const View &view, Source &source);
}

} // namespace icet
