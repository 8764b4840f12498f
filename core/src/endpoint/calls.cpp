#include "endpoint/calls.h"

#include <algorithm>
#include <string>

namespace pixmpi {
namespace {

int source_of(std::int32_t source) { return source == PM_ANY_SOURCE ? MPI_ANY_SOURCE : source; }
int tag_of(std::int32_t tag) { return tag == PM_ANY_TAG ? MPI_ANY_TAG : tag; }
bool is_over(const std::shared_ptr<Message> &message) { return !message || message->state != State::active; }
Status error_of(const std::shared_ptr<Message> &message) {
    return message && message->error.code ? repeat(message->error) : PIXMPI_SUCCESS;
}

void end(Runtime &runtime, const std::shared_ptr<Message> &message) {
    if (is_over(message))
        return;
    if (!message->sends() && message->phase == Phase::matching)
        (void)message->cancel();
    else
        give_up(runtime, *message, fail(PIXMPI_ERR_PEER, "the run has failed"));
}

std::string name_of(const char *what, std::int32_t peer, std::int32_t tag) {
    const std::string from = peer == PM_ANY_SOURCE ? "any rank" : "rank " + std::to_string(peer);
    const std::string with = tag == PM_ANY_TAG ? "any tag" : "tag " + std::to_string(tag);
    return std::string(what) + from + " with " + with;
}

} // namespace

Status Calls::make(Direction direction, const RingEntry &entry, int rank, int tag, std::shared_ptr<Message> &message) {
    std::shared_ptr<Surface> surface;
    if (const Status error = endpoint_.find_part(direction, entry.window, entry.offset, entry.bytes, surface))
        return error;
    return endpoint_.make_message(direction, std::move(surface), own_rank(entry), rank, tag, message);
}

Status Calls::begin_message(Runtime &runtime, Call &call) {
    const RingEntry &entry = call.entry;
    const bool sends = entry.op == PM_OP_SEND;
    if (const Status error =
            make(sends ? Direction::pack : Direction::unpack, entry, sends ? entry.peer : source_of(entry.peer),
                 sends ? entry.tag : tag_of(entry.tag), call.message))
        return error;
    call.message->attached = std::make_unique<InWindow>(WindowPart{entry.window, entry.offset});
    return start(runtime, call.message);
}

Status Calls::begin_replace(Runtime &runtime, Call &call) {
    const RingEntry &entry = call.entry;
    if (const Status error = make(Direction::pack, entry, entry.peer, entry.tag, call.message))
        return error;
    if (const Status error = make(Direction::unpack, entry, source_of(static_cast<std::int32_t>(entry.arguments[0])),
                                  tag_of(static_cast<std::int32_t>(entry.arguments[1])), call.second))
        return error;
    // Not the send's: both ends would wait for each other.
    call.second->attached = std::make_unique<InWindow>(WindowPart{entry.window, entry.offset});
    static_cast<Receive &>(*call.second).overwrite(std::static_pointer_cast<Send>(call.message));
    if (const Status error = start(runtime, call.second))
        return error;
    return start(runtime, call.message);
}

Status Calls::begin_data(Runtime &runtime, Call &call) {
    const RingEntry &entry = call.entry;
    const bool sends = entry.op == PM_OP_SEND_DATA;
    call.words.assign(entry.bytes, 0);
    if (sends)
        std::copy_n(entry.payload.begin(), entry.bytes, call.words.begin());
    std::shared_ptr<Surface> surface;
    if (const Status error = surface_of_words(call.words, surface))
        return error;
    if (const Status error = endpoint_.make_message(sends ? Direction::pack : Direction::unpack, std::move(surface),
                                                    own_rank(entry), sends ? entry.peer : source_of(entry.peer),
                                                    sends ? entry.tag : tag_of(entry.tag), call.message))
        return error;
    return start(runtime, call.message);
}

/// `process`: whom it is done to.
Status Calls::read_operation(const RingEntry &entry, RemoteOperation &operation, int &process) const {
    const SlotSpace &space = endpoint_.slots();
    if (entry.peer < 0 || entry.peer >= space.slots())
        return fail(PIXMPI_ERR_RANK, "rank: %d, expected a slot, 0 to %d", entry.peer, space.slots() - 1);
    process = endpoint_.process_of(entry.peer);
    operation.kind = entry.op == PM_OP_PUT   ? RemoteOperation::put
                     : entry.op == PM_OP_GET ? RemoteOperation::get
                                             : RemoteOperation::signal;
    operation.window = entry.arguments[0];
    operation.offset = entry.arguments[1];
    operation.bytes = entry.bytes;
    if (entry.op != PM_OP_GET) {
        operation.signal_number = entry.arguments[2];
        operation.what = entry.arguments[3];
        operation.value = entry.arguments[4];
        if (operation.what > PM_SIGNAL_ADD)
            return fail(PIXMPI_ERR_ARGUMENT, "signal's operation: %u", operation.what);
        if (operation.what != PM_SIGNAL_NONE && operation.signal_number >= endpoint_.shape.signals)
            return fail(PIXMPI_ERR_ARGUMENT, "signal: %u, expected 0 to %u", operation.signal_number,
                        endpoint_.shape.signals - 1);
        const auto first = std::find(space.process.begin(), space.process.end(), process) - space.process.begin();
        operation.slot = static_cast<std::uint32_t>(entry.peer - first);
    }
    return entry.op == PM_OP_SIGNAL
               ? PIXMPI_SUCCESS
               : endpoint_.check_window("their window", process, operation.window, operation.offset, operation.bytes);
}

Status Calls::begin_one_sided(Runtime &runtime, const RingEntry &entry) {
    RemoteOperation operation;
    int process = 0;
    if (const Status error = read_operation(entry, operation, process))
        return error;
    const bool signal = entry.op == PM_OP_SIGNAL, here = process == endpoint_.process_of(endpoint_.slots().own);
    if (signal && here && here_ == 0) {
        do_here(operation);
        return PIXMPI_SUCCESS;
    }
    if (here)
        return begin_here(runtime, add(entry), operation);
    if (!signal && straight_.accepts(entry.window, process, operation))
        return begin_straight(add(entry), process, operation);
    if (!signal)
        return begin_there(runtime, add(entry), process, operation);
    notify(process, operation);
    return PIXMPI_SUCCESS;
}

/// Of what a quiet asks after.
void Calls::notify(int process, const RemoteOperation &operation) {
    if (std::find(touched_.begin(), touched_.end(), process) == touched_.end())
        touched_.push_back(process);
    straight_.notify(process, operation);
}

/// A copy by this process' GPU; the signal is sent behind it.
Status Calls::begin_straight(Call &call, int process, RemoteOperation operation) {
    const RingEntry &entry = call.entry;
    if (const Status error = endpoint_.check_window("window", endpoint_.process_of(endpoint_.slots().own), entry.window,
                                                    entry.offset, entry.bytes))
        return error;
    if (const Status error = straight_.begin({entry.window, entry.offset}, process, operation, call.far))
        return error;
    operation.kind = RemoteOperation::signal;
    if (operation.what != PM_SIGNAL_NONE)
        notify(process, operation);
    return PIXMPI_SUCCESS;
}

/// The operation, and behind it the bytes that are put; or first a receive for those that are got.
Status Calls::begin_there(Runtime &runtime, Call &call, int process, RemoteOperation operation) {
    const RingEntry &entry = call.entry;
    const bool put = entry.op == PM_OP_PUT;
    const Direction direction = put ? Direction::pack : Direction::unpack;
    const int tag = endpoint_.next_tag() + (put ? 0 : 1);
    operation.tag = static_cast<std::uint32_t>(tag);
    std::shared_ptr<Surface> surface;
    if (const Status error = endpoint_.find_part(direction, entry.window, entry.offset, entry.bytes, surface))
        return error;
    if (const Status error = endpoint_.make_message(direction, std::move(surface), service_rank,
                                                    endpoint_.slots().slots() + process, tag, call.message))
        return error;
    notify(process, operation);
    straight_.note_bytes(process);
    return start(runtime, call.message);
}

bool Calls::answered(const Call &call) {
    return std::all_of(call.answers.begin(), call.answers.end(), [](const OwnMessage &one) { return one.over(); });
}

/// Without messages. Operations on this process are over in the order of their posts.
Status Calls::begin_here(Runtime &runtime, Call &call, const RemoteOperation &operation) {
    const RingEntry &entry = call.entry;
    call.here = operation;
    ++here_;
    if (operation.kind == RemoteOperation::signal || operation.bytes == 0)
        return PIXMPI_SUCCESS;
    const bool put = operation.kind == RemoteOperation::put;
    if (const Status error = endpoint_.check_window("window", endpoint_.process_of(endpoint_.slots().own), entry.window,
                                                    entry.offset, entry.bytes))
        return error;
    Window &mine = *endpoint_.windows[entry.window], &other = *endpoint_.windows[operation.window];
    bool accepted = false;
    const Status failed = put ? endpoint_.memory->copy(mine, entry.offset, other, operation.offset, operation.bytes,
                                                       call.ticket, accepted)
                              : endpoint_.memory->copy(other, operation.offset, mine, entry.offset, operation.bytes,
                                                       call.ticket, accepted);
    if (failed || accepted)
        return failed;
    LocalCopy::End own, theirs;
    if (const Status error = endpoint_.find_part(put ? Direction::pack : Direction::unpack, entry.window, entry.offset,
                                                 entry.bytes, own.surface))
        return error;
    if (const Status error = endpoint_.find_part(put ? Direction::unpack : Direction::pack, operation.window,
                                                 operation.offset, operation.bytes, theirs.surface))
        return error;
    for (LocalCopy::End *const end : {&own, &theirs})
        if (const Status error = find_region(PIXMPI_WHOLE, end->surface->extent, end->region))
            return error;
    if (own.surface->pixel_bytes != theirs.surface->pixel_bytes || own.region->pixels != theirs.region->pixels)
        return fail(PIXMPI_ERR_FORMAT, "their window %u: pixels of %d bytes, expected %d as those of window %u",
                    operation.window, theirs.surface->pixel_bytes, own.surface->pixel_bytes, entry.window);
    LocalCopy::End &from = put ? own : theirs, &to = put ? theirs : own;
    call.copy = std::make_shared<LocalCopy>(std::move(from), std::move(to));
    return start(runtime, call.copy);
}

Status Calls::look_here(Call &call, bool &over) {
    if (call.copy && call.copy->error.code)
        return repeat(call.copy->error);
    over = !here_waits_ && !copies(call);
    here_waits_ = !over;
    if (!over)
        return PIXMPI_SUCCESS;
    do_here(*call.here);
    --here_;
    return PIXMPI_SUCCESS;
}

/// Its bytes are there.
void Calls::do_here(const RemoteOperation &operation) {
    if (operation.what != PM_SIGNAL_NONE)
        endpoint_.change_signal(operation.slot, operation.signal_number, operation.what, operation.value);
    ++endpoint_.stats.served;
}

/// Each process that something was done to answers when it has done all of it.
Status Calls::begin_quiet(Runtime &runtime, Call &call) {
    for (const int process : touched_) {
        RemoteOperation operation;
        operation.kind = RemoteOperation::flush;
        const int tag = endpoint_.next_tag() + 1;
        operation.tag = static_cast<std::uint32_t>(tag);
        OwnMessage &answer = call.answers.emplace_back();
        answer.words.assign(1, 0);
        std::shared_ptr<Surface> surface;
        if (const Status error = surface_of_words(answer.words, surface))
            return error;
        if (const Status error = endpoint_.make_message(Direction::unpack, std::move(surface), service_rank,
                                                        endpoint_.slots().slots() + process, tag, answer.message))
            return error;
        if (const Status error = start(runtime, answer.message))
            return error;
        straight_.notify(process, operation);
    }
    call.noted = straight_.noted();
    touched_.clear();
    return PIXMPI_SUCCESS;
}

Calls::Call &Calls::add(const RingEntry &entry) {
    Call &call = calls_.emplace_back();
    call.entry = entry;
    call.entry.payload = {};
    return call;
}

Status Calls::begin(Runtime &runtime, const RingEntry &entry) {
    if (entry.slot >= endpoint_.shape.slots)
        return fail(PIXMPI_ERR_ARGUMENT, "slot: %u, expected 0 to %u", entry.slot, endpoint_.shape.slots - 1);
    const bool with_data = entry.op == PM_OP_SEND_DATA || entry.op == PM_OP_RECV_DATA || entry.op >= PM_OP_BCAST;
    if (with_data && entry.bytes > endpoint_.shape.payload)
        return fail(PIXMPI_ERR_ARGUMENT, "words: %u, expected at most %u", entry.bytes, endpoint_.shape.payload);
    if (entry.op >= PM_OP_BARRIER && entry.op <= PM_OP_ALLREDUCE)
        return gathering_.join(runtime, entry, groups_);
    if (entry.op == PM_OP_PUT || entry.op == PM_OP_GET || entry.op == PM_OP_SIGNAL)
        return begin_one_sided(runtime, entry);
    Call &call = add(entry);
    Status failed = PIXMPI_SUCCESS;
    switch (entry.op) {
    case PM_OP_SEND:
    case PM_OP_RECV:
        failed = begin_message(runtime, call);
        break;
    case PM_OP_REPLACE:
        failed = begin_replace(runtime, call);
        break;
    case PM_OP_PROBE:
    case PM_OP_IPROBE:
        failed = check_address(*endpoint_.channel, Direction::unpack, source_of(entry.peer), tag_of(entry.tag));
        break;
    case PM_OP_SEND_DATA:
    case PM_OP_RECV_DATA:
        call.entry.payload = entry.payload; // copied at once
        failed = begin_data(runtime, call);
        call.entry.payload = {};
        break;
    case PM_OP_QUIET:
        failed = begin_quiet(runtime, call);
        break;
    default:
        failed = fail(PIXMPI_ERR_ARGUMENT, "operation: %u, expected one of PM_OP_*", entry.op);
    }
    return failed;
}

Status Calls::ask(Runtime &runtime, Call &call, bool &over, Result &result) {
    const Packet *found = nullptr;
    const RingEntry &entry = call.entry;
    if (const Status error = slots_of(*endpoint_.channel)
                                 .look(runtime, own_rank(entry), source_of(entry.peer), tag_of(entry.tag), found))
        return error;
    over = found || entry.op == PM_OP_IPROBE;
    if (!found)
        return PIXMPI_SUCCESS;
    Envelope envelope;
    result.source = found->arrival.source;
    result.tag = found->arrival.tag;
    result.bytes = decode({found->bytes.data(), found->arrival.bytes}, envelope)
                       ? static_cast<std::uint32_t>(envelope.bytes())
                       : 0;
    return PIXMPI_SUCCESS;
}

Status Calls::look(Call &call, bool &over, Result &result) {
    if (call.entry.op == PM_OP_PROBE || call.entry.op == PM_OP_IPROBE)
        return ask(runtime(), call, over, result);
    if (call.here)
        return look_here(call, over);
    if (call.entry.op == PM_OP_QUIET)
        return look_at_quiet(call, over);
    if (const Status error = error_of(call.message))
        return error;
    if (const Status error = error_of(call.second))
        return error;
    over = is_over(call.message) && is_over(call.second) && straight_.over(call.far);
    far_waits_ = far_waits_ || !straight_.over(call.far) || (call.entry.op == PM_OP_GET && !over);
    const Message *const received = call.second                              ? call.second.get()
                                    : call.message && !call.message->sends() ? call.message.get()
                                                                             : nullptr;
    if (over && received) {
        result.source = received->arrival.source;
        result.tag = received->arrival.tag;
        result.bytes = static_cast<std::uint32_t>(received->arrival.bytes);
    }
    if (call.entry.op == PM_OP_RECV_DATA)
        result.data = call.words;
    return PIXMPI_SUCCESS;
}

Status Calls::look_at_quiet(Call &call, bool &over) {
    for (const OwnMessage &answer : call.answers)
        if (const Status error = error_of(answer.message))
            return error;
    over = !here_waits_ && !quiet_waits_ && !far_waits_ && answered(call);
    quiet_waits_ = !over;
    if (over)
        straight_.forget_bytes(call.noted);
    return PIXMPI_SUCCESS;
}

Status Calls::end_gathering(std::vector<std::pair<RingEntry, Result>> &ended) {
    if (!gathering_.over())
        return PIXMPI_SUCCESS;
    const Status failed = gathering_.finish();
    const Error error = last_error(failed);
    gathered_.assign(gathering_.data().begin(), gathering_.data().end());
    for (const Gathering::Member &member : gathering_.release_members()) {
        Result result;
        if (member.entry.op != PM_OP_BARRIER &&
            (member.entry.op != PM_OP_REDUCE || own_rank(member.entry) == member.entry.peer))
            result.data = gathered_;
        ended.emplace_back(member.entry, result);
    }
    return failed ? repeat(error) : PIXMPI_SUCCESS;
}

bool Calls::finish() {
    for (Call &call : calls_)
        for (const auto &message : {call.message, call.second})
            if (!is_over(message) && !message->sends() && message->phase == Phase::matching)
                (void)message->cancel();
    std::erase_if(calls_, [this](const Call &call) {
        return !call.here && is_over(call.message) && is_over(call.second) && !copies(call) && answered(call);
    });
    return calls_.empty();
}

void Calls::give_up(Runtime &runtime) {
    (void)endpoint_.service->send_announced(runtime);
    gathering_.give_up();
    for (Call &call : calls_) {
        end(runtime, call.message);
        end(runtime, call.second);
        if (call.copy && call.copy->state == State::active)
            call.copy->fail_with(fail(PIXMPI_ERR_PEER, "the run has failed"));
        for (const OwnMessage &answer : call.answers)
            end(runtime, answer.message);
    }
}

bool Calls::over() {
    if (!calls_.empty() && (endpoint_.memory->look_at_copies(copied_) || straight_.look()))
        return true; // the device is lost
    return gathering_.packets_over() && std::all_of(calls_.begin(), calls_.end(), [this](const Call &call) {
               return is_over(call.message) && is_over(call.second) && !copies(call) && answered(call);
           });
}

std::string Calls::describe(std::uint32_t group, std::uint32_t calls, std::vector<int> &others) const {
    const auto of_rank = [&](std::int32_t rank) {
        if (rank >= 0 && rank < endpoint_.channel->size)
            others.push_back(endpoint_.process_of(rank));
    };
    for (const Call &call : calls_) {
        const RingEntry &entry = call.entry;
        if (entry.group != group || entry.call >= 32 || !(calls >> entry.call & 1))
            continue;
        switch (entry.op) {
        case PM_OP_SEND:
            of_rank(entry.peer);
            return name_of("a receiver for its message to ", entry.peer, entry.tag);
        case PM_OP_RECV:
        case PM_OP_RECV_DATA:
        case PM_OP_PROBE:
            of_rank(entry.peer);
            return name_of("a message from ", entry.peer, entry.tag);
        case PM_OP_REPLACE:
            of_rank(static_cast<std::int32_t>(entry.arguments[0]));
            return name_of("a message from ", static_cast<std::int32_t>(entry.arguments[0]),
                           static_cast<std::int32_t>(entry.arguments[1]));
        case PM_OP_GET:
            of_rank(entry.peer);
            return "bytes of rank " + std::to_string(entry.peer);
        case PM_OP_QUIET:
            for (const OwnMessage &answer : call.answers)
                if (!answer.over())
                    of_rank(answer.message->rank);
            return "what it has put and signalled";
        default:
            return "a call";
        }
    }
    if (!gathering_.waits_for(group))
        return "a call";
    others = gathering_.missing();
    return "a collective that not all workgroups of all processes have called";
}

} // namespace pixmpi
