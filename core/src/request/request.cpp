#include "request/request.h"

#include "request/channel_slots.h"
#include "shadow/shadow.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t at_a_time = 8; // there may be thousands, and others wait

void poll_outbox(Runtime &runtime) {
    for (std::size_t n = std::min(at_a_time, runtime.outbox.size()); n > 0; --n) {
        const auto first = runtime.outbox.begin();
        bool over = false;
        // An error here has no call to be reported by; the receiver's end will notice.
        if (mpi::test(first->request, over) || over) {
            runtime.outbox_bytes -= first->bytes.size();
            runtime.outbox.erase(first);
        } else {
            runtime.outbox.splice(runtime.outbox.end(), runtime.outbox, first);
        }
    }
}

bool flush_rings(Runtime &runtime) {
    bool any = false;
    for (SlotSpace *const space : runtime.spaces)
        for (LetterRings &rings : space->rings)
            any = rings.flush() || any;
    for (LetterRings &rings : runtime.left_rings)
        any = rings.flush() || any;
    return any;
}

bool rings_hold(const Runtime &runtime) {
    const auto holds = [](const LetterRings &rings) { return rings.holds(); };
    return std::any_of(runtime.left_rings.begin(), runtime.left_rings.end(), holds) ||
           std::any_of(runtime.spaces.begin(), runtime.spaces.end(), [&](const SlotSpace *space) {
               return std::any_of(space->rings.begin(), space->rings.end(), holds);
           });
}

/// From the end: what has just been started is there.
void take_off_list(Runtime &runtime, const std::shared_ptr<Request> &request) {
    auto &active = runtime.active;
    active.erase(std::find(active.rbegin(), active.rend(), request).base() - 1);
}

} // namespace

void poll_lingering(Runtime &runtime, std::size_t at_most) {
    for (std::size_t n = std::min(at_most, runtime.lingering.size()); n > 0; --n) {
        std::unique_ptr<Port> first = runtime.lingering.pop();
        bool over = false;
        if (runtime.mpi_barred && first->asks_mpi())
            runtime.lingering.push(std::move(first));
        else if (without_throwing([&] { return first->over(over); }) == PIXMPI_SUCCESS && !over)
            runtime.lingering.push(std::move(first));
    }
}

// What is small is over before a sleep is. While a driver's threads copy other pixels, these need the cores, and
// whoever waits sleeps until they have done something.
Pause pause_for(std::span<const std::shared_ptr<Surface>> surfaces, std::uint64_t pixels) {
    constexpr std::uint64_t small = 256 << 10;
    constexpr int patient = 256;
    constexpr std::chrono::microseconds of_a_gpu{2000};
    Pause pause;
    for (const auto &surface : surfaces) {
        const Device &device = *surface->device;
        if (!device.near_host())
            pause.wait.stay_awake(of_a_gpu);
        if (!device.has_threads())
            continue;
        pause.wait.yield_times(patient);
        if (pixels * static_cast<std::uint64_t>(surface->pixel_bytes) > small && device.usable())
            pause.device = surface->device;
    }
    return pause;
}

Status fail_for_lack_of(const Device &device) {
    return fail(PIXMPI_ERR_CONTEXT, "the context of the request's surface (%s) is not current in this thread",
                device.name());
}

Status start(Runtime &runtime, const std::shared_ptr<Request> &request) {
    Request &r = *request;
    if (r.state == State::active)
        return fail(PIXMPI_ERR_REQUEST, "request: active, expected one that is not");
    if (const Status error = r.check_start())
        return error;
    if (const Status error = without_throwing([&] {
            runtime.active.push_back(request); // first, as it may find no memory
            return PIXMPI_SUCCESS;
        }))
        return error;
    if (runtime.progress_thread)
        runtime.progress_thread->wake();
    r.error = {};
    r.arrival = mpi::nothing();
    const Status error = without_throwing([&] { return r.begin(runtime); });
    if (error && r.state != State::inactive) {
        const Error first = last_error(error);
        r.undo(runtime);
        r.state = State::inactive;
        repeat(first);
    }
    if (r.state == State::active) {
        bool moved = false;
        r.advance(runtime, moved);
    }
    if (r.state != State::active)
        take_off_list(runtime, request);
    return error;
}

void progress(Runtime &runtime, bool &moved) {
    serve_shadows();
    free_dropped();
    if (runtime.open)
        runtime.stage.map().presence().count_pass();
    moved = flush_rings(runtime) || moved;
    // Requests may start others, which come behind them.
    for (std::size_t i = 0; i < runtime.active.size(); ++i) {
        Request &request = *runtime.active[i];
        if (request.state == State::active)
            request.advance(runtime, moved);
    }
    std::erase_if(runtime.active, [](const auto &request) { return request->state != State::active; });
    if (!runtime.outbox.empty())
        poll_outbox(runtime);
    if (!runtime.lingering.empty())
        poll_lingering(runtime, at_a_time);
    // As long as something moves, memory comes back by itself.
    if (runtime.stage.ran_short() && !moved)
        for (const auto &one : runtime.devices)
            if (const auto device = one.lock(); device && device->usable())
                device->give_idle_memory();
}

void serve_others(Runtime &runtime, bool &moved) {
    moved = flush_rings(runtime) || moved;
    for (Request *const one : runtime.services)
        one->serve(runtime, moved);
    std::erase_if(runtime.active, [](const auto &request) { return request->state != State::active; });
    poll_lingering(runtime, at_a_time);
}

bool serves_others(const Runtime &runtime) {
    return rings_hold(runtime) || std::any_of(runtime.services.begin(), runtime.services.end(),
                                              [](const Request *one) { return one->serves(); });
}

Attendance::Attendance(Runtime &runtime) : runtime_(runtime) {
    ++runtime_.attending;
    if (runtime_.progress_thread)
        runtime_.progress_thread->make_way();
}

Attendance::~Attendance() {
    --runtime_.attending;
    if (runtime_.progress_thread)
        runtime_.progress_thread->take_over();
}

void let_others_in(Lock &lock, Pause &pause) {
    constexpr double seconds = 500e-6;
    lock.unlock();
    if (!pause.device || !pause.device->doze(seconds))
        pause.wait.pause();
    lock.lock();
}

Status wait(Runtime &runtime, Lock &lock, Request &request) {
    return go_on_until(runtime, lock, request.pause(), [&](bool &yes) {
        yes = request.state != State::active;
        return stuck(request) ? fail_for_lack_of(*request.lacks()) : PIXMPI_SUCCESS;
    });
}

void complete_all(Runtime &runtime) {
    constexpr std::chrono::seconds patience{10};
    for (const auto &request : runtime.active)
        (void)request->cancel();
    const auto busy = [&] {
        return !runtime.active.empty() || !runtime.outbox.empty() || rings_hold(runtime) ||
               runtime.lingering.any([](const Port &port) { return port.in_mpi(); });
    };
    for (Wait wait; busy(); wait.pause()) {
        bool moved = false;
        progress(runtime, moved);
        if (moved)
            wait.reset();
        if (wait.waited() > patience) {
            log_line(PIXMPI_LOG_ERROR, "MPI_Finalize: there are messages that nobody takes");
            return;
        }
    }
}

} // namespace pixmpi
