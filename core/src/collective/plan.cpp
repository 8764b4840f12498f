#include "collective/plan.h"

#include "device/planes.h"
#include "host/host_device.h"
#include "region/slice.h"
#include "request/framing.h"
#include "schedule/local_copy.h"
#include "schedule/work.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pixmpi {

Status Plan::make(MPI_Comm comm, std::shared_ptr<Plan> &plan) {
    auto made = std::make_shared<Plan>();
    if (const Status error = Schedule::make(comm, {}, made->made_))
        return error;
    made->schedule_ = made->made_.get();
    plan = std::move(made);
    return PIXMPI_SUCCESS;
}

Plan::Side Plan::add(std::shared_ptr<Surface> named) {
    for (Side side = 0; side < sides_.size(); ++side)
        if (sides_[side].named == named)
            return side;
    sides_.push_back({std::move(named)});
    return sides_.size() - 1;
}

Plan::Side Plan::add_own(std::shared_ptr<Surface> own) {
    const Side side = add(std::move(own));
    sides_[side].own = true;
    return side;
}

Plan::Side Plan::add_plane(Side of, Plane plane) {
    const auto planes = planes_of(sides_[of].named);
    const Side next = sides_.size(), side = add(plane == Plane::colors ? planes.front() : planes.back());
    if (side == next) {
        sides_[side].own = sides_[of].own;
        sides_[side].plane = true;
    }
    return side;
}

std::optional<Plan::Side> Plan::add_onto(Side room, Side base, int x, int y) {
    const std::shared_ptr<Surface> to = sides_[room].named, from = sides_[base].named;
    if (to->device != from->device)
        return {};
    Surface::Planes onto;
    const auto planes = planes_of(to), bases = planes_of(from);
    for (std::size_t i = 0; i < planes.size(); ++i) {
        onto.push_back(to->device->combine_onto(planes[i], bases[i], x, y));
        if (!onto.back())
            return {};
    }
    const Side made = add_own(onto.size() == 1 ? onto.front() : join(std::move(onto)));
    sides_[made].filled = sides_[base].filled;
    sides_[made].room = room;
    sides_[made].base = base;
    return made;
}

bool Plan::joins(Side side) const { return surface(side).device == host_device(); }

Plan::Side Plan::add_joined(Side colors, Side depths) {
    const Side side = add(join({sides_[colors].named, sides_[depths].named}));
    sides_[side].own = sides_[colors].own && sides_[depths].own;
    sides_[side].plane = !sides_[side].own;
    return side;
}

bool Plan::combines_where(Side like, Side there) const {
    return &device_for(like, Memory::to_combine) == surface(there).device.get();
}

// Drivers on the host's cores combine by way of the CPU: reading what is there and writing it back for each operand.
bool Plan::combines_on_device(Side side) const {
    const Device &device = *surface(side).device;
    return &device == host_device().get() || !device.near_host();
}

// Depths of graphics APIs are no images that shaders store to; those in scratch memory are.
bool Plan::combines_in_place(Side side) const {
    const Surface &one = surface(side);
    return combines_on_device(side) && (one.planes.empty() || one.device == host_device());
}

Device &Plan::device_for(Side like, Memory memory) const {
    const bool stays = memory == Memory::device || (memory == Memory::to_combine && combines_on_device(like));
    return stays ? *surface(like).device : *host_device();
}

Status Plan::add_scratch(Side like, std::uint64_t pixels, Memory memory, Side &scratch, Part &all) {
    return add_scratch(surface(like), pixels, device_for(like, memory), scratch, all);
}

Status Plan::add_scratch(Side like, Extent extent, Memory memory, Side &scratch) {
    return add_scratch(surface(like), extent, device_for(like, memory), scratch);
}

Status Plan::add_scratch(const Surface &model, std::uint64_t pixels, Device &device, Side &scratch, Part &all) {
    constexpr std::uint64_t longest_row = 1024;
    const std::uint64_t width = std::clamp<std::uint64_t>(pixels, 1, longest_row);
    const Extent extent{static_cast<int>(width), static_cast<int>((pixels + width - 1) / width)};
    if (const Status error = add_scratch(model, extent, device, scratch))
        return error;
    Part whole;
    if (const Status error = find_region(PIXMPI_WHOLE, extent, whole))
        return error;
    all = slice(whole, 0, pixels);
    return PIXMPI_SUCCESS;
}

