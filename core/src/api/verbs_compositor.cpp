// The compositor's verbs.
#include "api/collective_call.h"
#include "api/operations.h"
#include "base/handles.h"
#include "base/struct_size.h"
#include "composite/frame.h"
#include "device/planes.h"
#include "host/host_device.h"
#include "pixmpi_compositor.h"
#include "schedule/local_copy.h"

#include <algorithm>

using namespace pixmpi;

namespace {

struct Compositor {
    MPI_Comm comm;
    int rank;
    Compositing how;
    std::vector<int> rank_by_host; ///< for each rank the lowest one of its host
    /// Frames that the program has not completed: that many on all ranks alike.
    std::shared_ptr<int> frames = std::make_shared<int>(0);
};

Status find(pixMPI_Compositor handle, std::shared_ptr<Compositor> &compositor) {
    return find_handle(handle, "compositor", "PIXMPI_COMPOSITOR_NULL", "one of pixMPI_Compositor_create", compositor);
}

/// How many ranks each host has, where the order goes from host to host and all have as many; else 0.
int places_on_host(const std::vector<int> &order, const std::vector<int> &rank_by_host) {
    std::vector<int> runs, seen;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const int host = rank_by_host[static_cast<std::size_t>(order[place])];
        if (seen.empty() || seen.back() != host) {
            if (std::find(seen.begin(), seen.end(), host) != seen.end())
                return 0;
            seen.push_back(host);
            runs.push_back(0);
        }
        ++runs.back();
    }
    const bool alike = std::all_of(runs.begin(), runs.end(), [&](int run) { return run == runs.front(); });
    return alike ? runs.front() : 0;
}

void look_at_hosts(Compositor &compositor) {
    compositor.how.wish.places_on_host = places_on_host(compositor.how.how.order, compositor.rank_by_host);
}

Status create(pixMPI_Op op, int result, MPI_Comm comm, pixMPI_Compositor *handle) {
    if (!handle)
        return fail(PIXMPI_ERR_ARGUMENT, "compositor: null, expected a pointer to a compositor");
    std::shared_ptr<Channel> channel;
    if (const Status error = find_intracommunicator(comm, channel))
        return error;
    auto made = std::make_shared<Compositor>();
    if (const Status error = find_operation(op, channel->size, made->how.how))
        return error;
    if (result < PIXMPI_RESULT_ROWS || result >= channel->size)
        return fail(PIXMPI_ERR_RANK, "result: %d, expected a rank from 0 to %d or PIXMPI_RESULT_*", result,
                    channel->size - 1);
    made->comm = comm;
    made->rank = channel->rank;
    made->how.result = result;
    made->rank_by_host = channel->leader_of;
    look_at_hosts(*made);
    *handle = static_cast<pixMPI_Compositor>(handles_of<Compositor>().insert(std::move(made)));
    return PIXMPI_SUCCESS;
}

Status set_strategy(pixMPI_Compositor handle, pixMPI_Strategy strategy, int radix) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    if (strategy < PIXMPI_STRATEGY_AUTO || strategy > PIXMPI_STRATEGY_HOSTS)
        return fail(PIXMPI_ERR_ARGUMENT, "strategy: %d, expected PIXMPI_STRATEGY_*", static_cast<int>(strategy));
    if (radix < 0 || radix == 1)
        return fail(PIXMPI_ERR_ARGUMENT, "radix: %d, expected 0 or a number from 2", radix);
    compositor->how.wish.strategy = strategy;
    compositor->how.wish.radix = radix;
    return PIXMPI_SUCCESS;
}

Status set_order(pixMPI_Compositor handle, int count, const int order[]) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    const int size = static_cast<int>(compositor->rank_by_host.size());
    if (count != size)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected %d, the communicator's size", count, size);
    if (const Status error = check_order(count, order))
        return error;
    compositor->how.how.order.assign(order, order + count);
    look_at_hosts(*compositor);
    return PIXMPI_SUCCESS;
}

Status set_search(pixMPI_Compositor handle, pixMPI_Search search) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    if (search < PIXMPI_SEARCH_AUTO || search > PIXMPI_SEARCH_ALWAYS)
        return fail(PIXMPI_ERR_ARGUMENT, "search: %d, expected PIXMPI_SEARCH_*", static_cast<int>(search));
    compositor->how.search = search;
    return PIXMPI_SUCCESS;
}

