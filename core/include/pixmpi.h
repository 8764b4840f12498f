/*
 * pixmpi: MPI messages whose ends are pixels. This header is the part that all APIs share: formats, regions,
 * requests, options, errors; and the verbs, which take surfaces of any API. <glmpi.h> has the surfaces of OpenGL,
 * <vkmpi.h> has Vulkan's. Collectives are in <pixmpi_collectives.h>.
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
 * Matching is MPI's: communicator, source and tag, with wildcards; messages between two ranks do not overtake each
 * other. Both ends need the same number of bytes per pixel (else PIXMPI_ERR_FORMAT). A receive may name more pixels
 * than come; then the first ones in packed order are written. A receive that names fewer fails with
 * PIXMPI_ERR_TRUNCATE. Bits are not converted.
 *
 * Receives that fail. With PIXMPI_ERR_FORMAT or PIXMPI_ERR_TRUNCATE the surface stays as it was, and the message is
 * consumed. The sender of a small message does not hear of that; the sender of a large one may get PIXMPI_ERR_PEER.
 * Where something fails later, while pixels arrive (the sender ends: PIXMPI_ERR_PEER; or PIXMPI_ERR_DEVICE, _MEMORY,
 * _MPI), some of the region's pixels may have been written and others not.
 *
 * Return codes. Every function returns PIXMPI_SUCCESS or one of the codes below and writes its outputs on success only
 * (statuses and request handles apart, as in MPI). pixMPI_Error_text() then says which call, which argument, and what
 * was expected. Nothing aborts; nothing prints but the log that the options ask for.
 *
 * Threads. MPI_THREAD_SERIALIZED is enough: calls exclude each other inside the library, and while one call waits,
 * others get in. The program itself must not call MPI in one thread while another is inside this library, unless it has
 * MPI_THREAD_MULTIPLE. Messages make progress inside this library's calls only, unless the option `progress` asks for a
 * thread that moves them along as well. A function of the program that the library calls must not call the library:
 * such a call returns PIXMPI_ERR_ARGUMENT. The function for the log (pixMPI_Options) may.
 */
#ifndef PIXMPI_H
#define PIXMPI_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PIXMPI_API __attribute__((visibility("default")))
#else
#define PIXMPI_API
#endif

/* ---- errors ------------------------------------------------------------------------------------------------- */

enum {
    PIXMPI_SUCCESS = 0,
    PIXMPI_ERR_ARGUMENT, /* a null pointer, a negative count, an option that does not exist */
    PIXMPI_ERR_MPI,      /* MPI is not running, or an MPI call failed */
    PIXMPI_ERR_COMM,     /* a null communicator, or one that is not attached */
    PIXMPI_ERR_RANK,     /* no such rank in the communicator */
    PIXMPI_ERR_TAG,      /* negative, or past MPI_TAG_UB */
    PIXMPI_ERR_REQUEST,  /* null, foreign or freed; or not in the state that the call needs */
    PIXMPI_ERR_REGION,   /* null, foreign or freed; or it does not lie within the surface */
    PIXMPI_ERR_SURFACE,  /* no such surface, incomplete, multisampled, or of no use for this call */
    PIXMPI_ERR_FORMAT,   /* unknown, or not the other end's bytes per pixel */
    PIXMPI_ERR_CONTEXT,  /* no graphics context is current, or not the one that the request was made with */
    PIXMPI_ERR_TRUNCATE, /* the message has more pixels than the receive's region */
    PIXMPI_ERR_MEMORY,   /* out of memory, here or on the device */
    PIXMPI_ERR_DEVICE,   /* the graphics API reported an error */
    PIXMPI_ERR_PEER,     /* the other rank ended, or gave the message up */
    PIXMPI_ERR_PENDING,  /* in a status of Waitall, Testall, Waitsome: this one has not failed, nor completed */
    PIXMPI_ERR_STATUS,   /* Waitall, Testall, Waitsome: look at the MPI_ERROR of each status */
    PIXMPI_ERR_CODEC,    /* compressed pixels are damaged, or are not those that were expected */
    PIXMPI_ERR_FILE,     /* a file cannot be opened, read or written, or has not what was expected */
    PIXMPI_ERR_TIMEOUT   /* what was waited for did not come in time: runs of shaders (<pixmpi_device.h>), the program's
                            lock of a queue (<vkmpi.h>) */
};

