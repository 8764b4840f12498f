/*
 * Collectives on pixels: all ranks of a communicator take part in one call.
 *
 *     pixMPI_Bcast(glMPI_Texture2D(texture), PIXMPI_WHOLE, 0, MPI_COMM_WORLD);
 *     pixMPI_Gather(pixMPI_Memory(quarter, PIXMPI_RGBA8, 960, 540), PIXMPI_WHOLE,
 *                   vkMPI_Any(&wall, NULL), quarters, 0, comm);
 *     pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, sums, PIXMPI_WHOLE, PIXMPI_SUM, comm);
 *
 * Surfaces. Each rank names its own surface and region, of any API: host memory on one rank, a texture on
 * the next, a Vulkan image on a third. The two sides of a call may also be of different APIs. A send and
 * its receive have the same number of pixels and of bytes per pixel; shapes may differ. Bits are not
 * converted.
 *
 * Regions for each rank. Where MPI has counts and displacements, there is a region for each rank: an array of as many
 * regions as the communicator has ranks, by rank. So the pictures of four ranks come together in one texture, each in
 * its place. Ranks may have different numbers of pixels, as in MPI_Gatherv. Regions that are received do not overlap. A
 * region also replaces MPI's datatype, so there are no calls with a v or a w, and Reduce_scatter is also MPI's
 * Reduce_scatter_block. The regions may be freed when the call has returned.
 *
 * In place. If the text of a parameter allows it, pixMPI_In_place() means that the pixels are where the result will be;
 * the region next to it is ignored.
 *
 * Arguments that do not matter. Only the root's receive side matters in a Gather and a Reduce, only the root's send
 * side in a Scatter: on other ranks they are not looked at, and may be pixMPI_No_surface() and null.
 *
 * Three forms. Each collective blocks, or returns a request at once (I...), or makes a persistent request (..._init)
 * that pixMPI_Start starts. The completion calls complete these requests as any request, and lists may be mixed; their
 * statuses are empty. Requests of collectives cannot be cancelled. Until completion the surfaces' regions are the
 * library's. Nonblocking collectives move along inside the library's calls, whichever these are, or in the library's
 * thread (PIXMPI_PROGRESS_THREAD).
 *
 * Order. All ranks of a communicator make their collective calls in the same order, and start persistent ones in the
 * same order; several may be under way at once. Messages of your program, with any tag, do not match those of
 * collectives. No collective but Barrier makes ranks wait for others that have nothing to do with their pixels.
 *
 * Communicators: attached intracommunicators; others are PIXMPI_ERR_COMM.
 *
 * Errors. A call that fails on one rank fails on all ranks that have not completed it: there with PIXMPI_ERR_PEER. This
 * is so for wrong arguments, for sizes that do not fit together (PIXMPI_ERR_TRUNCATE, _FORMAT), for what a device
 * reports, and for the end of a rank. Some of the pixels that were to be received may have been written then. Further
 * return codes: those of pixMPI_Send and pixMPI_Recv, and PIXMPI_ERR_ARGUMENT.
 *
 * Vulkan. A surface's semaphores (vkMPI_Any) are waited for before the first of the call's steps and signalled after
 * the last; `layout` and `layout_after` count for the whole call. vkMPI_Start gives a persistent collective
 * semaphores as well. A surface that is received into and combined, or sent and received in place, needs both
 * TRANSFER_SRC and TRANSFER_DST.
 */
#ifndef PIXMPI_COLLECTIVES_H
#define PIXMPI_COLLECTIVES_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** "The pixels are where the result will be", as MPI_IN_PLACE. */
PIXMPI_API pixMPI_Surface pixMPI_In_place(void);

/** For a side that does not matter on this rank. */
PIXMPI_API pixMPI_Surface pixMPI_No_surface(void);

/* ---- operations --------------------------------------------------------------------------------------------- */

