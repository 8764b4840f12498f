#include "composite/frame.h"

#include "host/host_device.h"

#include <utility>

namespace pixmpi {
namespace {

/// The same for the same order of ranks. (FNV-1a, of Fowler, Noll and Vo)
std::uint32_t digest_of(const std::vector<int> &order) {
    std::uint32_t digest = 2166136261u;
    for (const int rank : order)
        digest = (digest ^ static_cast<std::uint32_t>(rank)) * 16777619u;
    return digest;
}

} // namespace

Status Frame::make(MPI_Comm comm, Compositing how, FrameCall call, std::shared_ptr<Frame> &frame) {
    auto made = std::make_shared<Frame>();
    std::unique_ptr<Plan> telling;
    if (const Status error = Plan::make(comm, telling))
        return error;
    if (const Status error = Plan::make(comm, made->plan_))
        return error;
    made->how_ = std::move(how);
    made->call_ = std::move(call);
    for (const auto &surface : {made->call_.surfaces.drawn, made->call_.surfaces.picture})
        if (surface)
            made->named_.push_back(surface);
    if (const Status error = made->write_telling(std::move(telling)))
        return error;
    frame = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Frame::fail_all(Runtime &runtime, MPI_Comm comm) {
    std::unique_ptr<Plan> telling, composing;
    if (const Status error = Plan::make(comm, telling))
        return error;
    if (const Status error = Plan::make(comm, composing))
        return error;
    telling->fail(runtime);
    composing->fail(runtime);
    return PIXMPI_SUCCESS;
}

Frame::Facts Frame::own_facts() const {
    Facts facts{};
    facts.result = how_.result;
    facts.operation = static_cast<std::uint32_t>(how_.how.operation);
    facts.strategy = static_cast<std::uint32_t>(how_.wish.strategy);
    facts.radix = how_.wish.radix;
    facts.order = digest_of(how_.how.order);
    const FrameSurfaces &surfaces = call_.surfaces;
    facts.width = static_cast<std::uint32_t>(surfaces.drawn->extent.width);
    facts.height = static_cast<std::uint32_t>(surfaces.drawn->extent.height);
    facts.format = surfaces.drawn->format;
    facts.depth_format = surfaces.drawn->depth_format;
    const Surface *picture = surfaces.in_place ? surfaces.drawn.get() : surfaces.picture.get();
    facts.has_picture = picture != nullptr;
    facts.picture_depth_format = picture ? picture->depth_format : PIXMPI_FORMAT_NONE;
    facts.x = call_.active.x;
    facts.y = call_.active.y;
    facts.active_width = call_.active.width;
    facts.active_height = call_.active.height;
    return facts;
}

Status Frame::write_telling(std::unique_ptr<Plan> plan) {
    constexpr int columns = sizeof(Facts) / 16;
    facts_.resize(static_cast<std::size_t>(plan->size()));
    rank_ = plan->rank();
    facts_[static_cast<std::size_t>(rank_)] = own_facts();
    std::shared_ptr<Surface> memory;
    if (const Status failed =
            make_host_surface(pixMPI_Memory(facts_.data(), PIXMPI_RGBA32UI, columns, plan->size()), memory))
        return failed;
    CollectiveEnds all;
    for (int rank = 0; rank < plan->size(); ++rank) {
        auto row = std::make_shared<Region>();
        row->add({0, rank, columns, 1});
        row->commit();
        all.parts.push_back(std::move(row));
    }
    all.side = plan->add(std::move(memory));
    plan->be_exact();
    allgather(*plan, nullptr, all);
    return plan->finish(telling_);
}

void Frame::fail_unwritten(Runtime &runtime) {
    telling_->fail_unwritten(runtime);
    plan_->fail(runtime);
}

Status Frame::begin(Runtime &runtime) {
    telling_->blocking = blocking;
    state = State::active;
    return start(runtime, telling_);
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
                        pixMPI_Format_name(static_cast<pixMPI_Format>(facts.format)),
                        pixMPI_Format_name(static_cast<pixMPI_Format>(facts.depth_format)), r,
                        pixMPI_Format_name(static_cast<pixMPI_Format>(first.format)),
                        pixMPI_Format_name(static_cast<pixMPI_Format>(first.depth_format)));
        if (facts.operation != first.operation || facts.order != first.order || facts.result != first.result ||
            facts.strategy != first.strategy || facts.radix != first.radix)
            return fail(PIXMPI_ERR_ARGUMENT,
                        "compositor: rank %d and rank 0 differ in operation, order, result or strategy, expected the "
                        "same on all ranks",
                        r);
        if (facts.has_picture && with_picture && facts.picture_depth_format != with_picture->picture_depth_format)
            return fail(PIXMPI_ERR_FORMAT, "picture: with depth on some ranks, rank %d among them or not, expected "
                        "all with depth or all without", r);
        if (facts.has_picture)
            with_picture = &facts;
    }
    return PIXMPI_SUCCESS;
}

Status Frame::write_composing() {
    if (const Status failed = check())
        return failed;
    FrameFacts facts;
    facts.extent = call_.surfaces.drawn->extent;
    facts.result = how_.result;
    for (const Facts &one : facts_) {
        facts.active.push_back({one.x, one.y, one.active_width, one.active_height});
        facts.with_depth = facts.with_depth || one.picture_depth_format != PIXMPI_FORMAT_NONE;
    }
    const Scheme scheme(plan_->size(), how_.wish);
    if (const Status failed = compose(*plan_, scheme, how_.how, facts, call_.surfaces))
        return failed;
    return plan_->finish(composing_);
}

/// From what the ranks have told each other to what they do.
Status Frame::go_on(Runtime &runtime, bool &moved) {
    moved = true;
    if (telling_->error.code)
        return repeat(telling_->error);
    if (const Status failed = without_throwing([&] { return write_composing(); }))
        return failed;
    plan_.reset();
    composing_->blocking = blocking;
    return start(runtime, composing_);
}

void Frame::advance(Runtime &runtime, bool &moved) {
    if (now().state == State::active || lacks())
        return;
    if (tells()) {
        const Status failed = go_on(runtime, moved);
        if (!failed)
            return;
        error = last_error(failed);
        // Others have failed in the same way, unless it happened while this rank made its steps.
        if (plan_)
            plan_->fail(runtime);
        else
            composing_->fail_unwritten(runtime);
    } else {
        error = composing_->error;
    }
    moved = true;
    state = State::complete;
}

const Device *Frame::lacks() const {
    if (now().state == State::active)
        return now().lacks();
    if (tells()) // steps are made on the surfaces' devices
        for (const auto &surface : named_)
            if (!surface->device->usable())
                return surface->device.get();
    return nullptr;
}

Pause Frame::pause() const { return now().pause(); }

void Frame::await() {
    blocking = true;
    telling_->await();
    if (composing_)
        composing_->await();
}

} // namespace pixmpi
