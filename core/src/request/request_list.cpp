#include "request/request_list.h"

#include <algorithm>
#include <functional>

namespace pixmpi {
namespace {

Status wrong_request(int index, const char *what, const char *expected) {
    return index < 0 ? fail(PIXMPI_ERR_REQUEST, "request: %s, expected %s", what, expected)
                     : fail(PIXMPI_ERR_REQUEST, "requests[%d]: %s, expected %s", index, what, expected);
}

} // namespace

Status find_request(Runtime &runtime, pixMPI_Request handle, int index, std::shared_ptr<Request> &request) {
    request = runtime.requests.find(handle);
    if (request)
        return PIXMPI_SUCCESS;
    return wrong_request(index, handle == PIXMPI_REQUEST_NULL ? "PIXMPI_REQUEST_NULL" : "foreign or freed",
                         "one made by a call of this library and not freed since");
}

Status find_inactive(Runtime &runtime, pixMPI_Request handle, int index, std::shared_ptr<Request> &request) {
    if (const Status error = find_request(runtime, handle, index, request))
        return error;
    if (request->persistent && request->state == State::inactive)
        return PIXMPI_SUCCESS;
    return wrong_request(index, request->persistent ? "active" : "not persistent",
                         "one of an _init call that is not active");
}

Status check_list(int count, const pixMPI_Request requests[]) {
    if (count < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected none or more", count);
    if (count > 0 && !requests)
        return fail(PIXMPI_ERR_ARGUMENT, "requests: null, expected %d requests", count);
    return PIXMPI_SUCCESS;
}

Status start_requests(int count, pixMPI_Request requests[], bool single, Starter *starter) {
    if (single && !requests)
        return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer");
    if (const Status error = check_list(count, requests))
        return error;
    std::vector<pixMPI_Request> sorted(requests, requests + count);
    std::sort(sorted.begin(), sorted.end(), std::less<>());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return fail(PIXMPI_ERR_REQUEST, "requests: one is listed twice, expected each once");
    Runtime &runtime = pixmpi::runtime();
    std::vector<std::shared_ptr<Request>> found(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        std::shared_ptr<Request> &request = found[static_cast<std::size_t>(i)];
        if (const Status error = find_inactive(runtime, requests[i], single ? -1 : i, request))
            return error;
        if (const Status error = request->check_start())
            return error;
        if (starter)
            if (const Status error = starter->check(i, request->surfaces()))
                return error;
    }
    for (int i = 0; i < count; ++i) {
        const auto &request = found[static_cast<std::size_t>(i)];
        if (starter)
            starter->prepare(i, request->surfaces());
        if (const Status error = start(runtime, request)) {
            if (starter)
                starter->revoke(request->surfaces());
            return error;
        }
    }
    return PIXMPI_SUCCESS;
}

Status RequestList::find(int count, pixMPI_Request requests[], bool single) {
    if (const Status error = check_list(count, requests))
        return error;
    requests_ = requests;
    if (count == 1) {
        found_ = {&one_, 1};
    } else {
        many_.resize(static_cast<std::size_t>(count));
        found_ = many_;
    }
    for (int i = 0; i < count; ++i) {
        if (requests[i] == PIXMPI_REQUEST_NULL)
            continue;
        std::shared_ptr<Request> &request = found_[static_cast<std::size_t>(i)];
        if (const Status error = find_request(runtime_, requests[i], single ? -1 : i, request))
            return error;
        if (request->state == State::inactive)
            request.reset();
    }
    return PIXMPI_SUCCESS;
}

Pause RequestList::pause() const {
    constexpr int few = 16; // of thousands, the next ones are soon the first
    Pause pause;
    int active = 0;
    for (const auto &request : found_) {
        if (!request || request->state != State::active)
            continue;
        if (++active == 1)
            pause = request->pause();
        else
            for (const auto &surface : request->surfaces())
                stay_awake_for(pause, *surface->device);
        if (active == few)
            break;
    }
    return pause;
}

bool RequestList::none_active() const {
    return std::all_of(found_.begin(), found_.end(), [](const auto &request) { return !request; });
}

bool RequestList::all_over() const {
    return std::all_of(found_.begin(), found_.end(),
                       [](const auto &request) { return !request || request->state != State::active; });
}

bool RequestList::any_complete() const {
    return std::any_of(found_.begin(), found_.end(),
                       [](const auto &request) { return request && request->state == State::complete; });
}

Status RequestList::check_contexts(bool all) const {
    bool some_go_on = false;
    for (const auto &request : found_) {
        if (!request || request->state != State::active)
            continue;
        if (!stuck(*request))
            some_go_on = true;
        else if (all)
            return fail_for_lack_of(*request->lacks());
    }
    return some_go_on ? PIXMPI_SUCCESS
                      : fail(PIXMPI_ERR_CONTEXT, "no context of the requests' surfaces is current in this thread");
}

Status RequestList::tell(int i, MPI_Status *status) const {
    mpi::fill(status, at(i) ? at(i)->arrival : mpi::nothing());
    return at(i) && at(i)->error.code ? repeat(at(i)->error) : PIXMPI_SUCCESS;
}

Status RequestList::deliver(int i, MPI_Status *status) {
    if (at(i) && at(i)->error.code && !failed_.code) {
        forget_concern();
        runtime_.requests.find(requests_[i]); // its communicator is what the call's error is about
    }
    const Status error = tell(i, status);
    if (!at(i))
        return error;
    Request &request = *at(i);
    request.state = State::inactive;
    request.error = KeptError();
    if (!request.persistent) {
        runtime_.requests.erase(requests_[i]);
        requests_[i] = PIXMPI_REQUEST_NULL;
    }
    return error;
}

} // namespace pixmpi