/**
 * How pixels become one, in Reduce, Allreduce, Reduce_scatter, Scan and Exscan: channel by channel, in the surface's
 * format, where the pixels are. The result is ((x0 op x1) op x2) op ..., where x0, x1, ... are the pixels of rank 0, 1,
 * ...: for every algorithm, size and number of parts. So it has the same bits on all ranks, and in every run with the
 * same ranks, whatever device combines, except for the remarks on 32-bit floats.
 *
 *   unorm, snorm   SUM stops at the ends of the range. PROD is rounded to the nearest value. The least bit pattern of
 *                  an snorm channel counts as -1.
 *   sRGB           SUM and PROD are those of the light; alpha is unorm.
 *   UI, I          SUM and PROD wrap around. So do stencils.
 *   F              SUM and PROD are rounded to nearest even; 16, 11 and 10 bits are computed in 32 and rounded once.
 *                  NaN becomes the positive quiet NaN. Devices may treat subnormal 32-bit numbers as 0.
 *   MIN, MAX       -0 is less than +0. Of a NaN and a number the number wins.
 *   DEPTH          MIN and MAX only.
 *   BAND BOR BXOR  the pixel's bits; not for floats and depths.
 *   OVER           x0 is in front. For formats with alpha that are unorm, sRGB or F. Colours are multiplied by alpha:
 *                  c = c0 + c1 (1 - a0), alpha likewise; integers stop at the end of the range. OVER_STRAIGHT: they are
 *                  not: a = a0 + a1 (1 - a0), c = (c0 a0 + c1 a1 (1 - a0)) / a, or 0 where a is. Divisions of 32-bit
 *                  floats may differ between devices in the last two bits. (Porter and Duff 1984)
 *   NEAREST        For surfaces with depth (pixMPI_With_depth), which allow no other operation. Of two pixels the one
 *                  with the smaller depth, its colour and its depth. Of equal depths x0, so that of several ranks the
 *                  first one wins. -0 is less than +0. A NaN is greater than all numbers; NaNs are equal. No bit of
 *                  the pixel changes. A stencil goes with its depth. (Molnar et al. 1994)
 *
 *      pixMPI_Reduce(pixMPI_With_depth(&color, &depth), PIXMPI_WHOLE, picture, PIXMPI_WHOLE, PIXMPI_NEAREST, 0, comm);
 */
typedef struct pixMPI_Op_tag *pixMPI_Op;

#define PIXMPI_OP_NULL ((pixMPI_Op)0)
#define PIXMPI_SUM ((pixMPI_Op)1)
#define PIXMPI_PROD ((pixMPI_Op)2)
#define PIXMPI_MIN ((pixMPI_Op)3)
#define PIXMPI_MAX ((pixMPI_Op)4)
#define PIXMPI_BAND ((pixMPI_Op)5)
#define PIXMPI_BOR ((pixMPI_Op)6)
#define PIXMPI_BXOR ((pixMPI_Op)7)
#define PIXMPI_OVER ((pixMPI_Op)8)
#define PIXMPI_OVER_STRAIGHT ((pixMPI_Op)9)
#define PIXMPI_NEAREST ((pixMPI_Op)10)

/**
 * A user's operation on the host: result[i] = first[i] op second[i], for `pixels` pixels that lie one behind the other.
 *
 *   first, second, result   Pixels of `format`, as they lie in memory; each at an address that suits its channels.
 *                           `result` is the address of `first` or of `second`; else nothing overlaps.
 *   data                    What pixMPI_Op_create was given.
 *
 * The library calls it inside its own calls, in whichever thread makes progress, its own included
 * (PIXMPI_PROGRESS_THREAD); never twice at once in one process. The function calls neither the library nor MPI, and
 * throws nothing. How many pixels a call gets may differ from run to run.
 */
typedef void (*pixMPI_Op_function)(const void *first, const void *second, void *result, size_t pixels,
                                   pixMPI_Format format, void *data);

