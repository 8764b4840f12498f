/*
 * Programs that are written for IceT, the image compositing library of Sandia, on pixmpi's compositors: the names,
 * types and meanings of IceT's interface 2.2, with another include path and another library.
 *
 *     cc -I<prefix>/include/icet program.c -licet_pixmpi -lpixmpi        (IceTGL.h: -licet_pixmpi_gl as well)
 *
 * <IceT.h>, <IceTMPI.h> and <IceTGL.h> of that folder include this header. IceT's reference manual says what each call
 * means; docs/reference/icet.md says which calls there are and what differs. Names of functions, values of enumerants
 * and layouts of types are those of IceT 2.2.0 (icet_pixmpi_types.h). So a program that was compiled with IceT's
 * headers needs nothing but this library instead of IceT's: by its name, or by LD_PRELOAD.
 *
 * Errors. A call that fails prints one line on standard error, as icetDiagnostics allows, and icetGetError returns the
 * first error since it was asked last. A frame that fails on one rank fails on all ranks, and returns the null image.
 *
 * Threads and contexts: one thread, which has one current context, as in IceT. All ranks make their frames in the same
 * order. Ranks without a tile get the null image, where the manual leaves their result open.
 */
#ifndef ICET_PIXMPI_H
#define ICET_PIXMPI_H

#include "icet_pixmpi_types.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct IceTContextStruct *IceTContext;
typedef struct {
    IceTVoid *opaque_internals;
} IceTImage;

/* ---- communicators ------------------------------------------------------------------------------------------- */

/** A message under way. */
typedef struct IceTCommRequestStruct {
    IceTEnum magic_number;
    IceTVoid *internals;
} *IceTCommRequest;
#define ICET_COMM_REQUEST_NULL ((IceTCommRequest)0)

/** A communicator: functions, and what they work on. icetCreateMPICommunicator makes it; contexts accept no other one.
 *  `datatype` is one of ICET_BOOLEAN, ICET_BYTE, ICET_SHORT, ICET_INT, ICET_FLOAT and ICET_DOUBLE, and counts are of
 *  such numbers. Gatherv's counts and offsets are in numbers too. Wait sets the request to ICET_COMM_REQUEST_NULL.
 *  Waitany returns the index of the completed request. Subset returns ICET_COMM_NULL on ranks outside of it; all ranks
 *  call it. To send from where results are gathered, pass ICET_IN_PLACE_COLLECT for `sendbuf`. */
typedef struct IceTCommunicatorStruct *IceTCommunicator;
struct IceTCommunicatorStruct {
    IceTCommunicator (*Duplicate)(IceTCommunicator self);
    void (*Destroy)(IceTCommunicator self);
    IceTCommunicator (*Subset)(IceTCommunicator self, int count, const IceTInt32 *ranks);
    void (*Barrier)(IceTCommunicator self);
    void (*Send)(IceTCommunicator self, const void *buf, int count, IceTEnum datatype, int dest, int tag);
    void (*Recv)(IceTCommunicator self, void *buf, int count, IceTEnum datatype, int src, int tag);
    void (*Sendrecv)(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum sendtype, int dest,
                     int sendtag, void *recvbuf, int recvcount, IceTEnum recvtype, int src, int recvtag);
    void (*Gather)(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf,
                   int root);
    void (*Gatherv)(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf,
                    const int *recvcounts, const int *recvoffsets, int root);
    void (*Allgather)(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf);
    void (*Alltoall)(IceTCommunicator self, const void *sendbuf, int sendcount, IceTEnum datatype, void *recvbuf);
    IceTCommRequest (*Isend)(IceTCommunicator self, const void *buf, int count, IceTEnum datatype, int dest, int tag);
    IceTCommRequest (*Irecv)(IceTCommunicator self, void *buf, int count, IceTEnum datatype, int src, int tag);
    void (*Wait)(IceTCommunicator self, IceTCommRequest *request);
    int (*Waitany)(IceTCommunicator self, int count, IceTCommRequest *array_of_requests);
    int (*Comm_size)(IceTCommunicator self);
    int (*Comm_rank)(IceTCommunicator self);
    void *data;
};
#define ICET_COMM_NULL ((IceTCommunicator)0)
#define ICET_IN_PLACE_COLLECT ((IceTVoid *)-1)

/* ---- contexts ------------------------------------------------------------------------------------------------ */

/** The new context is current afterwards. All ranks call it, for it attaches the communicator (pixMPI_Comm_attach).
 *  Null when that fails. */
ICET_EXPORT IceTContext icetCreateContext(IceTCommunicator comm);
ICET_EXPORT void icetDestroyContext(IceTContext context);
ICET_EXPORT IceTContext icetGetContext(void);
ICET_EXPORT void icetSetContext(IceTContext context);
/** Tiles, bounds, formats, callbacks, features: what calls have set, and nothing of frames. */
ICET_EXPORT void icetCopyState(IceTContext dest, const IceTContext src);

/* ---- what is drawn where ------------------------------------------------------------------------------------- */

ICET_EXPORT void icetResetTiles(void);
ICET_EXPORT int icetAddTile(IceTInt x, IceTInt y, IceTSizeType width, IceTSizeType height, int display_rank);
ICET_EXPORT void icetPhysicalRenderSize(IceTInt width, IceTInt height);

ICET_EXPORT void icetBoundingVertices(IceTInt size, IceTEnum type, IceTSizeType stride, IceTSizeType count,
                                      const IceTVoid *pointer);
