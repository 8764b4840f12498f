// The compositor's verbs.
#include "api/collective_call.h"
#include "api/operations.h"
#include "base/handles.h"
#include "composite/frame.h"
#include "pixmpi_compositor.h"

#include <algorithm>

using namespace pixmpi;

namespace {

struct Compositor {
    MPI_Comm comm;
    Compositing how;
    std::vector<int> rank_by_host; ///< for each rank the lowest one of its host
    /// Frames that the program has not completed: that many on all ranks alike.
    std::shared_ptr<int> frames = std::make_shared<int>(0);
};

/// Never destroyed, so that destructors of other libraries may still free compositors.
HandleTable<Compositor> &table() {
    static HandleTable<Compositor> *const one = new HandleTable<Compositor>;
    return *one;
}

Status find(pixMPI_Compositor handle, std::shared_ptr<Compositor> &compositor) {
    compositor = table().find(handle);
    return compositor ? PIXMPI_SUCCESS
                      : fail(PIXMPI_ERR_ARGUMENT, "compositor: %s, expected one of pixMPI_Compositor_create",
                             handle ? "foreign or freed" : "PIXMPI_COMPOSITOR_NULL");
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
    made->how.result = result;
    made->rank_by_host = channel->leader_of;
    look_at_hosts(*made);
    *handle = static_cast<pixMPI_Compositor>(table().insert(std::move(made)));
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

Status find_picture(const pixMPI_Surface &named, FrameCall &call) {
    if (const Status error = find_surface(named, {false, true, 1}, call.picture))
        return error;
    const Surface &picture = *call.picture, &drawn = *call.drawn;
    if (picture.extent != drawn.extent)
        return fail(PIXMPI_ERR_SURFACE, "picture: %dx%d, drawn is %dx%d, expected the same size", picture.extent.width,
                    picture.extent.height, drawn.extent.width, drawn.extent.height);
    if (picture.format != drawn.format)
        return fail(PIXMPI_ERR_FORMAT, "picture: %s, drawn is %s, expected the same format",
                    format_info(picture.format).name, format_info(drawn.format).name);
    if (picture.has_depth() && picture.depth_format != drawn.depth_format)
        return fail(PIXMPI_ERR_FORMAT, "picture: its depth is %s, drawn's is %s, expected the same or none",
                    format_info(picture.depth_format).name, format_info(drawn.depth_format).name);
    return PIXMPI_SUCCESS;
}

Status find_surfaces(const Compositing &how, int rank, const pixMPI_Surface &drawn, pixMPI_Region active,
                     const pixMPI_Surface &picture, FrameCall &call) {
    const bool has_picture = how.result < 0 || how.result == rank;
    call.in_place = has_picture && is_in_place(picture);
    if (const Status error = find_surface(drawn, {true, call.in_place, 1}, call.drawn))
        return error;
    if (const Status error = check_operation(how.how.operation, call.drawn->format, call.drawn->depth_format))
        return error;
    Plan::Part part;
    if (const Status error = find_region(active, call.drawn->extent, part, "active"))
        return error;
    call.active = part->pixels ? part->bounds : pixMPI_Rect{};
    return has_picture && !call.in_place ? find_picture(picture, call) : PIXMPI_SUCCESS;
}

/// Counts a frame as long as it lives.
std::shared_ptr<const void> counted(const std::shared_ptr<int> &frames) {
    ++*frames;
    return std::shared_ptr<const void>(frames.get(), [frames](const void *) { --*frames; });
}

int composite(const char *name, const Form &form, const pixMPI_Surface &drawn, pixMPI_Region active,
              const pixMPI_Surface &picture, pixMPI_Compositor handle) {
    std::shared_ptr<Compositor> compositor;
    if (const int error = public_call(name, [&] { return find(handle, compositor); }))
        return error;
    return collective(name, form, compositor->comm, [&](const CallArguments &arguments, WriteSteps &write) {
        FrameCall call;
        if (const Status error = find_surfaces(compositor->how, arguments.rank, drawn, active, picture, call))
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
}

Status rows(pixMPI_Compositor handle, int height, int rank, int *first, int *count) {
    std::shared_ptr<Compositor> compositor;
    if (const Status error = find(handle, compositor))
        return error;
    if (height < 1 || !first || !count)
        return fail(PIXMPI_ERR_ARGUMENT, "%s", height < 1 ? "height: less than 1, expected a picture's"
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

int pixMPI_Composite(pixMPI_Surface drawn, pixMPI_Region active, pixMPI_Surface picture,
                     pixMPI_Compositor compositor) {
    return composite("pixMPI_Composite", blocking(), drawn, active, picture, compositor);
}

int pixMPI_Icomposite(pixMPI_Surface drawn, pixMPI_Region active, pixMPI_Surface picture, pixMPI_Compositor compositor,
                      pixMPI_Request *request) {
    return composite("pixMPI_Icomposite", nonblocking(request), drawn, active, picture, compositor);
}

int pixMPI_Compositor_rows(pixMPI_Compositor compositor, int height, int rank, int *first, int *count) {
    return public_call("pixMPI_Compositor_rows", [&] { return rows(compositor, height, rank, first, count); });
}

int pixMPI_Compositor_free(pixMPI_Compositor *compositor) {
    return public_call("pixMPI_Compositor_free", [&]() -> Status {
        if (!compositor || !table().erase(*compositor))
            return fail(PIXMPI_ERR_ARGUMENT, "compositor: %s, expected one of pixMPI_Compositor_create",
                        compositor ? "foreign or freed" : "null");
        *compositor = PIXMPI_COMPOSITOR_NULL;
        return PIXMPI_SUCCESS;
    });
}
