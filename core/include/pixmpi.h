/*
 * pixmpi: MPI messages of pixels. This header is the part that all APIs share: formats, regions, requests, options,
 * errors; and the verbs, which accept surfaces of any API. <glmpi.h> has the surfaces of OpenGL, <vkmpi.h> Vulkan's.
 * Collectives are in <pixmpi_collectives.h>.
 *
 *     MPI_Init(&argc, &argv);
 *     pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);                             // once, by all ranks
 *     pixMPI_Surface picture = pixMPI_Memory(pixels, PIXMPI_RGBA8, 1920, 1080);
 *     if (rank == 0) pixMPI_Send(picture, PIXMPI_WHOLE, 1, tag, MPI_COMM_WORLD);
 *     else           pixMPI_Recv(picture, PIXMPI_WHOLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
 *
 * Words. A surface is one thing that holds pixels: a rectangle of width x height. A region says which pixels of a
 * surface, as an ordered list of rectangles; a region plays the part of an MPI datatype. The pixels of a region have a
 * packed order: rectangle after rectangle; within a rectangle row after row, from the lowest y; within a row from the
 * lowest x. A message is pixels in packed order: what is sent as rows may be received as columns.
 *
 * Matching is MPI's: communicator, source and tag, with wildcards; messages between two ranks do not overtake one
 * another. Both ends need the same number of bytes per pixel (else PIXMPI_ERR_FORMAT). A receive may name more pixels
 * than come; then the first ones in packed order are written. A receive that names fewer fails with
 * PIXMPI_ERR_TRUNCATE. Bits are not converted.
 *
 * Receives that fail. With PIXMPI_ERR_FORMAT or PIXMPI_ERR_TRUNCATE the surface stays as it was, and the message is
 * consumed. The sender of a small message is not told; the sender of a large one may get PIXMPI_ERR_PEER.
 * Where something fails later, while pixels arrive (the sender ends: PIXMPI_ERR_PEER; or PIXMPI_ERR_DEVICE, _MEMORY,
 * _MPI), some of the region's pixels may have been written and others not.
 *
 * Errors. Every function returns PIXMPI_SUCCESS or a code, and writes its outputs only on success (statuses and request
 * handles excepted, as in MPI). By default a call that fails prints one line first: the call, the argument, what was
 * expected. PIXMPI_ERRORS=abort ends the job then, PIXMPI_ERRORS=return leaves it to the program. See
 * <pixmpi_errors.h>.
 *
 * Threads. MPI_THREAD_SERIALIZED is enough: calls exclude each other inside the library, and while one call waits,
 * others get in. The program itself must not call MPI in one thread while another is inside this library, unless it has
 * MPI_THREAD_MULTIPLE. Messages make progress inside this library's calls only, unless the option `progress` asks for a
 * thread that moves them along as well. A function of the program that the library calls must not call the library:
 * such a call returns PIXMPI_ERR_ARGUMENT. The function for the log (pixMPI_Options) may.
 */
#ifndef PIXMPI_H
#define PIXMPI_H

#include <pixmpi_errors.h>
#include <pixmpi_surface.h>

