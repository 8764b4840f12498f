#include "request/request.h"

#include "shadow/shadow.h"

#include <algorithm>
#include <cstdio>

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
            Packets sent;
            sent.splice(sent.end(), runtime.outbox, first);
            runtime.packets.put(sent);
        } else {
            runtime.outbox.splice(runtime.outbox.end(), runtime.outbox, first);
        }
    }
}

bool flush_carriers(Runtime &runtime) {
    bool any = false;
    for (Carrier *const one : runtime.carriers)
        any = one->flush() || any;
    return any;
}

bool carriers_hold(const Runtime &runtime) {
    return std::any_of(runtime.carriers.begin(), runtime.carriers.end(),
                       [](const Carrier *one) { return one->holds(); });
}

/// Those that are over leave, and those that have nothing to do rest.
void sort_out(Runtime &runtime, Request &request) {
    if (request.state != State::active)
        runtime.active.remove(request);
    else if (request.rests)
        runtime.resting.push(request);
}

void sort_out_all(Runtime &runtime) {
    for (Request *one = runtime.active.first(); one;) {
        Request *const next = RequestQueue::after(*one);
        sort_out(runtime, *one);
        one = next;
    }
}

} // namespace

KeptError &KeptError::operator=(const Error &error) {
    code = error.code;
    all_.reset();
    try {
        if (code)
            all_ = std::make_shared<const Error>(error);
    } catch (const std::bad_alloc &) {
    }
    return *this;
}

const char *KeptError::text() const { return all_ ? all_->text.data() : code ? pixMPI_Error_string(code) : ""; }

KeptError::operator Error() const {
    Error whole{code};
    std::snprintf(whole.text.data(), whole.text.size(), "%s", text());
    return whole;
}

Request *RequestQueue::after(const Request &request) { return request.next_; }

void RequestQueue::link(Request &request) {
    request.queue_ = this;
    request.next_ = nullptr;
    request.previous_ = last_;
    (last_ ? last_->next_ : first_) = &request;
    last_ = &request;
    ++size_;
}

void RequestQueue::unlink(Request &request) {
    (request.previous_ ? request.previous_->next_ : first_) = request.next_;
    (request.next_ ? request.next_->previous_ : last_) = request.previous_;
    request.queue_ = nullptr;
    --size_;
}

void RequestQueue::push(const std::shared_ptr<Request> &request) {
    if (request->queue_)
        request->queue_->unlink(*request);
    else
        request->self_ = request;
    link(*request);
}

void RequestQueue::push(Request &request) {
    if (!request.queue_ || request.queue_ == this)
        return;
    request.queue_->unlink(request);
    link(request);
}

void RequestQueue::remove(Request &request) {
    request.queue_->unlink(request);
    const std::shared_ptr<Request> last = std::move(request.self_); // it may end here
}

void poll_unread_sends(Runtime &runtime, std::size_t at_most) {
    for (std::size_t n = std::min(at_most, runtime.unread_sends.size()); n > 0; --n) {
        std::unique_ptr<Port> first = runtime.unread_sends.pop();
        bool over = false;
        if (runtime.mpi_barred && first->asks_mpi())
            runtime.unread_sends.push(std::move(first));
        else if (without_throwing([&] { return first->over(over); }) == PIXMPI_SUCCESS && !over)
            runtime.unread_sends.push(std::move(first));
    }
}

void stay_awake_for(Pause &pause, const Device &device) {
    constexpr std::chrono::microseconds of_a_gpu{2000};
    if (!device.near_host())
        pause.wait.stay_awake(of_a_gpu);
}

// Small requests complete before a sleep ends. While a driver's threads copy other pixels, these need the cores, and a
// waiting call sleeps until they have done something.
Pause pause_for(std::span<const std::shared_ptr<Surface>> surfaces, std::uint64_t pixels) {
    constexpr std::uint64_t small = 256 << 10;
    constexpr int patient = 256;
    Pause pause;
    for (const auto &surface : surfaces) {
        const Device &device = *surface->device;
        stay_awake_for(pause, device);
        if (!device.has_threads())
            continue;
        pause.wait.yield_times(patient);
        if (pixels * static_cast<std::uint64_t>(surface->pixel_bytes) > small && device.usable())
            pause.device = surface->device;
    }
    return pause;
}

