#include "request/schedule_letters.h"

#include "host/host_device.h"
#include "request/notice.h"

#include <algorithm>

namespace pixmpi {
namespace {

bool matches(const Letter &letter, const Message &message) {
    return letter.schedule == message.schedule && letter.arrival.source == message.rank &&
           letter.arrival.tag == message.tag;
}

void give(Message &message, Letters &from, Letters::iterator letter) {
    message.taken = true;
    message.letter.clear();
    message.letter.splice(message.letter.end(), from, letter);
}

/// All of it has come: it goes to the receive that it matches, or to those that wait.
void hand_out(Channel &channel, Letters &from, Letters::iterator letter) {
    Inbox &inbox = channel.inbox;
    if (letter->arrival.tag == notice_tag) {
        hear(channel, *letter);
        from.erase(letter);
        return;
    }
    Envelope envelope;
    if (!decode({letter->bytes.data(), letter->arrival.bytes}, envelope)) {
        log_line(PIXMPI_LOG_ERROR, "what came from rank %d for a collective is no envelope", letter->arrival.source);
        from.erase(letter);
        return;
    }
    letter->schedule = envelope.schedule;
    const auto found = std::find_if(inbox.posted.begin(), inbox.posted.end(),
                                    [&](const Message *one) { return matches(*letter, *one); });
    if (found == inbox.posted.end()) {
        inbox.unwanted = inbox.unwanted || !is_wanted(channel, letter->schedule);
        inbox.waiting.splice(inbox.waiting.end(), from, letter);
        return;
    }
    Message &message = **found;
    inbox.posted.erase(found);
    give(message, from, letter);
}

Status take_from_mpi(Channel &channel) {
    for (;;) {
        bool found = false;
        mpi::Arrival arrival;
        const MPI_Comm comm = channel.schedule_envelopes;
        if (const Status error = mpi::look(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, found, arrival); error || !found)
            return error;
        Letters letter(1);
        Letter &one = letter.front();
        one.arrival = arrival;
        one.bytes.resize(arrival.bytes);
        if (const Status error = mpi::take(comm, arrival, one.bytes.data(), one.request))
            return error;
        channel.inbox.arriving.splice(channel.inbox.arriving.end(), letter);
    }
}

/// In the order in which each rank has sent them. A rank that dies in the middle of one keeps no other rank's back.
Status hand_out_arrived(Channel &channel) {
    Letters &arriving = channel.inbox.arriving;
    for (auto one = arriving.begin(); one != arriving.end();) {
        const auto letter = one++;
        const bool behind = std::any_of(arriving.begin(), letter, [&](const Letter &before) {
            return before.arrival.source == letter->arrival.source;
        });
        bool here = false;
        if (const Status error = behind ? PIXMPI_SUCCESS : mpi::test(letter->request, here))
            return error;
        if (here)
            hand_out(channel, arriving, letter);
    }
    return PIXMPI_SUCCESS;
}

/// Those that find no memory for that are tried again.
Status refuse_unwanted(Runtime &runtime, const std::shared_ptr<Channel> &channel) {
    Inbox &inbox = channel->inbox;
    for (auto one = inbox.waiting.begin(); one != inbox.waiting.end();) {
        const auto letter = one++;
        if (is_wanted(*channel, letter->schedule))
            continue;
        std::shared_ptr<Message> stand_in;
        if (const Status error =
                make_stand_in(channel, letter->arrival.source, letter->arrival.tag, letter->schedule, stand_in))
            return error;
        runtime.active.push_back(stand_in);
        activate(*stand_in, {PIXMPI_ERR_PEER});
        give(*stand_in, inbox.waiting, letter);
    }
    inbox.unwanted = false;
    return PIXMPI_SUCCESS;
}

} // namespace

void post_for_schedule(Message &message) {
    Inbox &inbox = message.channel->inbox;
    message.letter.clear();
    const auto found = std::find_if(inbox.waiting.begin(), inbox.waiting.end(),
                                    [&](const Letter &letter) { return matches(letter, message); });
    if (found != inbox.waiting.end())
        give(message, inbox.waiting, found);
    else
        inbox.posted.push_back(&message);
}

void unpost_for_schedule(Message &message) { message.channel->inbox.posted.remove(&message); }

void repost(Message &message, Message &stand_in) {
    std::list<Message *> &posted = message.channel->inbox.posted;
    std::replace(posted.begin(), posted.end(), &message, &stand_in);
}

Status deliver_to_schedules(Runtime &runtime, const std::shared_ptr<Channel> &channel) {
    if (channel->schedule_envelopes == MPI_COMM_NULL)
        return check_open(*channel);
    if (const Status error = take_from_mpi(*channel))
        return error;
    if (const Status error = hand_out_arrived(*channel))
        return error;
    if (channel->inbox.unwanted)
        (void)without_throwing([&] { return refuse_unwanted(runtime, channel); });
    return PIXMPI_SUCCESS;
}

void discard_letters(Runtime &runtime, Channel &channel) {
    (void)without_throwing([&] { return take_from_mpi(channel); });
    Inbox &inbox = channel.inbox;
    (void)hand_out_arrived(channel);
    for (const Letter &one : inbox.arriving)
        runtime.outbox_bytes += one.bytes.size();
    runtime.outbox.splice(runtime.outbox.end(), inbox.arriving);
}

Status make_stand_in(const std::shared_ptr<Channel> &channel, int source, int label, std::uint64_t number,
                     std::shared_ptr<Message> &stand_in) {
    auto made = std::make_shared<Message>();
    const pixMPI_Surface nothing = pixMPI_Memory(nullptr, PIXMPI_R8, 0, 0);
    if (const Status error = make_host_surface(nothing, made->surface))
        return error;
    if (const Status error = find_region(PIXMPI_WHOLE, made->surface->extent, made->region))
        return error;
    made->direction = Direction::unpack;
    if (const Status error = made->need_transfer())
        return error;
    made->traffic = Traffic::schedule;
    made->channel = channel;
    made->rank = source;
    made->tag = label;
    made->schedule = number;
    stand_in = std::move(made);
    return PIXMPI_SUCCESS;
}

void activate(Message &stand_in, const Error &error) {
    stand_in.error = error;
    stand_in.transfer->start();
    stand_in.transfer->give_up();
    stand_in.phase = Phase::matching;
    stand_in.state = State::active;
}

} // namespace pixmpi
