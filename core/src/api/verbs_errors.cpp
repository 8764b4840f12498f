// Errors as the program sees them: texts, codes in statuses, and handlers. And the version.

#include "request/message.h"

#include <chrono>
#include <thread>

using namespace pixmpi;

namespace {

constexpr const char *meanings[] = {
    "no error",
    "wrong argument",
    "MPI is not running, or an MPI call failed",
    "wrong communicator",
    "wrong rank",
    "wrong tag",
    "wrong request",
    "wrong region",
    "wrong surface",
    "wrong format",
    "no graphics context, or not the right one",
    "message longer than the receive's region",
    "out of memory",
    "error of the graphics API",
    "the other rank ended, or gave up the message",
    "neither completed nor failed",
    "each status has its own code",
    "compressed pixels are damaged, or not those that were expected",
    "a file cannot be opened, read or written, or does not hold what was expected",
    "a wait took too long",
};
static_assert(std::size(meanings) == PIXMPI_ERR_END);

} // namespace

int pixMPI_Get_version(int *major, int *minor, int *patch) {
    if (major)
        *major = PIXMPI_VERSION_MAJOR;
    if (minor)
        *minor = PIXMPI_VERSION_MINOR;
    if (patch)
        *patch = PIXMPI_VERSION_PATCH;
    return PIXMPI_SUCCESS;
}

const char *pixMPI_Error_string(int code) {
    const int ours = code >= 0 && code < PIXMPI_ERR_END ? code : mpi::status_of(code);
    return ours < PIXMPI_ERR_END ? meanings[ours] : "unknown error";
}

const char *pixMPI_Error_text(void) { return error_text(); }

int pixMPI_Status_error(const MPI_Status *status) {
    if (!status || status == MPI_STATUS_IGNORE)
        return PIXMPI_ERR_ARGUMENT;
    const Status error = mpi::status_of(status->MPI_ERROR);
    return error == PIXMPI_ERR_END ? PIXMPI_ERR_ARGUMENT : error;
}

void pixMPI_Errors_print(MPI_Comm, int, const char *text, void *) { std::fprintf(stderr, "pixmpi: %s\n", text); }

void pixMPI_Errors_abort(MPI_Comm comm, int code, const char *text, void *data) {
    pixMPI_Errors_print(comm, code, text, data);
    std::fflush(nullptr); // MPI_Abort drops what is in the program's buffers
    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // and mpiexec what it has not passed on by then
    mpi::abort(code);
}

void pixMPI_Errors_return(MPI_Comm, int, const char *, void *) {}

int pixMPI_Set_errhandler(pixMPI_Errhandler handler, void *data) {
    set_process_handler({handler, data, MPI_COMM_NULL});
    return PIXMPI_SUCCESS;
}

int pixMPI_Comm_set_errhandler(MPI_Comm comm, pixMPI_Errhandler handler, void *data) {
    return public_call("pixMPI_Comm_set_errhandler", [&]() -> Status {
        std::shared_ptr<Channel> channel;
        if (const Status error = find_channel(comm, channel))
            return error;
        channel->errors.function = handler;
        channel->errors.data = data;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Comm_get_errhandler(MPI_Comm comm, pixMPI_Errhandler *handler, void **data) {
    return public_call("pixMPI_Comm_get_errhandler", [&]() -> Status {
        if (!handler)
            return fail(PIXMPI_ERR_ARGUMENT, "handler: null, expected a pointer");
        ErrorHandler found = process_handler();
        if (comm != MPI_COMM_NULL) {
            std::shared_ptr<Channel> channel;
            if (const Status error = find_channel(comm, channel))
                return error;
            found = channel->errors;
        }
        *handler = found.function;
        if (data)
            *data = found.data;
        return PIXMPI_SUCCESS;
    });
}
