/*
 * Compositing: each rank draws its part of a scene, and the parts become one picture.
 *
 *     pixMPI_Compositor compositor;
 *     pixMPI_Compositor_create(PIXMPI_NEAREST, 0, MPI_COMM_WORLD, &compositor);     // by depth, to rank 0
 *     for (;;) {
 *         draw_my_part();                                       // into the surfaces `color` and `depth`
 *         pixMPI_Surface shown = rank == 0 ? picture : pixMPI_No_surface();
 *         pixMPI_Composite(pixMPI_With_depth(&color, &depth), PIXMPI_WHOLE, shown, compositor);
 *     }
 *
 * How pixels become one is an operation of pixmpi_collectives.h: NEAREST keeps what is in front by depth, OVER blends
 * in an order of ranks from front to back, MAX makes a maximum intensity projection; your own operation does as well. A
 * compositor does the same as Reduce, and makes use of three facts: most of a rank's picture is empty, the surfaces
 * change from frame to frame, and the next frame is drawn meanwhile. (Sort-last: Molnar et al. 1994) Neighbours in the
 * order merge, in an order that the strategy says, so an operation has to be associative. Where it rounds, as OVER
 * does, pictures of two strategies may differ in the last bits.
 *
 * Surfaces. The surfaces that ranks draw, and the pictures, may be of any API, and the APIs may differ. In a frame all
 * ranks have the same size and format; the next frame may have another. With NEAREST the drawn surface has depth
 * (pixMPI_With_depth), with other operations it has none. The picture has the format of the colours. It may also have
 * depth: on all ranks with a picture, or on none.
 *
 * Background. Where a rank has drawn nothing, its surface has background, the same on all ranks, over which nothing
 * changes: the farthest depth for NEAREST (1, or all bits set), all bits zero for OVER, SUM, BOR, BXOR and for MAX of
 * unsigned formats. The library looks for such pixels, in cells of 8 x 8 or a few more (pixMPI_Search), and only the
 * rest travels. Cells that one rank alone has drawn go straight to the picture. Other operations also have a
 * background, outside `active`. Where no rank has drawn, the picture has the background of the picture's rank.
 *
 * Time. A nonblocking call returns at once; the program draws its next frame into other surfaces, or into the same
 * ones if the compositor makes a copy (pixMPI_Compositor_set_snapshot), and starts it: two frames of a compositor may
 * be under way at once. Frames move along inside the library's calls, or in the library's thread
 * (PIXMPI_PROGRESS_THREAD).
 *
 * All ranks of the communicator make their calls of compositors and collectives in the same order. Errors reach all
 * ranks, as those of collectives do: wrong arguments on one rank, sizes or formats that differ between ranks, and the
 * end of a rank. The picture may have been written in part then.
 */
#ifndef PIXMPI_COMPOSITOR_H
#define PIXMPI_COMPOSITOR_H

#include <pixmpi_collectives.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How ranks share out the work. n ranks, each with B bytes of active pixels, which they merge in rounds. */
typedef enum pixMPI_Strategy PIXMPI_ENUM {
    PIXMPI_STRATEGY_AUTO = 0, /**< by the number of ranks and hosts */
    /** One round: rank i merges the i-th part of the picture, and all others send it their pixels of it. n - 1 messages
     *  of B / n bytes out of each rank. (Hsu 1993; Neumann 1993) */
    PIXMPI_STRATEGY_DIRECT = 1,
    /** log2 n rounds: two ranks exchange halves of what they have. Where n is no power of two, the ranks that are too
     *  many hand their pictures to a neighbour first. (Ma, Painter, Hansen and Krogh 1994) */
    PIXMPI_STRATEGY_SWAP = 2,
    /** Rounds of groups of k ranks, direct send in each: n is split into factors that are k at most, or prime.
     *  (Peterka et al. 2009) */
    PIXMPI_STRATEGY_RADIX = 3,
    /** log2 n rounds: every second rank hands its picture to a neighbour. For small pictures. */
    PIXMPI_STRATEGY_TREE = 4,
    /** Direct send within each host, then between the hosts; where the order of ranks goes from host to host and all
     *  hosts have as many ranks. Else as AUTO. */
    PIXMPI_STRATEGY_HOSTS = 5
} pixMPI_Strategy;