Status set_tiles(pixMPI_Compositor handle, int count, const pixMPI_Tile tiles[]) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    if (count < 0 || (count > 0 && !tiles))
        return fail(PIXMPI_ERR_ARGUMENT, "%s",
                    count < 0 ? "count: less than 0, expected 0 or more" : "tiles: null, expected a pointer to tiles");
    const int size = static_cast<int>(compositor->rank_by_host.size());
    std::vector<Target> targets;
    for (int i = 0; i < count; ++i) {
        const auto &[rank, rect] = tiles[i];
        if (rank < 0 || rank >= size)
            return fail(PIXMPI_ERR_RANK, "tiles[%d].rank: %d, expected one from 0 to %d", i, rank, size - 1);
        if (rect.x < 0 || rect.y < 0 || rect.width < 1 || rect.height < 1)
            return fail(PIXMPI_ERR_ARGUMENT, "tiles[%d].rect: %dx%d at (%d, %d), expected a part of a picture", i,
                        rect.width, rect.height, rect.x, rect.y);
        targets.push_back({rank, rect});
    }
    compositor->how.tiles = std::move(targets);
    if (compositor->how.kept) // pictures of the same size may be other parts now
        compositor->how.kept = std::make_shared<KeptPictures>();
    return PIXMPI_SUCCESS;
}

Status set_background(pixMPI_Compositor handle, const pixMPI_Surface *background) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    std::shared_ptr<Surface> surface;
    if (background)
        if (const Status error = find_surface(*background, {true, false, 1}, surface))
            return error;
    compositor->how.background = std::move(surface);
    return PIXMPI_SUCCESS;
}

Status set_kept(pixMPI_Compositor handle, int kept) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    compositor->how.kept = kept ? std::make_shared<KeptPictures>() : nullptr;
    return PIXMPI_SUCCESS;
}

Status set_exact(pixMPI_Compositor handle, int exact) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    compositor->how.exact = exact != 0;
    return PIXMPI_SUCCESS;
}

/// For what this frame draws.
Status check_background(const Compositing &how, int attachments, const Surface &drawn) {
    const Surface &background = *how.background;
    if (attachments > 1 || how.onto)
        return fail(PIXMPI_ERR_SURFACE, "background: there are %s, expected a compositor without a background",
                    how.onto ? "pictures onto which a frame goes" : "several attachments");
    const bool repeats = background.device == host_device() && background.extent.height == 1;
    if (background.extent.width != drawn.extent.width || (background.extent.height != drawn.extent.height && !repeats))
        return fail(PIXMPI_ERR_SURFACE,
                    "background: %dx%d, expected %dx%d, the size of drawn, or one row of it in host memory",
                    background.extent.width, background.extent.height, drawn.extent.width, drawn.extent.height);
    if (background.format != drawn.format || background.depth_format != drawn.depth_format)
        return fail(PIXMPI_ERR_FORMAT, "background: %s with %s, expected drawn's formats, %s with %s",
                    format_info(background.format).name, pixMPI_Format_name(background.depth_format),
                    format_info(drawn.format).name, pixMPI_Format_name(drawn.depth_format));
    return PIXMPI_SUCCESS;
}

Status set_codec(pixMPI_Compositor handle, const pixMPI_Codec &codec) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    CodecWish wish;
    if (const Status error = read_wish(codec, wish))
        return error;
    compositor->how.codec = codec;
    return PIXMPI_SUCCESS;
}

/// A picture of a rectangle of what is drawn; `like` is the attachment that it shows.
Status find_picture(const Compositing &how, const pixMPI_Surface &named, const pixMPI_Rect &rect, const Surface &like,
                    std::shared_ptr<Surface> &picture) {
    if (const Status error = find_surface(named, {how.onto, true, 1}, picture))
        return error;
    const Extent expected{rect.width, rect.height};
    if (picture->extent != expected)
        return fail(PIXMPI_ERR_SURFACE, "picture: %dx%d, expected %dx%d, the size of %s", picture->extent.width,
                    picture->extent.height, expected.width, expected.height, how.tiles.empty() ? "drawn" : "its tile");
    if (picture->format != like.format)
        return fail(PIXMPI_ERR_FORMAT, "picture: %s, drawn is %s, expected the same format",
                    format_info(picture->format).name, format_info(like.format).name);
    if (picture->has_depth() && picture->depth_format != like.depth_format)
        return fail(PIXMPI_ERR_FORMAT, "picture: its depth is %s, drawn's is %s, expected the same or none",
                    format_info(picture->depth_format).name, format_info(like.depth_format).name);
    return how.onto ? check_operation(how.how.operation, picture->format, picture->depth_format) : PIXMPI_SUCCESS;
}