/** What `code` means in general, a constant text; for numbers that are no code, "unknown error". */
PIXMPI_API const char *pixMPI_Error_string(int code);

/** The last error of the calling thread in full: rank, call, argument, what was expected. Never null; empty when there
 *  was no error. Valid until this thread's next call. */
PIXMPI_API const char *pixMPI_Error_text(void);

/* ---- formats ------------------------------------------------------------------------------------------------ */

/** Formats of pixels in memory. Channels lie in the order of the name, from the lowest address; packed formats (those
 *  with unequal channels) are words of the machine, with the layout of the GL type in brackets. _SRGB only says how
 *  the bits are meant. */
typedef enum pixMPI_Format {
    PIXMPI_FORMAT_NONE = 0,
#define PIXMPI_FORMATS_OF(R)                                                                                           \
    PIXMPI_##R##8, PIXMPI_##R##8_SNORM, PIXMPI_##R##8UI, PIXMPI_##R##8I, PIXMPI_##R##16, PIXMPI_##R##16_SNORM,         \
        PIXMPI_##R##16UI, PIXMPI_##R##16I, PIXMPI_##R##16F, PIXMPI_##R##32UI, PIXMPI_##R##32I, PIXMPI_##R##32F
    PIXMPI_FORMATS_OF(R),
    PIXMPI_FORMATS_OF(RG),
    PIXMPI_FORMATS_OF(RGB),
    PIXMPI_FORMATS_OF(RGBA),
#undef PIXMPI_FORMATS_OF
    PIXMPI_BGR8,
    PIXMPI_BGRA8,
    PIXMPI_RGB8_SRGB,
    PIXMPI_RGBA8_SRGB,
    PIXMPI_BGRA8_SRGB,
    PIXMPI_RGB10_A2,        /* 4 bytes [UNSIGNED_INT_2_10_10_10_REV] */
    PIXMPI_RGB10_A2UI,      /* the same, integers */
    PIXMPI_R11F_G11F_B10F,  /* 4 bytes [UNSIGNED_INT_10F_11F_11F_REV] */
    PIXMPI_DEPTH16,
    PIXMPI_DEPTH24,         /* 4 bytes: depth in the upper 24 bits, the lower 8 mean nothing [UNSIGNED_INT_24_8] */
    PIXMPI_DEPTH32F,
    PIXMPI_DEPTH24_STENCIL8,  /* 4 bytes [UNSIGNED_INT_24_8] */
    PIXMPI_DEPTH32F_STENCIL8, /* 8 bytes [FLOAT_32_UNSIGNED_INT_24_8_REV] */
    PIXMPI_STENCIL8,
    PIXMPI_FORMAT_END /* one past the last */
} pixMPI_Format;

/** Bytes of one pixel, or 0 when there is no such format. */
PIXMPI_API int pixMPI_Format_bytes(pixMPI_Format format);
/** "RGBA8", "DEPTH24_STENCIL8", ...: the name without PIXMPI_; "?" when there is no such format. */
PIXMPI_API const char *pixMPI_Format_name(pixMPI_Format format);
/** The format with this name, with or without PIXMPI_, in any case; PIXMPI_FORMAT_NONE when there is none. */
PIXMPI_API pixMPI_Format pixMPI_Format_named(const char *name);

/* ---- regions ------------------------------------------------------------------------------------------------ */

/** Pixels x .. x+width-1, y .. y+height-1. In OpenGL y counts upwards from the bottom of a framebuffer and from the
 *  first row of a texture, in host memory from the first row. */
typedef struct pixMPI_Rect {
    int x, y, width, height;
} pixMPI_Rect;

/** A region: which pixels, in which order; nothing about where they are stored. pixMPI_Region_* make a region,
 *  pixMPI_Region_free frees it; messages under way keep what they need of it. */
typedef struct pixMPI_Region_tag *pixMPI_Region;

#define PIXMPI_REGION_NULL ((pixMPI_Region)0)
/** All pixels of the surface at hand; predefined, never freed. Other regions cannot be built from it. */
#define PIXMPI_WHOLE ((pixMPI_Region)1)