#ifdef __cplusplus
extern "C" {
#endif


/* ---- attaching ---------------------------------------------------------------------------------------------- */

typedef enum pixMPI_Route PIXMPI_ENUM {
    PIXMPI_ROUTE_NONE = 0,
    PIXMPI_ROUTE_SELF, /* within this rank. */
    PIXMPI_ROUTE_PEER, /* between GPUs, or two processes on one GPU. */
    PIXMPI_ROUTE_SHM,  /* shared memory of one host. */
    PIXMPI_ROUTE_MPI   /* MPI's own messages. */
} pixMPI_Route;

/** "self", "peer", "shm", "mpi", "none". */
PIXMPI_API const char *pixMPI_Route_name(pixMPI_Route route);

enum { PIXMPI_ERRORS_DEFAULT = 0, PIXMPI_ERRORS_PRINT, PIXMPI_ERRORS_ABORT, PIXMPI_ERRORS_RETURN };
enum { PIXMPI_LOG_NONE = 0, PIXMPI_LOG_ERROR, PIXMPI_LOG_INFO, PIXMPI_LOG_DEBUG };

/**
 * What moves messages along.
 *
 *   CALLS   Calls of the library only. Each call moves all messages along.
 *   THREAD  Also a library thread, while the program does something else. It does what needs no graphics context: MPI's
 *           messages, shared memory, copies between GPUs, ends in host memory. MPI must be at MPI_THREAD_MULTIPLE.
 *           Pixels of OpenGL and Vulkan are still packed and unpacked in calls of the thread that has the context.
 */
enum { PIXMPI_PROGRESS_CALLS = 0, PIXMPI_PROGRESS_THREAD };

/**
 * Options of this process. The environment has the last word:
 *
 *   PIXMPI_ROUTE, PIXMPI_BAND, PIXMPI_STAGE, PIXMPI_PEER, PIXMPI_EAGER
 *                     The fields below. Sizes take the suffixes K, M and G.
 *   PIXMPI_ERRORS     print, abort, return, default (<pixmpi_errors.h>).
 *   PIXMPI_LOG        none, error, info, debug.
 *   PIXMPI_PROGRESS   calls, thread.
 *   PIXMPI_CODEC      The codec that communicators begin with, as pixMPI_Codec_named reads it.
 *   PIXMPI_GPU_AWARE  Whether MPI gets pointers to memory of a GPU: 0 never, 1 always, auto (the default) if MPI says
 *                     that it accepts them.
 *   PIXMPI_JPEG       What computes the JPEG of pixels on a GPU: cpu, device (its compute shaders), auto (the default:
 *                     GPUs do, software drivers do not).
 *   PIXMPI_SEARCH     What looks for the pixels that compositors have to send: the same words.
 */
typedef struct pixMPI_Options {
    size_t struct_size; /* set by PIXMPI_OPTIONS_INIT. */
    const char *route;  /* which routes may be used, separated by commas; null or "auto": all. "mpi" always works.
                           "peer" alone: other pixels go through shared memory. */
    size_t band_bytes;  /* what travels in one piece; 0: as much as suits the device. */
    size_t stage_bytes; /* memory for messages under way, at most; 0: 64 MiB. At least 1 MiB. */
    size_t peer_bytes;  /* memory of a GPU for messages between GPUs, for each context that uses them; 0: 1 GiB, or
                           less if the GPU is smaller. Half is for sending, half for what other GPUs send. */
    size_t eager_bytes; /* sends of at most this size end without waiting for the receiver, while there is stage memory
                           to keep them in; 0: 64 KiB. */
    int log_level;      /* PIXMPI_LOG_*; the default is none. */
    void (*log)(int level, const char *text, void *data); /* gets the log's lines, one at a time, and may call the
                                                             library; null: lines go to standard error. */
    void *log_data;
    int errors;   /* PIXMPI_ERRORS_*: what happens when a call on this communicator fails (<pixmpi_errors.h>) */
    int progress; /* PIXMPI_PROGRESS_*: who moves messages along; default the program's calls alone, and a thread for
                     what shaders of other ranks put and get (pixmpi_device.h). The thread ends when MPI_Finalize is
                     called: the library defines it, and calls PMPI_Finalize. Where the program's MPI_Finalize is
                     another (a tool's, mpi4py's), the thread works only while a request is under way */
} pixMPI_Options;
#define PIXMPI_OPTIONS_INIT {sizeof(pixMPI_Options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Makes a communicator ready for messages of pixels: duplicates it, finds out which ranks share a host, and sets up a
 * route to each rank. Every rank calls it once before its first message on that communicator: the call is collective
 * over `comm` (an intracommunicator or intercommunicator). Only pixMPI_Comm_detach is also collective. Attaching again
 * does nothing. Freeing the communicator, or MPI_Finalize, detaches it.
 *
 * options: null for the defaults. What concerns the process as a whole (stage memory, log) comes from the first
 * attachment.
 *
 * Messages under way go on during the call, and other threads may attach other communicators.
 *
 * Sessions (MPI 4): a communicator that was made from a session can be attached between MPI_Init and MPI_Finalize. A
 * session without MPI_Init is not enough: the call returns PIXMPI_ERR_MPI. Free the communicator before you finalize
 * its session.
 *
 * Returns PIXMPI_ERR_MPI when MPI is not initialised or already finalised, PIXMPI_ERR_COMM, PIXMPI_ERR_ARGUMENT (an
 * option, by name), PIXMPI_ERR_MEMORY. When the call fails on one rank, it fails on all: on the others with
 * PIXMPI_ERR_COMM.
 */
PIXMPI_API int pixMPI_Comm_attach(MPI_Comm comm, const pixMPI_Options *options);
/** Undoes pixMPI_Comm_attach. Collective over `comm`. A request on `comm` that has not completed is an error of the
 *  program. */
PIXMPI_API int pixMPI_Comm_detach(MPI_Comm comm);
/** The route of messages from this rank to `rank` of `comm` (of the remote group, for an intercommunicator). Between
 *  ranks of PIXMPI_ROUTE_SHM, messages between GPUs that reach each other's memory use PIXMPI_ROUTE_PEER;
 *  pixMPI_Stats::bytes_by_route tells how many bytes did. */
PIXMPI_API int pixMPI_Comm_route(MPI_Comm comm, int rank, pixMPI_Route *route);

/** How the pixels of a copy within this process go (pixMPI_Copy). */
typedef enum pixMPI_Way PIXMPI_ENUM {
    PIXMPI_WAY_STRAIGHT = 0, /* from surface to surface, with no memory in between. */
    PIXMPI_WAY_DEVICE,       /* through memory of the GPU that has both surfaces. */
    PIXMPI_WAY_HOST,         /* through host memory, in bands: one is unpacked while the next one is packed. */
    PIXMPI_WAY_FILE,         /* one end is a file (<pixmpi_file.h>). */
    PIXMPI_WAY_PEER,         /* from one GPU's memory to another one's, by a copy engine, in bands. */
    PIXMPI_WAY_END           /* one past the last. */
} pixMPI_Way;

/** "straight", "device", "host", "file", "peer". */
PIXMPI_API const char *pixMPI_Way_name(pixMPI_Way way);

/** Counts of this process since it started. */
typedef struct pixMPI_Stats {
    size_t struct_size; /* set by PIXMPI_STATS_INIT. */
    uint64_t messages_sent, messages_received; /* completed, without error. */
    uint64_t bytes_sent, bytes_received;       /* of pixels. */
    uint64_t bytes_copied;                     /* moved by this process' CPU on behalf of the library; packing of host
                                                  memory and of software drivers' pixels does not count. */
    uint64_t bytes_by_route[PIXMPI_ROUTE_MPI + 1]; /* of bytes_sent. */
    uint64_t stage_bytes, stage_bytes_max;        /* in use now, and at most. */
    uint64_t bytes_encoded, bytes_of_streams;      /* of bytes_sent: before and after a codec. */
    uint64_t copies;                               /* copies of all kinds, completed without error. */
    uint64_t bytes_by_way[PIXMPI_WAY_END];         /* of pixels, that these copies have moved. */
} pixMPI_Stats;
#define PIXMPI_STATS_INIT {sizeof(pixMPI_Stats), 0, 0, 0, 0, 0, {0}, 0, 0, 0, 0, 0, {0}}

PIXMPI_API int pixMPI_Get_stats(pixMPI_Stats *stats);

/** The codec of this rank's messages over an attached communicator from now on, unless the request or the surface has
 *  one. Local to this rank: other ranks may choose differently. PIXMPI_CODEC_DEFAULT: the codec of the environment
 *  (PIXMPI_CODEC, a text as above), otherwise none. Returns PIXMPI_ERR_COMM, PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Comm_set_codec(MPI_Comm comm, pixMPI_Codec codec);

/* ---- verbs -------------------------------------------------------------------------------------------------- */

/** One message that is under way, or a persistent one. Requests are the same for all APIs: the calls below serve
 *  requests of pixMPI_Isend, glMPI_Isend and vkMPI_Isend, and lists that mix them. */
typedef struct pixMPI_Request_tag *pixMPI_Request;
#define PIXMPI_REQUEST_NULL ((pixMPI_Request)0)

/*
 * As in MPI: dest and source are ranks of `comm`, or MPI_PROC_NULL (nothing happens, at once); source may be
 * MPI_ANY_SOURCE, and a receive's tag MPI_ANY_TAG. `status` receives source, tag and size; MPI_STATUS_IGNORE is
 * welcome. Send and Isend complete when the program may write to the surface again: at once up to the eager size,
 * otherwise when the receiver has read the pixels. Between start and completion a surface's region is the library's:
 * do not write to what is sent, do not touch what is received.
 *
 * Surfaces of OpenGL and Vulkan bring their own rules of contexts and threads, and further return codes: see <glmpi.h>
 * and <vkmpi.h>.
 *
 * Return codes: PIXMPI_ERR_COMM, _RANK, _TAG, _REGION, _SURFACE, _FORMAT, _TRUNCATE, _MEMORY, _PEER, _MPI.
 */
PIXMPI_API int pixMPI_Send(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm);
PIXMPI_API int pixMPI_Recv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                           MPI_Status *status);
PIXMPI_API int pixMPI_Isend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                            pixMPI_Request *request);
PIXMPI_API int pixMPI_Irecv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                            pixMPI_Request *request);
PIXMPI_API int pixMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                               pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag,
                               MPI_Comm comm, MPI_Status *status);