ICET_EXPORT void icetBoundingBoxd(IceTDouble x_min, IceTDouble x_max, IceTDouble y_min, IceTDouble y_max,
                                  IceTDouble z_min, IceTDouble z_max);
ICET_EXPORT void icetBoundingBoxf(IceTFloat x_min, IceTFloat x_max, IceTFloat y_min, IceTFloat y_max, IceTFloat z_min,
                                  IceTFloat z_max);

/* ---- how pictures become one --------------------------------------------------------------------------------- */

ICET_EXPORT void icetSetColorFormat(IceTEnum color_format);
ICET_EXPORT void icetSetDepthFormat(IceTEnum depth_format);
ICET_EXPORT void icetStrategy(IceTEnum strategy);
ICET_EXPORT const char *icetGetStrategyName(void);
ICET_EXPORT void icetSingleImageStrategy(IceTEnum strategy);
ICET_EXPORT const char *icetGetSingleImageStrategyName(void);
ICET_EXPORT void icetCompositeMode(IceTEnum mode);
/** From front to back; all ranks of the context. */
ICET_EXPORT void icetCompositeOrder(const IceTInt *process_ranks);
/** Groups of one rank only: several ranks that draw the same are ICET_INVALID_OPERATION. */
ICET_EXPORT void icetDataReplicationGroup(IceTInt size, const IceTInt *processes);
/** All ranks call it. */
ICET_EXPORT void icetDataReplicationGroupColor(IceTInt color);

/* ---- frames -------------------------------------------------------------------------------------------------- */

typedef void (*IceTDrawCallbackType)(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix,
                                     const IceTFloat *background_color, const IceTInt *readback_viewport,
                                     IceTImage result);
ICET_EXPORT void icetDrawCallback(IceTDrawCallbackType callback);

/** The image of the tile that this rank displays, until the context's next frame; null on other ranks. */
ICET_EXPORT IceTImage icetDrawFrame(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix,
                                    const IceTFloat *background_color);
/** The buffers are as large as the global viewport. valid_pixels_viewport and the matrices may be null. */
ICET_EXPORT IceTImage icetCompositeImage(const IceTVoid *color_buffer, const IceTVoid *depth_buffer,
                                         const IceTInt *valid_pixels_viewport, const IceTDouble *projection_matrix,
                                         const IceTDouble *modelview_matrix, const IceTFloat *background_color);

/* ---- images -------------------------------------------------------------------------------------------------- */

ICET_EXPORT IceTImage icetImageNull(void);
ICET_EXPORT IceTBoolean icetImageIsNull(const IceTImage image);
/* The null image has no formats and no pixels. */
ICET_EXPORT IceTEnum icetImageGetColorFormat(const IceTImage image);
ICET_EXPORT IceTEnum icetImageGetDepthFormat(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetWidth(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetHeight(const IceTImage image);
ICET_EXPORT IceTSizeType icetImageGetNumPixels(const IceTImage image);
/* Pixels row by row from the lowest; null when the image has none of this type. */
ICET_EXPORT IceTUByte *icetImageGetColorub(IceTImage image);
ICET_EXPORT IceTUInt *icetImageGetColorui(IceTImage image);
ICET_EXPORT IceTFloat *icetImageGetColorf(IceTImage image);
ICET_EXPORT IceTFloat *icetImageGetDepthf(IceTImage image);
ICET_EXPORT const IceTUByte *icetImageGetColorcub(const IceTImage image);
ICET_EXPORT const IceTUInt *icetImageGetColorcui(const IceTImage image);
ICET_EXPORT const IceTFloat *icetImageGetColorcf(const IceTImage image);
ICET_EXPORT const IceTFloat *icetImageGetDepthcf(const IceTImage image);
/* Copies convert: channels that the image has not become 1. */
ICET_EXPORT void icetImageCopyColorub(const IceTImage image, IceTUByte *color_buffer, IceTEnum color_format);
ICET_EXPORT void icetImageCopyColorf(const IceTImage image, IceTFloat *color_buffer, IceTEnum color_format);
ICET_EXPORT void icetImageCopyDepthf(const IceTImage image, IceTFloat *depth_buffer, IceTEnum depth_format);

/* ---- state --------------------------------------------------------------------------------------------------- */

ICET_EXPORT void icetEnable(IceTEnum pname);
ICET_EXPORT void icetDisable(IceTEnum pname);
ICET_EXPORT IceTBoolean icetIsEnabled(IceTEnum pname);

ICET_EXPORT void icetGetDoublev(IceTEnum pname, IceTDouble *params);
ICET_EXPORT void icetGetFloatv(IceTEnum pname, IceTFloat *params);
ICET_EXPORT void icetGetIntegerv(IceTEnum pname, IceTInt *params);
ICET_EXPORT void icetGetBooleanv(IceTEnum pname, IceTBoolean *params);
ICET_EXPORT void icetGetEnumv(IceTEnum pname, IceTEnum *params);
ICET_EXPORT void icetGetBitFieldv(IceTEnum pname, IceTBitField *bitfield);
ICET_EXPORT void icetGetPointerv(IceTEnum pname, IceTVoid **params);

ICET_EXPORT void icetDiagnostics(IceTBitField mask);
ICET_EXPORT IceTEnum icetGetError(void);
/** Seconds since some moment. */
ICET_EXPORT IceTDouble icetWallTime(void);

#ifdef __cplusplus
}
#endif

#endif