/**
 * Your own operation. It need not be commutative or associative: the result is ((x0 op x1) op x2) op ... as for all
 * operations, and each pixel of an Allreduce is computed on one rank, so that all ranks get the same bits.
 *
 *   function   Combines in host memory: on ranks of the host, and where no shader does. Never null.
 *   glsl       The same for devices, as source text, which is copied; or null: `function` combines everywhere.
 *   data       For `function`, which may use it until all requests with this operation are complete.
 *   op         The result. All ranks of a call name operations that mean the same.
 *
 * The text defines
 *
 *     PIXEL combine(PIXEL first, PIXEL second)
 *
 * and may also have functions, constants and macros, in the GLSL of OpenGL 4.3; but no #version, no #extension, no
 * uniforms, buffers and images, and no names that begin with pixmpi_. Its lines count from 1 in messages. PIXEL is
 *
 *   vec4    unorm (0 to 1), snorm (-1 to 1) and F. For unorm and snorm the result is clamped to that range, a NaN
 *           becomes 0, and numbers are rounded to the nearest value, halves away from 0. F of 16, 11 and 10 bits is
 *           rounded to nearest even; numbers below 0 become 0 in formats without a sign. A NaN becomes the positive
 *           quiet NaN.
 *   uvec4   UI. The low bits are kept.
 *   ivec4   I. The low bits are kept.
 *
 * with red, green, blue and alpha in this order for all formats. Channels that a format does not have are 0, alpha 1,
 * and are not stored. So the text should be right for PIXEL of all three kinds, or used with formats of one kind.
 *
 * The text is compiled once for images and once for buffers, for each kind of format and each device, when pixels are
 * combined there first. Shaders combine pixels
 *
 *   of images    except those of three channels that are no packed word; Vulkan's of 4, 8 or 16 bytes a pixel that
 *                can be stored to
 *   of buffers   in up to eight rectangles at a time; Vulkan's with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Reductions fold
 *                large regions in the library's own buffers.
 *
 * where OpenGL has 4.3, and where the library was built with glslang for Vulkan (the log says once if not). All else
 * goes through `function`: sRGB, depths, stencils, regions of up to 4 PIXMPI_EAGER bytes, drivers that draw with the
 * CPU. There the text is never compiled.
 *
 * A text that does not compile is PIXMPI_ERR_ARGUMENT on the rank that compiles it, when the call or its request
 * completes; pixMPI_Error_text has the compiler's first lines. The other ranks get PIXMPI_ERR_PEER.
 *
 * Which of the two computes a pixel depends on ranks, surfaces and sizes, so they should agree. They can to the bit for
 * UI and I, and for F as far as they only add, subtract and multiply; `precise` keeps a shader from joining such steps.
 *
 *     // Of pixels of PIXMPI_RGBA32F the one with more light.
 *     void brighter(const void *first, const void *second, void *result, size_t n, pixMPI_Format format, void *data) {
 *         const float *a = first, *b = second;
 *         float *c = result;
 *         for (size_t i = 0; i < 4 * n; i += 4)
 *             memmove(c + i, a[i] + a[i + 1] + a[i + 2] < b[i] + b[i + 1] + b[i + 2] ? b + i : a + i, 16);
 *     }
 *     const char *glsl = "float light(PIXEL p) { return p.r + p.g + p.b; }"
 *                        "PIXEL combine(PIXEL a, PIXEL b) { return light(a) < light(b) ? b : a; }";
 *     pixMPI_Op_create(brighter, glsl, NULL, &op);
 *
 * Surfaces with depth (pixMPI_With_depth) allow NEAREST only: PIXMPI_ERR_FORMAT. The operation lives until
 * pixMPI_Op_free, and as long as requests need it. Any thread may call this. PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_MEMORY.
 */
PIXMPI_API int pixMPI_Op_create(pixMPI_Op_function function, const char *glsl, void *data, pixMPI_Op *op);

/** The same operation with the ranks in another order: x0 is of rank order[0], and so on.
 *  op: a predefined operation, or what pixMPI_Op_create has made, which may be freed afterwards. count: the
 *  communicator's size; order: a permutation of 0 .. count - 1, the same on all ranks. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Op_ordered(pixMPI_Op op, int count, const int order[], pixMPI_Op *ordered);
/** Frees what pixMPI_Op_create or pixMPI_Op_ordered has made, and sets the handle to PIXMPI_OP_NULL; requests keep what
 *  they need. */
PIXMPI_API int pixMPI_Op_free(pixMPI_Op *op);

/* ---- collectives -------------------------------------------------------------------------------------------- */

/** Returns when all ranks have called it. Moves no pixels. */
PIXMPI_API int pixMPI_Barrier(MPI_Comm comm);
PIXMPI_API int pixMPI_Ibarrier(MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Barrier_init(MPI_Comm comm, pixMPI_Request *request);

/** The root's pixels to all ranks. The ranks of one host unpack what was packed once. */
PIXMPI_API int pixMPI_Bcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm);
PIXMPI_API int pixMPI_Ibcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm,
                             pixMPI_Request *request);
