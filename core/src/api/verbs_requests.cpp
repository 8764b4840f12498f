// Requests of all APIs: starting, waiting, testing, cancelling, freeing.

#include "pixmpi_messages.h"
#include "request/request_list.h"

using namespace pixmpi;

namespace {

Status null_pointer(const char *name) { return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer", name); }

/// Of all in the list: waits with a null `flag`, else tests. They are delivered when all are over.
template <class Deliver> Status wait_or_test(RequestList &list, int *flag, Deliver deliver) {
    if (!flag)
        list.await();
    if (const Status error = list.progress(!flag, true, [&] { return list.all_over(); }))
        return error;
    const bool over = list.all_over();
    if (flag)
        *flag = over;
    return over ? deliver() : PIXMPI_SUCCESS;
}

Status wait_or_test_one(pixMPI_Request *request, int *flag, MPI_Status *status) {
    if (!request)
        return null_pointer("request");
    RequestList list;
    if (const Status error = list.find(1, request, true))
        return error;
    return wait_or_test(list, flag, [&] { return list.deliver(0, status); });
}

Status wait_or_test_all(int count, pixMPI_Request requests[], int *flag, MPI_Status statuses[]) {
    RequestList list;
    if (const Status error = list.find(count, requests))
        return error;
    return wait_or_test(list, flag, [&] {
        int delivered = 0;
        return list.deliver_list(statuses, nullptr, delivered, [](int) { return true; });
    });
}

/// Of one of the list: waits with a null `flag`, else tests.
Status wait_or_test_any(int count, pixMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    if (!index)
        return null_pointer("index");
    RequestList list;
    if (const Status error = list.find(count, requests))
        return error;
    const bool none = list.none_active();
    if (!none)
        if (const Status error = list.progress(!flag, false, [&] { return list.any_complete(); }))
            return error;
    const bool over = none || list.any_complete();
    if (flag)
        *flag = over;
    *index = MPI_UNDEFINED;
    if (none)
        mpi::fill(status, mpi::nothing());
    if (none || !over)
        return PIXMPI_SUCCESS;
    int i = 0;
    while (!list.is_complete(i))
        ++i;
    *index = i;
    return list.deliver(i, status);
}

/// Of all that are complete: waits for one at least, or tests.
Status wait_or_test_some(bool waits, int count, pixMPI_Request requests[], int *outcount, int indices[],
                         MPI_Status statuses[]) {
    if (!outcount || (count > 0 && !indices))
        return null_pointer(outcount ? "indices" : "outcount");
    RequestList list;
    if (const Status error = list.find(count, requests))
        return error;
    if (list.none_active()) {
        *outcount = MPI_UNDEFINED;
        return PIXMPI_SUCCESS;
    }
    if (const Status error = list.progress(waits, false, [&] { return list.any_complete(); }))
        return error;
    return list.deliver_list(statuses, indices, *outcount, [&](int i) { return list.is_complete(i); });
}

/// A call on one request, whatever its state.
template <class Body> int on_request(const char *call, pixMPI_Request *request, Body body) {
    return public_call(call, [&]() -> Status {
        if (!request)
            return null_pointer("request");
        Runtime &runtime = pixmpi::runtime();
        std::shared_ptr<Request> found;
        if (const Status error = find_request(runtime, *request, -1, found))
            return error;
        return body(runtime, *found);
    });
}

} // namespace

int pixMPI_Start(pixMPI_Request *request) {
    return public_call("pixMPI_Start", [&] { return start_requests(1, request, true, nullptr); });
}

int pixMPI_Startall(int count, pixMPI_Request requests[]) {
    return public_call("pixMPI_Startall", [&] { return start_requests(count, requests, false, nullptr); });
}

int pixMPI_Wait(pixMPI_Request *request, MPI_Status *status) {
    return public_call("pixMPI_Wait", [&] { return wait_or_test_one(request, nullptr, status); });
}

int pixMPI_Test(pixMPI_Request *request, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Test",
                       [&] { return flag ? wait_or_test_one(request, flag, status) : null_pointer("flag"); });
}

int pixMPI_Waitall(int count, pixMPI_Request requests[], MPI_Status statuses[]) {
    return public_call("pixMPI_Waitall", [&] { return wait_or_test_all(count, requests, nullptr, statuses); });
}

int pixMPI_Testall(int count, pixMPI_Request requests[], int *flag, MPI_Status statuses[]) {
    return public_call("pixMPI_Testall",
                       [&] { return flag ? wait_or_test_all(count, requests, flag, statuses) : null_pointer("flag"); });
}

int pixMPI_Waitany(int count, pixMPI_Request requests[], int *index, MPI_Status *status) {
    return public_call("pixMPI_Waitany", [&] { return wait_or_test_any(count, requests, index, nullptr, status); });
}

int pixMPI_Testany(int count, pixMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Testany", [&] {
        return flag ? wait_or_test_any(count, requests, index, flag, status) : null_pointer("flag");
    });
}

int pixMPI_Waitsome(int count, pixMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
    return public_call("pixMPI_Waitsome",
                       [&] { return wait_or_test_some(true, count, requests, outcount, indices, statuses); });
}

int pixMPI_Testsome(int count, pixMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
    return public_call("pixMPI_Testsome",
                       [&] { return wait_or_test_some(false, count, requests, outcount, indices, statuses); });
}

int pixMPI_Request_get_status(pixMPI_Request request, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Request_get_status", [&]() -> Status {
        if (!flag)
            return null_pointer("flag");
        RequestList list;
        if (const Status error = list.find(1, &request, true))
            return error;
        if (const Status error = list.progress(false, true, [&] { return list.all_over(); }))
            return error;
        *flag = list.all_over();
        return *flag ? list.tell(0, status) : PIXMPI_SUCCESS;
    });
}

int pixMPI_Cancel(pixMPI_Request *request) {
    return on_request("pixMPI_Cancel", request, [](Runtime &, Request &found) {
        if (found.state == State::inactive)
            return fail(PIXMPI_ERR_REQUEST, "request: inactive, expected an active one");
        return found.cancel();
    });
}

int pixMPI_Request_free(pixMPI_Request *request) {
    return on_request("pixMPI_Request_free", request, [&](Runtime &runtime, Request &) {
        runtime.requests.erase(*request); // one under way is kept by the list of those
        *request = PIXMPI_REQUEST_NULL;
        return PIXMPI_SUCCESS;
    });
}