/* All constructors: a width, height or count of zero gives a region without pixels, which is legal; negative ones, and
 * coordinates that leave the range of int, are PIXMPI_ERR_ARGUMENT. `region` receives a new region, which is ready. */

/** One rectangle. */
PIXMPI_API int pixMPI_Region_rect(int x, int y, int width, int height, pixMPI_Region *region);
/** A list of rectangles, in that order (as MPI_Type_indexed). Rectangles may overlap where they are sent. Overlap in
 *  what is received is an error of the program: what the shared pixels hold afterwards is unspecified. */
PIXMPI_API int pixMPI_Region_indexed(int count, const pixMPI_Rect rects[], pixMPI_Region *region);
/** Blocks of `block.width` x `block.height`: columns x rows of them, the first at (block.x, block.y), the others every
 *  `stride_x` and `stride_y` pixels; ordered along x first (as MPI_Type_vector, twice). Strides may be negative. */
PIXMPI_API int pixMPI_Region_strided(pixMPI_Rect block, int columns, int rows, int stride_x, int stride_y,
                                     pixMPI_Region *region);
/** `count` rows of one pixel's height, from x to x+width-1, at y, y+stride, ... */
PIXMPI_API int pixMPI_Region_rows(int x, int width, int y, int count, int stride, pixMPI_Region *region);
/** `count` columns of one pixel's width, from y to y+height-1, at x, x+stride, ...: ordered column by column. A
 *  rectangle that is sent as a rectangle and received as its columns arrives transposed. */
PIXMPI_API int pixMPI_Region_columns(int y, int height, int x, int count, int stride, pixMPI_Region *region);

enum { PIXMPI_LOWER = 0, PIXMPI_UPPER = 1 };
/** A triangle of an n x n matrix, row by row. The matrix' first element is pixel (x, y); element (row, column) is pixel
 *  (x+column, y+row). PIXMPI_LOWER: columns up to the row's own number. PIXMPI_UPPER: columns from that number on.
 *  `diagonal`: 1 with the diagonal, 0 without it. */
PIXMPI_API int pixMPI_Region_triangle(int uplo, int diagonal, int x, int y, int n, pixMPI_Region *region);
/** Regions within regions: the pixels of regions[0] moved by (dx[0], dy[0]), then those of regions[1], and so on (as
 *  MPI_Type_create_struct). The parts may be freed afterwards. */
PIXMPI_API int pixMPI_Region_nested(int count, const int dx[], const int dy[], const pixMPI_Region regions[],
                                    pixMPI_Region *region);
/** What of `whole` lies within `bounds`, in the same order. */
PIXMPI_API int pixMPI_Region_clipped(pixMPI_Region whole, pixMPI_Rect bounds, pixMPI_Region *region);

/** Checks the handle, and does nothing else: a region is ready when it has been made. As MPI_Type_commit. */
PIXMPI_API int pixMPI_Region_commit(pixMPI_Region *region);
/** Frees a region and sets the handle to PIXMPI_REGION_NULL. As MPI_Type_free. */
PIXMPI_API int pixMPI_Region_free(pixMPI_Region *region);
/** How many pixels a region has. */
PIXMPI_API int pixMPI_Region_pixels(pixMPI_Region region, int64_t *pixels);
/** The smallest rectangle around a region; all zero for a region without pixels. */
PIXMPI_API int pixMPI_Region_bounds(pixMPI_Region region, pixMPI_Rect *bounds);
/** The region's rectangles in order; neighbours that continue each other are joined. At most `room` of them are written
 *  to `rects` (may be null when room is 0); `count` receives how many there are. */
PIXMPI_API int pixMPI_Region_rects(pixMPI_Region region, int room, pixMPI_Rect rects[], int *count);

/* ---- attaching ---------------------------------------------------------------------------------------------- */

typedef enum pixMPI_Route {
    PIXMPI_ROUTE_NONE = 0,
    PIXMPI_ROUTE_SELF, /* within this rank */
    PIXMPI_ROUTE_PEER, /* between GPUs, or two processes on one GPU */
    PIXMPI_ROUTE_SHM,  /* shared memory of one host */
    PIXMPI_ROUTE_MPI   /* MPI's own messages */
} pixMPI_Route;