/** Sends the region's pixels and puts those that arrive in their place; needs no memory for the whole region. */
PIXMPI_API int pixMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                                       int recvtag, MPI_Comm comm, MPI_Status *status);
/** Persistent requests: made once, started as often as one likes, freed by pixMPI_Request_free. A persistent request
 *  keeps all that the library finds out for its first message. */
PIXMPI_API int pixMPI_Send_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                                pixMPI_Request *request);
PIXMPI_API int pixMPI_Recv_init(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                                pixMPI_Request *request);

/*
 * Copies within this process: the pixels of `from_region`, in packed order, become those of `to_region`. The surfaces
 * may be of any API, context and GPU. Both regions have as many pixels, of as many bytes; bits are not converted. A
 * region that is written must not overlap with the one that is read.
 *
 * Each surface's context has to be current in some thread: in the calling one; or in another one that calls the library
 * meanwhile, whichever call it is, and so serves the copy. glMPI_With_context in <glmpi.h> names a surface of OpenGL
 * for calls in other threads; a surface of Vulkan names its context itself. A thread that has nothing else to wait for
 * calls pixMPI_Progress repeatedly. If the thread with the context has not called for five seconds, pixMPI_Copy returns
 * PIXMPI_ERR_CONTEXT and gives up. pixMPI_Wait also returns that code, and the copy continues.
 *
 * Commands that the context's thread gives after the request has completed see the copied pixels. No communicator
 * needs to be attached, but MPI has to run. Where none was attached before, the options are those of the
 * environment.
 *
 * pixMPI_Stats::bytes_by_way tells which ways copies went; the log has the way of each copy at PIXMPI_LOG_DEBUG.
 *
 * Return codes: PIXMPI_ERR_REGION, _SURFACE, _FORMAT, _CONTEXT, _MEMORY, _DEVICE, _MPI.
 */
