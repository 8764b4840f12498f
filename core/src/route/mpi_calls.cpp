#include "route/mpi_calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

namespace pixmpi::mpi {
namespace {

Status check_count(std::size_t bytes, const char *call) {
    return bytes <= INT_MAX ? PIXMPI_SUCCESS
                            : fail(PIXMPI_ERR_MPI, "%s: %zu bytes, expected at most %d", call, bytes, INT_MAX);
}

/// Of ours; 0 where MPI has none for it yet. Written under the library's lock.
std::array<std::atomic<int>, PIXMPI_ERR_END> codes{};

} // namespace

Status check(int code, const char *call) {
    if (code == MPI_SUCCESS)
        return PIXMPI_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return fail(PIXMPI_ERR_MPI, "%s: %s", call, text);
}

Status send(MPI_Comm comm, const void *data, std::size_t bytes, int dest, int tag, MPI_Request &request, bool matched) {
    if (const Status error = check_count(bytes, matched ? "MPI_Issend" : "MPI_Isend"))
        return error;
    if (matched)
        return check(MPI_Issend(data, static_cast<int>(bytes), MPI_BYTE, dest, tag, comm, &request), "MPI_Issend");
    return check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, dest, tag, comm, &request), "MPI_Isend");
}

Status recv(MPI_Comm comm, void *data, std::size_t bytes, int source, int tag, MPI_Request &request) {
    if (const Status error = check_count(bytes, "MPI_Irecv"))
        return error;
    return check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, source, tag, comm, &request), "MPI_Irecv");
}

Status test(MPI_Request &request, bool &over, Arrival *arrival) {
    int flag = 0, count = 0, cancelled = 0;
    MPI_Status status;
    const int code = MPI_Test(&request, &flag, arrival ? &status : MPI_STATUS_IGNORE);
    over = flag != 0 || code != MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return check(code, "MPI_Test");
    if (over && arrival) {
        MPI_Test_cancelled(&status, &cancelled);
        MPI_Get_count(&status, MPI_BYTE, &count);
        *arrival = {status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(count < 0 ? 0 : count), cancelled != 0};
    }
    return PIXMPI_SUCCESS;
}

Status cancel(MPI_Request &request) { return check(MPI_Cancel(&request), "MPI_Cancel"); }

Status look(MPI_Comm comm, int source, int tag, bool &found, Arrival &arrival) {
    int flag = 0, count = 0;
    MPI_Status status;
    found = false;
    if (const Status error = check(MPI_Iprobe(source, tag, comm, &flag, &status), "MPI_Iprobe"))
        return error;
    found = flag != 0;
    if (found) {
        MPI_Get_count(&status, MPI_BYTE, &count);
        arrival = {status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(count), false};
    }
    return PIXMPI_SUCCESS;
}

Status receive(MPI_Comm comm, const Arrival &arrival, void *data, MPI_Request &request) {
    int flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (const Status error =
            check(MPI_Improbe(arrival.source, arrival.tag, comm, &flag, &message, MPI_STATUS_IGNORE), "MPI_Improbe"))
        return error;
    return check(MPI_Imrecv(data, static_cast<int>(arrival.bytes), MPI_BYTE, &message, &request), "MPI_Imrecv");
}

void fill(MPI_Status *status, const Arrival &arrival) {
    if (!status || status == MPI_STATUS_IGNORE) // MPICH's is not null
        return;
    status->MPI_SOURCE = arrival.source;
    status->MPI_TAG = arrival.tag;
    MPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(arrival.bytes));
    MPI_Status_set_cancelled(status, arrival.cancelled);
}

void fill_error(MPI_Status *status, Status error) {
    if (status && status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = mpi_code(error);
}

int mpi_code(Status error) {
    if (error == PIXMPI_SUCCESS || error == PIXMPI_ERR_PENDING)
        return error ? MPI_ERR_PENDING : MPI_SUCCESS;
    std::atomic<int> &code = codes[static_cast<std::size_t>(error)];
    if (int made = MPI_ERR_OTHER; code == 0) {
        char text[MPI_MAX_ERROR_STRING];
        std::snprintf(text, sizeof text, "%s", pixMPI_Error_string(error));
        if (MPI_Add_error_class(&made) == MPI_SUCCESS && MPI_Add_error_string(made, text) == MPI_SUCCESS)
            code = made;
        return made;
    }
    return code;
}

Status status_of(int mpi_code) {
    if (mpi_code == MPI_SUCCESS || mpi_code == MPI_ERR_PENDING)
        return mpi_code == MPI_SUCCESS ? PIXMPI_SUCCESS : PIXMPI_ERR_PENDING;
    const auto found = std::find(codes.begin() + 1, codes.end(), mpi_code);
    return found == codes.end() ? PIXMPI_ERR_END : static_cast<Status>(found - codes.begin());
}

void abort(int code) {
    if (running())
        MPI_Abort(MPI_COMM_WORLD, code);
    std::abort();
}

Arrival nobody() { return {MPI_PROC_NULL, MPI_ANY_TAG, 0, false}; }

Arrival nothing() { return {MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false}; }

bool bytes_of(const MPI_Status &status, MPI_Count &bytes) {
    return MPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0;
}

bool running() {
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    if (initialised)
        MPI_Finalized(&finalised);
    return initialised && !finalised;
}

} // namespace pixmpi::mpi
