// Communicators: icetCreateMPICommunicator, and the functions that IceT's structure has.
#include "communicator.h"

#include "context.h"

#include <thread>

namespace icet {
namespace {

/// What icetCreateMPICommunicator returns.
struct Handle : IceTCommunicatorStruct {
    explicit Handle(MPI_Comm original);
    std::shared_ptr<Communicator> shared;
};

struct Request : IceTCommRequestStruct {
    static constexpr IceTEnum magic = 0x70784D50; // "pxMP"
    Request() : IceTCommRequestStruct{magic, nullptr} {}
    MPI_Request mpi = MPI_REQUEST_NULL;
};

MPI_Comm mpi(IceTCommunicator self) { return static_cast<Communicator *>(self->data)->comm; }

MPI_Datatype mpi_type(IceTEnum datatype) {
    switch (datatype) {
    case ICET_BOOLEAN:
    case ICET_BYTE:
        return MPI_BYTE;
    case ICET_SHORT:
        return MPI_SHORT;
    case ICET_INT:
        return MPI_INT;
    case ICET_FLOAT:
        return MPI_FLOAT;
    case ICET_DOUBLE:
        return MPI_DOUBLE;
    default:
        icetInternalRaise("IceTCommunicator", ICET_INVALID_ENUM,
                          "datatype: expected ICET_BYTE, ICET_SHORT, ICET_INT, ICET_FLOAT or ICET_DOUBLE");
        return MPI_BYTE;
    }
}

/// MPI's blocking calls would spin, which costs much where there are more ranks than cores.
void complete(MPI_Request request) {
    for (int done = 0;; std::this_thread::yield())
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done)
            return;
}

/// Starts a nonblocking call, and waits for it.
template <class Call> void run(Call call) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (call(&request) == MPI_SUCCESS)
        complete(request);
}

const void *in_place(const void *sendbuf) { return sendbuf == ICET_IN_PLACE_COLLECT ? MPI_IN_PLACE : sendbuf; }

/// Null when there is no memory.
template <class Start> IceTCommRequest started(Start start) {
    auto *const request = new (std::nothrow) Request;
    if (!request)
        icetInternalRaise("IceTCommunicator", ICET_OUT_OF_MEMORY, "out of memory");
    else if (start(&request->mpi) != MPI_SUCCESS)
        request->mpi = MPI_REQUEST_NULL;
    return request;
}

/// Null is a request that has completed.
Request *request_of(IceTCommRequest request) {
    if (!request || request->magic_number == Request::magic)
        return static_cast<Request *>(request);
    icetInternalRaise("IceTCommunicator", ICET_INVALID_VALUE, "request: not one of Isend or Irecv");
    return nullptr;
}

void release(IceTCommRequest &request) {
    delete request_of(request);
    request = ICET_COMM_REQUEST_NULL;
}

IceTCommunicator duplicate(IceTCommunicator self) { return self ? icetCreateMPICommunicator(mpi(self)) : nullptr; }

void destroy(IceTCommunicator self) { delete static_cast<Handle *>(self); }

