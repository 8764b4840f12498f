#include "composite/frame.h"

#include "composite/search.h"
#include "composite/search_step.h"
#include "device/planes.h"
#include "host/host_device.h"

#include <algorithm>
#include <utility>

namespace pixmpi {
namespace {

/// One rank's, as all ranks get it; whole pixels of PIXMPI_RGBA32UI.
struct Facts {
    std::uint32_t width, height, format, depth_format, picture_depth_format;
    std::int32_t result, radix;
    std::uint32_t operation, strategy, has_picture, order;
    std::uint32_t tiles, attachments; ///< digests
    std::uint32_t has_background;
    std::uint32_t keeps_lone_apart; ///< see FrameFacts::set_lone_apart()
    std::uint32_t unused;
    Cells::Bits active;
};
constexpr int facts_columns = sizeof(Facts) / 16;
static_assert(sizeof(Facts) % 16 == 0);

/// The same for the same numbers. (FNV-1a, of Fowler, Noll and Vo)
std::uint32_t digest_of(const std::vector<int> &numbers) {
    std::uint32_t digest = 2166136261u;
    for (const int number : numbers)
        digest = (digest ^ static_cast<std::uint32_t>(number)) * 16777619u;
    return digest;
}

std::uint32_t digest_of(const std::vector<Target> &tiles) {
    std::vector<int> numbers;
    for (const auto &[rank, rect] : tiles)
        numbers.insert(numbers.end(), {rank, rect.x, rect.y, rect.width, rect.height});
    return digest_of(numbers);
}

/// Of all planes.
std::shared_ptr<Surface> repeat_row_of(const std::shared_ptr<Surface> &surface, int height) {
    Surface::Planes planes;
    for (const auto &plane : planes_of(surface))
        planes.push_back(repeat_row(plane, height));
    return planes.size() == 1 ? planes.front() : join(std::move(planes));
}

/// Lives as long as the plan, whose steps it adds.
class Frame : public std::enable_shared_from_this<Frame> {
  public:
    Frame(Plan &plan, Compositing how, FrameCall call)
        : plan_(plan), how_(std::move(how)), call_(std::move(call)), active_(call_.drawn->extent) {}
    Status write();

  private:
    enum class Searches { no, where_it_lies, by_shaders, in_a_copy };
    Status choose_search(Searches &how, std::unique_ptr<DeviceSearch> &shaders) const;
    Status write_search(Plan::Steps &searched);
    void search(const Surface &where, int x, int y);
    void set_active(const std::optional<Cells> &found);
    void state_own_facts();
    CollectiveEnds side_of_facts();
    bool can_keep_lone_apart() const;
    Status check() const;
    void set_lone_apart(const Scheme &scheme, FrameFacts &facts) const;
    void add_sides();
    Status write_composing();
    void look_at_kept(const FrameFacts &facts);
    Status write_background_around(const FrameFacts &facts);
    void conclude();