/** Whether the library looks for background within what a rank says is active, so that it need not travel. */
typedef enum pixMPI_Search PIXMPI_ENUM {
    PIXMPI_SEARCH_AUTO = 0, /**< where it most likely saves time; few pixels of a GPU are not looked at */
    PIXMPI_SEARCH_NONE = 1,
    PIXMPI_SEARCH_ALWAYS = 2 /**< depths or colours of a GPU without compute shaders are copied to the host for that */
} pixMPI_Search;

/** Who gets the picture, instead of a rank. */
enum {
    PIXMPI_RESULT_ALL = -1,  /**< all ranks */
    PIXMPI_RESULT_ROWS = -2  /**< each rank the rows that it has merged: pixMPI_Compositor_rows */
};

/** A rectangle of the picture that a rank gets, as a wall's tile has it. */
typedef struct pixMPI_Tile {
    int rank;
    pixMPI_Rect rect;
} pixMPI_Tile;

/** The times of a frame on this rank, in seconds, and its bytes. */
typedef struct pixMPI_Frame_stats {
    size_t struct_size; /* set by PIXMPI_FRAME_STATS_INIT */
    uint64_t frame;                      /**< its number, from 0: frames without an error are counted */
    double draw;                         /**< from the return of the call before to this one: the program's own time */
    double search;                       /**< looking for background */
    double wait;                         /**< until all ranks had drawn, and told each other what */
    double blend;                        /**< from the first to the last step that merges */
    double collect;                      /**< of merged parts on their way to pictures */
    double compress;                     /**< of the codec, in the other times */
    double total;                        /**< from the call to completion */
    uint64_t active_pixels;              /**< in cells with something else than background */
    uint64_t bytes_sent, bytes_received; /**< of pixels, as they travelled */
} pixMPI_Frame_stats;
#define PIXMPI_FRAME_STATS_INIT {sizeof(pixMPI_Frame_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

typedef struct pixMPI_Compositor_tag *pixMPI_Compositor;

#define PIXMPI_COMPOSITOR_NULL ((pixMPI_Compositor)0)

/**
 * Makes a compositor. It keeps what a frame needs, and may be used for any number of frames.
 *
 *   op          How pixels become one; an order of ranks that it has (pixMPI_Op_ordered) counts, from front to back.
 *               The same on all ranks.
 *   result      The rank that gets the picture, or PIXMPI_RESULT_ALL or PIXMPI_RESULT_ROWS.
 *   comm        An attached intracommunicator.
 *   compositor  The result.
 *
 * Sends nothing: what differs between ranks is found by their first frame. Any thread may call this.
 * PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_COMM, PIXMPI_ERR_RANK, PIXMPI_ERR_MEMORY.
 */
PIXMPI_API int pixMPI_Compositor_create(pixMPI_Op op, int result, MPI_Comm comm, pixMPI_Compositor *compositor);

/** From the next frame on another strategy. radix: k of PIXMPI_STRATEGY_RADIX, from 2; 0 leaves it to the library. The
 *  same on all ranks. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_strategy(pixMPI_Compositor compositor, pixMPI_Strategy strategy, int radix);

/** From the next frame on another order of ranks, from front to back. count: the communicator's size; order: a
 *  permutation of 0 .. count - 1, the same on all ranks. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_order(pixMPI_Compositor compositor, int count, const int order[]);

/** From the next frame on. Ranks may differ. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_search(pixMPI_Compositor compositor, pixMPI_Search search);

/**
 * From the next frame on the picture goes to tiles, instead of the `result` of the compositor.
 *
 *   count  How many tiles; 0: the picture goes to `result` again.
 *   tiles  Rectangles of the picture and their ranks, the same on all ranks. Tiles may overlap, leave parts of the
 *          picture out, and several may be one rank's.
 *
 * PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_RANK. A tile that is not within a frame's picture is the frame's PIXMPI_ERR_SURFACE.
 */
PIXMPI_API int pixMPI_Compositor_set_tiles(pixMPI_Compositor compositor, int count, const pixMPI_Tile tiles[]);