IceTCommunicator subset(IceTCommunicator self, int count, const IceTInt32 *ranks) {
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(mpi(self), &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Comm_create(mpi(self), some, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    if (comm == MPI_COMM_NULL)
        return ICET_COMM_NULL;
    const IceTCommunicator result = icetCreateMPICommunicator(comm);
    MPI_Comm_free(&comm);
    return result;
}

void barrier(IceTCommunicator self) {
    run([&](MPI_Request *request) { return MPI_Ibarrier(mpi(self), request); });
}

void send(IceTCommunicator self, const void *buf, int count, IceTEnum datatype, int dest, int tag) {
    run([&](MPI_Request *request) { return MPI_Isend(buf, count, mpi_type(datatype), dest, tag, mpi(self), request); });
}

void recv(IceTCommunicator self, void *buf, int count, IceTEnum datatype, int src, int tag) {
    run([&](MPI_Request *request) { return MPI_Irecv(buf, count, mpi_type(datatype), src, tag, mpi(self), request); });
}

void sendrecv(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum sendtype, int dest, int sendtag,
              void *recvbuf, int recvcount, IceTEnum recvtype, int src, int recvtag) {
    MPI_Request received = MPI_REQUEST_NULL;
    MPI_Irecv(recvbuf, recvcount, mpi_type(recvtype), src, recvtag, mpi(self), &received);
    send(self, sendbuf, sendcount, sendtype, dest, sendtag);
    complete(received);
}

void gather(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf, int root) {
    const MPI_Datatype type = mpi_type(datatype);
    run([&](MPI_Request *request) {
        return MPI_Igather(in_place(sendbuf), sendcount, type, recvbuf, sendcount, type, root, mpi(self), request);
    });
}

void gatherv(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf,
             const int *recvcounts, const int *recvoffsets, int root) {
    const MPI_Datatype type = mpi_type(datatype);
    run([&](MPI_Request *request) {
        return MPI_Igatherv(in_place(sendbuf), sendcount, type, recvbuf, recvcounts, recvoffsets, type, root, mpi(self),
                            request);
    });
}

void allgather(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf) {
    const MPI_Datatype type = mpi_type(datatype);
    run([&](MPI_Request *request) {
        return MPI_Iallgather(in_place(sendbuf), sendcount, type, recvbuf, sendcount, type, mpi(self), request);
    });
}

void alltoall(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf) {
    const MPI_Datatype type = mpi_type(datatype);
    run([&](MPI_Request *request) {
        return MPI_Ialltoall(sendbuf, sendcount, type, recvbuf, sendcount, type, mpi(self), request);
    });
}

IceTCommRequest isend(IceTCommunicator self, const void *buf, int count, IceTEnum datatype, int dest, int tag) {
    return started(
        [&](MPI_Request *request) { return MPI_Isend(buf, count, mpi_type(datatype), dest, tag, mpi(self), request); });
}

IceTCommRequest irecv(IceTCommunicator self, void *buf, int count, IceTEnum datatype, int src, int tag) {
    return started(
        [&](MPI_Request *request) { return MPI_Irecv(buf, count, mpi_type(datatype), src, tag, mpi(self), request); });
}

void wait(IceTCommunicator, IceTCommRequest *request) {
    if (const Request *const known = request_of(*request))
        complete(known->mpi);
    release(*request);
}

/// -1 when none of them is under way.
int waitany(IceTCommunicator, int count, IceTCommRequest *requests) {
    for (bool any = true; any; std::this_thread::yield()) {
        any = false;
        for (int i = 0; i < count; ++i) {
            Request *const request = request_of(requests[i]);
            int done = 0;
            if (!request)
                continue;
            any = true;
            if (MPI_Test(&request->mpi, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
                continue;
            release(requests[i]);
            return i;
        }
    }
    return -1;
}

int size(IceTCommunicator self) { return static_cast<Communicator *>(self->data)->size; }

int rank(IceTCommunicator self) { return static_cast<Communicator *>(self->data)->rank; }

Handle::Handle(MPI_Comm original)
    : IceTCommunicatorStruct{duplicate, destroy,  subset, barrier, send, recv,    sendrecv, gather, gatherv,
                             allgather, alltoall, isend,  irecv,   wait, waitany, size,     rank,   nullptr},
      shared(std::make_shared<Communicator>(original)) {
    data = shared.get();
}

} // namespace

Communicator::Communicator(MPI_Comm original) {
    if (MPI_Comm_dup(original, &comm) != MPI_SUCCESS)
        throw Failure{ICET_SANITY_CHECK_FAIL, "mpi_comm: MPI could not duplicate it"};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

/// Freeing it detaches it. Nothing is left to free where MPI has ended.
Communicator::~Communicator() {
    int ended = 1;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
        MPI_Comm_free(&comm);
}

std::shared_ptr<Communicator> shared_of(IceTCommunicator comm) {
    if (!comm)
        throw Failure{ICET_INVALID_VALUE, "comm: null, expected one of icetCreateMPICommunicator"};
    if (comm->Destroy != destroy)
        throw Failure{ICET_INVALID_VALUE, "comm: functions of the program's own, expected icetCreateMPICommunicator's"};
    return static_cast<Handle *>(comm)->shared;
}

} // namespace icet

using namespace icet;

IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm) {
    const char *const call = "icetCreateMPICommunicator";
    int runs = 0, ended = 1;
    if (MPI_Initialized(&runs) != MPI_SUCCESS || !runs || MPI_Finalized(&ended) != MPI_SUCCESS || ended)
        icetInternalRaise(call, ICET_INVALID_OPERATION, "MPI is not running, expected MPI_Init before");
    else if (mpi_comm == MPI_COMM_NULL)
        icetInternalRaise(call, ICET_INVALID_VALUE, "mpi_comm: MPI_COMM_NULL, expected a communicator");
    else
        try {
            return new Handle(mpi_comm);
        } catch (const Failure &failure) {
            icetInternalRaise(call, failure.error, failure.text.c_str());
        } catch (const std::bad_alloc &) {
            icetInternalRaise(call, ICET_OUT_OF_MEMORY, "out of memory");
        }
    return ICET_COMM_NULL;
}

void icetDestroyMPICommunicator(IceTCommunicator comm) {
    if (comm)
        comm->Destroy(comm);
}