// The call returns, and nobody looks after what devices have submitted for it before its pixels are there.
Status fail_for_lack_of(const Device &device) {
    for (Request *one = runtime().active.first(); one; one = RequestQueue::after(*one))
        one->end_wait();
    for (const auto &one : runtime().devices)
        if (const auto idle = one.lock(); idle && idle->usable())
            idle->end_vain_waits();
    return fail(PIXMPI_ERR_CONTEXT, "the context of the request's surface (%s) is not current in this thread",
                device.name());
}

Status start(Runtime &runtime, const std::shared_ptr<Request> &request) {
    Request &r = *request;
    if (r.state == State::active)
        return fail(PIXMPI_ERR_REQUEST, "request: active, expected one that is not");
    if (const Status error = r.check_start())
        return error;
    runtime.active.push(request);
    if (runtime.progress_thread)
        runtime.progress_thread->wake();
    r.error = KeptError();
    r.arrival = mpi::nothing();
    const Status error = without_throwing([&] { return r.begin(runtime); });
    if (error && r.state != State::inactive) {
        const Error first = last_error(error);
        r.undo(runtime);
        r.state = State::inactive;
        repeat(first);
    }
    if (r.state == State::active && !r.rests) {
        bool moved = false;
        r.advance(runtime, moved);
    }
    sort_out(runtime, r);
    return error;
}

void advance_requests(Runtime &runtime, bool &moved) {
    // Requests may start further requests, which come behind them.
    for (Request *one = runtime.active.first(); one; one = RequestQueue::after(*one))
        if (one->state == State::active)
            one->advance(runtime, moved);
    sort_out_all(runtime);
}

void progress(Runtime &runtime, bool &moved) {
    serve_shadows();
    if (runtime.open)
        runtime.stage.map().presence().count_pass();
    moved = flush_carriers(runtime) || moved;
    for (std::size_t i = 0; i < runtime.matchers.size();) {
        if (runtime.matchers[i]->advance(runtime, moved))
            ++i;
        else
            runtime.matchers.erase(runtime.matchers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    advance_requests(runtime, moved);
    if (!runtime.outbox.empty())
        poll_outbox(runtime);
    if (!runtime.unread_sends.empty())
        poll_unread_sends(runtime, at_a_time);
    // As long as something moves, memory comes back by itself.
    if (runtime.stage.ran_short() && !moved)
        for (const auto &one : runtime.devices)
            if (const auto device = one.lock(); device && device->usable()) {
                device->end_vain_waits(); // others' work is behind them
                device->give_idle_memory();
            }
    free_dropped();
}

void serve_others(Runtime &runtime, bool &moved) {
    moved = flush_carriers(runtime) || moved;
    for (Request *const one : runtime.services)
        one->serve(runtime, moved);
    sort_out_all(runtime);
    poll_unread_sends(runtime, at_a_time);
}

bool serves_others(const Runtime &runtime) {
    return carriers_hold(runtime) || std::any_of(runtime.services.begin(), runtime.services.end(),
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
        runtime_.progress_thread->resume();
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
    const auto for_each = [&runtime](const auto &end) {
        for (RequestQueue *const queue : {&runtime.active, &runtime.resting})
            for (Request *one = queue->first(); one;) {
                Request *const next = RequestQueue::after(*one);
                end(*one);
                one = next;
            }
    };
    for_each([](Request &one) { (void)one.cancel(); });
    const auto busy = [&] {
        return !runtime.active.empty() || !runtime.resting.empty() || !runtime.outbox.empty() ||
               carriers_hold(runtime) || runtime.unread_sends.any([](const Port &port) { return port.in_mpi(); });
    };
    for (Wait wait; busy(); wait.pause()) {
        bool moved = false;
        progress(runtime, moved);
        if (moved)
            wait.reset();
        if (wait.waited() > patience) {
            log_line(PIXMPI_LOG_ERROR, "MPI_Finalize: there are messages that no receive has taken");
            // Else they would keep their communicators. What a schedule has begun instead goes as well.
            constexpr std::chrono::seconds longest_end{1};
            const auto is_over = [&] { return runtime.active.empty() && runtime.resting.empty(); };
            for (Wait end; !is_over() && end.waited() <= longest_end; end.pause()) {
                for_each([&](Request &one) { one.abandon(runtime); });
                progress(runtime, moved);
            }
            break;
        }
    }
    for (Matcher *const one : runtime.matchers)
        one->close(runtime);
}

} // namespace pixmpi
