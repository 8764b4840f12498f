/*
 * Programs that are written for IceT, the image compositing library of Sandia, on pixmpi's compositors: the names,
 * types and meanings of IceT's interface 2.2, with another include path and another library.
 *
 *     cc -I<prefix>/include/icet program.c -licet_pixmpi -lpixmpi        (IceTGL.h: -licet_pixmpi_gl besides)
 *
 * <IceT.h>, <IceTMPI.h> and <IceTGL.h> of that folder include this header. IceT's reference manual says what each call
 * means; docs/icet.md says which calls there are and what differs. Values of enumerants are this library's own, so
 * programs are compiled anew.
 *
 * Errors. A call that fails prints one line on standard error, as icetDiagnostics allows, and icetGetError returns the
 * first error since it was asked last. A frame that fails on one rank fails on all ranks, and returns the null image.
 *
 * Threads and contexts: one thread, which has one current context, as in IceT. All ranks make their frames in the same
 * order. What the manual leaves open for other ranks than those with a tile is the null image here.
 */
#ifndef ICET_PIXMPI_H
#define ICET_PIXMPI_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ICET_EXPORT __attribute__((visibility("default")))
#else
#define ICET_EXPORT
#endif

/* ---- types -------------------------------------------------------------------------------------------------- */

typedef uint32_t IceTEnum;
typedef uint32_t IceTBitField;
typedef double IceTDouble;
typedef float IceTFloat;
typedef int32_t IceTInt;
typedef uint32_t IceTUInt;
typedef int16_t IceTShort;
typedef uint16_t IceTUShort;
typedef int8_t IceTByte;
typedef uint8_t IceTUByte;
typedef uint8_t IceTBoolean;
typedef void IceTVoid;
typedef int32_t IceTSizeType;
typedef int32_t IceTInt32;
typedef double IceTFloat64;
typedef float IceTFloat32;

typedef struct IceTContextStruct *IceTContext;
typedef struct IceTCommunicatorStruct *IceTCommunicator; /* opaque, other than IceT's */
typedef struct {
    IceTVoid *opaque_internals;
} IceTImage;

#define ICET_COMM_NULL ((IceTCommunicator)0)
#define ICET_FALSE 0
#define ICET_TRUE 1

/* ---- enumerants --------------------------------------------------------------------------------------------- */

/* Errors. */
enum {
    ICET_NO_ERROR = 0,
    ICET_INVALID_ENUM,
    ICET_INVALID_VALUE,
    ICET_INVALID_OPERATION,
    ICET_BAD_CAST,
    ICET_OUT_OF_MEMORY,
    ICET_SANITY_CHECK_FAIL /* pixmpi or MPI failed: a rank ended, ranks do different things, a device reports it */
};

/* Bits of icetDiagnostics: which lines are printed, and on which ranks. */
enum {
    ICET_DIAG_OFF = 0,
    ICET_DIAG_ERRORS = 1,
    ICET_DIAG_WARNINGS = 3,
    ICET_DIAG_DEBUG = 7,
    ICET_DIAG_ROOT_NODE = 0,
    ICET_DIAG_ALL_NODES = 8,
    ICET_DIAG_FULL = 15
};

enum {
    ICET_NULL = 0,

    /* Types of coordinates. */
    ICET_BOOLEAN = 0x100,
    ICET_BYTE,
    ICET_SHORT,
    ICET_INT,
    ICET_SIZE_TYPE = ICET_INT,
    ICET_FLOAT,
    ICET_DOUBLE,
    ICET_POINTER,
    ICET_VOID,

    /* Formats of images. */
    ICET_IMAGE_COLOR_NONE = 0x120,
    ICET_IMAGE_COLOR_RGBA_UBYTE,
    ICET_IMAGE_COLOR_RGBA_FLOAT,
    ICET_IMAGE_COLOR_RGB_FLOAT,
    ICET_IMAGE_DEPTH_NONE,
    ICET_IMAGE_DEPTH_FLOAT,