/** From the next frame on, on this rank. onto: 0: a frame replaces what pictures hold; else it is combined with that,
 *  which stands behind all ranks: OVER blends the frame over a background of any colour, straight alpha included, and
 *  NEAREST puts it into a scene; pictures must have depth. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_onto(pixMPI_Compositor compositor, int onto);

/** From the next frame on pictures have this background where the ranks' own does not count: with NEAREST
 *  where no rank is nearer than the background's depth, with other operations behind all ranks. Each rank combines it
 *  with its share of the merged pixels.
 *
 *    background  A surface of the size and formats of what is drawn, with the same pixels on all ranks; or null: no
 *                background, as at first. A surface in host memory that is one row high is repeated in all
 *                rows. It is the library's until another one is set and the frames are complete.
 *
 *  Not for frames of several attachments, nor for frames that go onto pictures. All ranks have a background, or none.
 *  PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_SURFACE. */
PIXMPI_API int pixMPI_Compositor_set_background(pixMPI_Compositor compositor, const pixMPI_Surface *background);

/** From the next frame on, on this rank. exact: 0: what is drawn has background outside of `active`, as everywhere
 *  where nothing is drawn. Otherwise it may hold anything there if it is in host memory, and the library writes
 *  background there where it needs it. For NEAREST, OVER, SUM, BOR, BXOR and MAX of unsigned formats. Not for frames of
 *  several attachments.
 *  PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_exact(pixMPI_Compositor compositor, int exact);

/** From the next frame on, on this rank. kept: 0: the program may write to pictures between frames. Otherwise it only
 *  reads them: where the frame before has put the background into the same picture, in host memory, it is not written
 *  again. A further call, with any value, forgets what pictures hold. Pictures that go by rows, in place or onto others
 *  are written as usual. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_kept(pixMPI_Compositor compositor, int kept);

/** From the next frame on, on this rank. snapshot: 0: what is drawn is the library's until a frame is complete, and a
 *  program that draws meanwhile has two sets of surfaces. Otherwise a frame's call copies what is drawn, on its device,
 *  and returns when the copy is made: the program may draw its next frame into the same surfaces. In place: no copy.
 *  PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_snapshot(pixMPI_Compositor compositor, int snapshot);

/** From the next frame on, a codec for merged pixels that this rank sends to a picture; all else travels as it is, or
 *  without loss as the communicator says. JPEG is for pictures without depth. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_set_codec(pixMPI_Compositor compositor, pixMPI_Codec codec);

/**
 * Composes a frame, and returns when this rank's part is done.
 *
 *   drawn    The pixels that this rank has drawn. They stay as they are, except for pictures in place.
 *   active   Where in `drawn` there may be something else than background: a region, PIXMPI_WHOLE, or a
 *            region without rectangles when this rank has drawn nothing. The rectangle around the region counts. The
 *            region may be freed when the call has returned.
 *   picture  Where the result goes, of the size of `drawn` or of this rank's tile. pixMPI_In_place(): to `drawn`. Not
 *            looked at on ranks without a result.
 *
 * With PIXMPI_RESULT_ROWS only this rank's rows of the picture are written.
 *
 * Return codes: those of pixMPI_Reduce; PIXMPI_ERR_REQUEST when the program has not completed two frames of this
 * compositor.
 * Threads and contexts: as for collectives.
 */
PIXMPI_API int pixMPI_Composite(pixMPI_Surface drawn, pixMPI_Region active, pixMPI_Surface picture,
                                pixMPI_Compositor compositor);
/** The same, completed by pixMPI_Wait or another such call. Until then `drawn` and `picture` are the library's. */
PIXMPI_API int pixMPI_Icomposite(pixMPI_Surface drawn, pixMPI_Region active, pixMPI_Surface picture,
                                 pixMPI_Compositor compositor, pixMPI_Request *request);

/**
 * The same for several attachments, as those of deferred shading, and for ranks with several tiles. The depth that is
 * nearest decides of all attachments; it travels with each of them.
 *
 *   attachments  How many, from 1; the same on all ranks.
 *   drawn        `attachments` surfaces. If there are several, the first has depth, and the others are colours of its
 *                size and device. Their formats may differ.
 *   pictures     `attachments` surfaces for each of this rank's tiles in their order, or for the result. The first of
 *                them may have depth. In place: for one attachment without tiles.
 *
 * Each attachment and tile uses labels of messages. A frame has 64 (MPI tags): attachments times rounds, and
 * attachments times the tiles that one rank has. PIXMPI_ERR_ARGUMENT on all ranks where these are more.
 */