/** "self", "peer", "shm", "mpi", "none". */
PIXMPI_API const char *pixMPI_Route_name(pixMPI_Route route);

enum { PIXMPI_LOG_NONE = 0, PIXMPI_LOG_ERROR, PIXMPI_LOG_INFO, PIXMPI_LOG_DEBUG };

/**
 * Who moves messages along.
 * CALLS: the calls of the library, whichever they are and whatever they are for.
 * THREAD: a thread of the library's, too, while the program does something else. It does what needs no graphics
 * context: MPI's messages, shared memory, copies between GPUs, ends in host memory. MPI has to be at
 * MPI_THREAD_MULTIPLE. Pixels of OpenGL and Vulkan are packed and unpacked in the calls of the thread that has the
 * context, as ever.
 */
enum { PIXMPI_PROGRESS_CALLS = 0, PIXMPI_PROGRESS_THREAD };

/** Options of this process. The environment has the last word: PIXMPI_ROUTE, PIXMPI_BAND, PIXMPI_STAGE, PIXMPI_PEER,
 *  PIXMPI_EAGER (sizes take the suffixes K, M and G), PIXMPI_LOG (none, error, info, debug), PIXMPI_CODEC (as
 *  pixMPI_Codec_named takes it: what communicators begin with). PIXMPI_GPU_AWARE says
 *  whether MPI is handed memory of a GPU: 0 never, 1 always, auto (the default) where MPI says that it takes such
 *  memory. PIXMPI_PROGRESS is calls or thread. PIXMPI_JPEG says who computes the JPEG of pixels on a GPU: cpu, device
 *  (its compute shaders), or auto (the default), which leaves it to GPUs and not to software drivers. PIXMPI_SEARCH
 * says in the same way who looks for what compositors have to send. */
typedef struct pixMPI_Options {
    const char *route;  /* which routes may be taken, separated by commas; null or "auto": all. "mpi" always works.
                           "peer" alone: what cannot go between GPUs goes through shared memory */
    size_t band_bytes;  /* what travels in one piece; 0: as much as suits the device */
    size_t stage_bytes; /* memory for messages under way, at most; 0: 64 MiB. At least 1 MiB */
    size_t peer_bytes;  /* memory of a GPU for messages between GPUs, for each context that has some; 0: 1 GiB, or less
                           where a GPU has not that much. Half is for sending, half for what other GPUs send */
    size_t eager_bytes; /* sends of at most this size end without waiting for the receiver, while there is stage memory
                           to keep them in; 0: 64 KiB */
    int log_level;      /* PIXMPI_LOG_*; the default is none */
    void (*log)(int level, const char *text, void *data); /* takes the log's lines, one at a time, and may call the
                                                             library; null: lines go to standard error */
    void *log_data;
    int progress; /* PIXMPI_PROGRESS_*: who moves messages along; default the program's calls alone, and a thread for
                     what shaders of other ranks put and get (pixmpi_device.h) */
} pixMPI_Options;

/**
 * Makes a communicator ready for messages of pixels: duplicates it, finds out which ranks share a host, and sets up a
 * route to each rank. Every rank calls it once before its first message on that communicator: the call is collective
 * over `comm` (an intracommunicator or intercommunicator). Only pixMPI_Comm_detach is collective besides. Attaching
 * again does nothing. Freeing the communicator, or MPI_Finalize, detaches it.
 *
 * options: null for the defaults. What concerns the process as a whole (stage memory, log) is taken from the first
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
 *  ranks of PIXMPI_ROUTE_SHM, messages whose ends are on GPUs that reach each other's memory take PIXMPI_ROUTE_PEER;
 *  pixMPI_Stats::bytes_by_route tells how many bytes did. */
PIXMPI_API int pixMPI_Comm_route(MPI_Comm comm, int rank, pixMPI_Route *route);