PIXMPI_API int pixMPI_Copy(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region);
PIXMPI_API int pixMPI_Icopy(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region,
                            pixMPI_Request *request);
PIXMPI_API int pixMPI_Copy_init(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to,
                                pixMPI_Region to_region, pixMPI_Request *request);

/* The calls from here on are for requests of all kinds and APIs. */

/** Moves along what is under way, once, as far as this thread's contexts allow. Never waits. */
PIXMPI_API int pixMPI_Progress(void);

PIXMPI_API int pixMPI_Start(pixMPI_Request *request);
/** The call checks all requests before it starts the first. Where an argument is wrong, no request has been started; a
 *  request that is listed twice is such an error. */
PIXMPI_API int pixMPI_Startall(int count, pixMPI_Request requests[]);
/** Waits until a matching message could be received, and returns its source, tag and size. PIXMPI_ERR_PEER when
 *  `source` has ended; the library sees that of processes of this host only. */
PIXMPI_API int pixMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
/** Whether there is a matching message now. Never waits. */
PIXMPI_API int pixMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

/*
 * Completion, as in MPI: a completed request is freed and its handle set to PIXMPI_REQUEST_NULL; a persistent request
 * becomes inactive. Null and inactive requests count as completed, with an empty status. The calls return the error of
 * the message; Waitall, Testall and Waitsome return PIXMPI_ERR_STATUS, and pixMPI_Status_error reads each message's
 * code from its status. statuses may be MPI_STATUSES_IGNORE. A request of a graphics API makes progress only where its
 * context is current; waiting elsewhere is PIXMPI_ERR_CONTEXT, and the request goes on.
 */
