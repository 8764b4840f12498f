// Requests of all APIs: starting, waiting, testing, cancelling, freeing.

#include "operation.h"

#include <vector>

namespace pixmpi {
namespace {

/// Requests of a list, by index; null for null and inactive ones.
using Messages = std::vector<std::shared_ptr<Message>>;

/// `index`: the place in the call's list, or -1 where it has a single one.
Status find_request(Library &library, pixMPI_Request handle, int index, std::shared_ptr<Message> &message) {
    message = library.requests.find(handle);
    if (message)
        return PIXMPI_SUCCESS;
    const char *what = handle == PIXMPI_REQUEST_NULL ? "PIXMPI_REQUEST_NULL" : "foreign or freed";
    constexpr const char *expected = "expected one made by a call of this library and not freed since";
    return index < 0 ? fail(PIXMPI_ERR_REQUEST, "request: %s, %s", what, expected)
                     : fail(PIXMPI_ERR_REQUEST, "requests[%d]: %s, %s", index, what, expected);
}

Status find_startable(Library &library, pixMPI_Request handle, int index, std::shared_ptr<Message> &message) {
    if (const Status error = find_request(library, handle, index, message))
        return error;
    if (message->persistent && message->state == State::inactive)
        return PIXMPI_SUCCESS;
    const char *what = message->persistent ? "active" : "not persistent";
    constexpr const char *expected = "expected one of Send_init or Recv_init that is not active";
    return index < 0 ? fail(PIXMPI_ERR_REQUEST, "request: %s, %s", what, expected)
                     : fail(PIXMPI_ERR_REQUEST, "requests[%d]: %s, %s", index, what, expected);
}

Status check_list(int count, const pixMPI_Request requests[]) {
    if (count < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "count: %d, expected none or more", count);
    if (count > 0 && !requests)
        return fail(PIXMPI_ERR_ARGUMENT, "requests: null, expected %d requests", count);
    return PIXMPI_SUCCESS;
}

/// `single`: for the texts.
Status find_pending(Library &library, int count, pixMPI_Request requests[], bool single, Messages &messages) {
    if (const Status error = check_list(count, requests))
        return error;
    messages.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        if (requests[i] == PIXMPI_REQUEST_NULL)
            continue;
        std::shared_ptr<Message> &message = messages[static_cast<std::size_t>(i)];
        if (const Status error = find_request(library, requests[i], single ? -1 : i, message))
            return error;
        if (message->state == State::inactive)
            message.reset();
    }
    return PIXMPI_SUCCESS;
}

/// Hands a completed message over to the user.
Status deliver(Library &library, Message &message, pixMPI_Request *request, MPI_Status *status) {
    if (status)
        mpi::fill(status, message.arrival);
    message.state = State::inactive;
    const Error error = std::move(message.error);
    message.error = {};
    if (!message.persistent) {
        library.requests.erase(*request);
        *request = PIXMPI_REQUEST_NULL;
    }
    return error.code ? repeat(error) : PIXMPI_SUCCESS;
}

void fill_empty(MPI_Status *status) {
    if (status)
        mpi::fill(status, mpi::nothing());
}

MPI_Status *ignored(MPI_Status *status) { return status == MPI_STATUS_IGNORE ? nullptr : status; }
MPI_Status *ignored_list(MPI_Status *statuses) { return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses; }

/// Progress until `enough(messages)`, once when `blocking` is false. Where none of those that are awaited can go on
/// here: an error.
template <class Enough>
Status progress_until(Library &library, Lock &lock, const Messages &messages, bool blocking, bool all, bool &is_enough,
                      Enough enough) {
    for (Wait wait;;) {
        bool moved = false;
        progress(library, moved);
        is_enough = enough(messages);
        if (is_enough || !blocking)
            return PIXMPI_SUCCESS;
        bool some_go_on = false;
        for (const auto &message : messages) {
            if (!message || message->state != State::active)
                continue;
            if (!stuck(*message))
                some_go_on = true;
            else if (all)
                return fail(PIXMPI_ERR_CONTEXT, "the context of a request's surface (%s) is not current in this thread",
                            message->device().name());
        }
        if (!some_go_on)
            return fail(PIXMPI_ERR_CONTEXT, "no context of the requests' surfaces is current in this thread");
        if (moved)
            wait.reset();
        let_others_in(lock, wait);
    }
}

bool is_over(const std::shared_ptr<Message> &message) { return !message || message->state == State::complete; }

bool all_over(const Messages &messages) {
    for (const auto &message : messages)
        if (!is_over(message))
            return false;
    return true;
}

bool any_complete(const Messages &messages) {
    for (const auto &message : messages)
        if (message && message->state == State::complete)
            return true;
    return false;
}

bool none(const Messages &messages) {
    for (const auto &message : messages)
        if (message)
            return false;
    return true;
}

/// Hands over all of a list that is over.
Status deliver_all(Library &library, const Messages &messages, pixMPI_Request requests[], MPI_Status statuses[]) {
    bool failed = false;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        MPI_Status *status = statuses ? &statuses[i] : nullptr;
        Status error = PIXMPI_SUCCESS;
        if (messages[i])
            error = deliver(library, *messages[i], &requests[i], status);
        else
            fill_empty(status);
        if (status)
            mpi::fill_error(status, error);
        failed = failed || error;
    }
    return failed ? PIXMPI_ERR_STATUS : PIXMPI_SUCCESS;
}

Status wait_or_test(pixMPI_Request *request, int *flag, MPI_Status *status) {
    if (!request)
        return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
    Library &library = pixmpi::library();
    Lock lock(library.lock);
    Messages messages;
    if (const Status error = find_pending(library, 1, request, true, messages))
        return error;
    bool over = true;
    if (messages[0]) {
        if (const Status error = progress_until(library, lock, messages, !flag, true, over, all_over))
            return error;
    } else {
        fill_empty(ignored(status));
    }
    if (flag)
        *flag = over;
    return messages[0] && over ? deliver(library, *messages[0], request, ignored(status)) : PIXMPI_SUCCESS;
}