Status Plan::add_scratch(const Surface &model, Extent extent, Device &device, Side &scratch) {
    std::shared_ptr<Surface> made;
    if (const Status error = make_scratch_like(model, device, extent, made))
        return error;
    scratch = add_own(std::move(made));
    return PIXMPI_SUCCESS;
}

namespace {

std::uint64_t pixels_of_all(std::span<const Plan::Part> parts) {
    return std::transform_reduce(parts.begin(), parts.end(), std::uint64_t{0}, std::plus(),
                                 [](const Plan::Part &part) { return part->pixels; });
}

/// All parts as one, in this order.
Plan::Part join(std::span<const Plan::Part> parts) {
    if (parts.size() == 1)
        return parts.front();
    auto all = std::make_shared<Region>();
    for (const Plan::Part &part : parts)
        for (const pixMPI_Rect &rect : part->rects)
            all->add(rect);
    all->commit();
    return all;
}

} // namespace

// With a codec the picture matters: JPEG likes its rows and columns.
bool Plan::gains_by_host(const Surface &named, std::span<const Part> parts, Use use) const {
    const Channel &channel = schedule_->channel();
    const bool few_steps = use != Use::combined || named.device->packs_to_other_gpus();
    const std::size_t most = channel.options.eager_bytes * (few_steps ? 1 : 4);
    const bool plain = named.codec.kind <= PIXMPI_CODEC_NONE && channel.codec.kind <= PIXMPI_CODEC_NONE &&
                       channel.options.codec.kind <= PIXMPI_CODEC_NONE;
    const std::uint64_t pixels = pixels_of_all(parts);
    return plain && !named.device->near_host() && pixels > 0 &&
           pixels * static_cast<std::uint64_t>(named.pixel_bytes) <= parts.size() * most;
}

Status Plan::add_by_host(std::shared_ptr<Surface> named, Direction direction, std::span<Part> parts, Side &side) {
    Part all;
    const std::uint64_t pixels = pixels_of_all(parts);
    if (const Status error = add_scratch(*named, pixels, *host_device(), side, all))
        return error;
    const Part there = join(parts);
    std::uint64_t first = 0;
    for (Part &part : parts) {
        const std::uint64_t count = part->pixels;
        part = slice(all, first, count);
        first += count;
    }
    const Side outside = add(std::move(named));
    if (direction == Direction::pack)
        sides_[side].filled = {copy(outside, there, side, all)};
    else
        returns_.push_back({side, outside, all, there});
    return PIXMPI_SUCCESS;
}

void Plan::copy_back(const Return &back) {
    Steps writers;
    for (Step step = 0; step < lines_.size(); ++step) {
        const Line &line = lines_[step];
        const Side there = line.kind == Kind::copy ? line.to : line.side;
        if ((line.kind == Kind::copy || line.kind == Kind::recv) && sides_[there].room.value_or(there) == back.host)
            writers.push_back(step);
    }
    copy(back.host, back.from, back.named, back.to, std::move(writers));
}

void Plan::copy_all_back() {
    for (const Return &back : std::exchange(returns_, {}))
        copy_back(back);
}

Plan::Step Plan::add(Line line) {
    ++sides_[line.side].uses;
    if (line.kind == Kind::copy)
        ++sides_[line.to].uses;
    const Steps &filled = sides_[line.side].filled;
    line.after.insert(line.after.end(), filled.begin(), filled.end());
    line.phase = phase_;
    lines_.push_back(std::move(line));
    return lines_.size() - 1;
}

Plan::Step Plan::send(Side side, const Part &part, int dest, int label, Steps after) {
    return add({Kind::send, side, 0, part, {}, {dest}, label, std::move(after), {}});
}

Plan::Step Plan::recv(Side side, const Part &part, int source, int label, Steps after, const Combination &how) {
    return add({Kind::recv, side, 0, part, {}, {source}, label, std::move(after), how});
}

Plan::Step Plan::recv_late(Side side, const Part &part, int source, int label, Steps after, const Combination &how) {
    const Step step = recv(side, part, source, label, std::move(after), how);
    lines_[step].late = true;
    return step;
}

Plan::Steps Plan::share(Side side, const Part &part, std::span<const int> dests, int label, const Steps &after) {
    return share(side, part, dests, label, after, {});
}

