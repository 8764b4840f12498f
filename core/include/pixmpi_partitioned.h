/*
 * Partitioned messages: a persistent message that becomes ready part by part, for instance band by band of a frame, or
 * tile by tile. Each part is sent when the program says that it is ready. The receiver can use the parts that have
 * arrived while the sender still draws the others.
 *
 *     pixMPI_Region bands[8];                                             // committed, of one picture
 *     pixMPI_Psend_init(picture, 8, bands, dest, tag, comm, &request);    // once
 *
 *     pixMPI_Start(&request);                                             // for each frame
 *     for (int i = 0; i < 8; ++i) {
 *         draw_band(i);
 *         pixMPI_Pready(i, request);
 *     }
 *     pixMPI_Wait(&request, MPI_STATUS_IGNORE);
 *
 * Partitions. A partition is a region of the surface. The message is all of them, one behind the other in packed order.
 * Partitions may differ in size, and may be empty. The receiver may have other partitions, and another number of them.
 * Both ends need the same number of pixels in all, with the same number of bytes. Otherwise the receiver fails with
 * PIXMPI_ERR_TRUNCATE or PIXMPI_ERR_FORMAT, and the sender perhaps with PIXMPI_ERR_PEER. The receiver's partitions do
 * not overlap.
 *
 * Matching. The library matches the requests of both ends in the order of the calls that make them: the first
 * Psend_init to a rank with a tag, and that rank's first Precv_init from there with this tag, on one communicator; then
 * the second ones, and so on. There are no wildcards. Partitioned messages never meet other messages or probes. Both
 * ends start their requests equally often.
 *
 * Completion. The requests are persistent: pixMPI_Start, pixMPI_Wait, pixMPI_Test and so on, pixMPI_Request_free. A
 * send completes when all partitions have been marked ready and have been sent; a receive when all have arrived. They
 * cannot be cancelled. If a partition fails, the completing call returns its error once the other partitions are over.
 *
 * Threads. Any thread may mark a partition ready, also while another thread waits for the request. Partitions of
 * surfaces of OpenGL and Vulkan are sent by calls of the thread that has the context: a thread without it only marks
 * them.
 *
 * Vulkan. A partition is ready when the commands that write it have been executed. The semaphores of vkMPI_Any count
 * for the whole message: the library waits for them before it sends the first partition, and signals after the last
 * one. `layout` and `layout_after` also count for the whole message. While the request is active, an image has
 * VK_IMAGE_LAYOUT_GENERAL: write and read partitions in this layout meanwhile.
 *
 * Source: MPI 4.1, chapter 4.
 */
#ifndef PIXMPI_PARTITIONED_H
#define PIXMPI_PARTITIONED_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a partitioned send, or receive, which is inactive.
 *
 *   surface            Its pixels, which live as long as the request.
 *   partitions         How many, at least 1.
 *   regions            Of each partition a committed region of the surface, which may be freed when the call has
 *                      returned.
 *   dest, source, tag  The other rank, or MPI_PROC_NULL, and the tag. No wildcards.
 *   comm               An attached communicator; not that of an endpoint.
 *   request            Receives the handle.
 *
 * Return codes: PIXMPI_ERR_ARGUMENT, _COMM, _RANK, _TAG, _REGION, _SURFACE, _FORMAT, _CONTEXT, _MEMORY, _MPI. A call
 * that fails does not count for the order of matching.
 */
PIXMPI_API int pixMPI_Psend_init(pixMPI_Surface surface, int partitions, const pixMPI_Region regions[], int dest,
                                 int tag, MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Precv_init(pixMPI_Surface surface, int partitions, const pixMPI_Region regions[], int source,
                                 int tag, MPI_Comm comm, pixMPI_Request *request);

/**
 * Marks partitions of a started send as ready: their pixels are in the surface, and the program leaves them alone until
 * the request has completed. Never waits.
 *
 *   partition     From 0 on; once in each start.
 *   low, high     The partitions from `low` to `high`, both of them included.
 *   length, list  So many partitions, in any order.
 *   request       A send of pixMPI_Psend_init that has been started.
 *
 * Return codes: PIXMPI_ERR_REQUEST for requests of other kinds and inactive ones. PIXMPI_ERR_ARGUMENT for a partition
 * that does not exist or has been marked; no partition has been marked by the call then. What fails while a partition
 * is sent is the error of the request.
 */
PIXMPI_API int pixMPI_Pready(int partition, pixMPI_Request request);
PIXMPI_API int pixMPI_Pready_range(int low, int high, pixMPI_Request request);
PIXMPI_API int pixMPI_Pready_list(int length, const int list[], pixMPI_Request request);

/**
 * Whether a partition of a receive has arrived: its pixels are in the surface, and may be read before the request has
 * completed. Moves along what is under way. Never waits.
 *
 *   request    A receive of pixMPI_Precv_init.
 *   partition  One of the receiver's.
 *   flag       1 when all its pixels are in place, or the request is inactive; else 0.
 *
 * Return codes: PIXMPI_ERR_REQUEST for requests of other kinds, PIXMPI_ERR_ARGUMENT. An error of the request is left to
 * the call that completes it.
 */
PIXMPI_API int pixMPI_Parrived(pixMPI_Request request, int partition, int *flag);

#ifdef __cplusplus
}
#endif

#endif
