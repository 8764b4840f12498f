#include "frame.h"

#include "agreement.h"
#include "committed.h"

#include <algorithm>
#include <tuple>

namespace icet {
namespace {

/// The planes that are composed: blending has no depth.
Formats composed_formats(const Settings &settings) {
    if (settings.mode == ICET_COMPOSITE_MODE_BLEND)
        return {settings.formats.color, ICET_IMAGE_DEPTH_NONE};
    return settings.formats;
}

void check_formats(const Settings &settings) {
    const Formats formats = settings.formats;
    if (settings.mode == ICET_COMPOSITE_MODE_BLEND && channels(formats.color) != 4)
        throw Failure{ICET_INVALID_OPERATION, "color format: without alpha, expected one with alpha to blend"};
    if (settings.mode == ICET_COMPOSITE_MODE_Z_BUFFER && formats.depth == ICET_IMAGE_DEPTH_NONE)
        throw Failure{ICET_INVALID_OPERATION, "depth format: none, expected one to compare depths"};
}

pixMPI_Op operation_of(const Settings &settings) {
    if (settings.mode == ICET_COMPOSITE_MODE_BLEND)
        return PIXMPI_OVER;
    return settings.formats.color == ICET_IMAGE_COLOR_NONE ? PIXMPI_MIN : PIXMPI_NEAREST;
}

bool same(const pixMPI_Rect &first, const pixMPI_Rect &second) {
    return first.x == second.x && first.y == second.y && first.width == second.width && first.height == second.height;
}

class Frame {
  public:
    Frame(Context &context, const View &view, Source &source);
    void run();
    IceTImage finish();

  private:
    /// Of a tile: what this rank has drawn, and where.
    struct Part {
        Planes drawn{};
        pixMPI_Rect active{};
        bool exact = false; ///< outside of `active` may be anything, which may be overwritten
    };
    const Tile &tile(std::size_t index) const { return settings_.tiles[index]; }
    bool shows(std::size_t index) const { return tile(index).display == context_.rank(); }
    template <class Body> bool attempt(Body body);
    void find_parts();
    void note_seen();
    Source::Drawn draw(const pixMPI_Rect &part, Image &room);
    Part picture_of(std::size_t index, const pixMPI_Rect &active);
    Part part_of(std::size_t index, const pixMPI_Rect &active, const pixMPI_Rect &part, const Source::Drawn &drawn);
    Part draw_tile(std::size_t index);
    void settle();
    /// Else finish() puts it behind blended pixels, as this rank has named it.
    bool composes_background() const {
        return settings_.mode == ICET_COMPOSITE_MODE_Z_BUFFER || agreement_.one_background();
    }
    void start(std::size_t index, const Part &part);
    void refuse(std::size_t index);
    void wait();
    void note(int code);
    void note(const Failure &failure);

