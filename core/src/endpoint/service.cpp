#include "endpoint/service.h"

#include <algorithm>
#include <cstring>

namespace pixmpi {
namespace {

void end(Runtime &runtime, Message &message) {
    if (message.state != State::active)
        return;
    if (!message.sends() && message.phase == Phase::matching)
        (void)message.cancel();
    else
        give_up(runtime, message, fail(PIXMPI_ERR_PEER, "the endpoint has been freed"));
}

} // namespace

Service::~Service() { std::erase(runtime().services, this); }

Status Service::begin(Runtime &runtime) {
    runtime.services.push_back(this);
    state = State::active;
    return expect(runtime);
}

Status Service::expect(Runtime &runtime) {
    arrived_.words.assign(most_operations * operation_words, 0);
    next_ = 0;
    std::shared_ptr<Surface> surface;
    if (const Status failed = surface_of_words(arrived_.words, surface))
        return failed;
    if (const Status failed = endpoint_->make_message(Direction::unpack, std::move(surface), service_rank,
                                                      MPI_ANY_SOURCE, operation_tag, arrived_.message))
        return failed;
    return start(runtime, arrived_.message);
}

Status Service::cancel() {
    close();
    return PIXMPI_SUCCESS;
}

void Service::close() {
    Runtime &runtime = pixmpi::runtime();
    if (arrived_.message)
        end(runtime, *arrived_.message);
    if (bytes_)
        end(runtime, *bytes_);
    for (const auto &answer : answers_)
        end(runtime, *answer);
    std::erase(runtime.services, this);
    endpoint_ = nullptr;
    state = State::complete;
}

Status Service::send_words(Runtime &runtime, int process, int tag, std::vector<std::uint32_t> words) {
    OwnMessage &one = sent_.emplace_back();
    one.words = std::move(words);
    std::shared_ptr<Surface> surface;
    Status failed = surface_of_words(one.words, surface);
    if (!failed)
        failed = endpoint_->make_message(Direction::pack, std::move(surface), service_rank,
                                         endpoint_->slots().slots() + process, tag, one.message);
    if (!failed)
        failed = start(runtime, one.message);
    if (failed)
        sent_.pop_back();
    return failed;
}

void Service::notify(int process, const RemoteOperation &operation) {
    std::vector<std::uint32_t> &words = outbox_[process];
    if (RemoteOperation last; !words.empty()) {
        std::memcpy(static_cast<void *>(&last), words.data() + words.size() - operation_words, sizeof last);
        if (last.adds_as(operation)) {
            last.value += operation.value;
            std::memcpy(words.data() + words.size() - operation_words, &last, sizeof last);
            return;
        }
    }
    words.resize(words.size() + operation_words);
    std::memcpy(words.data() + words.size() - operation_words, &operation, sizeof operation);
}

Status Service::send_announced(Runtime &runtime) {
    constexpr std::size_t most = most_operations * operation_words;
    for (auto &[process, words] : outbox_) {
        for (std::size_t at = 0; at < words.size(); at += most) {
            const std::span part = std::span(words).subspan(at, std::min(most, words.size() - at));
            if (const Status failed = send_words(runtime, process, operation_tag, {part.begin(), part.end()}))
                return failed;
        }
        words.clear();
    }
    return PIXMPI_SUCCESS;
}

/// What another process wrote is checked before it is used.
Status Service::do_operation(Runtime &runtime) {
    const RemoteOperation &one = operation_;
    const int from = arrived_.message->arrival.source;
    const bool signals = one.what != PM_SIGNAL_NONE;
    if (signals && (one.slot >= endpoint_->shape.slots || one.signal_number >= endpoint_->shape.signals))
        return fail(PIXMPI_ERR_ARGUMENT, "signal: %u of slot %u", one.signal_number, one.slot);
    if (one.tag >= 1U << 15)
        return fail(PIXMPI_ERR_TAG, "tag: %u", one.tag);
    const int tag = static_cast<int>(one.tag);
    std::shared_ptr<Surface> surface;
    switch (one.kind) {
    case RemoteOperation::put:
    case RemoteOperation::get: {
        const Direction direction = one.kind == RemoteOperation::put ? Direction::unpack : Direction::pack;
        if (const Status failed = endpoint_->find_part(direction, one.window, one.offset, one.bytes, surface))
            return failed;
        std::shared_ptr<Message> message;
        if (const Status failed =
                endpoint_->make_message(direction, std::move(surface), service_rank, from, tag, message))
            return failed;
        if (const Status failed = start(runtime, message))
            return failed;
        if (one.kind == RemoteOperation::put)
            bytes_ = std::move(message);
        else
            answers_.push_back(std::move(message));
        return PIXMPI_SUCCESS;
    }
    case RemoteOperation::flush:
        return send_words(runtime, endpoint_->process_of(from), tag, {1});
    case RemoteOperation::signal:
        return PIXMPI_SUCCESS;
    default:
        return fail(PIXMPI_ERR_ARGUMENT, "operation: %u", one.kind);
    }
}

void Service::finish_operation() {
    if (operation_.what != PM_SIGNAL_NONE)
        endpoint_->change_signal(operation_.slot, operation_.signal_number, operation_.what, operation_.value);
    order_stores(); // a run that waits for it may be in no call of the library for long
    ++endpoint_->stats.served;
}

/// Whether an answer to the operation at hand finds a way, even where MPI is barred.
bool Service::may_answer(const Runtime &runtime) const {
    const auto process = static_cast<std::size_t>(endpoint_->process_of(arrived_.message->arrival.source));
    return !runtime.mpi_barred || (endpoint_->slots().neighbours[process].out && runtime.stage.has_flow());
}

/// One of the operations that have come. One that fails is left out. One that this thread cannot begin, for lack of a
/// graphics context or of MPI, is postponed.
Status Service::carry_out(Runtime &runtime) {
    if (arrived_.message->error.code)
        return repeat(arrived_.message->error);
    Status failed = PIXMPI_SUCCESS;
    if (!bytes_) {
        std::memcpy(static_cast<void *>(&operation_), arrived_.words.data() + next_ * operation_words,
                    sizeof operation_);
        const bool way = may_answer(runtime);
        failed = way ? do_operation(runtime) : PIXMPI_SUCCESS;
        lacks_context_ = failed == PIXMPI_ERR_CONTEXT;
        postponed_ = !way || lacks_context_;
        if (postponed_)
            return PIXMPI_SUCCESS;
        if (!failed && bytes_ && bytes_->state == State::active)
            return PIXMPI_SUCCESS;
    }
    if (bytes_ && bytes_->error.code)
        failed = fail(PIXMPI_ERR_PEER, "what was put has not come");
    bytes_.reset();
    if (!failed)
        finish_operation();
    const Error first = last_error(failed);
    if (++next_ * sizeof operation_ >= static_cast<std::size_t>(arrived_.message->arrival.bytes))
        if (const Status lost = expect(runtime); lost && !failed)
            return lost;
    return failed ? repeat(first) : PIXMPI_SUCCESS;
}

void Service::advance(Runtime &runtime, bool &moved) {
    std::erase_if(sent_, [](const OwnMessage &one) { return one.over(); });
    std::erase_if(answers_, [](const auto &one) { return one->state != State::active; });
    while (endpoint_ && arrived_.message && arrived_.message->state != State::active &&
           !(bytes_ && bytes_->state == State::active)) {
        postponed_ = false;
        const Status failed = without_throwing([&] { return carry_out(runtime); });
        if (postponed_)
            return;
        moved = true;
        if (!failed)
            continue;
        log_line(PIXMPI_LOG_ERROR, "an operation of another slot: %s", last_error(failed).text.data());
        // A slot that ends in the middle of its message leaves the others to be heard. Other errors would come again.
        if (const Status lost = arrived_.message->error.code; lost && (lost != PIXMPI_ERR_PEER || expect(runtime)))
            arrived_.message.reset();
        return;
    }
}

template <class Body> void Service::for_each_message(Body body) const {
    for (const auto &one : {arrived_.message, bytes_})
        if (one)
            body(*one);
    for (const auto &one : answers_)
        body(*one);
    for (const OwnMessage &one : sent_)
        body(*one.message);
}

void Service::serve(Runtime &runtime, bool &moved) {
    if (!endpoint_)
        return;
    // The program's next call returns an error.
    (void)without_throwing([&] { return endpoint_->channel->program->collect(runtime); });
    for_each_message([&](Message &one) {
        if (one.state == State::active && !one.lacks() && !(runtime.mpi_barred && one.goes_by_mpi()))
            one.advance(runtime, moved);
    });
    advance(runtime, moved);
}

bool Service::serves() const {
    bool any = endpoint_ && arrived_.message && arrived_.message->state != State::active && !bytes_ && !lacks_context_;
    for_each_message(
        [&](const Message &one) { any = any || (one.state == State::active && !one.rests && !one.lacks()); });
    return any;
}

} // namespace pixmpi