Status all(int count, pixMPI_Request requests[], int *flag, MPI_Status statuses[]) {
    Library &library = pixmpi::library();
    Lock lock(library.lock);
    Messages messages;
    if (const Status error = find_pending(library, count, requests, false, messages))
        return error;
    bool over = true;
    if (!none(messages))
        if (const Status error = progress_until(library, lock, messages, !flag, true, over, all_over))
            return error;
    if (flag)
        *flag = over;
    return over ? deliver_all(library, messages, requests, ignored_list(statuses)) : PIXMPI_SUCCESS;
}

} // namespace
} // namespace pixmpi

using namespace pixmpi;

int pixMPI_Start(pixMPI_Request *request) {
    return public_call("pixMPI_Start", [&]() -> Status {
        if (!request)
            return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        std::shared_ptr<Message> message;
        if (const Status error = find_startable(library, *request, -1, message))
            return error;
        return start(library, message);
    });
}

int pixMPI_Startall(int count, pixMPI_Request requests[]) {
    return public_call("pixMPI_Startall", [&]() -> Status {
        if (const Status error = check_list(count, requests))
            return error;
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        Messages messages(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) // all of them, before one is started
            if (const Status error = find_startable(library, requests[i], i, messages[static_cast<std::size_t>(i)]))
                return error;
        for (const auto &message : messages)
            if (const Status error = start(library, message))
                return error;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Wait(pixMPI_Request *request, MPI_Status *status) {
    return public_call("pixMPI_Wait", [&] { return wait_or_test(request, nullptr, status); });
}

int pixMPI_Test(pixMPI_Request *request, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Test", [&]() -> Status {
        if (!flag)
            return fail(PIXMPI_ERR_ARGUMENT, "flag: null, expected a pointer to an int");
        return wait_or_test(request, flag, status);
    });
}

int pixMPI_Waitall(int count, pixMPI_Request requests[], MPI_Status statuses[]) {
    return public_call("pixMPI_Waitall", [&] { return all(count, requests, nullptr, statuses); });
}

int pixMPI_Testall(int count, pixMPI_Request requests[], int *flag, MPI_Status statuses[]) {
    return public_call("pixMPI_Testall", [&]() -> Status {
        if (!flag)
            return fail(PIXMPI_ERR_ARGUMENT, "flag: null, expected a pointer to an int");
        return all(count, requests, flag, statuses);
    });
}

int pixMPI_Waitany(int count, pixMPI_Request requests[], int *index, MPI_Status *status) {
    return public_call("pixMPI_Waitany", [&]() -> Status {
        if (!index)
            return fail(PIXMPI_ERR_ARGUMENT, "index: null, expected a pointer to an int");
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        Messages messages;
        if (const Status error = find_pending(library, count, requests, false, messages))
            return error;
        if (none(messages)) {
            *index = MPI_UNDEFINED;
            fill_empty(ignored(status));
            return PIXMPI_SUCCESS;
        }
        bool found = false;
        if (const Status error = progress_until(library, lock, messages, true, false, found, any_complete))
            return error;
        int i = 0;
        while (!messages[static_cast<std::size_t>(i)] || !is_over(messages[static_cast<std::size_t>(i)]))
            ++i;
        *index = i;
        return deliver(library, *messages[static_cast<std::size_t>(i)], &requests[i], ignored(status));
    });
}

int pixMPI_Waitsome(int count, pixMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
    return public_call("pixMPI_Waitsome", [&]() -> Status {
        if (!outcount || (count > 0 && !indices))
            return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected room for the result",
                        outcount ? "indices" : "outcount");
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        Messages messages;
        if (const Status error = find_pending(library, count, requests, false, messages))
            return error;
        if (none(messages)) {
            *outcount = MPI_UNDEFINED;
            return PIXMPI_SUCCESS;
        }
        bool found = false, failed = false;
        if (const Status error = progress_until(library, lock, messages, true, false, found, any_complete))
            return error;
        int n = 0;
        MPI_Status *list = ignored_list(statuses);
        for (int i = 0; i < count; ++i) {
            const auto &message = messages[static_cast<std::size_t>(i)];
            if (!message || message->state != State::complete)
                continue;
            const Status error = deliver(library, *message, &requests[i], list ? &list[n] : nullptr);
            if (list)
                mpi::fill_error(&list[n], error);
            failed = failed || error;
            indices[n++] = i;
        }
        *outcount = n;
        return failed ? PIXMPI_ERR_STATUS : PIXMPI_SUCCESS;
    });
}

int pixMPI_Cancel(pixMPI_Request *request) {
    return public_call("pixMPI_Cancel", [&]() -> Status {
        if (!request)
            return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        std::shared_ptr<Message> message;
        if (const Status error = find_request(library, *request, -1, message))
            return error;
        if (message->state == State::inactive)
            return fail(PIXMPI_ERR_REQUEST, "request: inactive, expected an active one");
        return cancel(*message);
    });
}

int pixMPI_Request_free(pixMPI_Request *request) {
    return public_call("pixMPI_Request_free", [&]() -> Status {
        if (!request)
            return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
        Library &library = pixmpi::library();
        Lock lock(library.lock);
        std::shared_ptr<Message> message;
        if (const Status error = find_request(library, *request, -1, message))
            return error;
        library.requests.erase(*request); // one under way is kept by the list of those
        *request = PIXMPI_REQUEST_NULL;
        return PIXMPI_SUCCESS;
    });
}
