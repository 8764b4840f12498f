#include "request/message.h"

#include "base/wait.h"

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

void poll_leftovers(Runtime &runtime) {
    for (std::size_t n = std::min(at_a_time, runtime.leftovers.size()); n > 0; --n) {
        std::unique_ptr<Port> first = runtime.leftovers.pop();
        bool over = false;
        if (without_throwing([&] { return first->over(over); }) == PIXMPI_SUCCESS && !over)
            runtime.leftovers.push(std::move(first));
    }
}

void advance(Runtime &runtime, Message &message, bool &moved) {
    if (message.settling) {
        complete(runtime, message);
        return;
    }
    const Status error = without_throwing([&] {
        return message.direction == Direction::pack ? advance_send(runtime, message, moved)
                                                    : advance_recv(runtime, message, moved);
    });
    if (error) {
        moved = true;
        fail_message(runtime, message, error);
    }
}

void log_message(const Message &message, const char *what) {
    if (!logs(PIXMPI_LOG_DEBUG))
        return;
    const bool sends = message.direction == Direction::pack;
    log_line(PIXMPI_LOG_DEBUG, "%s %s %d, tag %d: %s%s%s", sends ? "send" : "receive", sends ? "to" : "from",
             message.arrival.source >= 0 ? message.arrival.source : message.rank,
             message.arrival.tag >= 0 ? message.arrival.tag : message.tag, what, message.error.code ? ", " : "",
             message.error.text.data());
}

Status check_rank(const Channel &channel, Direction direction, int rank) {
    const bool any = direction == Direction::unpack && rank == MPI_ANY_SOURCE;
    if ((rank >= 0 && rank < channel.size) || rank == MPI_PROC_NULL || any)
        return PIXMPI_SUCCESS;
    const bool sends = direction == Direction::pack;
    return fail(PIXMPI_ERR_RANK, "%s: %d, expected a rank from 0 to %d, or MPI_PROC_NULL%s", sends ? "dest" : "source",
                rank, channel.size - 1, sends ? "" : ", or MPI_ANY_SOURCE");
}

Status check_tag(const Channel &channel, Direction direction, int tag) {
    const bool any = direction == Direction::unpack && tag == MPI_ANY_TAG;
    if ((tag >= 0 && tag <= channel.most_tag) || any)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_TAG, "tag: %d, expected 0 to %d (MPI_TAG_UB)%s", tag, channel.most_tag,
                direction == Direction::pack ? "" : ", or MPI_ANY_TAG");
}

} // namespace

Status check_address(const Channel &channel, Direction direction, int rank, int tag) {
    if (const Status error = check_rank(channel, direction, rank))
        return error;
    return check_tag(channel, direction, tag);
}

Status make_message(Direction direction, std::shared_ptr<Surface> surface, pixMPI_Region region, int rank, int tag,
                    MPI_Comm comm, std::shared_ptr<Message> &message) {
    auto made = std::make_shared<Message>();
    if (const Status error = find_channel(comm, made->channel))
        return error;
    if (const Status error = check_address(*made->channel, direction, rank, tag))
        return error;
    if (const Status error = find_region(region, surface->extent, made->region))
        return error;
    made->direction = direction;
    made->rank = rank;
    made->tag = tag;
    made->surface = std::move(surface);
    message = std::move(made);
    return PIXMPI_SUCCESS;
}

Status check_start(const Message &message) {
    if (message.state == State::active)
        return fail(PIXMPI_ERR_REQUEST, "request: active, expected one that is not");
    if (!message.device().usable())
        return fail(PIXMPI_ERR_CONTEXT, "the context of the request's surface (%s) is not current in this thread",
                    message.device().name());
    if (message.channel->closed)
        return fail(PIXMPI_ERR_COMM, "comm: has been freed or detached since the request was made");
    return PIXMPI_SUCCESS;
}

namespace {

/// Inactive until its transfer has been told of the start, which has to be told of the end.
Status begin(Runtime &runtime, Message &m) {
    if (!m.transfer)
        if (const Status error = m.device().make_transfer(m.direction, m.surface, m.region, m.transfer))
            return error;
    m.error = {};
    m.short_since.reset();
    m.bytes = 0;
    m.arrival = mpi::nothing();
    m.settling = false;
    log_message(m, "begins");
    m.transfer->start();
    m.state = State::active;
    if (m.blocking)
        m.transfer->await();
    if (m.rank == MPI_PROC_NULL) {
        m.arrival = mpi::nobody();
        const Status error = m.transfer->end();
        m.state = error ? State::inactive : State::complete;
        return error;
    }
    return m.direction == Direction::pack ? start_send(runtime, m) : start_recv(runtime, m);
}

} // namespace

Status start(Runtime &runtime, const std::shared_ptr<Message> &message) {
    Message &m = *message;
    if (const Status error = check_start(m))
        return error;
    if (const Status error = without_throwing([&] {
            runtime.active.push_back(message); // first, as it may find no memory
            return PIXMPI_SUCCESS;
        }))
        return error;
    const Status error = without_throwing([&] { return begin(runtime, m); });
    if (error && m.state != State::inactive) {
        const Error first = last_error(error);
        m.transfer->abandon();
        m.transfer->settled(); // what it had promised is done now, not at its next start
        m.port.reset();
        m.state = State::inactive;
        repeat(first);
    }
    if (m.state == State::active) {
        bool moved = false;
        advance(runtime, m, moved);
    }
    if (m.state != State::active)
        runtime.active.pop_back();
    return error;
}

