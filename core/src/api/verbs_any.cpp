// The verbs of messages, for surfaces of any API.

#include "api/launch.h"
#include "request/message.h"

using namespace pixmpi;

namespace {

constexpr Use sends{true, false, 1}, receives{false, true, 1}, replaces{true, true, 2}, looks{false, false, 0, true};

struct OtherEnd {
    int rank, tag;
    MPI_Comm comm;
};

/// Waits for a message without a handle, and reports.
Status finish(Runtime &runtime, Lock &lock, Message &message, MPI_Status *status) {
    if (const Status error = wait(runtime, lock, message))
        return error;
    mpi::fill(status, message.arrival);
    return message.error.code ? repeat(message.error) : PIXMPI_SUCCESS;
}

/// Cancels a receive whose send could not be started, or waits for it where a message has matched it: as long as it
/// is active it writes to the program's memory.
void cancel(Runtime &runtime, Lock &lock, Message &message) {
    const Error error = last_error(PIXMPI_SUCCESS);
    (void)message.cancel();
    (void)wait(runtime, lock, message);
    repeat(error);
}

template <class End>
int move(const char *call, const Form &form, const pixMPI_Surface &named, pixMPI_Region region, const OtherEnd &to,
         MPI_Status *status = nullptr) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<Surface> surface;
        std::shared_ptr<End> message;
        if (const Status error = find_surface(named, std::is_same_v<End, Send> ? sends : receives, surface))
            return error;
        if (const Status error = check_form(form))
            return error;
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        if (const Status error = make_end(surface, region, to.rank, to.tag, to.comm, message))
            return error;
        if (form.life == Life::persistent) // what can fail should fail here, not at the first start
            if (const Status error = message->need_transfer())
                return error;
        if (const Status error = launch(runtime, form, message))
            return error;
        return form.blocking ? finish(runtime, lock, *message, status) : PIXMPI_SUCCESS;
    });
}

/// `replace`: both are one surface and region, of which the pixels that are sent make room for those that arrive.
Status exchange(const std::shared_ptr<Surface> &send, pixMPI_Region sendregion, const OtherEnd &dest,
                const std::shared_ptr<Surface> &recv, pixMPI_Region recvregion, const OtherEnd &source,
                MPI_Status *status, bool replace) {
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    std::shared_ptr<Send> out;
    std::shared_ptr<Receive> in;
    if (const Status error = make_end(send, sendregion, dest.rank, dest.tag, dest.comm, out))
        return error;
    if (const Status error = make_end(recv, recvregion, source.rank, source.tag, source.comm, in))
        return error;
    if (replace)
        in->before = out;
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
    const Status sent = finish(runtime, lock, *out, nullptr);
    const Error error = last_error(sent);
    const Status received = finish(runtime, lock, *in, status);
    return sent ? repeat(error) : received;
}

} // namespace

int pixMPI_Send(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm) {
    return move<Send>("pixMPI_Send", blocking(), surface, region, {dest, tag, comm});
}

int pixMPI_Recv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return move<Receive>("pixMPI_Recv", blocking(), surface, region, {source, tag, comm}, status);
}

int pixMPI_Isend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                 pixMPI_Request *request) {
    return move<Send>("pixMPI_Isend", nonblocking(request), surface, region, {dest, tag, comm});
}

int pixMPI_Irecv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                 pixMPI_Request *request) {
    return move<Receive>("pixMPI_Irecv", nonblocking(request), surface, region, {source, tag, comm});
}

int pixMPI_Send_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return move<Send>("pixMPI_Send_init", persistent(request), surface, region, {dest, tag, comm});
}

int pixMPI_Recv_init(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return move<Receive>("pixMPI_Recv_init", persistent(request), surface, region, {source, tag, comm});
}

int pixMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                    pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status) {
    return public_call("pixMPI_Sendrecv", [&]() -> Status {
        std::shared_ptr<Surface> send, recv;
        if (const Status error = find_surface(sendsurface, sends, send))
            return error;
        if (const Status error = find_surface(recvsurface, receives, recv))
            return error;
        return exchange(send, sendregion, {dest, sendtag, comm}, recv, recvregion, {source, recvtag, comm}, status,
                        false);
    });
}

int pixMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Status *status) {
    return public_call("pixMPI_Sendrecv_replace", [&]() -> Status {
        std::shared_ptr<Surface> both;
        if (const Status error = find_surface(surface, replaces, both))
            return error;
        return exchange(both, region, {dest, sendtag, comm}, both, region, {source, recvtag, comm}, status, true);
    });
}

int pixMPI_Surface_get_format(pixMPI_Surface surface, pixMPI_Format *format) {
    return public_call("pixMPI_Surface_get_format", [&]() -> Status {
        std::shared_ptr<Surface> found;
        if (const Status error = find_surface(surface, looks, found))
            return error;
        if (format)
            *format = found->format;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Surface_get_size(pixMPI_Surface surface, int *width, int *height) {
    return public_call("pixMPI_Surface_get_size", [&]() -> Status {
        std::shared_ptr<Surface> found;
        if (const Status error = find_surface(surface, looks, found))
            return error;
        if (width)
            *width = found->extent.width;
        if (height)
            *height = found->extent.height;
        return PIXMPI_SUCCESS;
    });
}
