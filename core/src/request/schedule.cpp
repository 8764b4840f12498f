#include "request/schedule.h"

#include "host/host_device.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// What takes the place of a receive that has been given up: it has no surface of the user's.
Status make_stand_in(const Message &message, std::shared_ptr<Message> &stand_in) {
    auto made = std::make_shared<Message>();
    const pixMPI_Surface nothing{nullptr, PIXMPI_R8, 0, 0, 0};
    if (const Status error = make_host_surface(nothing, made->surface))
        return error;
    if (const Status error = find_region(PIXMPI_WHOLE, made->surface->extent, made->region))
        return error;
    made->direction = Direction::unpack;
    if (const Status error = made->need_transfer())
        return error;
    made->traffic = message.traffic;
    made->channel = message.channel;
    made->rank = message.rank;
    made->tag = message.tag;
    stand_in = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace

Status Schedule::make(MPI_Comm comm, std::vector<std::shared_ptr<Surface>> named, std::shared_ptr<Schedule> &made) {
    auto schedule = std::make_shared<Schedule>();
    if (const Status error = find_channel(comm, schedule->channel_))
        return error;
    schedule->named_ = std::move(named);
    schedule->number_ = schedule->channel_->next_schedule++;
    made = std::move(schedule);
    return PIXMPI_SUCCESS;
}

Schedule::Step Schedule::add(Item item) {
    items_.push_back(std::move(item));
    return items_.size() - 1;
}

Schedule::Step Schedule::add_message(Direction direction, const End &end, int rank, int label, Steps after) {
    auto message = std::make_shared<Message>();
    message->direction = direction;
    message->traffic = Traffic::schedule;
    message->channel = channel_;
    message->rank = rank;
    const auto numbers = static_cast<std::uint32_t>((channel_->most_tag + 1) / labels);
    message->tag = static_cast<int>(number_ % numbers) * labels + label % labels;
    message->surface = end.surface;
    message->region = end.region;
    return add({message, message, nullptr, std::move(after)});
}

Schedule::Step Schedule::send(const End &end, int dest, int label, Steps after) {
    return add_message(Direction::pack, end, dest, label, std::move(after));
}

Schedule::Step Schedule::recv(const End &end, int source, int label, Steps after, const Combination &how) {
    const Step step = add_message(Direction::unpack, end, source, label, std::move(after));
    items_[step].message->combination = how;
    return step;
}

Schedule::Step Schedule::local(std::shared_ptr<Request> request, Steps after) {
    return add({std::move(request), nullptr, nullptr, std::move(after)});
}

Status Schedule::check_start() const { return check_open(*channel_); }

// What the others have to be told when it fails is had now, as there may be no memory then.
Status Schedule::begin(Runtime &runtime) {
    for (Item &item : items_) {
        item.progress = Progress::waiting;
        item.request->blocking = blocking;
        if (item.message && !item.message->sends() && item.message->rank != MPI_PROC_NULL)
            if (const Status failed = make_stand_in(*item.message, item.stand_in))
                return failed;
    }
    runtime.active.reserve(runtime.active.size() + 2 * items_.size());
    over_ = 0;
    state = State::active;
    return PIXMPI_SUCCESS;
}

void Schedule::undo(Runtime &) {} // begin() starts nothing

bool Schedule::is_ready(const Item &item) const {
    return item.progress == Progress::waiting && std::all_of(item.after.begin(), item.after.end(), [&](Step step) {
               return items_[step].progress == Progress::over;
           });
}

Status Schedule::start_ready(Runtime &runtime, bool &moved) {
    for (Item &item : items_) {
        if (!is_ready(item) || item.request->lacks())
            continue;
        item.progress = Progress::started;
        moved = true;
        if (const Status failed = start(runtime, item.request)) {
            item.progress = Progress::waiting; // nothing of it is under way, and the other end is still to be told
            return failed;
        }
    }
    return PIXMPI_SUCCESS;
}

Status Schedule::look_after_started(bool &moved) {
    for (Item &item : items_) {
        if (item.progress != Progress::started || item.request->state == State::active)
            continue;
        item.progress = Progress::over;
        ++over_;
        moved = true;
        if (item.request->error.code)
            return repeat(item.request->error);
    }
    return PIXMPI_SUCCESS;
}

void Schedule::advance(Runtime &runtime, bool &moved) {
    for (bool more = true; more;) {
        more = false;
        Status failed = PIXMPI_SUCCESS;
        if (!error.code)
            failed = without_throwing([&] { return start_ready(runtime, more); });
        if (const Status later = look_after_started(more); !failed)
            failed = later;
        if (failed && !error.code)
            give_up_all(runtime, failed);
        moved = moved || more;
    }
    if (over_ == items_.size())
        state = State::complete;
}

void Schedule::give_up_all(Runtime &runtime, Status failed) {
    error = last_error(failed);
    for (Item &item : items_)
        if (item.progress != Progress::over)
            give_up_item(runtime, item);
}

/// Tells the other end of a message; nothing of it uses the user's surface any more, or will.
void Schedule::give_up_item(Runtime &runtime, Item &item) {
    const bool waits = item.progress == Progress::waiting;
    if (waits) {
        item.progress = Progress::over;
        ++over_;
    }
    if (!item.message || item.message->rank == MPI_PROC_NULL || (!waits && item.message->state != State::active))
        return;
    Message &message = *item.message;
    if (message.sends()) {
        if (waits)
            (void)without_throwing([&] { return tell_receiver(runtime, message); });
        else
            give_up(runtime, message, error.code);
        return;
    }
    if (!waits && message.phase != Phase::matching) {
        give_up(runtime, message, error.code);
        return;
    }
    replace(runtime, message, item.stand_in, waits);
}

/// From now on `stand_in` expects what `message` does, or would.
void Schedule::replace(Runtime &runtime, Message &message, const std::shared_ptr<Message> &stand_in, bool waits) {
    stand_in->error = error;
    stand_in->transfer->start();
    stand_in->transfer->give_up();
    stand_in->phase = Phase::matching;
    stand_in->state = State::active;
    if (!waits) {
        stand_in->taken = message.taken;
        stand_in->watch = message.watch;
        stand_in->letter = std::move(message.letter);
        message.letter.clear();
        give_up(runtime, message, error.code);
    } else if (without_throwing([&] { return start_recv(runtime, *stand_in); })) {
        return; // MPI has failed
    }
    (void)without_throwing([&] {
        runtime.active.push_back(stand_in);
        return PIXMPI_SUCCESS;
    });
}

const Device *Schedule::lacks() const {
    for (const Item &item : items_)
        if (item.progress == Progress::started ? stuck(*item.request) : is_ready(item))
            if (const Device *device = item.request->lacks())
                return device;
    return nullptr;
}

Pause Schedule::pause() const {
    for (const Item &item : items_)
        if (item.progress == Progress::started && item.request->state == State::active)
            return item.request->pause();
    return Pause();
}

void Schedule::await() {
    blocking = true;
    for (const Item &item : items_)
        if (item.progress != Progress::over)
            item.request->await();
}

Status Schedule::cancel() { return fail(PIXMPI_ERR_REQUEST, "request: a collective cannot be cancelled"); }

} // namespace pixmpi