void complete(Runtime &runtime, Message &message) {
    message.settling = !message.transfer->settled();
    if (message.settling)
        return;
    message.state = State::complete;
    if (message.port && message.port->by_peer() && message.route == PIXMPI_ROUTE_SHM)
        message.route = PIXMPI_ROUTE_PEER;
    if (message.port && message.direction == Direction::pack) {
        bool over = false;
        if (message.port->over(over) == PIXMPI_SUCCESS && !over) {
            message.port->leave_device();
            runtime.leftovers.push(std::move(message.port)); // its receiver has not heard all of it yet
        }
    }
    message.port.reset();
    log_message(message, message.arrival.cancelled ? "is cancelled"
                         : message.error.code      ? "has failed"
                                                   : "is complete");
    if (message.error.code || message.arrival.cancelled)
        return;
    pixMPI_Stats &stats = runtime.stats;
    if (message.direction == Direction::pack) {
        ++stats.messages_sent;
        stats.bytes_sent += message.bytes;
        stats.bytes_by_route[message.route] += message.bytes;
    } else {
        ++stats.messages_received;
        stats.bytes_received += message.bytes;
    }
}

namespace {

bool memory_may_come(Message &message) {
    constexpr std::chrono::seconds patience{10};
    if (!message.short_since)
        message.short_since.emplace();
    return message.short_since->waited() < patience;
}

} // namespace

void fail_message(Runtime &runtime, Message &message, Status error) {
    const bool first = message.error.code == PIXMPI_SUCCESS;
    if (first) {
        message.error = last_error(error);
        message.transfer->abandon();
    }
    // Nobody else can take what comes; that there is no memory for it may pass.
    const bool memory = error == PIXMPI_ERR_MEMORY && memory_may_come(message);
    const bool goes_on = message.port ? !message.port->can_refuse() && error != PIXMPI_ERR_PEER &&
                                            error != PIXMPI_ERR_MPI && (first || memory)
                                      : message.matched && memory && !refuse(message);
    if (goes_on) {
        message.pipeline.discard();
        return;
    }
    drop_letter(runtime, message);
    if (message.port)
        message.port->give_up();
    complete(runtime, message);
}

void drop_letter(Runtime &runtime, Message &message) {
    if (message.letter.empty() || message.letter.front().request == MPI_REQUEST_NULL)
        return;
    Letter &letter = message.letter.front();
    bool over = false;
    if (!message.taken)
        (void)mpi::cancel(letter.request);
    if (mpi::test(letter.request, over) || over)
        return;
    runtime.outbox_bytes += letter.bytes.size();
    runtime.outbox.splice(runtime.outbox.end(), message.letter);
}

void progress(Runtime &runtime, bool &moved) {
    for (std::size_t i = 0; i < runtime.active.size(); ++i) {
        Message &message = *runtime.active[i];
        if (message.state == State::active)
            advance(runtime, message, moved);
    }
    std::erase_if(runtime.active, [](const auto &message) { return message->state != State::active; });
    if (!runtime.outbox.empty())
        poll_outbox(runtime);
    if (!runtime.leftovers.empty())
        poll_leftovers(runtime);
}

// A small message is over before a sleep is. While a driver's threads copy others, these need the cores, and whoever
// waits sleeps until they have done something.
Pause suit(const Message &message) {
    constexpr std::uint64_t small = 256 << 10;
    constexpr int patient = 256;
    constexpr std::chrono::microseconds of_a_gpu{2000};
    Pause pause;
    if (!message.device().near_host())
        pause.wait.stay_awake(of_a_gpu);
    if (!message.device().has_threads())
        return pause;
    const std::uint64_t bytes = message.region->pixels * static_cast<std::uint64_t>(message.surface->pixel_bytes);
    pause.wait.yield_times(patient);
    if (bytes > small && message.device().usable())
        pause.device = message.surface->device;
    return pause;
}

void let_others_in(Lock &lock, Pause &pause) {
    constexpr double seconds = 500e-6;
    lock.unlock();
    if (!pause.device || !pause.device->doze(seconds))
        pause.wait.pause();
    lock.lock();
}

bool stuck(const Message &message) { return message.state == State::active && !message.device().usable(); }

Status wait(Runtime &runtime, Lock &lock, Message &message) {
    return go_on_until(runtime, lock, suit(message), [&](bool &yes) {
        yes = message.state != State::active;
        return stuck(message)
                   ? fail(PIXMPI_ERR_CONTEXT, "the context of the request's surface (%s) is not current in this thread",
                          message.device().name())
                   : PIXMPI_SUCCESS;
    });
}

void finish_all(Runtime &runtime) {
    constexpr std::chrono::seconds patience{10};
    for (const auto &message : runtime.active)
        if (message->direction == Direction::unpack)
            cancel(*message);
    const auto busy = [&] {
        return !runtime.active.empty() || !runtime.outbox.empty() ||
               runtime.leftovers.any([](const Port &port) { return port.in_mpi(); });
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

Status cancel(Message &message) {
    if (message.direction == Direction::pack)
        return fail(PIXMPI_ERR_REQUEST, "request: a send cannot be cancelled");
    if (message.state != State::active || message.matched || message.taken)
        return PIXMPI_SUCCESS; // it completes as if it had not been cancelled
    return mpi::cancel(message.letter.front().request);
}

} // namespace pixmpi
