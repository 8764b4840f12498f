// The verbs for surfaces of any API.

#include "api/core.h"

using namespace pixmpi;

namespace {

constexpr Use sends{true, false, 1}, receives{false, true, 1}, replaces{true, true, 2};

Status make_end(const pixMPI_Surface &surface, const Use &use, pixMPI_Region region, End &end) {
    end.region = region;
    return find_surface(surface, use, end.surface);
}

} // namespace

int pixMPI_Send(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm) {
    return public_call("pixMPI_Send", [&] {
        End end;
        const Status error = make_end(surface, sends, region, end);
        return error ? error : core().send(end, dest, tag, comm);
    });
}

int pixMPI_Recv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return public_call("pixMPI_Recv", [&] {
        End end;
        const Status error = make_end(surface, receives, region, end);
        return error ? error : core().recv(end, source, tag, comm, status);
    });
}

int pixMPI_Isend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                 pixMPI_Request *request) {
    return public_call("pixMPI_Isend", [&] {
        End end;
        const Status error = make_end(surface, sends, region, end);
        return error ? error : core().make_send(end, dest, tag, comm, Life::once, request);
    });
}

int pixMPI_Irecv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                 pixMPI_Request *request) {
    return public_call("pixMPI_Irecv", [&] {
        End end;
        const Status error = make_end(surface, receives, region, end);
        return error ? error : core().make_recv(end, source, tag, comm, Life::once, request);
    });
}

int pixMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                    pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status) {
    return public_call("pixMPI_Sendrecv", [&] {
        End out, in;
        if (const Status error = make_end(sendsurface, sends, sendregion, out))
            return error;
        if (const Status error = make_end(recvsurface, receives, recvregion, in))
            return error;
        return core().sendrecv(out, dest, sendtag, in, source, recvtag, comm, status);
    });
}

int pixMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Status *status) {
    return public_call("pixMPI_Sendrecv_replace", [&] {
        End end;
        const Status error = make_end(surface, replaces, region, end);
        return error ? error : core().sendrecv_replace(end, dest, sendtag, source, recvtag, comm, status);
    });
}

int pixMPI_Send_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return public_call("pixMPI_Send_init", [&] {
        End end;
        const Status error = make_end(surface, sends, region, end);
        return error ? error : core().make_send(end, dest, tag, comm, Life::persistent, request);
    });
}

int pixMPI_Recv_init(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                     pixMPI_Request *request) {
    return public_call("pixMPI_Recv_init", [&] {
        End end;
        const Status error = make_end(surface, receives, region, end);
        return error ? error : core().make_recv(end, source, tag, comm, Life::persistent, request);
    });
}