/// Surfaces as the program's call names them.
struct Named {
    int attachments;
    const pixMPI_Surface *drawn;
    pixMPI_Region active;
    const pixMPI_Surface *pictures;
};

Status find_pictures(const Compositing &how, int rank, int size, const Named &named, FrameCall &call) {
    const Extent extent = call.drawn->extent;
    int next = 0;
    for (const auto &[owner, rect] : how.targets(extent, size)) {
        if (rect.x > extent.width - rect.width || rect.y > extent.height - rect.height)
            return fail(PIXMPI_ERR_SURFACE, "drawn: %dx%d, a tile is %dx%d at (%d, %d), expected it within the picture",
                        extent.width, extent.height, rect.width, rect.height, rect.x, rect.y);
        for (int i = 0; owner == rank && !call.in_place && i < named.attachments; ++i) {
            const Surface &like = i == 0 ? *call.drawn : *call.further[static_cast<std::size_t>(i - 1)];
            std::shared_ptr<Surface> picture;
            if (const Status error = find_picture(how, named.pictures[next++], rect, like, picture))
                return error;
            if (i == 0 && !call.pictures.empty() && call.pictures.front()->depth_format != picture->depth_format)
                return fail(PIXMPI_ERR_FORMAT, "pictures: some have depth, expected it of all tiles or of none");
            call.pictures.push_back(std::move(picture));
        }
    }
    return PIXMPI_SUCCESS;
}

Status find_surfaces(const Compositing &how, int rank, int size, const Named &named, FrameCall &call) {
    if (named.attachments < 1 || !named.drawn)
        return fail(PIXMPI_ERR_ARGUMENT, "%s",
                    named.drawn ? "attachments: less than 1, expected 1 or more"
                                : "drawn: null, expected a pointer to surfaces");
    const bool has_picture = how.tiles.empty() ? how.result < 0 || how.result == rank
                                               : std::any_of(how.tiles.begin(), how.tiles.end(),
                                                             [&](const Target &tile) { return tile.rank == rank; });
    if (has_picture && !named.pictures)
        return fail(PIXMPI_ERR_ARGUMENT, "pictures: null, expected a pointer to surfaces");
    call.in_place = has_picture && is_in_place(named.pictures[0]);
    if (call.in_place && (named.attachments > 1 || !how.tiles.empty() || how.onto))
        return fail(PIXMPI_ERR_SURFACE, "picture: in place, expected a separate surface where there are %s",
                    named.attachments > 1 ? "several attachments"
                    : how.onto            ? "pictures onto which a frame goes"
                                          : "tiles");
    if (const Status error = find_surface(named.drawn[0], {true, call.in_place, 1}, call.drawn))
        return error;
    if (const Status error = check_operation(how.how.operation, call.drawn->format, call.drawn->depth_format))
        return error;
    if (how.background)
        if (const Status error = check_background(how, named.attachments, *call.drawn))
            return error;
    if (named.attachments > 1 && how.exact)
        return fail(PIXMPI_ERR_SURFACE, "drawn: several attachments, expected one where pixMPI_Compositor_set_exact "
                                        "is 1");
    if (named.attachments > 1 && !call.drawn->has_depth())
        return fail(PIXMPI_ERR_FORMAT, "drawn: several attachments without depth, expected an operation by depth");
    for (int i = 1; i < named.attachments; ++i) {
        std::shared_ptr<Surface> colors, with_depth;
        if (const Status error = find_surface(named.drawn[i], {true, false, 1}, colors))
            return error;
        if (colors->has_depth())
            return fail(PIXMPI_ERR_FORMAT, "drawn[%d]: with depth, expected colours: the depth of drawn[0] decides", i);
        if (const Status error = join_with_depth(colors, call.drawn->planes.back(), with_depth))
            return error;
        call.further.push_back(std::move(colors));
    }
    Plan::Part part;
    if (const Status error = find_region(named.active, call.drawn->extent, part, "active"))
        return error;
    call.active = part->pixels ? part->bounds : pixMPI_Rect{};
    return find_pictures(how, rank, size, named, call);
}

