// Probes, and receives of messages that a probe has matched.
#include "api/launch.h"

#include "base/handles.h"
#include "pixmpi_messages.h"
#include "request/message.h"

#include <utility>

using namespace pixmpi;

namespace {

constexpr Use to_receive{false, true, 1};

/// A message that a probe has matched.
struct Matched {
    std::shared_ptr<Channel> channel;
    Packets packet;
};

Status null_pointer(const char *name, const char *what) {
    return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer to %s", name, what);
}

/// Waits for a message with a null `flag`, else looks. `found`: null where there is none, or it is of MPI_PROC_NULL;
/// `flag` is then 1 all the same.
Status find(Runtime &runtime, Lock &lock, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status,
            std::shared_ptr<Channel> &channel, const Packet *&found) {
    found = nullptr;
    if (const Status error = find_channel(comm, channel))
        return error;
    if (const Status error = check_address(*channel, Direction::unpack, source, tag))
        return error;
    if (source == MPI_PROC_NULL) {
        mpi::fill(status, mpi::nobody());
        if (flag)
            *flag = 1;
        return PIXMPI_SUCCESS;
    }
    return go_on_until(runtime, lock, Pause(), [&](bool &yes) -> Status {
        if (const Status error = channel->program->expect(runtime, source, tag, found))
            return error;
        if (found) {
            Envelope envelope;
            mpi::Arrival arrival = found->arrival;
            arrival.bytes = decode(found->bytes, envelope) ? envelope.bytes() : 0;
            mpi::fill(status, arrival);
        }
        if (flag)
            *flag = found != nullptr;
        yes = found || flag;
        return PIXMPI_SUCCESS;
    });
}

Status probe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    Lock lock;
    std::shared_ptr<Channel> channel;
    const Packet *found = nullptr;
    return find(runtime(), lock, source, tag, comm, flag, status, channel, found);
}

Status matched_probe(int source, int tag, MPI_Comm comm, int *flag, pixMPI_Message *message, MPI_Status *status) {
    if (!message)
        return null_pointer("message", "a message");
    Lock lock;
    const auto matched = std::make_shared<Matched>(); // before anything is matched, as there may be no memory
    void *const handle = handles_of<Matched>().insert(matched);
    const Packet *found = nullptr;
    const Status error = without_throwing(
        [&] { return find(runtime(), lock, source, tag, comm, flag, status, matched->channel, found); });
    if (!error && found) {
        matched->channel->program->extract(found, matched->packet);
        *message = static_cast<pixMPI_Message>(handle);
        return PIXMPI_SUCCESS;
    }
    handles_of<Matched>().erase(handle);
    if (!error && source == MPI_PROC_NULL)
        *message = PIXMPI_MESSAGE_NO_PROC;
    return error;
}

/// An inactive receive of a matched message; of nothing for PIXMPI_MESSAGE_NO_PROC.
Status make_receive(const pixMPI_Surface &surface, pixMPI_Region region, const Matched *matched,
                    std::shared_ptr<Receive> &message) {
    auto made = std::make_shared<Receive>();
    if (const Status error = find_surface(surface, to_receive, made->surface))
        return error;
    if (const Status error = find_region(region, made->surface->extent, made->region))
        return error;
    made->channel = matched ? matched->channel : std::make_shared<Channel>();
    made->own = made->matcher().own();
    made->rank = matched ? matched->packet.front().arrival.source : MPI_PROC_NULL;
    made->tag = matched ? matched->packet.front().arrival.tag : MPI_ANY_TAG;
    made->probed = true;
    if (const Status error = made->need_transfer())
        return error;
    message = std::move(made);
    return PIXMPI_SUCCESS;
}

Status receive(const Form &form, const pixMPI_Surface &surface, pixMPI_Region region, pixMPI_Message *message,
               MPI_Status *status) {
    if (!message)
        return null_pointer("message", "a message");
    if (const Status error = check_form(form))
        return error;
    std::shared_ptr<Matched> matched;
    if (*message != PIXMPI_MESSAGE_NO_PROC)
        if (const Status error = find_handle(*message, "message", "PIXMPI_MESSAGE_NULL",
                                             "one of pixMPI_Mprobe or pixMPI_Improbe", matched))
            return error;
    std::shared_ptr<Receive> receive;
    if (const Status error = make_receive(surface, region, matched.get(), receive))
        return error;
    if (matched)
        receive->packet.splice(receive->packet.end(), matched->packet);
    const pixMPI_Message handle = std::exchange(*message, PIXMPI_MESSAGE_NULL);
    const Status error = run(form, receive, status);
    if (receive->state == State::inactive) { // it has not begun
        if (matched)
            matched->packet.splice(matched->packet.end(), receive->packet);
        *message = handle;
    } else if (matched) {
        handles_of<Matched>().erase(handle);
    }
    return error;
}

} // namespace

int pixMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return public_call("pixMPI_Probe", [&] { return probe(source, tag, comm, nullptr, status); });
}

int pixMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Iprobe",
                       [&] { return flag ? probe(source, tag, comm, flag, status) : null_pointer("flag", "an int"); });
}

int pixMPI_Mprobe(int source, int tag, MPI_Comm comm, pixMPI_Message *message, MPI_Status *status) {
    return public_call("pixMPI_Mprobe", [&] { return matched_probe(source, tag, comm, nullptr, message, status); });
}

int pixMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, pixMPI_Message *message, MPI_Status *status) {
    return public_call("pixMPI_Improbe", [&] {
        return flag ? matched_probe(source, tag, comm, flag, message, status) : null_pointer("flag", "an int");
    });
}

int pixMPI_Mrecv(pixMPI_Surface surface, pixMPI_Region region, pixMPI_Message *message, MPI_Status *status) {
    return public_call("pixMPI_Mrecv", [&] { return receive(blocking(), surface, region, message, status); });
}

int pixMPI_Imrecv(pixMPI_Surface surface, pixMPI_Region region, pixMPI_Message *message, pixMPI_Request *request) {
    return public_call("pixMPI_Imrecv",
                       [&] { return receive(nonblocking(request), surface, region, message, nullptr); });
}