    /* Strategies for several tiles, which are all the same here, and strategies for one. */
    ICET_STRATEGY_DIRECT = 0x140,
    ICET_STRATEGY_SEQUENTIAL,
    ICET_STRATEGY_SPLIT,
    ICET_STRATEGY_REDUCE,
    ICET_STRATEGY_VTREE,
    ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC,
    ICET_SINGLE_IMAGE_STRATEGY_BSWAP,
    ICET_SINGLE_IMAGE_STRATEGY_TREE,
    ICET_SINGLE_IMAGE_STRATEGY_RADIXK,
    ICET_SINGLE_IMAGE_STRATEGY_RADIXKR,
    ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING,

    ICET_COMPOSITE_MODE_Z_BUFFER = 0x160,
    ICET_COMPOSITE_MODE_BLEND,

    /* Features of icetEnable. */
    ICET_FLOATING_VIEWPORT = 0x180,
    ICET_ORDERED_COMPOSITE,
    ICET_CORRECT_COLORED_BACKGROUND, /* kept, and does nothing: a blended picture always has its background */
    ICET_COMPOSITE_ONE_BUFFER,
    ICET_INTERLACE_IMAGES, /* kept, and does nothing: work is shared out evenly in any case */
    ICET_COLLECT_IMAGES,
    ICET_RENDER_EMPTY_IMAGES,
    ICET_GL_DISPLAY,
    ICET_GL_DISPLAY_COLORED_BACKGROUND,    /* kept, and does nothing: see ICET_CORRECT_COLORED_BACKGROUND */
    ICET_GL_DISPLAY_INFLATE,               /* kept, and does nothing: pictures have the size of their tiles */
    ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE, /* kept, and does nothing */

    /* State, for icetGet. */
    ICET_DIAGNOSTIC_LEVEL = 0x200,
    ICET_RANK,
    ICET_NUM_PROCESSES,
    ICET_BACKGROUND_COLOR,
    ICET_BACKGROUND_COLOR_WORD,
    ICET_PHYSICAL_RENDER_WIDTH,
    ICET_PHYSICAL_RENDER_HEIGHT,
    ICET_COLOR_FORMAT,
    ICET_DEPTH_FORMAT,
    ICET_NUM_TILES,
    ICET_TILE_VIEWPORTS,
    ICET_GLOBAL_VIEWPORT,
    ICET_TILE_MAX_WIDTH,
    ICET_TILE_MAX_HEIGHT,
    ICET_DISPLAY_NODES,
    ICET_TILE_DISPLAYED,
    ICET_GEOMETRY_BOUNDS,
    ICET_NUM_BOUNDING_VERTS,
    ICET_STRATEGY,
    ICET_SINGLE_IMAGE_STRATEGY,
    ICET_COMPOSITE_MODE,
    ICET_COMPOSITE_ORDER,
    ICET_PROCESS_ORDERS,
    ICET_STRATEGY_SUPPORTS_ORDERING,
    ICET_DATA_REPLICATION_GROUP,
    ICET_DATA_REPLICATION_GROUP_SIZE,
    ICET_FRAME_COUNT,
    ICET_IS_DRAWING_FRAME,
    ICET_DRAW_FUNCTION,
    ICET_VALID_PIXELS_TILE,
    ICET_VALID_PIXELS_OFFSET,
    ICET_VALID_PIXELS_NUM,
    ICET_GL_INITIALIZED,
    ICET_GL_READ_BUFFER,
    ICET_GL_DRAW_FUNCTION,

    /* Times of the last frame, in seconds, and its bytes. */
    ICET_RENDER_TIME = 0x240,
    ICET_BUFFER_READ_TIME,
    ICET_BUFFER_WRITE_TIME,
    ICET_COMPRESS_TIME, /* 0: a part of ICET_COMPOSITE_TIME that nobody measures; the next three likewise */
    ICET_INTERLACE_TIME,
    ICET_COMPARE_TIME,
    ICET_BLEND_TIME = ICET_COMPARE_TIME,
    ICET_COLLECT_TIME,
    ICET_COMPOSITE_TIME,
    ICET_TOTAL_DRAW_TIME,
    ICET_BYTES_SENT
};

/* ---- communicators and contexts ------------------------------------------------------------------------------ */

/** Both duplicate or free a communicator of MPI's, so that all its ranks call them. The communicator may be destroyed
 *  while contexts that were made of it live on. */
ICET_EXPORT IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm);
ICET_EXPORT void icetDestroyMPICommunicator(IceTCommunicator comm);

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
/** From front to back; as many ranks as the context has. */
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
