// What no verb tells of a compositor's frame: which device has searched for active pixels.
#include "rig/core_surfaces.h"

#include "composite/frame.h"

using namespace api;

namespace {

constexpr int width = 301, height = 203;

/// A frame with rows that stay where they are merged, as a nonblocking call would start it.
pixMPI_Request start_frame(std::shared_ptr<pixmpi::Surface> drawn, const pixmpi::Compositing &how) {
    const pixmpi::Lock lock;
    pixmpi::Runtime &runtime = pixmpi::runtime();
    std::shared_ptr<pixmpi::Plan> plan;
    NEED_OK(pixmpi::Plan::make(world(), plan));
    NEED_OK(pixmpi::write_frame(
        *plan, how,
        {.drawn = std::move(drawn), .further = {}, .pictures = {}, .active = {3, 2, width - 5, height - 2}}));
    std::shared_ptr<pixmpi::Schedule> schedule;
    NEED_OK(plan->finish(schedule));
    void *const handle = runtime.requests.insert(schedule);
    CHECK_OK(pixmpi::start(runtime, schedule));
    return static_cast<pixMPI_Request>(handle);
}

/// Of rows, RGBA8.
pixmpi::Compositing over_all(pixMPI_Search search) {
    pixmpi::Compositing how;
    how.how.operation = pixmpi::Operation::over;
    for (int one = 0; one < size; ++one)
        how.how.order.push_back(one);
    how.result = PIXMPI_RESULT_ROWS;
    how.search = search;
    return how;
}

bool has_shaders(pixmpi::Device &device) {
    const pixmpi::Lock lock;
    std::unique_ptr<pixmpi::Passes> passes;
    NEED_OK(device.make_passes(passes));
    return passes != nullptr;
}

} // namespace

/// With PIXMPI_SEARCH=device: also of a picture that is full, unless the compositor decides.
RANK_CASE(frames, shaders_look_where_there_are_some, 1) {
    int with_shaders = 0;
    for (const EndKind &kind : end_kinds()) {
        if (std::string_view(kind.name) == "image") // in another layout than core_surface() says
            continue;
        for (const pixMPI_Search search : {PIXMPI_SEARCH_AUTO, PIXMPI_SEARCH_NONE, PIXMPI_SEARCH_ALWAYS}) {
            note("%s, search %d", kind.name, static_cast<int>(search));
            const auto end = kind.make(PIXMPI_RGBA8, width, height);
            const Bytes mine = end->fill(static_cast<unsigned>(rank));
            const auto drawn = core_surface(*end, pixmpi::Direction::pack);
            const pixmpi::Compositing how = over_all(search);
            for (int frame = 0; frame < 3; ++frame) {
                pixMPI_Request request = start_frame(drawn, how);
                CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            }
            const int often = search == PIXMPI_SEARCH_ALWAYS ? 3 : search == PIXMPI_SEARCH_AUTO ? 1 : 0;
            const bool shaders = has_shaders(*drawn->device);
            CHECK_EQ(how.history->by_shaders, shaders ? often : 0);
            with_shaders += shaders;
            CHECK(end->read() == mine);
        }
    }
    CHECK(with_shaders > 0);
}

/// A picture that is full is looked through after 8 frames, then after 16, 32 and 64; one that is not, each time.
RANK_CASE(frames, full_pictures_are_searched_less_and_less_often, 1) {
    const EndKind *kind = nullptr;
    for (const EndKind &one : end_kinds())
        if (std::string_view(one.name) != "image" &&
            has_shaders(*core_surface(*one.make(PIXMPI_RGBA8, 1, 1), pixmpi::Direction::pack)->device))
            kind = &one;
    CHECK(kind != nullptr);
    if (!kind)
        return;
    const auto end = kind->make(PIXMPI_RGBA8, width, height);
    const auto drawn = core_surface(*end, pixmpi::Direction::pack);
    const pixmpi::Compositing how = over_all(PIXMPI_SEARCH_AUTO);
    std::vector<int> searched;
    const auto run = [&](int frames) {
        searched.clear();
        for (int frame = 0; frame < frames; ++frame) {
            const int before = how.history->by_shaders;
            pixMPI_Request request = start_frame(drawn, how);
            CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            if (how.history->by_shaders != before)
                searched.push_back(frame);
        }
    };
    end->fill(1);
    run(127);
    CHECK((searched == std::vector{0, 9, 26, 59, 124}));
    end->write(Bytes(std::size_t{width} * height * 4));
    run(66);
    CHECK((searched == std::vector{62, 63, 64, 65}));
    end->fill(2);
    run(10);
    CHECK((searched == std::vector{0, 9}));
}
