#include "endpoint/run.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace pixmpi {

Run::Run(std::shared_ptr<Endpoint> endpoint, std::unique_ptr<Kernel> kernel, std::uint32_t groups)
    : endpoint_(std::move(endpoint)), kernel_(std::move(kernel)), count_(groups) {}

Run::~Run() { has_started(); }

Pause Run::pause() const {
    Pause pause;
    stay_awake_for(pause, *kernel_->device()); // copies between windows take longer than it spins
    if (kernel_->device()->has_threads() && endpoint_->info.mode != PIXMPI_MODE_RUNNING)
        pause.device = kernel_->device();
    return pause;
}

Status Run::check_start() const {
    if (lacks())
        return fail_for_lack_of(*kernel_->device());
    if (const auto other = endpoint_->running.lock(); other && other->state == State::active)
        return fail(PIXMPI_ERR_REQUEST, "endpoint: a run is under way, expected none");
    return check_open(*endpoint_->channel);
}

void Run::write_header() {
    const Endpoint &e = *endpoint_;
    const std::span<std::uint32_t> words = in();
    words[PM_IN_GROUPS] = count_;
    words[PM_IN_SLOTS] = e.shape.slots;
    words[PM_IN_FIRST] = static_cast<std::uint32_t>(e.slots().first);
    words[PM_IN_ALL_SLOTS] = static_cast<std::uint32_t>(e.slots().slots());
    words[PM_IN_PROCESSES] = static_cast<std::uint32_t>(e.slots().processes);
    words[PM_IN_PROCESS] = static_cast<std::uint32_t>(e.slots().own - e.slots().slots());
    words[PM_IN_BUDGET] = static_cast<std::uint32_t>(e.info.budget);
    words[PM_IN_MOST_TURNS] = static_cast<std::uint32_t>(e.info.max_turns);
    words[PM_IN_RING] = e.shape.ring;
    words[PM_IN_CALLS] = e.shape.calls;
    words[PM_IN_PAYLOAD] = e.shape.payload;
    words[PM_IN_STATE] = e.shape.state;
    words[PM_IN_LIST] = static_cast<std::uint32_t>(e.layout.list());
    words[PM_IN_SIGNALS] = static_cast<std::uint32_t>(e.layout.signals());
    words[PM_IN_SIGNAL_COUNT] = e.shape.signals;
    words[PM_IN_RESULTS] = static_cast<std::uint32_t>(e.layout.results());
    words[PM_IN_RINGS] = e.shape.shared_rings;
    words[PM_IN_RING_STATES] = static_cast<std::uint32_t>(e.layout.ring_states());
    words[PM_IN_RING_ENTRIES] = static_cast<std::uint32_t>(e.layout.ring_entries());
}

Status Run::begin(Runtime &) {
    const EndpointLayout &layout = endpoint_->layout;
    const std::uint32_t shared = endpoint_->shape.shared_rings, rings = shared ? shared : count_;
    groups_.assign(count_, {});
    consumed_.assign(rings, 0);
    to_write_.clear();
    calls_ = std::make_unique<Calls>(*endpoint_, count_);
    left_ = count_;
    failing_ = false;
    const auto clear = [](std::span<std::uint32_t> words) { std::fill(words.begin(), words.end(), 0U); };
    clear(in().first(layout.result(count_, 0)));
    clear(out().first(layout.entry(rings, 0)));
    write_header();
    endpoint_->write_signals();
    endpoint_->running = weak_from_this();
    idle_ = 0;
    started_ = false;
    state = State::active;
    return PIXMPI_SUCCESS;
}

Status Run::cancel() {
    if (state == State::active && !failing_)
        fail_run(runtime(), fail(PIXMPI_ERR_REQUEST, "the run has been cancelled"));
    return PIXMPI_SUCCESS;
}

Status Run::located(Status failed, std::uint32_t group, std::uint32_t slot, std::int32_t step) const {
    const Error first = last_error(failed);
    return fail(failed, "slot %d (workgroup %u), step %d: %s", endpoint_->slots().first + static_cast<int>(slot), group,
                step, first.text.data());
}