/// From now on the frame is of the library's copies: what the program has drawn to is its own again.
Status make_snapshot(FrameCall &call) {
    Lock lock;
    const Extent all = call.drawn->extent;
    const auto region =
        region_of({{0, 0, all.width, all.height}}); // background is also merged, where others have drawn
    const auto copy = [&](std::shared_ptr<Surface> &surface) -> Status {
        std::shared_ptr<Surface> own;
        if (const Status error = make_scratch_like(*surface, *surface->device, all, own))
            return error;
        const auto request = std::make_shared<LocalCopy>(Place{surface, region}, Place{own, region});
        request->blocking = true;
        if (const Status error = start(runtime(), request))
            return error;
        if (const Status error = wait(runtime(), lock, *request))
            return error;
        surface = std::move(own);
        return request->error.code ? repeat(request->error) : PIXMPI_SUCCESS;
    };
    for (auto &further : call.further)
        if (const Status error = copy(further))
            return error;
    return copy(call.drawn);
}

/// Counts a frame as long as it lives.
std::shared_ptr<const void> counted(const std::shared_ptr<int> &frames) {
    ++*frames;
    return std::shared_ptr<const void>(frames.get(), [frames](const void *) { --*frames; });
}

int composite(const char *name, const Form &form, const Named &named, pixMPI_Compositor handle) {
    std::shared_ptr<Compositor> compositor;
    const auto called = FrameLog::Clock::now();
    double draw = 0;
    if (const int error = public_call(name, [&] {
            const Status unknown = find(handle, compositor);
            draw = unknown ? 0 : compositor->how.log->drawn_until(called);
            return unknown;
        }))
        return error;
    const int failed = collective(name, form, compositor->comm, [&](const CallArguments &arguments, WriteSteps &write) {
        FrameCall call;
        call.called = called;
        call.draw = draw;
        if (const Status error = find_surfaces(compositor->how, arguments.rank, arguments.size, named, call))
            return error;
        if (compositor->how.snapshot && !call.in_place)
            if (const Status error = make_snapshot(call))
                return error;
        write = [compositor, call](Plan &plan) -> Status {
            constexpr int most = 2;
            if (*compositor->frames == most)
                return fail(PIXMPI_ERR_REQUEST, "compositor: %d frames are not completed, expected one at most", most);
            plan.keep(counted(compositor->frames));
            return write_frame(plan, compositor->how, call);
        };
        return Status{PIXMPI_SUCCESS};
    });
    const Lock lock;
    compositor->how.log->returned();
    return failed;
}

Status figures(pixMPI_Compositor handle, pixMPI_Frame_stats *stats, int count, std::uint64_t sent[],
               std::uint64_t received[]) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    const int size = static_cast<int>(compositor->rank_by_host.size());
    if (const Status error = check_struct("stats", stats))
        return error;
    if ((sent || received) && count != size)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected %d, the communicator's size", count, size);
    const FrameLog &log = *compositor->how.log;
    pixMPI_Frame_stats figures = PIXMPI_FRAME_STATS_INIT;
    if (const Status error = log.figures(figures))
        return error;
    write_struct(figures, stats);
    if (sent)
        std::copy(log.sent().begin(), log.sent().end(), sent);
    if (received)
        std::copy(log.received().begin(), log.received().end(), received);
    return PIXMPI_SUCCESS;
}

Status trace(pixMPI_Compositor handle, const char *path) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    return compositor->how.log->trace(path, compositor->rank);
}

Status rows(pixMPI_Compositor handle, int height, int rank, int *first, int *count) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    if (height < 1 || !first || !count)
        return fail(PIXMPI_ERR_ARGUMENT, "%s",
                    height < 1 ? "height: less than 1, expected a picture's"
                               : "first, count: null, expected pointers to numbers");
    const std::vector<int> &order = compositor->how.how.order;
    const auto place = std::find(order.begin(), order.end(), rank);
    if (place == order.end())
        return fail(PIXMPI_ERR_RANK, "rank: %d, expected one from 0 to %d", rank, static_cast<int>(order.size()) - 1);
    const Scheme scheme(static_cast<int>(order.size()), compositor->how.wish);
    const Share share = scheme.shares(height, scheme.rounds())[static_cast<std::size_t>(place - order.begin())];
    *first = share.takes_part ? share.top : 0;
    *count = share.takes_part ? share.bottom - share.top : 0;
    return PIXMPI_SUCCESS;
}

} // namespace

int pixMPI_Compositor_create(pixMPI_Op op, int result, MPI_Comm comm, pixMPI_Compositor *compositor) {
    return public_call("pixMPI_Compositor_create", [&] { return create(op, result, comm, compositor); });
}