Plan::Steps Plan::hand_on(Side side, const Part &part, Step received, std::span<const int> dests, int label) {
    return share(side, part, dests, label, {received}, received);
}

Plan::Steps Plan::share(Side side, const Part &part, std::span<const int> dests, int label, const Steps &after,
                        std::optional<Step> received) {
    Steps steps;
    std::vector<int> near;
    for (const int dest : dests)
        if (leader_of(dest) == leader_of(rank()))
            near.push_back(dest);
        else
            steps.push_back(add({Kind::send, side, 0, part, {}, {dest}, label, after, {}, received}));
    if (near.empty())
        return steps;
    if (near.size() > 1)
        ++sides_[side].uses; // by two messages at least
    steps.push_back(add({Kind::share, side, 0, part, {}, std::move(near), label, after, {}, received}));
    return steps;
}

Plan::Step Plan::copy(Side from, const Part &from_part, Side to, const Part &to_part, Steps after,
                      const Combination &how) {
    return add({Kind::copy, from, to, from_part, to_part, {}, 0, std::move(after), how});
}

Plan::Step Plan::copy_meanwhile(Side from, const Part &from_part, Side to, const Part &to_part, Steps after) {
    const bool receives =
        std::any_of(lines_.begin(), lines_.end(), [](const Line &line) { return line.kind == Kind::recv; });
    const auto gains = [&](Side side) {
        const Device &device = *surface(side).device;
        return !device.near_host() && !(device.packs_to_other_gpus() && receives);
    };
    const Step step = copy(from, from_part, to, to_part, std::move(after));
    lines_[step].deferred = gains(from) && gains(to);
    return step;
}

void Plan::compress(const Steps &sent, const pixMPI_Codec &codec) {
    for (const Step step : sent)
        if (codec.kind != PIXMPI_CODEC_DEFAULT)
            lines_[step].codec = codec;
}

Plan::Side Plan::nothing() {
    if (!nothing_) {
        std::shared_ptr<Surface> surface;
        (void)make_host_surface(pixMPI_Memory(nullptr, PIXMPI_R8, 0, 0), surface);
        nothing_ = add_own(std::move(surface));
    }
    return *nothing_;
}

Plan::Step Plan::send_nothing(int dest, int label, Steps after) {
    return send(nothing(), region_of({}), dest, label, std::move(after));
}

Plan::Step Plan::recv_nothing(int source, int label, Steps after) {
    return recv(nothing(), region_of({}), source, label, std::move(after));
}

/// What the program was promised for its surfaces is done once, whatever the steps are: before all steps, and after
/// them. A collective that is one step alone does that itself; one of several might never begin.
void Plan::make_frames() {
    int framed = 0;
    for (Named &side : sides_) {
        if (!side.own && !side.plane)
            side.named->make_frame(side.opening, side.closing);
        framed += side.opening != nullptr;
    }
    for (Named &side : sides_) {
        if (!side.opening)
            continue;
        if (framed == 1 && !grows_ && (side.uses == 0 || (side.uses == 1 && lines_.size() == 1))) {
            if (side.uses == 0)
                schedule_->promise(std::make_shared<Framing>(side.named));
            side.opening = side.closing = nullptr;
            continue;
        }
        opened_.push_back(
            schedule_->promise(std::make_shared<Framing>(side.opening, Framing::HandOver{side.named, side.closing})));
    }
}

std::shared_ptr<Surface> Plan::surface_for_a_message(const Named &side) const {
    if (side.uses > 1 || side.opening || grows_)
        if (std::shared_ptr<Surface> another = side.named->once_more()) {
            another->codec = side.named->codec;
            return another;
        }
    return side.named;
}

/// In a plan that grows, steps on the library's own surfaces alone need not wait for what the program was promised.
Plan::Steps Plan::after(const Line &line) const {
    const auto is_own = [&](Side side) {
        const Named &one = sides_[side];
        return one.own && (!one.room || (sides_[*one.room].own && sides_[*one.base].own));
    };
    const bool outside = !is_own(line.side) || (line.kind == Kind::copy && !is_own(line.to));
    Steps steps = outside || !grows_ ? opened_ : Steps();
    for (const Step step : line.after)
        steps.insert(steps.end(), written_[step].begin(), written_[step].end());
    return steps;
}

std::optional<Schedule::Step> Plan::received(const Line &line) const {
    return line.received ? std::optional(written_[*line.received].front()) : std::nullopt;
}

