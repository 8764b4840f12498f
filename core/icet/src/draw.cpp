// icetDrawFrame and icetCompositeImage: pixels that a callback draws, and pixels that are there.
#include "frame.h"

#include <algorithm>

using namespace icet;

namespace {

/// A view with what any frame needs. Arguments that are missing are refused.
View view_of(const IceTDouble *projection, const IceTDouble *modelview, const IceTFloat *background) {
    View view{projection, modelview, {}, {}, {}};
    if (background)
        std::copy(background, background + 4, view.background.color.begin());
    else
        view.refused = Failure{ICET_INVALID_VALUE, "background_color: null, expected four numbers"};
    return view;
}

class ByCallback : public Source {
  public:
    explicit ByCallback(Context &context) : context_(context) {}
    Drawn draw(const Wish &wish, Image &room) override {
        room.shape(context_.settings.formats, wish.part.width, wish.part.height);
        const IceTInt wanted[4] = {wish.wanted.x, wish.wanted.y, wish.wanted.width, wish.wanted.height};
        const double began = icetWallTime();
        context_.settings.draw(wish.projection, wish.modelview, wish.background.color.data(), wanted, room.handle());
        context_.record.render += icetWallTime() - began;
        room.formats = wish.formats;
        return {room.planes(), true};
    }

  private:
    Context &context_;
};

/// What the program has drawn, of all of the display.
class InBuffers : public Source {
  public:
    InBuffers(const void *color, const void *depth) : color_(color), depth_(depth) {}
    bool drawn_before() const override { return true; }
    Drawn draw(const Wish &wish, Image &) override {
        return {planes_of(color_, depth_, wish.formats, wish.part.width, wish.part.height), false};
    }

  private:
    const void *const color_, *const depth_;
};

void refuse_missing(const Settings &settings, const void *color, const void *depth, View &view) {
    const bool blends = settings.mode == ICET_COMPOSITE_MODE_BLEND;
    if (!color && settings.formats.color != ICET_IMAGE_COLOR_NONE)
        view.refused = Failure{ICET_INVALID_VALUE, "color_buffer: null, expected pixels of the color format"};
    else if (!depth && settings.formats.depth != ICET_IMAGE_DEPTH_NONE && !blends)
        view.refused = Failure{ICET_INVALID_VALUE, "depth_buffer: null, expected pixels of the depth format"};
}

} // namespace

IceTImage icetDrawFrame(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix,
                        const IceTFloat *background_color) {
    return in_context("icetDrawFrame", icetImageNull(), [&](Context &context) {
        View view = view_of(projection_matrix, modelview_matrix, background_color);
        if (!projection_matrix || !modelview_matrix)
            view.refused =
                Failure{ICET_INVALID_VALUE, !projection_matrix ? "projection_matrix: null" : "modelview_matrix: null"};
        if (!context.settings.draw)
            view.refused = Failure{ICET_INVALID_OPERATION, "no draw callback, expected one of icetDrawCallback"};
        ByCallback source(context);
        return icetInternalFrame(context, view, source);
    });
}

IceTImage icetCompositeImage(const IceTVoid *color_buffer, const IceTVoid *depth_buffer,
                             const IceTInt *valid_pixels_viewport, const IceTDouble *projection_matrix,
                             const IceTDouble *modelview_matrix, const IceTFloat *background_color) {
    return in_context("icetCompositeImage", icetImageNull(), [&](Context &context) {
        View view = view_of(projection_matrix, modelview_matrix, background_color);
        refuse_missing(context.settings, color_buffer, depth_buffer, view);
        if (const IceTInt *const valid = valid_pixels_viewport) {
            view.valid = pixMPI_Rect{valid[0], valid[1], valid[2], valid[3]};
            if (valid[2] < 0 || valid[3] < 0)
                view.refused = Failure{ICET_INVALID_VALUE, "valid_pixels_viewport: a negative width or height"};
        }
        InBuffers source(color_buffer, depth_buffer);
        return icetInternalFrame(context, view, source);
    });
}