    Context &context_;
    Agreement agreement_;
    const Settings &settings_;
    const View &view_;
    Source &source_;
    const Formats formats_;
    const bool rows_;        ///< each rank keeps the rows that it has merged
    std::vector<int> order_; ///< ranks, see order_of()
    Background background_;
    const pixMPI_Rect display_;
    pixMPI_Rect covered_;               ///< of the display, where this rank's geometry may be
    int touched_ = 0;                   ///< tiles
    std::optional<pixMPI_Rect> shared_; ///< the part that is drawn once for all tiles
    std::optional<Source::Drawn> once_; ///< what was drawn there
    std::vector<pixMPI_Request> requests_;
    std::optional<Failure> failure_;
};

Frame::Frame(Context &context, const View &view, Source &source)
    : context_(context), agreement_(context, view.background), settings_(context.settings), view_(view),
      source_(source), formats_(composed_formats(context.settings)),
      rows_(!context.settings.features.at(ICET_COLLECT_IMAGES) && context.settings.tiles.size() == 1),
      display_(context.settings.display()), covered_(display_), requests_(settings_.tiles.size(), PIXMPI_REQUEST_NULL) {
    // Blended pictures are drawn on transparent black, so that the background is blended once, at the end.
    if (settings_.mode == ICET_COMPOSITE_MODE_Z_BUFFER)
        background_ = view.background;
    context_.background = background_;
}

/// A frame is as many composites as there are tiles, come what may: so ranks go on counting alike.
void Frame::run() {
    if (settings_.tiles.empty()) {
        agreement_.leaders();
        throw Failure{ICET_INVALID_OPERATION, "tiles: none, expected one of icetAddTile"};
    }
    attempt([&] {
        if (view_.refused)
            throw *view_.refused;
        check_formats(settings_);
        find_parts();
        note_seen();
    });
    for (std::size_t i = 0; i < settings_.tiles.size(); ++i) {
        Part part;
        if (!failure_)
            attempt([&] { part = draw_tile(i); });
        if (i == 0) // while this rank drew, the others' words have come
            settle();
        if (failure_ || !attempt([&] { start(i, part); }))
            refuse(i);
    }
    wait();
    if (failure_)
        throw *failure_;
}

/// False when it fails before others know.
template <class Body> bool Frame::attempt(Body body) {
    try {
        body();
        return true;
    } catch (const Failure &failure) {
        note(failure);
    } catch (const std::bad_alloc &) {
        note(Failure{ICET_OUT_OF_MEMORY, "out of memory"});
    }
    return false;
}

void Frame::settle() {
    const std::vector<int> leaders = agreement_.leaders();
    order_ = order_of(settings_, leaders);
    attempt([&] { check_group(context_, leaders); });
}

void Frame::find_parts() {
    if (view_.projection && view_.modelview)
        covered_ = covered(settings_.bounds, view_.projection, view_.modelview, display_);
    covered_ = common(covered_, share_of(settings_.group, context_.rank(), view_.valid ? display_ : covered_));
    if (view_.valid)
        covered_ = common(covered_, {display_.x + view_.valid->x, display_.y + view_.valid->y, view_.valid->width,
                                     view_.valid->height});
    for (const Tile &one : settings_.tiles)
        touched_ += !empty(common(covered_, one.viewport));
    const int width = settings_.width_to_render(), height = settings_.height_to_render();
    if (source_.drawn_before())
        shared_ = display_;
    else if (touched_ > 1 && settings_.features.at(ICET_FLOATING_VIEWPORT) && covered_.width <= width &&
             covered_.height <= height)
        shared_ = pixMPI_Rect{covered_.x, covered_.y, width, height};
}

void Frame::note_seen() {
    Seen &seen = context_.seen;
    seen = {};
    if (view_.projection && view_.modelview) {
        std::copy_n(view_.projection, 16, seen.projection.begin());
        std::copy_n(view_.modelview, 16, seen.modelview.begin());
        std::tie(seen.near, seen.far) = depths_of(settings_.bounds, view_.projection, view_.modelview);
    }
    seen.contained = covered_;
    for (std::size_t i = 0; i < settings_.tiles.size(); ++i)
        if (!empty(common(covered_, tile(i).viewport)))
            seen.tiles.push_back(static_cast<int>(i));
    seen.rendered = view_.valid;
    seen.background = view_.background;
}

Source::Drawn Frame::draw(const pixMPI_Rect &part, Image &room) {
    Matrix projection{};
    if (view_.projection)
        projection = project_on(view_.projection, display_, part);
    const pixMPI_Rect wanted = common(covered_, part);
    const bool is_tile = std::any_of(settings_.tiles.begin(), settings_.tiles.end(),
                                     [&](const Tile &one) { return same(one.viewport, part); });
    const bool alone =
        settings_.tiles.size() == 1 || (touched_ == 1 && !settings_.features.at(ICET_RENDER_EMPTY_IMAGES));
    Wish wish;
    wish.part = part;
    wish.wanted = empty(wanted) ? wanted : relative(wanted, part);
    wish.projection = view_.projection ? projection.data() : nullptr;
    wish.modelview = view_.modelview;
    wish.background = background_;
    wish.formats = formats_;
    wish.stays = is_tile && alone && settings_.group.size() == 1; // a group's rank draws more than its share
    if (!source_.drawn_before())
        context_.seen.rendered = wish.wanted;
    return source_.draw(wish, room);
}

/// What this rank has of a tile, in a surface of the tile's size.
Frame::Part Frame::picture_of(std::size_t index, const pixMPI_Rect &active) {
    const pixMPI_Rect &at = tile(index).viewport;
    Image &room = context_.tiles[index].drawn;
    const pixMPI_Rect own{at.x, at.y, settings_.width_to_render(), settings_.height_to_render()};
    if (empty(active)) {
        if (settings_.features.at(ICET_RENDER_EMPTY_IMAGES) && !shared_)
            draw(own, context_.floating);
        context_.tiles[index].make_blank(formats_, at.width, at.height, background_, active);
        return {room.planes(), active};
    }
    if (!shared_) {
        context_.tiles[index].blank.reset();
        return part_of(index, active, own, draw(own, room));
    }
    if (!once_)
        once_ = draw(*shared_, context_.floating);
    return part_of(index, active, *shared_, *once_);
}

/// Compositors need background around what is active. Our own pixels get it from them, where it is needed. Where
/// the program's have it, as most do, they are composed from where they lie.
Frame::Part Frame::part_of(std::size_t index, const pixMPI_Rect &active, const pixMPI_Rect &part,
                           const Source::Drawn &drawn) {
    const pixMPI_Rect &at = tile(index).viewport;
    const pixMPI_Rect whole{0, 0, at.width, at.height}, within = relative(at, part);
    if (!in_memory(drawn.planes))
        return {drawn.planes, active};
    TileWork &work = context_.tiles[index];
    const bool covers = same(common(at, part), at);
    const bool colors = formats_.color != ICET_IMAGE_COLOR_NONE; // depths alone have no background for compositors
    if (same(active, whole) || (covers && drawn.ours && colors))
        return {cut(drawn.planes, within), active, drawn.ours};
    if (covers && empty_around(cut(drawn.planes, within), active))
        return {cut(drawn.planes, within), active};
    if (drawn.ours && !shared_) {
        background_.fill_around(work.drawn, whole, active);
        return {cut(drawn.planes, within), active};
    }
    work.make_blank(formats_, at.width, at.height, background_, active);
    const pixMPI_Rect from{within.x + active.x, within.y + active.y, active.width, active.height};
    copy(cut(drawn.planes, from), cut(work.drawn.planes(), active));
    return {work.drawn.planes(), active};
}

Frame::Part Frame::draw_tile(std::size_t index) {
    const pixMPI_Rect &at = tile(index).viewport;
    const pixMPI_Rect here = common(covered_, at);
    const pixMPI_Rect active = empty(here) ? here : relative(here, at);
    return picture_of(index, active);
}

void Frame::start(std::size_t index, const Part &part) {
    const pixMPI_Rect &at = tile(index).viewport;
    Planes picture{pixMPI_No_surface()};
    if (shows(index) || rows_) {
        Formats shown = formats_;
        // One rank alone has nothing to drop its depth for.
        if (settings_.features.at(ICET_COMPOSITE_ONE_BUFFER) && shown.color != ICET_IMAGE_COLOR_NONE &&
            context_.size() > 1)
            shown.depth = ICET_IMAGE_DEPTH_NONE;
        context_.result.shape(shown, at.width, at.height);
        picture = context_.result.planes();
    }
    TileCompositor &compositor = context_.tiles[index].compositor;
    check(compositor.prepare(operation_of(settings_),
                             rows_ ? static_cast<int>(PIXMPI_RESULT_ROWS) : tile(index).display, settings_, order_,
                             context_.communicator->comm));
    check(compositor.set_background(composes_background() ? &view_.background : nullptr, formats_, at.width));
    // The picture is the same memory for whatever tile this rank shows, and the program may have written to it.
    if (context_.result_of != static_cast<int>(index) || context_.result.lent)
        check(compositor.forget_picture());
    if (shows(index) || rows_)
        context_.result_of = -1;
    check(pixMPI_Compositor_set_exact(compositor.handle(), part.exact));
    const Committed region(part.active);
    // From here on all ranks hear of errors by themselves.
    note(pixMPI_Icomposite(part.drawn.surface(), region.region(), picture.surface(), compositor.handle(),
                           &requests_[index]));
}

/// Takes part without a surface, which is an error of this rank's that reaches all others.
void Frame::refuse(std::size_t index) {
    TileCompositor &compositor = context_.tiles[index].compositor;
    if (compositor.prepare(PIXMPI_NEAREST, tile(index).display, settings_, order_, context_.communicator->comm) ==
        PIXMPI_SUCCESS)
        pixMPI_Icomposite(pixMPI_No_surface(), PIXMPI_WHOLE, pixMPI_No_surface(), compositor.handle(),
                          &requests_[index]);
}

void Frame::wait() {
    for (pixMPI_Request &request : requests_)
        if (request != PIXMPI_REQUEST_NULL)
            note(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
}

void Frame::note(int code) {
    attempt([&] { check(code); });
}

void Frame::note(const Failure &failure) {
    if (!failure_)
        failure_ = failure;
}

IceTImage Frame::finish() {
    context_.valid_tile = rows_ ? 0 : context_.tile_displayed();
    if (context_.valid_tile < 0)
        return icetImageNull();
    Image &result = context_.result;
    int first = 0, count = result.height;
    if (rows_)
        check(pixMPI_Compositor_rows(context_.tiles[0].compositor.handle(), result.height, context_.rank(), &first,
                                     &count));
    context_.valid_offset = first * result.width;
    context_.valid_pixels = count * result.width;
    if (count == 0)
        context_.valid_tile = -1;
    if (!composes_background() && view_.background != Background())
        view_.background.put_behind(result, static_cast<std::size_t>(context_.valid_offset),
                                    static_cast<std::size_t>(context_.valid_pixels));
    else
        context_.result_of = context_.tile_displayed();
    return result.handle();
}

/// While a frame is drawn; and its times.
class Drawing {
  public:
    explicit Drawing(Context &context) : context_(context), began_(icetWallTime()), sent_(bytes_sent()) {
        context_.drawing = true;
        context_.record = {};
        ++context_.frames;
        context_.valid_tile = -1;
        context_.valid_offset = context_.valid_pixels = 0;
    }
    ~Drawing() {
        context_.drawing = false;
        context_.record.total = icetWallTime() - began_;
        context_.record.bytes_sent = bytes_sent() - sent_;
    }
    Drawing(const Drawing &) = delete;
    Drawing &operator=(const Drawing &) = delete;

  private:
    static std::uint64_t bytes_sent() {
        pixMPI_Stats stats = PIXMPI_STATS_INIT;
        return pixMPI_Get_stats(&stats) == PIXMPI_SUCCESS ? stats.bytes_sent : 0;
    }
    Context &context_;
    const double began_;
    const std::uint64_t sent_;
};

} // namespace

IceTImage icetInternalFrame(Context &context, const View &view, Source &source) {
    if (context.drawing)
        throw Failure{ICET_INVALID_OPERATION, "called while a frame is drawn, probably by the draw callback"};
    const Drawing drawing(context);
    context.tiles.resize(std::max(context.tiles.size(), context.settings.tiles.size()));
    Frame frame(context, view, source);
    frame.run();
    return frame.finish();
}

} // namespace icet