void Plan::write(Line &line) {
    const Named &side = sides_[line.side];
    const auto surface = [&] { return surface_for_a_message(side); };
    Steps steps;
    switch (line.kind) {
    case Kind::send:
        steps = {schedule_->send({surface(), line.part}, line.ranks.front(), line.label, after(line), received(line))};
        break;
    case Kind::recv:
        steps = {schedule_->recv({surface(), line.part}, line.ranks.front(), line.label, after(line), line.how)};
        if (line.late)
            schedule_->expect_late(steps.front());
        break;
    case Kind::share:
        steps = schedule_->share(surface, line.part, line.ranks, line.label, after(line), received(line));
        break;
    case Kind::copy:
        steps = {schedule_->local(
            std::make_shared<LocalCopy>(Place{surface(), line.part},
                                        Place{surface_for_a_message(sides_[line.to]), line.to_part}, line.how),
            after(line))};
        if (line.deferred)
            schedule_->defer(steps.front());
        break;
    case Kind::local:
        steps = {schedule_->local(line.make(surface()), after(line))};
        break;
    case Kind::work:
        steps = {schedule_->local(line.request, after(line))};
        break;
    case Kind::write_more:
        steps = {schedule_->write_more(line.request, after(line))};
        break;
    }
    if (line.codec)
        for (const Schedule::Step step : steps)
            schedule_->compress(step, *line.codec);
    written_.push_back(std::move(steps));
}

std::vector<Plan::Report> Plan::report() const {
    std::vector<Report> all;
    for (std::size_t i = 0; i < written_.size(); ++i)
        for (std::size_t k = 0; k < written_[i].size(); ++k) {
            const Line &line = lines_[i];
            const Schedule::StepTimes times = schedule_->times(written_[i][k]);
            if (line.kind != Kind::write_more && times.begun != Schedule::StepTimes().begun)
                all.push_back({times, line.kind == Kind::share ? Kind::send : line.kind, line.phase,
                               k < line.ranks.size() ? line.ranks[k] : -1});
        }
    return all;
}

Plan::Step Plan::local(Side side, MakeRequest make, Steps after) {
    Line line{Kind::local, side, 0, {}, {}, {}, 0, std::move(after), {}};
    line.make = std::move(make);
    return add(std::move(line));
}

Plan::Step Plan::work(std::function<Status()> function, Steps after) {
    return add_work(Kind::work, std::move(function), std::move(after), {});
}

Plan::Step Plan::work(std::shared_ptr<Request> request, Steps after) {
    Line line{Kind::work, nothing(), 0, {}, {}, {}, 0, std::move(after), {}};
    line.request = std::move(request);
    return add(std::move(line));
}

void Plan::write_more(std::function<Status()> write, Steps after, const std::vector<Side> &uses) {
    grows_ = true;
    add_work(
        Kind::write_more,
        [this, write = std::move(write)] {
            const Status failed = write();
            if (!failed) {
                copy_all_back();
                write_lines();
            }
            return failed;
        },
        std::move(after), uses);
}

Plan::Step Plan::add_work(Kind kind, std::function<Status()> function, Steps after, const std::vector<Side> &uses) {
    std::vector<std::shared_ptr<Surface>> surfaces;
    for (const Side side : uses)
        surfaces.push_back(sides_[side].named);
    Line line{kind, nothing(), 0, {}, {}, {}, 0, std::move(after), {}};
    line.request = std::make_shared<Work>(std::move(function), std::move(surfaces));
    return add(std::move(line));
}

void Plan::write_lines() {
    while (written_.size() < lines_.size())
        write(lines_[written_.size()]);
}

Status Plan::finish(std::shared_ptr<Schedule> &schedule) {
    if (!grows_)
        copy_all_back();
    std::vector<std::shared_ptr<Surface>> named, own;
    for (Named &side : sides_)
        (side.own || side.plane ? own : named).push_back(side.named);
    make_frames();
    write_lines();
    for (const Named &side : sides_)
        if (side.closing)
            schedule_->last_promise(std::make_shared<Framing>(side.closing));
    if (last_)
        schedule_->last_promise(std::make_shared<Work>([this] {
            if (!schedule_->error.code)
                last_();
            return PIXMPI_SUCCESS;
        }));
    schedule_->name(std::move(named), std::move(own));
    if (grows_)
        schedule_->keep(shared_from_this());
    schedule = std::move(made_);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
