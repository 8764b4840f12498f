/*
 * cudampi: MPI messages between CUDA's memory and arrays.
 *
 *     MPI_Init(&argc, &argv);
 *     pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);              // once, by all ranks
 *     cudaMalloc(&pixels, 1920 * 1080 * 4);
 *     pixMPI_Surface picture = cudaMPI_Memory(pixels, PIXMPI_RGBA8, 1920, 1080);
 *     if (rank == 0) cudaMPI_Send(picture, PIXMPI_WHOLE, 1, tag, MPI_COMM_WORLD);
 *     else           cudaMPI_Recv(picture, PIXMPI_WHOLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
 *
 * Formats, regions, requests, waiting, options and errors are those of <pixmpi.h>, shared with other APIs; both ends of
 * a message may be of different APIs. Here are the surfaces of CUDA. The header needs none of CUDA's: pointers of the
 * runtime API and of the driver API are accepted (a CUdeviceptr is converted to a pointer).
 *
 * The driver. The library opens libcuda.so.1 at run time when it first meets a surface of CUDA. Without it, calls with
 * such surfaces return PIXMPI_ERR_SURFACE. It uses the context that the memory, or the stream, belongs to; for memory
 * of no context the GPU's primary one, which the runtime API also uses. Calls leave the thread's current context as it
 * was.
 *
 * Order. A message sees all work that was submitted before the call to the surface's stream (cudaMPI_On_stream). A
 * surface without a stream has the legacy default stream, which waits for all streams that were not created as
 * non-blocking: work in those needs cudaMPI_On_stream. When a message has completed (Recv has returned, Wait, Test),
 * the pixels are there for any stream, and the memory of a send may be written again. So nothing has to be synchronised
 * before or after a call. Nonblocking calls do not wait for the GPU. A stream has to live until the message has
 * completed, and must not be capturing a graph when the message starts.
 *
 * Threads. Any thread may call; messages make progress in any thread's calls.
 *
 * How pixels move: rectangles of long rows by copy commands; lists of rectangles and short rows by kernels, which
 * also combine pixels in reductions. Kernels are for compute capability 7.0 (sm_70) and newer, and a build of the
 * library without clang has none: copy commands and the CPU do all then. PIXMPI_CUDA_PACK chooses.
 *
 * Bits arrive unchanged.
 */
#ifndef CUDAMPI_H
#define CUDAMPI_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CUstream of the driver API, cudaStream_t of the runtime API. */
struct CUstream_st;

/*
 * The surfaces. Each function returns a plain value that all verbs accept: pixMPI_Send, pixMPI_Bcast and so on. It asks
 * CUDA nothing: the call that takes the surface does. The memory has to live until the message has completed.
 */

/** Pixels in device, managed or pinned memory, rows without gaps; row_bytes of the result may be changed (the pitch of
 *  cudaMallocPitch), to no less than the bytes of a row. `data` is the address of the first pixel. pixMPI_Memory takes
 *  the same pointers, pinned memory as the host's. Other memory is PIXMPI_ERR_SURFACE. */
PIXMPI_API pixMPI_Surface cudaMPI_Memory(const void *data, pixMPI_Format format, int width, int height);

/** A volume as a surface: its planes, each below the one before, `height` rows each, so the pixel (x, y, z) is
 *  (x, z * height + y). With a pitch, set row_bytes; rows between two planes (ysize of a
 *  cudaPitchedPtr) count as rows of the volume. */
PIXMPI_API pixMPI_Surface cudaMPI_Volume(const void *data, pixMPI_Format format, int width, int height, int depth);

/** An array of CUDA (CUarray, cudaArray_t) of one, two or three dimensions, layered or a cube: one layer, slice or face
 *  of it. The context is the stream's, or the one that the calling thread has current.
 *
 *  format: one with as many bytes per pixel as the array's; PIXMPI_FORMAT_NONE: the array's. Unsigned integers of 8 and
 *  16 bits are then PIXMPI_R8, PIXMPI_R16 and so on. layer: 0 for arrays without. */
PIXMPI_API pixMPI_Surface cudaMPI_Array(const void *array, pixMPI_Format format, int layer);

/** One level of a mipmapped array (CUmipmappedArray, cudaMipmappedArray_t). */
PIXMPI_API pixMPI_Surface cudaMPI_Mipmapped(const void *mipmapped, pixMPI_Format format, int level, int layer);

/** The same surface, in the order of a stream. 0: the legacy default stream. The stream is of the GPU that has the
 *  memory, and not cudaStreamPerThread (PIXMPI_ERR_SURFACE). */
PIXMPI_API pixMPI_Surface cudaMPI_On_stream(pixMPI_Surface surface, struct CUstream_st *stream);

/*
 * The verbs of one message under this library's prefix. They are pixMPI_Send and so on of <pixmpi.h>, which has all
 * other verbs, and the waiting.
 *
 * With surfaces of CUDA all verbs have further return codes: PIXMPI_ERR_SURFACE (no memory of CUDA, no such layer or
 * level, a stream of another GPU, or no driver), PIXMPI_ERR_CONTEXT (an array, and no context is current),
 * PIXMPI_ERR_FORMAT, PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE (CUDA reported an error).
 */
PIXMPI_API int cudaMPI_Send(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm);
PIXMPI_API int cudaMPI_Recv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                            MPI_Status *status);
PIXMPI_API int cudaMPI_Isend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                             pixMPI_Request *request);
PIXMPI_API int cudaMPI_Irecv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                             pixMPI_Request *request);
PIXMPI_API int cudaMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                                pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag,
                                MPI_Comm comm, MPI_Status *status);
PIXMPI_API int cudaMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                                        int recvtag, MPI_Comm comm, MPI_Status *status);
PIXMPI_API int cudaMPI_Send_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                                 pixMPI_Request *request);
PIXMPI_API int cudaMPI_Recv_init(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                                 pixMPI_Request *request);

/** Frees what the library keeps for the context that this thread has current. A program that ends its own context
 *  (cuCtxDestroy), or resets a GPU, calls it before. PIXMPI_ERR_REQUEST while requests of the context have not
 *  completed, PIXMPI_ERR_CONTEXT where none is current. */
PIXMPI_API int cudaMPI_Context_release(void);

#ifdef __cplusplus
}
#endif

#endif
