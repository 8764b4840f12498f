#include "schedule/schedule.h"

#include "request/framing.h"
#include "request/schedule_matcher.h"
#include "schedule/expectation.h"

#include <algorithm>

namespace pixmpi {
Status Schedule::make(MPI_Comm comm, std::vector<std::shared_ptr<Surface>> named, std::shared_ptr<Schedule> &made) {
    auto schedule = std::make_shared<Schedule>();
    std::shared_ptr<Channel> channel;
    if (const Status error = find_channel(comm, channel))
        return error;
    schedule->named_ = std::move(named);
    schedule->number_ = next_schedule_number(*channel);
    schedule->channel_ = std::move(channel);
    made = std::move(schedule);
    return PIXMPI_SUCCESS;
}

Schedule::~Schedule() {
    if (channel_)
        give_schedule_number(*channel_, number_);
}

void Schedule::fail_unwritten(Runtime &runtime) {
    const Error first = last_error(PIXMPI_SUCCESS);
    refuse_messages(*channel_, number_);
    report_failure(runtime, *channel_, {number_, every_start});
    repeat(first);
}

Schedule::Step Schedule::add(Item item) {
    items_.push_back(std::move(item));
    return items_.size() - 1;
}

template <class One> std::shared_ptr<One> Schedule::make(const End &end, int rank, int label) const {
    auto one = std::make_shared<One>();
    one->traffic = Traffic::schedule;
    one->channel = channel_;
    one->rank = rank;
    one->tag = label % labels;
    one->part = {number_, whole_};
    one->surface = end.surface;
    one->region = end.region;
    return one;
}

Schedule::Step Schedule::send(const End &end, int dest, int label, Steps after, std::optional<Step> received) {
    const auto one = make<Send>(end, dest, label);
    one->exact = exact_;
    if (received) {
        const auto receive = std::static_pointer_cast<Receive>(items_[*received].message);
        receive->keeps_streams = true;
        one->handed_on = receive;
    }
    return add({one, one, nullptr, std::move(after)});
}

Schedule::Step Schedule::recv(const End &end, int source, int label, Steps after, const Combination &how) {
    const auto one = make<Receive>(end, source, label);
    one->combination = how;
    return add({one, one, nullptr, std::move(after)});
}

void Schedule::compress(Step sent, const pixMPI_Codec &codec) {
    const auto tell = [&](Send &message) {
        message.codec = codec;
        message.exact = false;
    };
    const Item &item = items_[sent];
    tell(static_cast<Send &>(*item.message));
    if (item.joint >= 0)
        tell(*joints_[static_cast<std::size_t>(item.joint)].message);
}

Schedule::Step Schedule::local(std::shared_ptr<Request> request, Steps after) {
    return add({std::move(request), nullptr, nullptr, std::move(after)});
}

Schedule::Step Schedule::write_more(std::shared_ptr<Request> writer, Steps after) {
    const Step step = local(std::move(writer), std::move(after));
    items_[step].writes = true;
    return step;
}

std::shared_ptr<Request> Schedule::expect(std::vector<int> sources, std::vector<int> from_labels,
                                          std::shared_ptr<std::vector<int>> came) const {
    return std::make_shared<Expectation>(channel_, number_, error, std::move(sources), std::move(from_labels),
                                         std::move(came));
}

Schedule::Step Schedule::promise(std::shared_ptr<Request> request) {
    const Step step = local(std::move(request));
    items_[step].kept = Kept::at_once;
    return step;
}

Schedule::Step Schedule::last_promise(std::shared_ptr<Request> request) {
    const Step step = local(std::move(request));
    items_[step].kept = Kept::at_last;
    ++lasts_;
    return step;
}

void Schedule::join(std::shared_ptr<Surface> surface, const Steps &steps) {
    const auto &first = static_cast<const Send &>(*items_[steps.front()].message);
    const auto one = make<Send>({std::move(surface), first.region}, first.rank, first.tag);
    one->exact = exact_;
    one->handed_on = first.handed_on;
    for (const Step step : steps) {
        items_[step].joint = static_cast<int>(joints_.size());
        if (step != steps.front())
            one->others.push_back(items_[step].message->rank);
    }
    joints_.push_back({one, steps});
}

Status Schedule::check_start() const { return check_open(*channel_); }

Status Schedule::set_codec(const pixMPI_Codec &codec) {
    for (Item &item : items_)
        if (item.message && item.message->sends())
            static_cast<Send &>(*item.message).codec = codec;
    for (Joint &joint : joints_)
        joint.message->codec = codec;
    return PIXMPI_SUCCESS;
}

/// The steps from `first` on will be started. The notice of a failure to other ranks is allocated now, as there may be
/// no memory then.
Status Schedule::prepare(Step first) {
    prepared_ = std::chrono::steady_clock::now();
    for (Step step = first; step < items_.size(); ++step) {
        Item &item = items_[step];
        item.progress = Progress::waiting;
        if (Receive *const held = item.held())
            held->held = false;
        item.joined = item.is_held = false;
        item.instead.reset();
        item.request->blocking = blocking || awaited_;
        if (item.message && !item.instead && !item.message->sends() && item.message->rank != MPI_PROC_NULL)
            if (const Status failed =
                    make_stand_in(channel_, item.message->rank, item.message->tag, number_, item.stand_in))
                return failed;
    }
    for (Joint &joint : joints_)
        joint.message->blocking = blocking || awaited_;
    return PIXMPI_SUCCESS;
}

Status Schedule::begin(Runtime &) {
    awaited_ = false;
    if (const Status failed = prepare(0))
        return failed;
    over_ = 0;
    quiet_ = 0;
    ++starts_;
    use_.begin(channel_);
    state = State::active;
    return PIXMPI_SUCCESS;
}

void Schedule::undo(Runtime &) {} // begin() starts nothing

bool Schedule::is_ready(const Item &item) const {
    if (item.progress != Progress::waiting)
        return false;
    if (item.kept == Kept::at_last)
        return over_ + lasts_ >= items_.size();
    return follows_all(item) && !(item.deferred && messages_first());
}

bool Schedule::follows_all(const Item &item) const {
    return std::all_of(item.after.begin(), item.after.end(), [&](Step step) { return follows(item, step); });
}

/// A step before is over, or is done with by the time when the same device comes to this one.
bool Schedule::follows(const Item &item, Step before) const {
    const Item &first = items_[before];
    if (first.progress != Progress::started || item.writes || error.code)
        return first.progress == Progress::over;
    const auto surfaces = item.request->surfaces();
    return !surfaces.empty() && std::all_of(surfaces.begin(), surfaces.end(), [&](const auto &surface) {
        return request_of(first).is_queued(*surface->device);
    });
}

/// Whether a receive may match, but not unpack yet: steps that were deferred have not begun, or it comes after one. What
/// they submit later would let go of a batch that waits for its pixels.
bool Schedule::is_held_back(const Item &item) const {
    const auto is_to_come = [this](const Item &one) {
        return one.deferred && one.progress == Progress::waiting && follows_all(one);
    };
    return !follows_all(item) || (defers_ && std::any_of(items_.begin(), items_.end(), is_to_come));
}

bool Schedule::may_begin_held(const Item &item) const {
    return item.progress == Progress::waiting && item.message && !item.message->sends() && is_held_back(item) &&
           std::all_of(item.after.begin(), item.after.end(),
                       [&](Step step) { return items_[step].deferred || follows(item, step); });
}

/// Whether other ranks wait for something that comes before deferred steps: a send is still to be packed, or a receive
/// to match.
bool Schedule::messages_first() const {
    constexpr std::chrono::microseconds patience{100};
    if (std::chrono::steady_clock::now() - prepared_ > patience)
        return false;
    return std::any_of(items_.begin(), items_.end(), [&](const Item &item) {
        if (item.late)
            return false;
        if (item.progress != Progress::started)
            return may_begin_held(item);
        if (!item.message)
            return false;
        const Message &message = message_of(item);
        return message.state == State::active &&
               (message.sends() ? message.phase == Phase::moving && !message.pipeline().all_begun()
                                : message.phase == Phase::matching);
    });
}

Status Schedule::start_ready(Runtime &runtime, bool &moved) {
    has_looked_ = false;
    for (Step step = 0; step < items_.size(); ++step) {
        Item &item = items_[step];
        if (Receive *const held = item.held(); held && (error.code || !is_held_back(item))) {
            item.is_held = held->held = false;
            moved = true;
        }
        const bool holds = !error.code && may_begin_held(item);
        if ((error.code && item.kept == Kept::no && !item.instead) || !(holds || is_ready(item)) ||
            request_of(item).lacks())
            continue;
        moved = true;
        if ((item.is_held = holds))
            item.held()->held = true;
        if (const Status failed = start_step(runtime, step))
            return failed;
    }
    return PIXMPI_SUCCESS;
}

/// Starts a request, which may be one for several steps.
Status Schedule::start_step(Runtime &runtime, Step step) {
    Item &item = items_[step];
    Joint *const joint = item.joint < 0 ? nullptr : &joints_[static_cast<std::size_t>(item.joint)];
    const bool joined = joint && joint->members.front() == step && allocate_flows(runtime, *joint->message);
    const auto now = std::chrono::steady_clock::now();
    const auto mark = [&](Progress progress, bool as_joined) {
        item.progress = progress;
        item.begun = now;
        if (joined)
            for (const Step member : joint->members) {
                items_[member].progress = progress;
                items_[member].joined = as_joined;
                items_[member].begun = now;
            }
    };
    mark(Progress::started, joined);
    const Step next = items_.size();
    const bool kept = item.kept != Kept::no || item.instead;
    // Its sender may wait already. Otherwise this rank would first pack what it sends itself. Of receives that follow
    // each other, the first one looks.
    Status failed = PIXMPI_SUCCESS;
    const bool looks = item.message && !item.message->sends() && !item.message->device().near_host();
    if (looks && !has_looked_)
        failed = channel_->schedules->collect(runtime);
    has_looked_ = looks;
    if (!failed)
        failed = start(runtime, item.instead ? item.instead : joined ? joint->message : item.request);
    if (!failed && item.writes)
        failed = prepare(next);
    if (failed && kept) {
        item.progress = Progress::over; // there is no way to keep it
        ++over_;
    } else if (failed) {
        mark(Progress::waiting, false); // nothing is under way, and the other ends are still to be notified
    }
    return failed;
}

Status Schedule::look_after_started(bool &moved) {
    for (Item &item : items_) {
        if (item.progress != Progress::started || request_of(item).state == State::active)
            continue;
        item.progress = Progress::over;
        item.over = std::chrono::steady_clock::now();
        ++over_;
        moved = true;
        if (request_of(item).error.code)
            return repeat(request_of(item).error);
    }
    return PIXMPI_SUCCESS;
}

Schedule::StepTimes Schedule::times(Step step) const {
    const Item &item = items_[step];
    StepTimes times{item.begun, item.over};
    if (!item.message || item.begun == std::chrono::steady_clock::time_point())
        return times;
    const Message &message = message_of(item);
    times.bytes = message.coded ? message.copies().stream_bytes() : message.bytes;
    if (message.coded && message.coder)
        times.coding_seconds = message.coder->seconds();
    return times;
}

/// Whether another rank has said that it has failed: `notified`. Asked now and then, when nothing moves.
Status Schedule::listen(Runtime &runtime, bool &notified) {
    constexpr unsigned seldom = 16;
    if (error.code || quiet_++ % seldom)
        return PIXMPI_SUCCESS;
    if (const Status failed = channel_->schedules->collect(runtime))
        return failed;
    const int rank = failed_rank(*channel_, {number_, starts_});
    notified = rank >= 0;
    return notified ? fail(PIXMPI_ERR_PEER, "rank %d has failed: its own error says why", rank) : PIXMPI_SUCCESS;
}

void Schedule::advance(Runtime &runtime, bool &moved) {
    for (bool more = true; more;) {
        more = false;
        Status failed = without_throwing([&] { return start_ready(runtime, more); });
        if (const Status later = look_after_started(more); !failed)
            failed = later;
        if (failed && !error.code)
            give_up_all(runtime, failed, false);
        moved = moved || more;
    }
    bool notified = false;
    if (over_ < items_.size())
        if (const Status failed = without_throwing([&] { return listen(runtime, notified); }))
            give_up_all(runtime, failed, notified);
    if (over_ < items_.size())
        return;
    for (const auto &surface : named_) // what could not be kept is not for the next start
        surface->drop_promises();
    state = State::complete;
    use_.end();
}

void Schedule::give_up_all(Runtime &runtime, Status failed, bool notified) {
    error = last_error(failed);
    if (!notified && !fails_alike_)
        report_failure(runtime, *channel_, {number_, starts_});
    for (Item &item : items_)
        if (item.progress != Progress::over && item.kept == Kept::no) {
            if (item.writes && !fails_alike_)
                refuse_messages(*channel_, number_);
            give_up_item(runtime, item);
        }
}

/// The only step of a collective does itself what the program was promised (Plan::make_frames); one that does not start
/// any more leaves that to an empty message. False where there is nothing to do, or no memory for it.
bool Schedule::keep_promises(Item &item) {
    if (item.writes) // its surfaces have steps of their own for that, which may not have begun yet
        return false;
    for (const auto &surface : item.request->surfaces())
        if (surface->has_promises())
            (void)without_throwing([&] {
                item.instead = std::make_shared<Framing>(surface);
                return PIXMPI_SUCCESS;
            });
    return item.instead != nullptr;
}

/// Tells the other end of a message; nothing of it uses the user's surface any more, or will.
void Schedule::give_up_item(Runtime &runtime, Item &item) {
    const bool waits = item.progress == Progress::waiting;
    if (waits && !keep_promises(item)) {
        item.progress = Progress::over;
        ++over_;
    }
    if (!item.message || item.message->rank == MPI_PROC_NULL)
        return;
    Message &message = message_of(item);
    if (!waits && (message.state != State::active || message.phase == Phase::settling))
        return; // its transfer has ended
    if (message.sends()) {
        if (waits)
            (void)without_throwing([&] { return notify_receiver(runtime, static_cast<Send &>(message)); });
        else
            give_up(runtime, message, error.code);
        return;
    }
    if (!waits && message.phase != Phase::matching) {
        const bool sender_lives = !channel_->peers[static_cast<std::size_t>(message.arrival.source)]->ended();
        give_up(runtime, message, error.code, sender_lives);
        return;
    }
    if (item.stand_in)
        replace(runtime, static_cast<Receive &>(message), item.stand_in, waits);
    else
        refuse_messages(*channel_, number_);
}

/// From now on `stand_in` expects what `receive` does, or would.
void Schedule::replace(Runtime &runtime, Receive &receive, const std::shared_ptr<Receive> &stand_in, bool waits) {
    activate(*stand_in, error);
    if (!waits) {
        stand_in->watch = receive.watch;
        channel_->schedules->repost(receive, *stand_in);
        give_up(runtime, receive, error.code);
    } else if (without_throwing([&] { return stand_in->post(runtime); })) {
        stand_in->withdraw(); // there is no memory
        stand_in->use.end();
        return;
    }
    runtime.active.push(stand_in);
}

const Device *Schedule::lacks() const {
    for (const Item &item : items_)
        if (item.progress == Progress::started ? stuck(request_of(item)) : is_ready(item))
            if (const Device *device = request_of(item).lacks())
                return device;
    return nullptr;
}

// The first step may be one in host memory, after which others wait for GPUs.
Pause Schedule::pause() const {
    const auto first = std::find_if(items_.begin(), items_.end(), [this](const Item &item) {
        return item.progress == Progress::started && request_of(item).state == State::active;
    });
    Pause pause = first != items_.end() ? request_of(*first).pause() : Pause();
    for (const auto &surface : named_)
        stay_awake_for(pause, *surface->device);
    return pause;
}

void Schedule::await() {
    awaited_ = true;
    for (const Item &item : items_)
        if (item.progress != Progress::over) {
            item.request->await();
            if (item.joint >= 0)
                joints_[static_cast<std::size_t>(item.joint)].message->await();
        }
}

void Schedule::end_wait() {
    blocking = awaited_ = false;
    for (const Item &item : items_)
        item.request->end_wait();
    for (const Joint &joint : joints_)
        joint.message->end_wait();
}

Status Schedule::cancel() { return fail(PIXMPI_ERR_REQUEST, "request: a collective cannot be cancelled"); }

} // namespace pixmpi
