/*
 * Further verbs of messages: sends that wait for their receive, probes that claim the message, exchanges as one
 * request, and further calls of completion. Those that every program needs are in <pixmpi.h>. The names and the order
 * of arguments are MPI's, with a surface and a region where MPI has a buffer, a count and a datatype.
 *
 *     pixMPI_Message message;
 *     MPI_Status status;
 *     int64_t pixels;
 *     pixMPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);        // other receives do not get it now
 *     pixMPI_Get_count(&status, PIXMPI_RGBA8, &pixels);
 *     pixMPI_Mrecv(pixMPI_Memory(memory, PIXMPI_RGBA8, pixels, 1), PIXMPI_WHOLE, &message, MPI_STATUS_IGNORE);
 *
 * The rules of <pixmpi.h> for threads, contexts, errors and lifetimes hold here. A message between a verb of this
 * header and one of <pixmpi.h> is an ordinary message: pixMPI_Recv receives what pixMPI_Ssend sends.
 */
#ifndef PIXMPI_MESSAGES_H
#define PIXMPI_MESSAGES_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- synchronous sends --------------------------------------------------------------------------------------- */

/**
 * As pixMPI_Send, pixMPI_Isend and pixMPI_Send_init, but the send completes no sooner than a receive has matched it,
 * whatever its size. A probe is no receive.
 *
 *   surface, region   The pixels that are sent.
 *   dest, tag, comm   As in pixMPI_Send. With MPI_PROC_NULL the send completes at once.
 *   request           Receives the handle.
 *
 * Return codes: those of pixMPI_Send. The send also completes where its receive fails, for instance by
 * PIXMPI_ERR_TRUNCATE. PIXMPI_ERR_PEER when the receiver has ended without a receive; the library sees that of
 * processes of this host only.
 */
PIXMPI_API int pixMPI_Ssend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm);
PIXMPI_API int pixMPI_Issend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                             pixMPI_Request *request);
PIXMPI_API int pixMPI_Ssend_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                                 pixMPI_Request *request);

/* ---- exchanges ----------------------------------------------------------------------------------------------- */

/**
 * pixMPI_Sendrecv and pixMPI_Sendrecv_replace as a request, which completes when both messages have. Its status is that
 * of the receive. If one of both messages fails, the completing call returns its error, once the other one is over; of
 * two errors it returns that of the send. The request cannot be cancelled.
 *
 * Return codes: those of the blocking calls, and PIXMPI_ERR_ARGUMENT when `request` is null.
 */
PIXMPI_API int pixMPI_Isendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                                pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag,
                                MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Isendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag,
                                        int source, int recvtag, MPI_Comm comm, pixMPI_Request *request);

/* ---- matched probes ------------------------------------------------------------------------------------------ */

/** A message that a probe has matched. Only pixMPI_Mrecv and pixMPI_Imrecv receive it: no other receive and no other
 *  probe finds it. So several threads can probe with wildcards and receive what each of them has found. */
typedef struct pixMPI_Message_tag *pixMPI_Message;

#define PIXMPI_MESSAGE_NULL ((pixMPI_Message)0)
/** The result of a matched probe of MPI_PROC_NULL: a message without pixels. It may be received any number of times. */
#define PIXMPI_MESSAGE_NO_PROC ((pixMPI_Message)1)

/**
 * Waits for a message that a receive of `source` and `tag` would match, and claims it.
 *
 *   source, tag, comm   As in pixMPI_Recv, with wildcards. For MPI_PROC_NULL the message is PIXMPI_MESSAGE_NO_PROC.
 *   message             Receives the handle. You must receive the message: a large one keeps its sender waiting.
 *   status              Receives source, tag and size; or MPI_STATUS_IGNORE.
 *
 * Return codes: PIXMPI_ERR_COMM, _RANK, _TAG, _ARGUMENT, _MPI; PIXMPI_ERR_PEER when `source` has ended, which the
 * library sees of processes of this host only.
 */
PIXMPI_API int pixMPI_Mprobe(int source, int tag, MPI_Comm comm, pixMPI_Message *message, MPI_Status *status);
/** The same without waiting. flag: 1 when there was such a message; otherwise 0, and `message` and `status` are not
 *  written. */
PIXMPI_API int pixMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, pixMPI_Message *message,
                              MPI_Status *status);
/**
 * Receives the message of a matched probe.
 *
 *   surface, region   Where its pixels go, as in pixMPI_Recv.
 *   message           The handle; set to PIXMPI_MESSAGE_NULL. It keeps its value where the call finds an argument to be
 *                     wrong: you can receive the message by another call.
 *   status, request   As in pixMPI_Recv and pixMPI_Irecv. A request of pixMPI_Imrecv cannot be cancelled any more:
 *                     pixMPI_Cancel does nothing.
 *
 * Return codes: those of pixMPI_Recv; PIXMPI_ERR_ARGUMENT when `message` is null, or its handle is null or of no
 * matched message. After PIXMPI_ERR_TRUNCATE and PIXMPI_ERR_FORMAT the message is consumed.
 */
PIXMPI_API int pixMPI_Mrecv(pixMPI_Surface surface, pixMPI_Region region, pixMPI_Message *message,
                            MPI_Status *status);
PIXMPI_API int pixMPI_Imrecv(pixMPI_Surface surface, pixMPI_Region region, pixMPI_Message *message,
                             pixMPI_Request *request);

/* ---- completion ---------------------------------------------------------------------------------------------- */

/*
 * For requests of all kinds and APIs: messages, collectives, copies, files. What <pixmpi.h> says of pixMPI_Waitany and
 * pixMPI_Waitsome also holds here. They move along what is under way, and never wait.
 */

/** flag: 1 when one of the requests has completed, or none of them is active. index: which one, or MPI_UNDEFINED. */
PIXMPI_API int pixMPI_Testany(int count, pixMPI_Request requests[], int *index, int *flag, MPI_Status *status);
/** outcount: how many have completed, perhaps 0, or MPI_UNDEFINED when none is active. indices and statuses have room
 *  for `count`. */
PIXMPI_API int pixMPI_Testsome(int count, pixMPI_Request requests[], int *outcount, int indices[],
                               MPI_Status statuses[]);
/** Whether a request has completed, without completing it: the handle stays, and pixMPI_Wait or pixMPI_Test is still
 *  to follow. For PIXMPI_REQUEST_NULL and inactive requests `flag` is 1 and the status is empty. If the request has
 *  failed, this call returns its error, and so does the one that completes it. */
PIXMPI_API int pixMPI_Request_get_status(pixMPI_Request request, int *flag, MPI_Status *status);

#ifdef __cplusplus
}
#endif

#endif
