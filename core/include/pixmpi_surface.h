/*
 * pixmpi_surface: which pixels, and what is known of them: formats, regions, codecs and surfaces. <pixmpi.h> includes
 * it, and says what the words mean. Nothing here needs MPI.
 */
#ifndef PIXMPI_SURFACE_H
#define PIXMPI_SURFACE_H

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

/** The type of an enumeration, said to C++: every number that a C program passes can be looked at there. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define PIXMPI_ENUM : int
#else
#define PIXMPI_ENUM
#endif

/* ---- formats ------------------------------------------------------------------------------------------------ */

/** Formats of pixels in memory. Channels lie in the order of the name, from the lowest address; packed formats (those
 *  with unequal channels) are words of the machine, with the layout of the GL type in brackets. _SRGB only says how
 *  the bits are meant. */
typedef enum pixMPI_Format PIXMPI_ENUM {
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
    PIXMPI_RGB10_A2,        /* 4 bytes [UNSIGNED_INT_2_10_10_10_REV]. */
    PIXMPI_RGB10_A2UI,      /* the same, integers. */
    PIXMPI_R11F_G11F_B10F,  /* 4 bytes [UNSIGNED_INT_10F_11F_11F_REV]. */
    PIXMPI_DEPTH16,
    PIXMPI_DEPTH24,         /* 4 bytes: depth in the upper 24 bits, the lower 8 mean nothing [UNSIGNED_INT_24_8]. */
    PIXMPI_DEPTH32F,
    PIXMPI_DEPTH24_STENCIL8,  /* 4 bytes [UNSIGNED_INT_24_8]. */
    PIXMPI_DEPTH32F_STENCIL8, /* 8 bytes [FLOAT_32_UNSIGNED_INT_24_8_REV]. */
    PIXMPI_STENCIL8,
    PIXMPI_FORMAT_END /* one past the last. */
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

/** A region: pixels of a surface, in an order; nothing about where they are stored. pixMPI_Region_* make a region,
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

/* ---- codecs -------------------------------------------------------------------------------------------------- */

/** How the pixels of a message are compressed on their way. The sending rank decides; a stream says what it is, so the
 *  receiver says nothing. A plain value; all zero: as the communicator says (pixMPI_Comm_set_codec). */
typedef struct pixMPI_Codec {
    uint8_t kind;        /* PIXMPI_CODEC_*. */
    uint8_t quality;     /* JPEG: 1 to 100, the scale of the Independent JPEG Group; 0: 90. AUTO: 0 forbids JPEG. */
    uint8_t subsampling; /* JPEG: PIXMPI_SUBSAMPLING_*. */
    uint8_t alpha;       /* JPEG: PIXMPI_ALPHA_*, for formats that have some. */
} pixMPI_Codec;

/**
 * LZ4 loses nothing and accepts every format.
 * JPEG accepts R8, and RGB and RGBA of 8 bits in either order, _SRGB or not. Other formats (depths, floats ...) are
 * PIXMPI_ERR_FORMAT. Pixels that JPEG makes no smaller travel by LZ4, without loss. Regions of several rectangles have
 * JPEG's usual quality if their widths are multiples of a common number from 8 on; otherwise it is somewhat lower.
 * AUTO picks, for each pair of ranks, the codec (or none) that has been fastest so far. It never picks JPEG unless
 * `quality` is set.
 * Messages below 4 KiB, within a rank, or between GPUs that reach each other's memory by AUTO, travel as they are,
 * except for the alpha that PIXMPI_ALPHA_OPAQUE drops.
 * Reductions never use JPEG, so that every rank has the same bits. Surfaces with depth (pixMPI_With_depth) travel as
 * they are, and are PIXMPI_ERR_FORMAT for JPEG.
 */
enum { PIXMPI_CODEC_DEFAULT = 0, PIXMPI_CODEC_NONE, PIXMPI_CODEC_LZ4, PIXMPI_CODEC_JPEG, PIXMPI_CODEC_AUTO };
/** Of the two chroma channels: a quarter of the samples, half of them (all rows, every second column), all. Regions of
 *  several rectangles keep at least half, and pixels in rows that JPEG cannot hold keep all. */
enum { PIXMPI_SUBSAMPLING_420 = 0, PIXMPI_SUBSAMPLING_422, PIXMPI_SUBSAMPLING_444 };
/** JPEG has no alpha. REFUSE: formats with alpha are PIXMPI_ERR_FORMAT. OPAQUE: alpha is dropped, and arrives as one,
 *  also in small messages and if LZ4 replaces JPEG. AUTO drops it only with JPEG. Pixels that a collective or a
 *  compositor leaves on their rank keep their alpha. BESIDE: alpha travels in addition to the JPEG, by LZ4, without
 *  loss. */
enum { PIXMPI_ALPHA_REFUSE = 0, PIXMPI_ALPHA_OPAQUE, PIXMPI_ALPHA_BESIDE };

/** A codec with its defaults: `quality` is for JPEG and AUTO. */
PIXMPI_API pixMPI_Codec pixMPI_Codec_of(int kind, int quality);
/** The codec of a text: "none", "lz4", "jpeg" or "auto"; behind it, in any order and separated by colons, a quality,
 *  "420", "422" or "444", and "opaque" or "beside". "jpeg:85:444:opaque"; "auto:90" allows JPEG. Returns
 *  PIXMPI_ERR_ARGUMENT for other texts. */
PIXMPI_API int pixMPI_Codec_named(const char *text, pixMPI_Codec *codec);

/* ---- surfaces ----------------------------------------------------------------------------------------------- */

/** Pixels of any API, as all verbs accept them: a plain value of 64 bytes. pixMPI_Memory makes one of memory, the
 *  functions of <glmpi.h> make one of an OpenGL object, vkMPI_Any of <vkmpi.h> makes one of a Vulkan object, those of
 *  <cudampi.h> make one of CUDA's memory and arrays. The two sides of a call may be of different APIs. The owner of the
 *  pixels keeps them until the message has completed.
 *
 *  A surface that points to other values (pixMPI_With_depth, vkMPI_Any) is valid as long as these are. A verb reads
 *  them during its call only, also where it makes a request.
 *
 *  A program that fills in a surface of host memory by itself sets all of it to zero first. */
typedef struct pixMPI_Surface {
    void *data;           /* host memory. */
    int64_t offset;       /* host memory and buffers: bytes from the beginning to the pixel (0, 0). */
    ptrdiff_t row_bytes;  /* host memory and buffers: from one row to the next; host memory: negative when rows lie
                             upside down. */
    pixMPI_Format format; /* host memory and buffers: what it holds. */
    int width, height;    /* host memory and buffers: pixels. */
    pixMPI_Codec codec;   /* how its pixels are compressed where they are sent; all zero: as the communicator says. */
    uint8_t api;          /* PIXMPI_API_*: what it is. */
    uint8_t kind, as;     /* for the library of that API. */
    uint8_t has_part;     /* 1: the surface is the rectangle `part` (pixMPI_Sub). */
    pixMPI_Rect part;
    uint32_t name;        /* OpenGL: of the object. */
} pixMPI_Surface;

enum {
    PIXMPI_API_MEMORY = 0,
    PIXMPI_API_IN_PLACE,
    PIXMPI_API_WITH_DEPTH,
    PIXMPI_API_GL,
    PIXMPI_API_VK,
    PIXMPI_API_CUDA
};

/** Memory: rows without gaps between them.
 *
 *  data: host memory, or a pointer of CUDA. Device and managed memory is found by CUDA's driver, once a library has
 *  loaded it into the process, and is then what cudaMPI_Memory of <cudampi.h> makes, without a stream. Memory that CUDA
 *  has pinned is host memory here. An address at which the process has no memory is PIXMPI_ERR_SURFACE in the call that
 *  takes the surface: so is a pointer of a GPU where CUDA's driver is not loaded. */
PIXMPI_API pixMPI_Surface pixMPI_Memory(const void *data, pixMPI_Format format, int width, int height);

/** A rectangle of a surface, as a surface: PIXMPI_WHOLE is all of the rectangle, and regions count from its corner.
 *  Nothing has to be made or freed. All calls accept it, for all APIs; also rectangles of rectangles.
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
 *  `depths`: one with depth, with or without a stencil (PIXMPI_ERR_FORMAT). A message from such a surface is received
 *  into a surface with the same numbers of bytes for colours and depths. The codec of the colours counts for both.
 *  Semaphores of Vulkan surfaces count for their own plane. For those of vkMPI_Start both planes wait, and both have
 *  been moved when they signal. */
PIXMPI_API pixMPI_Surface pixMPI_With_depth(const pixMPI_Surface *colors, const pixMPI_Surface *depths);

/** The format of a surface's pixels in messages, and its size in pixels. Pointers may be null. Returns what a verb that
 *  takes the surface returns for it. */
PIXMPI_API int pixMPI_Surface_get_format(pixMPI_Surface surface, pixMPI_Format *format);
PIXMPI_API int pixMPI_Surface_get_size(pixMPI_Surface surface, int *width, int *height);

#ifdef __cplusplus
}
#endif

#endif