/** How the pixels of a copy within this process go (pixMPI_Copy). */
typedef enum pixMPI_Way {
    PIXMPI_WAY_STRAIGHT = 0, /* from one surface to the other, with no memory in between */
    PIXMPI_WAY_DEVICE,       /* through memory of the GPU that has both surfaces */
    PIXMPI_WAY_HOST,         /* through host memory, in bands: one is unpacked while the next one is packed */
    PIXMPI_WAY_FILE,         /* one end is a file (<pixmpi_file.h>) */
    PIXMPI_WAY_PEER,         /* from one GPU's memory to another one's, by a copy engine, in bands */
    PIXMPI_WAY_END           /* one past the last */
} pixMPI_Way;

/** "straight", "device", "host", "file", "peer". */
PIXMPI_API const char *pixMPI_Way_name(pixMPI_Way way);

/** What this process did since it started. */
typedef struct pixMPI_Stats {
    uint64_t messages_sent, messages_received; /* completed, without error */
    uint64_t bytes_sent, bytes_received;       /* of pixels */
    uint64_t bytes_copied;                     /* moved by this process' CPU on behalf of the library; packing of host
                                                  memory and of software drivers' pixels does not count */
    uint64_t bytes_by_route[PIXMPI_ROUTE_MPI + 1]; /* of bytes_sent */
    uint64_t stage_bytes, stage_bytes_most;        /* in use now, and at most */
    uint64_t bytes_encoded, bytes_of_streams;      /* of bytes_sent: what went through a codec, and what came of it */
    uint64_t copies;                               /* pixMPI_Copy and its like, completed without error */
    uint64_t bytes_by_way[PIXMPI_WAY_END];         /* of pixels, that these have copied */
} pixMPI_Stats;

PIXMPI_API int pixMPI_Get_stats(pixMPI_Stats *stats);

/* ---- codecs -------------------------------------------------------------------------------------------------- */

/** How the pixels of a message are compressed on their way. The sending rank decides; a stream says what it is, so the
 *  receiver says nothing. A plain value; all zero: as the communicator says (pixMPI_Comm_set_codec). */
typedef struct pixMPI_Codec {
    uint8_t kind;        /* PIXMPI_CODEC_* */
    uint8_t quality;     /* JPEG: 1 to 100, the scale of the Independent JPEG Group; 0: 90. AUTO: 0 forbids JPEG */
    uint8_t subsampling; /* JPEG: PIXMPI_SUBSAMPLING_* */
    uint8_t alpha;       /* JPEG: PIXMPI_ALPHA_*, for formats that have some */
} pixMPI_Codec;

/**
 * LZ4 loses nothing and takes every format.
 * JPEG takes R8, and RGB and RGBA of 8 bits in either order, _SRGB or not; others, depth and floats among them, are
 * PIXMPI_ERR_FORMAT. What JPEG makes no smaller travels by LZ4, without loss. Regions of several rectangles have JPEG's
 * usual quality if the widths of these are multiples of a common number from 8 on; otherwise quality is somewhat lower.
 * AUTO takes what has carried the pixels of this rank to that one soonest, or nothing. It never takes JPEG unless
 * `quality` says which.
 * Messages below 4 KiB, within a rank, or between GPUs that reach each other's memory by AUTO, travel as they are,
 * except for the alpha that PIXMPI_ALPHA_OPAQUE drops.
 * Reductions never take JPEG, so that every rank has the same bits. Surfaces with depth (pixMPI_With_depth) travel as
 * they are, and are PIXMPI_ERR_FORMAT for JPEG.
 */
enum { PIXMPI_CODEC_DEFAULT = 0, PIXMPI_CODEC_NONE, PIXMPI_CODEC_LZ4, PIXMPI_CODEC_JPEG, PIXMPI_CODEC_AUTO };
/** Of the two chroma channels: a quarter of the samples, half of them (all rows, every second column), all. Regions of
 *  several rectangles keep at least half, and pixels whose rows JPEG cannot hold keep all. */
enum { PIXMPI_SUBSAMPLING_420 = 0, PIXMPI_SUBSAMPLING_422, PIXMPI_SUBSAMPLING_444 };
/** JPEG has no alpha. REFUSE: formats with alpha are PIXMPI_ERR_FORMAT. OPAQUE: alpha is dropped, and arrives as one,
 *  also in small messages and where LZ4 takes the place of JPEG. AUTO drops it only where it takes JPEG. What a
 *  collective or a compositor leaves on its rank keeps its alpha. BESIDE: alpha travels beside the JPEG by LZ4, without
 *  loss. */