    Plan &plan_;
    const Compositing how_;
    const FrameCall call_;
    std::vector<FrameSides> sides_; ///< by attachment
    Cells active_;                  ///< this rank's
    std::vector<Facts> facts_;      ///< by rank
    std::optional<Cells> drawn_;    ///< on any rank, for the next frame of pictures that are kept
};

Status Frame::write() {
    plan_.be_exact();
    add_sides();
    facts_.resize(static_cast<std::size_t>(plan_.size()));

    const auto self = shared_from_this();
    const CollectiveEnds all = side_of_facts();
    Plan::Steps searched;
    plan_.begin_phase(static_cast<int>(FramePhase::search));
    if (const Status error = write_search(searched))
        return error;
    plan_.begin_phase(static_cast<int>(FramePhase::telling));
    plan_.fill(all.side, searched);
    const Plan::Step first = plan_.next();
    allgather(plan_, nullptr, all);
    Plan::Steps gathered = searched;
    for (Plan::Step step = first; step < plan_.next(); ++step)
        gathered.push_back(step);
    std::vector<Plan::Side> used;
    for (const FrameSides &sides : sides_) {
        used.push_back(sides.drawn);
        used.insert(used.end(), sides.pictures.begin(), sides.pictures.end());
        if (sides.background)
            used.push_back(*sides.background);
    }
    plan_.write_more([self] { return self->write_composing(); }, std::move(gathered), used);
    plan_.conclude([self] { self->conclude(); });
    return PIXMPI_SUCCESS;
}

/// The depth decides of each attachment.
void Frame::add_sides() {
    const std::size_t count = call_.attachments();
    sides_.resize(count);
    sides_[0].drawn = plan_.add(call_.drawn);
    for (std::size_t i = 1; i < count; ++i)
        sides_[i].drawn =
            plan_.add_joined(plan_.add(call_.further[i - 1]), plan_.add_plane(sides_[0].drawn, Plan::Plane::depths));
    for (std::size_t i = 0; i < call_.pictures.size(); ++i)
        sides_[i % count].pictures.push_back(plan_.add(call_.pictures[i]));
    for (FrameSides &sides : sides_) {
        sides.in_place = call_.in_place;
        sides.onto = how_.onto;
        if (how_.background)
            sides.background = plan_.add(how_.background->extent.height == call_.drawn->extent.height
                                             ? how_.background
                                             : repeat_row_of(how_.background, call_.drawn->extent.height));
        sides.codec = how_.codec;
    }
}

void Frame::conclude() {
    const std::vector<Plan::Report> steps = plan_.report();
    if (drawn_ && how_.kept->last == this)
        how_.kept->drawn = drawn_;
    how_.log->add({call_.called, call_.draw, active_.pixels(), steps}, plan_.size());
}

CollectiveEnds Frame::side_of_facts() {
    CollectiveEnds all;
    for (int rank = 0; rank < plan_.size(); ++rank)
        all.parts.push_back(region_of({{0, rank, facts_columns, 1}}));
    std::shared_ptr<Surface> memory; // no error: its size is right
    (void)make_host_surface(pixMPI_Memory(facts_.data(), PIXMPI_RGBA32UI, facts_columns, plan_.size()), memory);
    all.side = plan_.add_own(std::move(memory));
    return all;
}

// Host memory is looked through at once, pixels of a GPU by its shaders, and those of software drivers in a copy. What
// was full the last time is not looked through, unless that costs next to nothing. Few pixels travel from a GPU as
// fast as it looks through them.
Status Frame::choose_search(Searches &how, std::unique_ptr<DeviceSearch> &shaders) const {
    constexpr std::uint64_t few_bytes = 2 << 20;
    const Surface &drawn = *call_.drawn;
    how = Searches::no;
    if (how_.search == PIXMPI_SEARCH_NONE || call_.active.width == 0 ||
        !knows_background(how_.how.operation, drawn.format, drawn.depth_format))
        return PIXMPI_SUCCESS;
    if (drawn.device == host_device()) {
        how = Searches::where_it_lies;
        return PIXMPI_SUCCESS;
    }
    const bool always = how_.search == PIXMPI_SEARCH_ALWAYS;
    if (!always && how_.history->frames_to_skip > 0) {
        --how_.history->frames_to_skip;
        return PIXMPI_SUCCESS;
    }
    const Options::Computes computes = plan_.options().search;
    const bool many = pixels_of(call_.active) * static_cast<std::uint64_t>(drawn.pixel_bytes) >= few_bytes;
    const bool gains = drawn.device->gains_by_passes() && (always || (many && plan_.size() > 1));
    if (computes == Options::Computes::device || (computes == Options::Computes::automatic && gains))
        if (const Status error = DeviceSearch::make(drawn.device, shaders))
            return error;
    if (shaders)
        how = Searches::by_shaders;
    else if (always || drawn.device->near_host())
        how = Searches::in_a_copy;
    return PIXMPI_SUCCESS;
}

Status Frame::write_search(Plan::Steps &searched) {
    Searches how = Searches::no;
    std::unique_ptr<DeviceSearch> shaders;
    if (const Status error = choose_search(how, shaders))
        return error;
    if (how == Searches::no) {
        active_.activate(call_.active);
        state_own_facts();
        return PIXMPI_SUCCESS;
    }
    Plan::Side plane = plan_.add_plane(sides_[0].drawn, Plan::Plane::depths);
    if (how == Searches::by_shaders) {
        const auto make = [self = shared_from_this(), search = std::shared_ptr(std::move(shaders))](
                              std::shared_ptr<Surface> where) mutable -> std::shared_ptr<Request> {
            return std::make_shared<SearchStep>(std::move(search), std::move(where), self->call_.active,
                                                [self](const auto &found) {
                                                    self->how_.history->by_shaders += found.has_value();
                                                    self->set_active(found);
                                                });
        };
        searched = {plan_.local(plane, make)};
        return PIXMPI_SUCCESS;
    }
    pixMPI_Rect at{};
    Plan::Steps copied;
    if (how == Searches::in_a_copy) {
        at = call_.active;
        Plan::Side copy = 0;
        if (const Status error = plan_.add_scratch(plane, {at.width, at.height}, Plan::Memory::host, copy))
            return error;
        copied = {plan_.copy(plane, region_of({at}), copy, region_of({{0, 0, at.width, at.height}}))};
        plane = copy;
    }
    const auto look = [self = shared_from_this(), &where = plan_.surface(plane), at] {
        self->search(where, at.x, at.y);
        return PIXMPI_SUCCESS;
    };
    searched = {plan_.work(look, std::move(copied))};
    return PIXMPI_SUCCESS;
}

/// The first pixel of `where` is at (x, y) of the picture.
void Frame::search(const Surface &where, int x, int y) {
    Cells found(call_.drawn->extent);
    Rows pixels = pixels_of(where);
    pixels.first -= y * pixels.step + static_cast<std::ptrdiff_t>(x) * where.pixel_bytes;
    find_active(pixels, where.format, call_.active, found);
    set_active(found);
}

/// None: it could not be looked for.
void Frame::set_active(const std::optional<Cells> &found) {
    if (found) {
        active_ = *found;
        how_.history->has_seen(active_.pixels() * 4 > pixels_of(call_.active) * 3);
    } else {
        active_.activate(call_.active);
    }
    state_own_facts();
}

void Frame::state_own_facts() {
    Facts &facts = facts_[static_cast<std::size_t>(plan_.rank())];
    const Surface &drawn = *call_.drawn;
    const Surface *const picture = call_.in_place           ? &drawn
                                   : call_.pictures.empty() ? nullptr
                                                            : call_.pictures.front().get();
    facts.result = how_.result;
    facts.operation = static_cast<std::uint32_t>(how_.how.operation);
    facts.strategy = static_cast<std::uint32_t>(how_.wish.strategy);
    facts.radix = how_.wish.radix;
    facts.order = digest_of(how_.how.order);
    facts.tiles = digest_of(how_.tiles);
    std::vector<int> formats{static_cast<int>(call_.attachments())};
    for (const auto &one : call_.further)
        formats.push_back(one->format);
    facts.attachments = digest_of(formats);
    facts.width = static_cast<std::uint32_t>(drawn.extent.width);
    facts.height = static_cast<std::uint32_t>(drawn.extent.height);
    facts.format = drawn.format;
    facts.depth_format = drawn.depth_format;
    facts.has_picture = picture != nullptr;
    facts.has_background = how_.background != nullptr;
    facts.keeps_lone_apart = can_keep_lone_apart();
    facts.picture_depth_format = picture ? picture->depth_format : PIXMPI_FORMAT_NONE;
    facts.active = active_.bits();
}

/// Behind cells of one rank alone, the picture's rank puts the background, which the CPU does without a further pass.
bool Frame::can_keep_lone_apart() const {
    const auto in_memory = [](const auto &surface) { return surface->device == host_device(); };
    return !how_.background ||
           (!call_.in_place && how_.codec.kind == PIXMPI_CODEC_DEFAULT && in_memory(how_.background) &&
            std::all_of(call_.pictures.begin(), call_.pictures.end(), in_memory));
}

/// Whether the same pictures have the same background from the frame before, which then need not be written again.
void Frame::look_at_kept(const FrameFacts &facts) {
    KeptPictures &kept = *how_.kept;
    const std::optional<Cells> before = std::exchange(kept.drawn, std::nullopt); // a frame may fail
    const bool bits_zero = how_.how.operation != Operation::nearest &&
                           knows_background(how_.how.operation, call_.drawn->format, PIXMPI_FORMAT_NONE);
    kept.last = this;
    std::vector<pixMPI_Surface> where;
    for (const auto &picture : call_.pictures)
        for (const auto &plane : planes_of(picture)) {
            if (plane->device != host_device())
                return;
            pixMPI_Surface named =
                pixMPI_Memory(pixels_of(*plane).first, plane->format, plane->extent.width, plane->extent.height);
            named.row_bytes = pixels_of(*plane).step;
            where.push_back(named);
        }
    if (where.empty() || facts.by_rows || how_.onto || sides_.size() > 1 || (!how_.background && !bits_zero))
        return;
    const bool same = before && before->extent() == facts.extent && kept.background == how_.background &&
                      std::equal(where.begin(), where.end(), kept.where.begin(), kept.where.end(),
                                 [](const pixMPI_Surface &a, const pixMPI_Surface &b) {
                                     return a.data == b.data && a.row_bytes == b.row_bytes && a.format == b.format &&
                                            a.width == b.width && a.height == b.height;
                                 });
    if (same)
        sides_.front().unlike_background = before;
    kept.where = std::move(where);
    kept.background = how_.background;
    drawn_ = facts.drawn();
}

/// Into what is drawn, where it will be read outside of what is active.
Status Frame::write_background_around(const FrameFacts &facts) {
    FrameSides &sides = sides_.front();
    const Extent all = call_.drawn->extent;
    std::shared_ptr<Surface> row;
    if (const Status error = make_scratch_like(*call_.drawn, *host_device(), {all.width, 1}, row))
        return error;
    for (const auto &plane : planes_of(row))
        write_background(*plane);
    sides.blank = plan_.add_own(repeat_row_of(row, all.height));

    Cells read = facts.active.front();
    for (const Cells &cells : facts.active)
        read.add(cells);
    if (!facts.lone.empty())
        read.add(facts.lone[static_cast<std::size_t>(plan_.rank())]);
    const pixMPI_Rect &kept = call_.active;
    const int right = kept.x + kept.width, top = kept.y + kept.height;
    std::vector<Plan::Part> parts;
    auto around = std::make_shared<Region>();
    for (const pixMPI_Rect &side :
         {pixMPI_Rect{0, 0, all.width, kept.y}, pixMPI_Rect{0, kept.y, kept.x, kept.height},
          pixMPI_Rect{right, kept.y, all.width - right, kept.height}, pixMPI_Rect{0, top, all.width, all.height - top}})
        parts.push_back(read.region(side));
    for (const auto &part : parts)
        for (const pixMPI_Rect &rect : part->rects)
            around->add(rect);
    around->commit();
    if (around->pixels)
        sides.ready = {plan_.copy(*sides.blank, around, sides.drawn, around)};
    return PIXMPI_SUCCESS;
}

/// Where all ranks can, and there are enough labels.
void Frame::set_lone_apart(const Scheme &scheme, FrameFacts &facts) const {
    if (facts.by_rows ||
        !std::all_of(facts_.begin(), facts_.end(), [](const Facts &one) { return one.keeps_lone_apart; }))
        return;
    FrameFacts apart = facts;
    apart.set_lone_apart();
    if (labels_of(scheme, apart) * static_cast<int>(sides_.size()) <= Schedule::labels)
        facts = std::move(apart);
}

/// The same answer on all ranks.
Status Frame::check() const {
    const Facts &first = facts_.front();
    const Facts *with_picture = nullptr;
    for (std::size_t rank = 0; rank < facts_.size(); ++rank) {
        const Facts &facts = facts_[rank];
        const int r = static_cast<int>(rank);
        if (facts.width != first.width || facts.height != first.height)
            return fail(PIXMPI_ERR_SURFACE, "drawn: %ux%u on rank %d, %ux%u on rank 0, expected the same on all ranks",
                        facts.width, facts.height, r, first.width, first.height);
        if (facts.format != first.format || facts.depth_format != first.depth_format)
            return fail(PIXMPI_ERR_FORMAT, "drawn: %s with %s on rank %d, %s with %s on rank 0, expected the same",
                        format_info(static_cast<pixMPI_Format>(facts.format)).name,
                        format_info(static_cast<pixMPI_Format>(facts.depth_format)).name, r,
                        format_info(static_cast<pixMPI_Format>(first.format)).name,
                        format_info(static_cast<pixMPI_Format>(first.depth_format)).name);
        if (facts.operation != first.operation || facts.order != first.order || facts.result != first.result ||
            facts.strategy != first.strategy || facts.radix != first.radix || facts.tiles != first.tiles)
            return fail(
                PIXMPI_ERR_ARGUMENT,
                "compositor: rank %d and rank 0 differ in operation, order, result, tiles or strategy, expected "
                "the same on all ranks",
                r);
        if (facts.has_background != first.has_background)
            return fail(PIXMPI_ERR_ARGUMENT, "compositor: %s a background on rank %d, expected the same as on rank 0",
                        facts.has_background ? "with" : "without", r);
        if (facts.attachments != first.attachments)
            return fail(PIXMPI_ERR_FORMAT,
                        "drawn: rank %d and rank 0 differ in the number of attachments or their formats, expected the "
                        "same on all ranks",
                        r);
        if (facts.has_picture && with_picture && facts.picture_depth_format != with_picture->picture_depth_format)
            return fail(PIXMPI_ERR_FORMAT,
                        "picture: %s on rank %d, other ranks' differ, expected the same depth on all, or none on all",
                        facts.picture_depth_format ? "with depth" : "without depth", r);
        if (facts.has_picture)
            with_picture = &facts;
    }
    return PIXMPI_SUCCESS;
}

Status Frame::write_composing() {
    if (const Status failed = check()) {
        plan_.fails_alike();
        return failed;
    }
    FrameFacts facts;
    facts.extent = call_.drawn->extent;
    facts.targets = how_.targets(facts.extent, plan_.size());
    facts.by_rows = how_.tiles.empty() && how_.result == PIXMPI_RESULT_ROWS;
    for (const Facts &one : facts_) {
        facts.active.emplace_back(facts.extent, one.active);
        facts.with_depth = facts.with_depth || one.picture_depth_format != PIXMPI_FORMAT_NONE;
    }
    const Scheme scheme(plan_.size(), how_.wish);
    set_lone_apart(scheme, facts);
    const int labels = labels_of(scheme, facts), all = labels * static_cast<int>(sides_.size());
    if (all > Schedule::labels) {
        plan_.fails_alike();
        return fail(
            PIXMPI_ERR_ARGUMENT,
            "compositor: %zu attachments, %zu rounds, %d tiles of a rank, which takes %d labels, expected %d at "
            "most",
            sides_.size(), scheme.rounds(), labels - static_cast<int>(scheme.rounds()), all, Schedule::labels);
    }
    if (how_.kept)
        look_at_kept(facts);
    if (how_.exact && call_.drawn->device == host_device() &&
        knows_background(how_.how.operation, call_.drawn->format, call_.drawn->depth_format))
        if (const Status error = write_background_around(facts))
            return error;
    for (const FrameSides &sides : sides_) {
        if (const Status error = compose(plan_, scheme, how_.how, facts, sides))
            return error;
        facts.first_label += labels;
        facts.with_depth = false; // of the first attachment's pictures alone
    }
    return PIXMPI_SUCCESS;
}

} // namespace

std::vector<Target> Compositing::targets(Extent extent, int ranks) const {
    if (!tiles.empty())
        return tiles;
    std::vector<Target> all;
    for (int rank = 0; rank < ranks; ++rank)
        if (result < 0 || result == rank)
            all.push_back({rank, {0, 0, extent.width, extent.height}});
    return all;
}

Status write_frame(Plan &plan, Compositing how, FrameCall call) {
    return std::make_shared<Frame>(plan, std::move(how), std::move(call))->write();
}

} // namespace pixmpi