Status Run::read_entry(Runtime &runtime, std::size_t at) {
    const std::span<std::uint32_t> words = out().subspan(at);
    RingEntry entry;
    entry.op = words[PM_ENTRY_OP] & 0xffff;
    entry.call = words[PM_ENTRY_OP] >> 16;
    entry.number = words[PM_ENTRY_NUMBER];
    entry.group = words[PM_ENTRY_GROUP];
    entry.slot = words[PM_ENTRY_SLOT];
    entry.step = words[PM_ENTRY_STEP];
    entry.peer = static_cast<std::int32_t>(words[PM_ENTRY_PEER]);
    entry.tag = static_cast<std::int32_t>(words[PM_ENTRY_TAG]);
    entry.window = words[PM_ENTRY_WINDOW];
    entry.offset = words[PM_ENTRY_OFFSET];
    entry.bytes = words[PM_ENTRY_BYTES];
    for (std::size_t i = 0; i < std::size(entry.arguments); ++i)
        entry.arguments[i] = words[PM_ENTRY_ARGUMENT + i];
    entry.payload = words.subspan(PM_ENTRY_WORDS, endpoint_->shape.payload);
    if (entry.group >= count_)
        return fail(PIXMPI_ERR_DEVICE, "a call of workgroup %u, of %u: the shader has written to the endpoint's memory",
                    entry.group, count_);
    if (entry.call < PIXMPI_MAX_CALLS)
        groups_[entry.group].delivered &= ~(1U << entry.call);
    ++endpoint_->stats.calls;
    if (const Status failed = calls_->begin(runtime, entry))
        return located(failed, entry.group, entry.slot, static_cast<std::int32_t>(entry.step));
    return PIXMPI_SUCCESS;
}

Status Run::read_entries(Runtime &runtime, bool &moved) {
    for (std::uint32_t ring = 0; ring < consumed_.size(); ++ring) {
        std::uint32_t &consumed = consumed_[ring];
        const std::uint32_t before = consumed;
        for (;;) {
            const std::size_t at = endpoint_->layout.entry(ring, consumed);
            if (look_at(out()[at + PM_ENTRY_SEQUENCE]) != consumed + 1)
                break;
            ++consumed;
            if (const Status failed = read_entry(runtime, at))
                return failed;
        }
        if (consumed == before)
            continue;
        moved = true;
        write_later(endpoint_->layout.consumed(ring), consumed);
    }
    return endpoint_->service->send_announced(runtime);
}

Status Run::report_failure(std::uint32_t group, std::span<const std::uint32_t> report) const {
    const std::uint32_t what = report[PM_REPORT_WHAT], slot = report[PM_REPORT_SLOT];
    const auto step = static_cast<std::int32_t>(report[PM_REPORT_STEP]);
    const EndpointShape &shape = endpoint_->shape;
    switch (report[PM_REPORT_ERROR]) {
    case PM_ERROR_STATE:
        return fail(PIXMPI_ERR_MEMORY,
                    "info.state_words: %u, expected %u at least, which the shader keeps of workgroup %u", shape.state,
                    what, group);
    case PM_ERROR_CALLS:
        return located(fail(PIXMPI_ERR_ARGUMENT, "more than %u calls under way (info.calls)", shape.calls), group, slot,
                       step);
    case PM_ERROR_DATA:
        return located(fail(PIXMPI_ERR_ARGUMENT, "words: %u, expected at most %u (info.data_words) and PM_DATA_WORDS",
                            what, shape.payload),
                       group, slot, step);
    case PM_ERROR_SLOT:
        return fail(PIXMPI_ERR_ARGUMENT, "PM_BEGIN: slot %u in workgroup %u, expected 0 to %u", what, group,
                    shape.slots - 1);
    case PM_ERROR_SIGNAL:
        return located(fail(PIXMPI_ERR_ARGUMENT, "signal: %u, expected 0 to %u", what, shape.signals - 1), group, slot,
                       step);
    default:
        return located(fail(PIXMPI_ERR_DEVICE, "the shader's report makes no sense"), group, slot, step);
    }
}