PIXMPI_API int pixMPI_Wait(pixMPI_Request *request, MPI_Status *status);
PIXMPI_API int pixMPI_Test(pixMPI_Request *request, int *flag, MPI_Status *status);
PIXMPI_API int pixMPI_Waitall(int count, pixMPI_Request requests[], MPI_Status statuses[]);
PIXMPI_API int pixMPI_Testall(int count, pixMPI_Request requests[], int *flag, MPI_Status statuses[]);
/** index: which request completed, or MPI_UNDEFINED when none is active. */
PIXMPI_API int pixMPI_Waitany(int count, pixMPI_Request requests[], int *index, MPI_Status *status);
/** outcount: how many completed, or MPI_UNDEFINED when none is active; indices and statuses have room for `count`. */
PIXMPI_API int pixMPI_Waitsome(int count, pixMPI_Request requests[], int *outcount, int indices[],
                               MPI_Status statuses[]);
/** Asks a receive that has not matched yet to end, or a copy that waits for a context. The program still has to
 *  complete the request; MPI_Test_cancelled then tells from the status whether the request was cancelled. Sends cannot
 *  be cancelled (MPI 4.0 deprecates that): PIXMPI_ERR_REQUEST. */
PIXMPI_API int pixMPI_Cancel(pixMPI_Request *request);
/** Lets go of a request; a message under way still completes. Sets the handle to PIXMPI_REQUEST_NULL. */
PIXMPI_API int pixMPI_Request_free(pixMPI_Request *request);
/** Sets the codec of an inactive persistent request from its next start on, whatever its surface says: of a send, or of
 *  all that this rank sends in a collective. Returns PIXMPI_ERR_REQUEST, PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Request_set_codec(pixMPI_Request request, pixMPI_Codec codec);

/** How many pixels of `format` a status tells of, as MPI_Get_count: MPI_UNDEFINED when the bytes are no multiple of a
 *  pixel's. (MPI_Get_count with MPI_BYTE gives the bytes.) */
PIXMPI_API int pixMPI_Get_count(const MPI_Status *status, pixMPI_Format format, int64_t *pixels);

#ifdef __cplusplus
}
#endif

#endif
