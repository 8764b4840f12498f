// Between the library and MPI: a program's functions come before those of its libraries.
#include "rig/mpi_faults.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

namespace {

using mpi_faults::Call;

Call failing = Call::none;
int before_it = 0;
bool holding = false;
int most_tag = 0;
std::set<const MPI_Request *> held;
std::multiset<MPI_Request> open_ones; // of messages
std::set<MPI_Request> filled;         // receives with memory
int let_go = 0;

bool fails(Call call) {
    return failing == call && before_it-- == 0 && std::exchange(failing, Call::none) != Call::none;
}

/// To the end, so that the other ranks see a call that succeeds.
int failed(MPI_Request &request) {
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_ERR_OTHER;
}

int check_none_open(MPI_Comm, int, void *, void *) {
    if (open_ones.empty())
        return MPI_SUCCESS;
    std::fprintf(stderr, "%zu requests are open when MPI ends\n", open_ones.size());
    std::_Exit(1);
}

} // namespace

void mpi_faults::fail(Call call, int after) {
    failing = call;
    before_it = after;
}
void mpi_faults::hold_back(bool yes) { holding = yes; }
int mpi_faults::receives_let_go() { return let_go; }
void mpi_faults::bound_tags(int most) { most_tag = most; }

// When MPI ends, attributes of MPI_COMM_SELF go in the opposite order of their coming: this one after the library's.
void mpi_faults::expect_none_open_at_end() {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, check_none_open, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

extern "C" {

#define STAND_IN __attribute__((visibility("default")))

STAND_IN int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request) {
    static MPI_Comm lost = MPI_COMM_NULL;
    if (!fails(Call::idup))
        return PMPI_Comm_idup(comm, copy, request);
    MPI_Request own;
    PMPI_Comm_idup(comm, &lost, &own);
    return failed(own);
}

STAND_IN int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found) {
    const int code = PMPI_Comm_get_attr(comm, key, value, found);
    if (key == MPI_TAG_UB && most_tag > 0)
        *static_cast<int **>(value) = &most_tag;
    return code;
}

STAND_IN int MPI_Iallgather(const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
                            MPI_Comm comm, MPI_Request *request) {
    const int code = PMPI_Iallgather(out, count, type, in, in_count, in_type, comm, request);
    return fails(Call::allgather) ? failed(*request) : code;
}

STAND_IN int MPI_Ialltoall(const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
                           MPI_Comm comm, MPI_Request *request) {
    const int code = PMPI_Ialltoall(out, count, type, in, in_count, in_type, comm, request);
    return fails(Call::alltoall) ? failed(*request) : code;
}

STAND_IN int MPI_Isend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    if (fails(Call::isend))
        return MPI_ERR_OTHER;
    const int code = PMPI_Isend(data, count, type, dest, tag, comm, request);
    open_ones.insert(*request);
    return code;
}

STAND_IN int MPI_Issend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                        MPI_Request *request) {
    if (fails(Call::isend))
        return MPI_ERR_OTHER;
    const int code = PMPI_Issend(data, count, type, dest, tag, comm, request);
    open_ones.insert(*request);
    return code;
}

STAND_IN int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    const int code = PMPI_Irecv(data, count, type, source, tag, comm, request);
    open_ones.insert(*request);
    if (count > 0)
        filled.insert(*request);
    return code;
}

STAND_IN int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    if (holding)
        held.insert(request);
    const int code = PMPI_Imrecv(data, count, type, message, request);
    open_ones.insert(*request);
    return code;
}

STAND_IN int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    if (holding && held.count(request)) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    const auto open = open_ones.find(*request);
    const int code = PMPI_Test(request, flag, status);
    if (*flag && open != open_ones.end()) {
        filled.erase(*open);
        open_ones.erase(open);
    }
    return code;
}

STAND_IN int MPI_Request_free(MPI_Request *request) {
    let_go += static_cast<int>(filled.erase(*request));
    if (const auto open = open_ones.find(*request); open != open_ones.end())
        open_ones.erase(open);
    return PMPI_Request_free(request);
}
}