PIXMPI_API int pixMPI_Bcast_init(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm,
                                 pixMPI_Request *request);

/** All ranks' pixels to the root: those of rank r into recvregions[r] of the root's surface. In place at the root: its
 *  sendsurface; its own pixels are in recvregions[root]. */
PIXMPI_API int pixMPI_Gather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                             const pixMPI_Region recvregions[], int root, MPI_Comm comm);
PIXMPI_API int pixMPI_Igather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                              const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Gather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                  const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request);

/** The root's pixels, sendregions[r] to rank r. In place at the root: its recvsurface; its own pixels stay where they
 *  are. */
PIXMPI_API int pixMPI_Scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                              pixMPI_Surface recvsurface, pixMPI_Region recvregion, int root, MPI_Comm comm);
PIXMPI_API int pixMPI_Iscatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                               pixMPI_Surface recvsurface, pixMPI_Region recvregion, int root, MPI_Comm comm,
                               pixMPI_Request *request);
PIXMPI_API int pixMPI_Scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                   pixMPI_Surface recvsurface, pixMPI_Region recvregion, int root, MPI_Comm comm,
                                   pixMPI_Request *request);

/** All ranks' pixels to all ranks: those of rank r into each rank's recvregions[r]. In place, on all ranks or none:
 *  sendsurface; a rank's own pixels are in recvregions[rank]. */
PIXMPI_API int pixMPI_Allgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                const pixMPI_Region recvregions[], MPI_Comm comm);
PIXMPI_API int pixMPI_Iallgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                 const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Allgather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                     const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request);

/** From each rank to each: sendregions[r] goes to rank r, recvregions[r] is what rank r sends here. In place, on all
 *  ranks or none: sendsurface; what goes to rank r is in recvregions[r], and is replaced by what comes from there. */
PIXMPI_API int pixMPI_Alltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                               pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm);
PIXMPI_API int pixMPI_Ialltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm,
                                pixMPI_Request *request);
PIXMPI_API int pixMPI_Alltoall_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                    pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm,
                                    pixMPI_Request *request);

/** All ranks' pixels become one picture at the root. All surfaces have the same format. In place at the root: its
 *  sendsurface. */
PIXMPI_API int pixMPI_Reduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                             pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm);
PIXMPI_API int pixMPI_Ireduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                              pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm,
                              pixMPI_Request *request);
PIXMPI_API int pixMPI_Reduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                  pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm,
                                  pixMPI_Request *request);

/** The same picture on all ranks. In place, on all ranks or none: sendsurface. */
PIXMPI_API int pixMPI_Allreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);
PIXMPI_API int pixMPI_Iallreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                 pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Allreduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                     pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);

/** Each rank gets a part of the picture: sendregions[r] of all ranks become the recvregion of rank r. In place:
 *  sendsurface; sendregions are then regions of recvsurface; its pixels outside recvregion stay as they were. */
PIXMPI_API int pixMPI_Reduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                     pixMPI_Surface recvsurface, pixMPI_Region recvregion, pixMPI_Op op,
                                     MPI_Comm comm);
PIXMPI_API int pixMPI_Ireduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                      pixMPI_Surface recvsurface, pixMPI_Region recvregion, pixMPI_Op op,
                                      MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Reduce_scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                          pixMPI_Surface recvsurface, pixMPI_Region recvregion, pixMPI_Op op,
                                          MPI_Comm comm, pixMPI_Request *request);

/** Rank r gets the pixels of the ranks 0 to r, in the operation's order of ranks, combined. In place: sendsurface. */
PIXMPI_API int pixMPI_Scan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                           pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);
PIXMPI_API int pixMPI_Iscan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                            pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Scan_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);

/** The same without its own: rank r gets the pixels of the ranks 0 to r - 1, combined. The first rank of the
 *  operation's order gets none: its receive side is not written, and is not looked at unless its pixels are there. */
PIXMPI_API int pixMPI_Exscan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                             pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm);
PIXMPI_API int pixMPI_Iexscan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                              pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);
PIXMPI_API int pixMPI_Exscan_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                                  pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
