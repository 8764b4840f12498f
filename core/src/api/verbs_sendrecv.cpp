// The verbs that begin messages, for surfaces of any API.

#include "api/launch.h"
#include "pixmpi_messages.h"
#include "request/exchange.h"

using namespace pixmpi;

namespace {

constexpr Use to_send{true, false, 1}, to_receive{false, true, 1}, to_replace{true, true, 2};

/// One side of a call: its arguments, and the rank that the message is from or to.
struct NamedEnd {
    const pixMPI_Surface &surface;
    pixMPI_Region region;
    int rank, tag;
};

/// Checks the side, and makes an inactive message of it.
template <class End>
Status make_end(const NamedEnd &named, const Use &use, MPI_Comm comm, std::shared_ptr<End> &end) {
    std::shared_ptr<Surface> surface;
    if (const Status error = find_surface(named.surface, use, surface))
        return error;
    return make_end(std::move(surface), named.region, named.rank, named.tag, comm, end);
}

/// `set(message)`: what the call alone asks of it.
template <class End, class Set>
int begin_end(const char *call, const Form &form, const NamedEnd &named, const Use &use, MPI_Comm comm,
              MPI_Status *status, Set set) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<End> message;
        if (const Status error = check_form(form))
            return error;
        if (const Status error = make_end(named, use, comm, message))
            return error;
        set(*message);
        if (form.life == Life::persistent) // what can fail should fail here, not at the first start
            if (const Status error = message->need_transfer())
                return error;
        return run(form, message, status);
    });
}

int send(const char *call, const Form &form, const NamedEnd &named, MPI_Comm comm, bool synchronous = false) {
    return begin_end<Send>(call, form, named, to_send, comm, nullptr,
                           [=](Send &message) { message.synchronous = synchronous; });
}

int receive(const char *call, const Form &form, const NamedEnd &named, MPI_Comm comm, MPI_Status *status = nullptr) {
    return begin_end<Receive>(call, form, named, to_receive, comm, status, [](Receive &) {});
}

/// Cancels a receive if its send could not be started, or waits for it where a message has matched it. As long as it is
/// active, it writes to the program's memory.
void cancel(Runtime &runtime, Lock &lock, Message &message) {
    const Error error = last_error(PIXMPI_SUCCESS);
    (void)message.cancel();
    (void)wait(runtime, lock, message);
    repeat(error);
}

/// `replace`: both are of one surface and region. The pixels that are sent make room for those that arrive.
Status exchange(const std::shared_ptr<Send> &out, const std::shared_ptr<Receive> &in, MPI_Status *status,
                bool replace) {
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    if (replace)
        in->overwrite(out);
    in->blocking = out->blocking = true;
    if (const Status error = out->check_start()) // before the receive is started
        return error;
    if (const Status error = start(runtime, in))
        return error;
    if (const Status error = start(runtime, out)) {
        in->before.reset();
        cancel(runtime, lock, *in);
        return error;
    }
    const Status sent = finish(runtime, lock, *out);
    const Error error = last_error(sent);
    const Status received = finish(runtime, lock, *in, status);
    return sent ? repeat(error) : received;
}

/// Two messages, each with its own surface, or both with the same.
Status make_both(const NamedEnd &send, const NamedEnd &recv, MPI_Comm comm, bool replace, std::shared_ptr<Send> &out,
                 std::shared_ptr<Receive> &in) {
    if (const Status error = make_end(send, replace ? to_replace : to_send, comm, out))
        return error;
    return replace ? pixmpi::make_end(out->surface, recv.region, recv.rank, recv.tag, comm, in)
                   : make_end(recv, to_receive, comm, in);
}

int exchange(const char *call, const NamedEnd &send, const NamedEnd &recv, MPI_Comm comm, bool replace,
             MPI_Status *status) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<Send> out;
        std::shared_ptr<Receive> in;
        const Status error = make_both(send, recv, comm, replace, out, in);
        return error ? error : exchange(out, in, status, replace);
    });
}

int begin_exchange(const char *call, const Form &form, const NamedEnd &send, const NamedEnd &recv, MPI_Comm comm,
                   bool replace) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<Send> out;
        std::shared_ptr<Receive> in;
        if (const Status error = check_form(form))
            return error;
        if (const Status error = make_both(send, recv, comm, replace, out, in))
            return error;
        return run(form, std::make_shared<Exchange>(out, in, replace));
    });
}

} // namespace

#define SENDS pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm
#define RECEIVES pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm
PIXMPI_VERB(Send, Isend, send, (SENDS), ({surface, region, dest, tag}, comm))
PIXMPI_VERB(Ssend, Issend, send, (SENDS), ({surface, region, dest, tag}, comm, true))
PIXMPI_BLOCKING_VERB(Recv, receive, (RECEIVES, MPI_Status *status), ({surface, region, source, tag}, comm, status))
PIXMPI_NONBLOCKING_VERB(Irecv, receive, (RECEIVES), ({surface, region, source, tag}, comm))
PIXMPI_PERSISTENT_VERB(Recv_init, receive, (RECEIVES), ({surface, region, source, tag}, comm))

int pixMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                    pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status) {
    return exchange("pixMPI_Sendrecv", {sendsurface, sendregion, dest, sendtag},
                    {recvsurface, recvregion, source, recvtag}, comm, false, status);
}

int pixMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Status *status) {
    return exchange("pixMPI_Sendrecv_replace", {surface, region, dest, sendtag}, {surface, region, source, recvtag},
                    comm, true, status);
}

int pixMPI_Isendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                     pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return begin_exchange("pixMPI_Isendrecv", nonblocking(request), {sendsurface, sendregion, dest, sendtag},
                          {recvsurface, recvregion, source, recvtag}, comm, false);
}

int pixMPI_Isendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                             int recvtag, MPI_Comm comm, pixMPI_Request *request) {
    return begin_exchange("pixMPI_Isendrecv_replace", nonblocking(request), {surface, region, dest, sendtag},
                          {surface, region, source, recvtag}, comm, true);
}