Status Run::read_report(std::uint32_t group) {
    const std::span<const std::uint32_t> report = out().subspan(endpoint_->layout.report(group), PM_REPORT_WORDS);
    Group &one = groups_[group];
    one.fresh = false;
    one.step = static_cast<std::int32_t>(report[PM_REPORT_STEP]);
    one.slot = report[PM_REPORT_SLOT];
    one.wait = report[PM_REPORT_WAIT];
    one.what = report[PM_REPORT_WHAT];
    one.compare = report[PM_REPORT_COMPARE];
    one.value = report[PM_REPORT_VALUE];
    switch (report[PM_REPORT_STATUS]) {
    case PM_LEFT_DONE:
        one.is = Is::finished;
        --left_;
        return PIXMPI_SUCCESS;
    case PM_LEFT_TIRED:
        one.is = Is::ready;
        return PIXMPI_SUCCESS;
    case PM_LEFT_WAITING:
        ++endpoint_->stats.suspensions;
        one.is = Is::waiting;
        if (one.wait == PM_WAIT_SIGNAL && (one.what >= endpoint_->shape.signals || one.slot >= endpoint_->shape.slots))
            return report_failure(group, report);
        return PIXMPI_SUCCESS;
    case PM_LEFT_FAILED:
        return report_failure(group, report);
    default:
        return fail(PIXMPI_ERR_DEVICE,
                    "workgroup %u has ended without PM_END, after step %d: a loop of the shader may "
                    "have taken more turns than the driver allows",
                    group, one.step);
    }
}

Status Run::look_at_dispatch(bool &moved) {
    bool over = false;
    if (const Status failed = kernel_->poll(over); failed || !over)
        return failed;
    moved = true;
    endpoint_->dispatched = false;
    for (std::uint32_t group = 0; group < count_; ++group)
        if (groups_[group].is == Is::flying)
            if (const Status failed = read_report(group))
                return failed;
    return PIXMPI_SUCCESS;
}

void Run::deliver(const RingEntry &entry, const Result &result) {
    if (entry.call >= endpoint_->shape.calls)
        return;
    const std::size_t at = endpoint_->layout.result(entry.group, entry.call);
    const std::span<std::uint32_t> words = in().subspan(at);
    std::copy(result.data.begin(), result.data.end(), words.begin() + PM_RESULT_HEADER);
    words[PM_RESULT_SOURCE] = static_cast<std::uint32_t>(result.source);
    words[PM_RESULT_TAG] = static_cast<std::uint32_t>(result.tag);
    words[PM_RESULT_BYTES] = result.bytes;
    write_later(at + PM_RESULT_NUMBER, entry.number);
    groups_[entry.group].delivered |= 1U << entry.call;
}

void Run::publish_announced() {
    if (!to_write_.empty())
        order_stores();
    for (const auto &[at, value] : to_write_)
        store(in()[at], value);
    to_write_.clear();
    order_stores(); // signals, too
}

Status Run::collect_results(Runtime &runtime, bool &moved) {
    RingEntry entry_of;
    const Status failed = calls_->advance(runtime, entry_of, [&](const RingEntry &entry, const Result &result) {
        deliver(entry, result);
        moved = true;
    });
    return failed ? located(failed, entry_of.group, entry_of.slot, static_cast<std::int32_t>(entry_of.step))
                  : endpoint_->service->send_announced(runtime); // what has waited for copies
}

bool Run::may_go_on(const Group &group) const {
    if (group.is != Is::waiting)
        return group.is == Is::ready;
    switch (group.wait) {
    case PM_WAIT_SIGNAL: {
        const std::uint32_t now = endpoint_->signal(group.slot, group.what);
        return group.compare == PM_GE ? static_cast<std::int32_t>(now - group.value) >= 0 : now == group.value;
    }
    case PM_WAIT_ROOM:
        return true;
    default:
        return (group.delivered & group.what) != 0;
    }
}