int pixMPI_Compositor_set_strategy(pixMPI_Compositor compositor, pixMPI_Strategy strategy, int radix) {
    return public_call("pixMPI_Compositor_set_strategy", [&] { return set_strategy(compositor, strategy, radix); });
}

int pixMPI_Compositor_set_order(pixMPI_Compositor compositor, int count, const int order[]) {
    return public_call("pixMPI_Compositor_set_order", [&] { return set_order(compositor, count, order); });
}

int pixMPI_Compositor_set_search(pixMPI_Compositor compositor, pixMPI_Search search) {
    return public_call("pixMPI_Compositor_set_search", [&] { return set_search(compositor, search); });
}

int pixMPI_Compositor_set_tiles(pixMPI_Compositor compositor, int count, const pixMPI_Tile tiles[]) {
    return public_call("pixMPI_Compositor_set_tiles", [&] { return set_tiles(compositor, count, tiles); });
}

int pixMPI_Compositor_set_onto(pixMPI_Compositor compositor, int onto) {
    return public_call("pixMPI_Compositor_set_onto", [&]() -> Status {
        std::shared_ptr<Compositor> found;
        if (const Status error = find(compositor, found))
            return error;
        found->how.onto = onto != 0;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Compositor_set_exact(pixMPI_Compositor compositor, int exact) {
    return public_call("pixMPI_Compositor_set_exact", [&] { return set_exact(compositor, exact); });
}

int pixMPI_Compositor_set_kept(pixMPI_Compositor compositor, int kept) {
    return public_call("pixMPI_Compositor_set_kept", [&] { return set_kept(compositor, kept); });
}

int pixMPI_Compositor_set_background(pixMPI_Compositor compositor, const pixMPI_Surface *background) {
    return public_call("pixMPI_Compositor_set_background", [&] { return set_background(compositor, background); });
}

int pixMPI_Compositor_set_snapshot(pixMPI_Compositor compositor, int snapshot) {
    return public_call("pixMPI_Compositor_set_snapshot", [&]() -> Status {
        std::shared_ptr<Compositor> found;
        if (const Status error = find(compositor, found))
            return error;
        found->how.snapshot = snapshot != 0;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Compositor_set_codec(pixMPI_Compositor compositor, pixMPI_Codec codec) {
    return public_call("pixMPI_Compositor_set_codec", [&] { return set_codec(compositor, codec); });
}

#define ONE pixMPI_Surface drawn, pixMPI_Region active, pixMPI_Surface picture, pixMPI_Compositor compositor
#define SEVERAL                                                                                                        \
    int attachments, const pixMPI_Surface drawn[], pixMPI_Region active, const pixMPI_Surface pictures[],              \
        pixMPI_Compositor compositor
PIXMPI_BLOCKING_VERB(Composite, composite, (ONE), ({1, &drawn, active, &picture}, compositor))
PIXMPI_NONBLOCKING_VERB(Icomposite, composite, (ONE), ({1, &drawn, active, &picture}, compositor))
PIXMPI_BLOCKING_VERB(Compositev, composite, (SEVERAL), ({attachments, drawn, active, pictures}, compositor))
PIXMPI_NONBLOCKING_VERB(Icompositev, composite, (SEVERAL), ({attachments, drawn, active, pictures}, compositor))

int pixMPI_Compositor_get_stats(pixMPI_Compositor compositor, pixMPI_Frame_stats *stats, int count, uint64_t sent[],
                                uint64_t received[]) {
    return public_call("pixMPI_Compositor_get_stats",
                       [&] { return figures(compositor, stats, count, sent, received); });
}

int pixMPI_Compositor_set_trace(pixMPI_Compositor compositor, const char *path) {
    return public_call("pixMPI_Compositor_set_trace", [&] { return trace(compositor, path); });
}

int pixMPI_Compositor_rows(pixMPI_Compositor compositor, int height, int rank, int *first, int *count) {
    return public_call("pixMPI_Compositor_rows", [&] { return rows(compositor, height, rank, first, count); });
}

int pixMPI_Compositor_free(pixMPI_Compositor *compositor) {
    return public_call("pixMPI_Compositor_free", [&]() -> Status {
        if (!compositor || !handles_of<Compositor>().erase(*compositor))
            return fail(PIXMPI_ERR_ARGUMENT, "compositor: %s, expected one of pixMPI_Compositor_create",
                        compositor ? "foreign or freed" : "null");
        *compositor = PIXMPI_COMPOSITOR_NULL;
        return PIXMPI_SUCCESS;
    });
}