enum { PIXMPI_ALPHA_REFUSE = 0, PIXMPI_ALPHA_OPAQUE, PIXMPI_ALPHA_BESIDE };

/** A codec with its defaults: `quality` is for JPEG and AUTO. */
PIXMPI_API pixMPI_Codec pixMPI_Codec_of(int kind, int quality);
/** The codec of a text: "none", "lz4", "jpeg" or "auto"; behind it, in any order and separated by colons, a quality,
 *  "420", "422" or "444", and "opaque" or "beside". "jpeg:85:444:opaque"; "auto:90" allows JPEG. Returns
 *  PIXMPI_ERR_ARGUMENT for others. */
PIXMPI_API int pixMPI_Codec_named(const char *text, pixMPI_Codec *codec);
/** What this rank sends over an attached communicator from now on, where neither the request nor the surface says
 *  otherwise. Local to this rank: others may choose differently. PIXMPI_CODEC_DEFAULT: what the environment says
 *  (PIXMPI_CODEC, a text as above), else none. Returns PIXMPI_ERR_COMM, PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Comm_set_codec(MPI_Comm comm, pixMPI_Codec codec);

/* ---- surfaces ----------------------------------------------------------------------------------------------- */

/** Pixels of any API, as all verbs take them: a plain value of 64 bytes. pixMPI_Memory makes one of host memory, the
 *  functions of <glmpi.h> make one of an OpenGL object, vkMPI_Any of <vkmpi.h> makes one of a Vulkan object. The two
 *  sides of a call may be of different APIs. The owner of the pixels keeps them until the message has completed.
 *
 *  A surface that points to other values (pixMPI_With_depth, vkMPI_Any) is valid as long as these are. A verb reads
 *  them during its call only, also where it makes a request.
 *
 *  A program that fills in a surface of host memory by itself sets all of it to zero first. */
typedef struct pixMPI_Surface {
    void *data;           /* host memory */
    int64_t offset;       /* host memory and buffers: bytes from the beginning to the pixel (0, 0) */
    ptrdiff_t row_bytes;  /* host memory and buffers: from one row to the next; host memory: negative when rows lie
                             upside down */
    pixMPI_Format format; /* host memory and buffers: what it holds */
    int width, height;    /* host memory and buffers: pixels */
    pixMPI_Codec codec;   /* how its pixels are compressed where they are sent; all zero: as the communicator says */
    uint8_t api;          /* PIXMPI_API_*: what it is */
    uint8_t kind, as;     /* for the library of that API */
    uint8_t has_part;     /* 1: the surface is the rectangle `part` (pixMPI_Sub) */
    pixMPI_Rect part;
    uint32_t name;        /* OpenGL: of the object */
} pixMPI_Surface;

enum { PIXMPI_API_MEMORY = 0, PIXMPI_API_IN_PLACE, PIXMPI_API_WITH_DEPTH, PIXMPI_API_GL, PIXMPI_API_VK };

/** Host memory: rows without gaps between them. */
PIXMPI_API pixMPI_Surface pixMPI_Memory(const void *data, pixMPI_Format format, int width, int height);

/** A rectangle of a surface, as a surface of its own: PIXMPI_WHOLE is all of the rectangle, and regions count from its
 *  corner. Nothing has to be made or freed. All calls take it, for all APIs; rectangles of rectangles, too.
 *
 *      pixMPI_Send(pixMPI_Sub(picture, 960, 540, 640, 480), PIXMPI_WHOLE, 1, tag, comm);
 *
 *  A rectangle that is not within the surface is PIXMPI_ERR_REGION in the call that takes it. */
PIXMPI_API pixMPI_Surface pixMPI_Sub(pixMPI_Surface surface, int x, int y, int width, int height);

/** The same surface, but what is sent of it is compressed like this:
 *  pixMPI_Send(pixMPI_Coded(picture, pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 85)), ...). */
PIXMPI_API pixMPI_Surface pixMPI_Coded(pixMPI_Surface surface, pixMPI_Codec codec);