Status Run::dispatch(bool &moved) {
    std::uint32_t listed = 0;
    std::vector<std::uint32_t> room(consumed_.size(), endpoint_->shape.ring); // all that was there has been consumed
    for (std::uint32_t i = 0; i < count_; ++i) {
        const auto group = static_cast<std::uint32_t>((endpoint_->stats.dispatches + i) % count_); // alternately
        Group &one = groups_[group];
        if (!may_go_on(one))
            continue;
        if (one.is == Is::waiting && one.wait == PM_WAIT_ROOM && room[group % consumed_.size()]-- == 0) {
            room[group % consumed_.size()] = 0; // for others that wait for it there is none
            continue;
        }
        one.is = Is::flying;
        in()[endpoint_->layout.list() + listed++] = group | (one.fresh ? PM_LIST_FRESH : 0U);
        out()[endpoint_->layout.report(group) + PM_REPORT_STATUS] = PM_LEFT_NOT;
    }
    if (listed == 0)
        return PIXMPI_SUCCESS;
    moved = true;
    if (!std::exchange(started_, true)) {
        starting_ = true;
        pixmpi::process().stage.map().presence().start_run();
    }
    if (endpoint_->info.mode == PIXMPI_MODE_TIMELINE)
        endpoint_->write_signals();
    ++endpoint_->stats.dispatches;
    endpoint_->dispatched = true;
    const Status failed = kernel_->dispatch(listed);
    if (failed)
        endpoint_->dispatched = false;
    return failed;
}

void Run::has_started() {
    if (std::exchange(starting_, false))
        pixmpi::process().stage.map().presence().show_run();
}

void Run::note_presence() {
    last_ = Clock::now();
    passes_.assign(static_cast<std::size_t>(endpoint_->slots().processes), 0);
    for (int one = 0; one < endpoint_->slots().processes; ++one)
        if (const Peer *const peer = endpoint_->seen(one))
            passes_[static_cast<std::size_t>(one)] = peer->stage().presence().passes();
}

/// Of processes of this host. They have their own time-out.
bool Run::others_start() const {
    for (int one = 0; one < endpoint_->slots().processes; ++one)
        if (const Peer *const peer = endpoint_->seen(one);
            peer && peer->stage().presence().starts_runs() && !peer->ended())
            return true;
    return false;
}

std::string Run::absence_of(const std::vector<int> &processes) const {
    std::string away, unseen;
    const auto add = [](std::string &names, int one) { names += (names.empty() ? "" : ", ") + std::to_string(one); };
    for (int one = 0; one < endpoint_->slots().processes; ++one) {
        const bool asked = std::find(processes.begin(), processes.end(), one) != processes.end();
        const Peer *const peer = endpoint_->seen(one);
        if (!peer && asked && !endpoint_->is_own(one))
            add(unseen, one);
        else if (peer && (asked || processes.empty()) &&
                 peer->stage().presence().passes() == passes_[static_cast<std::size_t>(one)])
            add(away, one);
    }
    constexpr const char *calls = "calls that wait or test (pixMPI_Wait, pixMPI_Test, pixMPI_Barrier ...)";
    char text[300] = "";
    if (!away.empty())
        std::snprintf(text, sizeof text,
                      "; MPI rank %s has not called the library for %g s: it is in MPI or in its own code. It answers "
                      "shaders in %s",
                      away.c_str(), endpoint_->info.timeout, calls);
    else if (!unseen.empty())
        std::snprintf(text, sizeof text,
                      "; MPI rank %s shares no memory with this one, and answers shaders in %s only, unless its MPI "
                      "has MPI_THREAD_MULTIPLE",
                      unseen.c_str(), calls);
    return text;
}

