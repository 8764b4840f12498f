// The verbs of pixmpi_messages.h that begin messages: synchronous sends, exchanges as a request.
#include "api/messages.h"

#include "pixmpi_messages.h"
#include "request/exchange.h"

namespace pixmpi {
namespace {

Status run(const Form &form, const std::shared_ptr<Request> &request, MPI_Status *status) {
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    if (const Status error = launch(runtime, form, request))
        return error;
    if (!form.blocking)
        return PIXMPI_SUCCESS;
    if (const Status error = wait(runtime, lock, *request))
        return error;
    mpi::fill(status, request->arrival);
    return request->error.code ? repeat(request->error) : PIXMPI_SUCCESS;
}

Status ssend(const Form &form, const NamedEnd &named, MPI_Comm comm) {
    if (const Status error = check_form(form))
        return error;
    std::shared_ptr<Message> message;
    if (const Status error = make_message(Direction::pack, named, to_send, comm, message))
        return error;
    message->synchronous = true;
    return run_message(form, message, nullptr);
}

} // namespace

Status make_message(Direction direction, const NamedEnd &named, const Use &use, MPI_Comm comm,
                    std::shared_ptr<Message> &message) {
    std::shared_ptr<Surface> surface;
    if (const Status error = find_surface(named.surface, use, surface))
        return error;
    return make_message(direction, std::move(surface), named.region, named.rank, named.tag, comm, message);
}

Status run_message(const Form &form, const std::shared_ptr<Message> &message, MPI_Status *status) {
    if (form.life == Life::persistent) // what can fail should fail here, not at the first start
        if (const Status error = message->need_transfer())
            return error;
    return run(form, message, status);
}

Status run_exchange(const Form &form, std::shared_ptr<Message> out, std::shared_ptr<Message> in, bool replaces,
                    MPI_Status *status) {
    return run(form, std::make_shared<Exchange>(std::move(out), std::move(in), replaces), status);
}

} // namespace pixmpi

using namespace pixmpi;

int pixMPI_Ssend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm) {
    return public_call("pixMPI_Ssend", [&] { return ssend(blocking(), {surface, region, dest, tag}, comm); });
}

int pixMPI_Issend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                  pixMPI_Request *request) {
    return public_call("pixMPI_Issend",
                       [&] { return ssend(nonblocking(request), {surface, region, dest, tag}, comm); });
}

int pixMPI_Ssend_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                      pixMPI_Request *request) {
    return public_call("pixMPI_Ssend_init",
                       [&] { return ssend(persistent(request), {surface, region, dest, tag}, comm); });
}

int pixMPI_Isendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                     pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return public_call("pixMPI_Isendrecv", [&]() -> Status {
        const Form form = nonblocking(request);
        std::shared_ptr<Message> out, in;
        if (const Status error = check_form(form))
            return error;
        if (const Status error =
                make_message(Direction::pack, {sendsurface, sendregion, dest, sendtag}, to_send, comm, out))
            return error;
        if (const Status error =
                make_message(Direction::unpack, {recvsurface, recvregion, source, recvtag}, to_receive, comm, in))
            return error;
        return run_exchange(form, out, in, false, nullptr);
    });
}

int pixMPI_Isendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                             int recvtag, MPI_Comm comm, pixMPI_Request *request) {
    return public_call("pixMPI_Isendrecv_replace", [&]() -> Status {
        const Form form = nonblocking(request);
        std::shared_ptr<Message> out, in;
        if (const Status error = check_form(form))
            return error;
        if (const Status error = make_message(Direction::pack, {surface, region, dest, sendtag}, to_replace, comm, out))
            return error;
        if (const Status error = make_message(Direction::unpack, out->surface, region, source, recvtag, comm, in))
            return error;
        return run_exchange(form, out, in, true, nullptr);
    });
}