PIXMPI_API int pixMPI_Compositev(int attachments, const pixMPI_Surface drawn[], pixMPI_Region active,
                                 const pixMPI_Surface pictures[], pixMPI_Compositor compositor);
PIXMPI_API int pixMPI_Icompositev(int attachments, const pixMPI_Surface drawn[], pixMPI_Region active,
                                  const pixMPI_Surface pictures[], pixMPI_Compositor compositor,
                                  pixMPI_Request *request);

/**
 * The times of the last complete frame on this rank.
 *
 *   stats           The result.
 *   count           The communicator's size; not looked at when both arrays are null.
 *   sent, received  Bytes of pixels to and from each rank, `count` numbers, or null.
 *
 * Any thread may call this. PIXMPI_ERR_REQUEST when no frame is complete; PIXMPI_ERR_ARGUMENT.
 */
PIXMPI_API int pixMPI_Compositor_get_stats(pixMPI_Compositor compositor, pixMPI_Frame_stats *stats, int count,
                                       uint64_t sent[], uint64_t received[]);

/**
 * Writes what this rank's frames do to a file, from the next frame on: the array format of Chrome's trace events, which
 * chrome://tracing and ui.perfetto.dev show. A rank is a process there; drawing, frames and the messages with each rank
 * have separate tracks. Each rank has a separate file. Times are since 1970, so that files of several ranks can be put
 * together (`jq -s add`) as far as their hosts' clocks agree.
 *
 *   path  A file, which is written anew; null: no more frames are written, and the file ends. It also ends with the
 *         compositor.
 *
 * PIXMPI_ERR_ARGUMENT.
 */
PIXMPI_API int pixMPI_Compositor_set_trace(pixMPI_Compositor compositor, const char *path);

/** Which rows of a picture of `height` rows a rank gets with PIXMPI_RESULT_ROWS: `count` rows from `first` on, or none.
 *  PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_RANK. */
PIXMPI_API int pixMPI_Compositor_rows(pixMPI_Compositor compositor, int height, int rank, int *first, int *count);

/** Frees a compositor and sets the handle to PIXMPI_COMPOSITOR_NULL; frames under way come to their end.
 *  PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int pixMPI_Compositor_free(pixMPI_Compositor *compositor);

/**
 * Moves the lines between strips of a picture, so that the strips take equally long. (Sort-first: each rank draws a
 * strip of the picture, which a Gather collects; Molnar et al. 1994)
 *
 *   count    How many strips.
 *   seconds  How long each took, in any unit: `count` numbers from 0.
 *   extent   Of the picture across the lines, in pixels; `count` or more.
 *   lines    count + 1 positions, ascending from 0 to `extent`: strip i is from lines[i] up to, without, lines[i + 1].
 *            In: the strips that took so long. Out: those of the next frame, of a pixel each at least.
 *
 * The work of a strip counts as if it were spread evenly in it. A line goes half of the way to where it should be, so
 * that it comes to rest in some frames, and noise in the times does not make it swing. If all times are 0 no line
 * moves.
 *
 * Sends nothing: where all ranks call it with the same numbers, they get the same lines. Any thread may call this.
 * PIXMPI_ERR_ARGUMENT; `lines` stay as they are then.
 */
PIXMPI_API int pixMPI_Balance(int count, const double seconds[], int extent, int lines[]);

/** A box along the axes. */
typedef struct pixMPI_Box {
    double min[3], max[3];
} pixMPI_Box;

/**
 * An order from front to back of boxes that do not overlap, for pixMPI_Compositor_set_order where each rank draws what
 * lies in one box.
 *
 *   count  How many boxes.
 *   boxes  By rank.
 *   eye    Where the scene is seen from, in perspective. For parallel rays: a point far away against them.
 *   order  The result, `count` ranks.
 *
 * Of two boxes with a plane along the axes between them, the one on the eye's side stands first. Where that leaves a
 * choice, and where boxes overlap, the box stands first that is nearer to the eye.
 *
 * Sends nothing. Any thread may call this. PIXMPI_ERR_ARGUMENT; `order` stays as it is then.
 */
PIXMPI_API int pixMPI_Order_boxes(int count, const pixMPI_Box boxes[], const double eye[3], int order[]);

#ifdef __cplusplus
}
#endif

#endif
