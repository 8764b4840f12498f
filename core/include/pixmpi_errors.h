/*
 * pixmpi's errors: codes, texts, and what happens when a call fails. <pixmpi.h> includes this header.
 *
 * Every function of the library returns PIXMPI_SUCCESS or one of the codes below. It writes its outputs only on success
 * (statuses and request handles excepted, as in MPI). Before a call returns an error, it calls an error handler once:
 *
 *     pixMPI_Errors_print     prints one line on standard error, then the call returns the code. The default.
 *     pixMPI_Errors_abort     prints the same line and ends the job by MPI_Abort, as MPI does by default.
 *     pixMPI_Errors_return    does nothing: the call returns the code, and the program looks at it.
 *     a function of yours     see pixMPI_Errhandler
 *
 * Where the handler comes from, first match wins:
 *
 *     1. pixMPI_Comm_set_errhandler, for calls on that communicator and for requests made on it afterwards
 *     2. pixMPI_Set_errhandler, for all other calls of the process
 *     3. PIXMPI_ERRORS in the environment: print, abort, return, or default for nothing said
 *     4. pixMPI_Options::errors of pixMPI_Comm_attach, for that communicator
 *     5. pixMPI_Errors_print
 *
 * A call that your handler, or your function for the log, makes returns its code and calls no handler.
 */
#ifndef PIXMPI_ERRORS_H
#define PIXMPI_ERRORS_H

#include <mpi.h>
#include <pixmpi_surface.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these headers. PIXMPI_VERSION compares: PIXMPI_VERSION >= PIXMPI_VERSION_NUMBER(0, 2, 0). */
#define PIXMPI_VERSION_MAJOR 0
#define PIXMPI_VERSION_MINOR 1
#define PIXMPI_VERSION_PATCH 0
#define PIXMPI_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define PIXMPI_VERSION PIXMPI_VERSION_NUMBER(PIXMPI_VERSION_MAJOR, PIXMPI_VERSION_MINOR, PIXMPI_VERSION_PATCH)

/** The version of the library that the program runs with. Pointers may be null. May be called at any time, in any
 *  thread. Always PIXMPI_SUCCESS. */
PIXMPI_API int pixMPI_Get_version(int *major, int *minor, int *patch);

enum {
    PIXMPI_SUCCESS = 0,
    PIXMPI_ERR_ARGUMENT, /* a null pointer, a negative count, an option that does not exist. */
    PIXMPI_ERR_MPI,      /* MPI is not running, or an MPI call failed. */
    PIXMPI_ERR_COMM,     /* a null communicator, or one that is not attached. */
    PIXMPI_ERR_RANK,     /* no such rank in the communicator. */
    PIXMPI_ERR_TAG,      /* negative, or above MPI_TAG_UB. */
    PIXMPI_ERR_REQUEST,  /* null, foreign or freed; or not in the state that the call needs. */
    PIXMPI_ERR_REGION,   /* null, foreign or freed; or it does not lie within the surface. */
    PIXMPI_ERR_SURFACE,  /* no such surface, incomplete, multisampled, or of no use for this call. */
    PIXMPI_ERR_FORMAT,   /* unknown, or not the other end's bytes per pixel. */
    PIXMPI_ERR_CONTEXT,  /* no graphics context is current, or not the one that the request was made with. */
    PIXMPI_ERR_TRUNCATE, /* the message has more pixels than the receive's region. */
    PIXMPI_ERR_MEMORY,   /* out of memory, here or on the GPU. */
    PIXMPI_ERR_DEVICE,   /* the graphics API reported an error. */
    PIXMPI_ERR_PEER,     /* the other rank ended, or gave up the message. */
    PIXMPI_ERR_PENDING,  /* in a status of Waitall, Testall, Waitsome: this request has not failed, nor completed. */
    PIXMPI_ERR_STATUS,   /* Waitall, Testall, Waitsome: each status has its own code (pixMPI_Status_error). */
    PIXMPI_ERR_CODEC,    /* compressed pixels are damaged, or are not those that were expected. */
    PIXMPI_ERR_FILE,     /* a file cannot be opened, read or written, or does not hold what was expected. */
    PIXMPI_ERR_TIMEOUT,  /* a wait took too long: runs of shaders (<pixmpi_device.h>), the program's lock of a queue
                            (<vkmpi.h>). */
    PIXMPI_ERR_END       /* one past the last. */
};

/** What `code` means in general, a constant text. `code` is one of the codes above, or the MPI_ERROR of a status. For
 *  other numbers: "unknown error". May be called at any time, in any thread. */
PIXMPI_API const char *pixMPI_Error_string(int code);

/** The last error of the calling thread in full: rank, call, argument, what was expected. Never null; empty if there
 *  was no error. Valid until this thread's next call. */
PIXMPI_API const char *pixMPI_Error_text(void);

/** The code in a status that Waitall, Testall, Waitsome or Testsome wrote: PIXMPI_SUCCESS, or one of the codes above.
 *  The field MPI_ERROR itself has an error code of MPI (MPI_Add_error_class), so that MPI_Error_string explains it. As
 *  in MPI, calls that complete a single request leave the field alone. May be called in any thread. Null, or a status
 *  with an error of another library: PIXMPI_ERR_ARGUMENT, and no handler is called. */
PIXMPI_API int pixMPI_Status_error(const MPI_Status *status);

/**
 * An error handler. It is called in the thread of the call that fails, before that call returns, while the library
 * holds no lock. It may call the library and may end the process. It must not leave by longjmp or by an exception.
 *
 * comm: the communicator that the call was about; MPI_COMM_NULL if there is none.
 * code: what the call is going to return.
 * text: pixMPI_Error_text(); valid until the handler returns. For PIXMPI_ERR_STATUS: of the first request that failed.
 * data: what was given with the handler.
 */
typedef void (*pixMPI_Errhandler)(MPI_Comm comm, int code, const char *text, void *data);

/** The predefined handlers: see the top of this header. Handlers of yours may call them. */
PIXMPI_API void pixMPI_Errors_print(MPI_Comm comm, int code, const char *text, void *data);
PIXMPI_API void pixMPI_Errors_abort(MPI_Comm comm, int code, const char *text, void *data);
PIXMPI_API void pixMPI_Errors_return(MPI_Comm comm, int code, const char *text, void *data);

/** Sets the handler of this process, for all calls on communicators without a handler; a null `handler`: the default
 *  again. May be called before MPI_Init, in any thread. Always PIXMPI_SUCCESS. */
PIXMPI_API int pixMPI_Set_errhandler(pixMPI_Errhandler handler, void *data);

/** Sets the handler of an attached communicator, on this rank only; a null `handler`: the process's again. Requests,
 *  compositors, files and endpoints keep the handler that their communicator had when they were made.
 *  PIXMPI_ERR_COMM. */
PIXMPI_API int pixMPI_Comm_set_errhandler(MPI_Comm comm, pixMPI_Errhandler handler, void *data);

/** What pixMPI_Set_errhandler (for MPI_COMM_NULL) or pixMPI_Comm_set_errhandler has set; `handler` receives null where
 *  none is set. `data` may be null. PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_COMM. */
PIXMPI_API int pixMPI_Comm_get_errhandler(MPI_Comm comm, pixMPI_Errhandler *handler, void **data);

#ifdef __cplusplus
}
#endif

#endif