/** Colours and depths as one surface: each pixel has both, and all verbs move both. Regions count for both planes.
 *
 *      pixMPI_Surface color = glMPI_Texture2D(color_texture), depth = glMPI_Texture2D(depth_texture);
 *      pixMPI_Send(pixMPI_With_depth(&color, &depth), PIXMPI_WHOLE, ...);
 *
 *  Only the addresses are kept: both surfaces have to live until the call that takes the result returns. Both are of
 *  one API, on one device (PIXMPI_ERR_SURFACE), and of one size. `colors`: a format of 4, 8, 12 or 16 bytes a pixel;
 *  `depths`: one with depth, with or without a stencil (PIXMPI_ERR_FORMAT). What is sent from such a surface is
 *  received into one whose colours and depths have the same numbers of bytes. The codec of the colours counts for
 *  both. Semaphores of Vulkan surfaces count for their own plane. For those of vkMPI_Start both planes wait, and both
 *  have been moved when they signal. */
PIXMPI_API pixMPI_Surface pixMPI_With_depth(const pixMPI_Surface *colors, const pixMPI_Surface *depths);

/* ---- verbs -------------------------------------------------------------------------------------------------- */

/** One message that is under way, or a persistent one. Requests are the same for all APIs: the calls below serve
 *  requests of pixMPI_Isend, glMPI_Isend and vkMPI_Isend, and lists that mix them. */
typedef struct pixMPI_Request_tag *pixMPI_Request;
#define PIXMPI_REQUEST_NULL ((pixMPI_Request)0)

/*
 * As in MPI: dest and source are ranks of `comm`, or MPI_PROC_NULL (nothing happens, at once); source may be
 * MPI_ANY_SOURCE, and a receive's tag MPI_ANY_TAG. `status` receives source, tag and size; MPI_STATUS_IGNORE is
 * welcome. Send and Isend complete when the program may write to the surface again: at once up to the eager size, else
 * when the receiver has taken the pixels. Between start and completion a surface's region is the library's: do not
 * write to what is sent, do not touch what is received.
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
 * calls pixMPI_Progress by turns. Where no thread has called that has the context, for five seconds, pixMPI_Copy gives
 * the copy up with PIXMPI_ERR_CONTEXT; pixMPI_Wait returns that code, too, and the copy goes on.
 *
 * What was copied into a surface is there for the commands that the context's own thread gives after the request has
 * completed. No communicator needs to be attached, but MPI has to run. Where none was attached before, the options are
 * those of the environment.
 *
 * pixMPI_Stats::bytes_by_way tells which ways copies went; the log tells each one's at PIXMPI_LOG_DEBUG.
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
/** Waits until a matching message could be received, and says whose it is and how large. PIXMPI_ERR_PEER when `source`
 *  has ended; the library sees that of processes of this host only. */
PIXMPI_API int pixMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
/** Whether there is a matching message now. Never waits. */
PIXMPI_API int pixMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

/*
 * Completion, as in MPI: a completed request is freed and its handle set to PIXMPI_REQUEST_NULL; a persistent request
 * becomes inactive. Null and inactive requests count as completed, with an empty status. The calls return the error of
 * the message; Waitall, Testall and Waitsome return PIXMPI_ERR_STATUS, and each message's code is in its status'
 * MPI_ERROR. statuses may be MPI_STATUSES_IGNORE. A request of a graphics API makes progress only where its context is
 * current; waiting elsewhere is PIXMPI_ERR_CONTEXT, and the request goes on.
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
/** What an inactive persistent request compresses with from its next start on, whatever its surface says: a send, or
 *  all that this rank sends in a collective. Returns PIXMPI_ERR_REQUEST, PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Request_set_codec(pixMPI_Request request, pixMPI_Codec codec);

/** How many pixels of `format` a status tells of, as MPI_Get_count: MPI_UNDEFINED when the bytes are no multiple of a
 *  pixel's. (MPI_Get_count with MPI_BYTE gives the bytes.) */
PIXMPI_API int pixMPI_Get_count(const MPI_Status *status, pixMPI_Format format, int64_t *pixels);

#ifdef __cplusplus
}
#endif

#endif