Status Run::time_out(double seconds) const {
    if (endpoint_->dispatched)
        return fail(PIXMPI_ERR_TIMEOUT, "endpoint: a dispatch has not ended in %g s (info.timeout)", seconds);
    for (std::uint32_t group = 0; group < count_; ++group) {
        const Group &one = groups_[group];
        if (one.is != Is::waiting)
            continue;
        std::vector<int> processes;
        const std::string what =
            one.wait == PM_WAIT_SIGNAL
                ? "signal " + std::to_string(one.what) + (one.compare == PM_GE ? " to reach " : " to be ") +
                      std::to_string(one.value) + ", which is " + std::to_string(endpoint_->signal(one.slot, one.what))
                : calls_->describe(group, one.what, processes);
        const std::string others =
            left_ > 1 ? "; " + std::to_string(left_ - 1) + " more of " + std::to_string(count_) + " are not done" : "";
        return fail(PIXMPI_ERR_TIMEOUT, "slot %d (workgroup %u), step %d: waits for %s, for %g s (info.timeout)%s%s",
                    endpoint_->slots().first + static_cast<int>(one.slot), group, one.step, what.c_str(), seconds,
                    others.c_str(), absence_of(processes).c_str());
    }
    return fail(PIXMPI_ERR_TIMEOUT, "endpoint: %zu calls of shaders that have ended are not over after %g s",
                calls_->under_way(), seconds);
}

Status Run::check_time(bool moved) {
    constexpr std::uint32_t now_and_then = 64; // reading the clock takes as long as looking at a few rings
    constexpr double compilation = 60;         // takes drivers some seconds, with other work on the machine more
    if (moved) {
        idle_ = 0;
        return PIXMPI_SUCCESS;
    }
    const double given = endpoint_->info.timeout, seconds = starting_ ? std::max(given, compilation) : given;
    if (given < 0 || ++idle_ % now_and_then != 0)
        return PIXMPI_SUCCESS;
    if (idle_ == now_and_then || (!starting_ && others_start()))
        note_presence();
    return std::chrono::duration<double>(Clock::now() - last_).count() < seconds ? PIXMPI_SUCCESS : time_out(seconds);
}

Status Run::go_on(Runtime &runtime, bool &moved) {
    bool any = false;
    const bool apart = endpoint_->info.mode == PIXMPI_MODE_TIMELINE;
    if (endpoint_->dispatched) {
        if (!apart)
            if (const Status failed = read_entries(runtime, any))
                return failed;
        if (!any) // one that has just called is answered first
            if (const Status failed = look_at_dispatch(any))
                return failed;
    }
    if (any)
        has_started();
    if (!endpoint_->dispatched)
        if (const Status failed = read_entries(runtime, any))
            return failed;
    if (!(apart && endpoint_->dispatched))
        if (const Status failed = collect_results(runtime, any))
            return failed;
    publish_announced();
    if (!endpoint_->dispatched)
        if (const Status failed = dispatch(any))
            return failed;
    if (left_ == 0 && calls_->finish() && !endpoint_->service->sends())
        finish();
    moved = moved || any;
    return state == State::active ? check_time(any) : PIXMPI_SUCCESS;
}

void Run::finish() {
    has_started();
    calls_.reset();
    state = State::complete;
}

void Run::fail_run(Runtime &runtime, Status failed) {
    error = last_error(failed);
    has_started();
    failing_ = true;
    failed_at_ = Clock::now();
    calls_->give_up(runtime);
}

void Run::advance(Runtime &runtime, bool &moved) {
    if (lacks())
        return;
    if (!failing_) {
        const Status failed = without_throwing([&] { return go_on(runtime, moved); });
        if (failed)
            fail_run(runtime, failed);
        return;
    }
    // What is under way ends. The wait has a limit, since a dispatch may never end.
    constexpr std::chrono::seconds patience{5};
    bool over = !endpoint_->dispatched;
    if (!over && kernel_->poll(over) != PIXMPI_SUCCESS)
        over = true;
    if (over)
        endpoint_->dispatched = false;
    if ((over && calls_->over()) || Clock::now() - failed_at_ > patience)
        finish();
}

} // namespace pixmpi
