#include "api/launch.h"

namespace pixmpi {

Status check_form(const Form &form) {
    return form.blocking || form.request ? PIXMPI_SUCCESS
                                         : fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
}

Status launch(Runtime &runtime, const Form &form, const std::shared_ptr<Request> &request) {
    request->persistent = form.life == Life::persistent;
    request->blocking = form.blocking;
    void *handle = nullptr;
    const Status failed = without_throwing([&] {
        if (!form.blocking)
            handle = runtime.requests.insert(request); // before the start, as it may find no memory
        return request->persistent ? PIXMPI_SUCCESS : start(runtime, request);
    });
    if (failed && handle)
        runtime.requests.erase(handle);
    if (!failed && !form.blocking)
        *form.request = static_cast<pixMPI_Request>(handle);
    return failed;
}

Status finish(Runtime &runtime, Lock &lock, Request &request, MPI_Status *status) {
    if (const Status error = wait(runtime, lock, request))
        return error;
    mpi::fill(status, request.arrival);
    return request.error.code ? repeat(request.error) : PIXMPI_SUCCESS;
}

Status run(const Form &form, const std::shared_ptr<Request> &request, MPI_Status *status) {
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    if (const Status error = launch(runtime, form, request))
        return error;
    return form.blocking ? finish(runtime, lock, *request, status) : PIXMPI_SUCCESS;
}

Status need_library(Runtime &runtime) {
    if (const Status error = check_running())
        return error;
    if (runtime.open)
        return PIXMPI_SUCCESS;
    Options options;
    if (const Status error = read_options(nullptr, options))
        return error;
    return open_library(runtime, options);
}

} // namespace pixmpi
