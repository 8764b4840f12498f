/*
 * Programs that were compiled with IceT's headers run on this library: numbers, types and layouts are those of IceT 2.2.0.
 * Names that programs use to ask for features are also there. Most of this is checked when it is compiled.
 */
#include <IceT.h>
#include <IceTConfig.h>
#include <IceTGL.h>
#include <IceTGL3.h>
#include <IceTMPI.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if ICET_MAJOR_VERSION != 2 || ICET_MINOR_VERSION != 2 || ICET_PATCH_VERSION != 0
#error "this is not IceT 2.2.0's interface"
#endif
#if !defined(ICET_SINGLE_IMAGE_STRATEGY_RADIXKR) || !defined(ICET_MAGIC_K) || ICET_FLOAT != 0x8004
#error "programs cannot ask for features"
#endif

#define HOLDS(condition) _Static_assert(condition, #condition)
HOLDS(sizeof(IceTInt8) == 1 && sizeof(IceTUnsignedInt8) == 1 && sizeof(IceTByte) == 1 && sizeof(IceTUByte) == 1);
HOLDS(sizeof(IceTInt16) == 2 && sizeof(IceTUnsignedInt16) == 2 && sizeof(IceTShort) == 2 && sizeof(IceTUShort) == 2);
HOLDS(sizeof(IceTInt32) == 4 && sizeof(IceTUnsignedInt32) == 4 && sizeof(IceTInt) == 4 && sizeof(IceTUInt) == 4);
HOLDS(sizeof(IceTInt64) == 8 && sizeof(IceTUnsignedInt64) == 8 && sizeof(IceTFloat64) == 8 && sizeof(IceTDouble) == 8);
HOLDS(sizeof(IceTEnum) == 4 && sizeof(IceTBitField) == 4 && sizeof(IceTSizeType) == 4 && sizeof(IceTBoolean) == 1);
HOLDS(sizeof(IceTPointerArithmetic) == sizeof(void *) && sizeof(IceTImage) == sizeof(void *));
HOLDS(sizeof(IceTFloat32) == 4 && sizeof(IceTFloat) == 4 && (IceTUnsignedInt64)-1 > 0);
HOLDS(sizeof(struct IceTCommunicatorStruct) == 18 * sizeof(void *));
#define PLACE(member, place) HOLDS(offsetof(struct IceTCommunicatorStruct, member) == (place) * sizeof(void *))
PLACE(Duplicate, 0);
PLACE(Destroy, 1);
PLACE(Subset, 2);
PLACE(Barrier, 3);
PLACE(Send, 4);
PLACE(Recv, 5);
PLACE(Sendrecv, 6);
PLACE(Gather, 7);
PLACE(Gatherv, 8);
PLACE(Allgather, 9);
PLACE(Alltoall, 10);
PLACE(Isend, 11);
PLACE(Irecv, 12);
PLACE(Wait, 13);
PLACE(Waitany, 14);
PLACE(Comm_size, 15);
PLACE(Comm_rank, 16);
PLACE(data, 17);

static const struct {
    IceTEnum seen, wanted;
} numbers[] = {{ICET_FALSE, 0x0},
               {ICET_TRUE, 0x1},
               {ICET_NULL, 0x0},
               {ICET_BOOLEAN, 0x8000},
               {ICET_BYTE, 0x8001},
               {ICET_SHORT, 0x8002},
               {ICET_INT, 0x8003},
               {ICET_FLOAT, 0x8004},
               {ICET_DOUBLE, 0x8005},
               {ICET_POINTER, 0x8008},
               {ICET_VOID, 0x800F},
               {ICET_SIZE_TYPE, 0x8003},
               {ICET_IMAGE_COLOR_NONE, 0xC000},
               {ICET_IMAGE_COLOR_RGBA_UBYTE, 0xC001},
               {ICET_IMAGE_COLOR_RGBA_FLOAT, 0xC002},
               {ICET_IMAGE_COLOR_RGB_FLOAT, 0xC003},
               {ICET_IMAGE_DEPTH_NONE, 0xD000},
               {ICET_IMAGE_DEPTH_FLOAT, 0xD001},
               {ICET_STRATEGY_DIRECT, 0x6001},
               {ICET_STRATEGY_SEQUENTIAL, 0x6002},
               {ICET_STRATEGY_SPLIT, 0x6003},
               {ICET_STRATEGY_REDUCE, 0x6004},
               {ICET_STRATEGY_VTREE, 0x6005},
               {ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, 0x7001},
               {ICET_SINGLE_IMAGE_STRATEGY_BSWAP, 0x7002},
               {ICET_SINGLE_IMAGE_STRATEGY_TREE, 0x7003},
               {ICET_SINGLE_IMAGE_STRATEGY_RADIXK, 0x7004},
               {ICET_SINGLE_IMAGE_STRATEGY_RADIXKR, 0x7005},
               {ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING, 0x7006},
               {ICET_COMPOSITE_MODE_Z_BUFFER, 0x301},
               {ICET_COMPOSITE_MODE_BLEND, 0x302},
               {ICET_FLOATING_VIEWPORT, 0x141},
               {ICET_ORDERED_COMPOSITE, 0x142},
               {ICET_CORRECT_COLORED_BACKGROUND, 0x143},
               {ICET_COMPOSITE_ONE_BUFFER, 0x144},
               {ICET_INTERLACE_IMAGES, 0x145},
               {ICET_COLLECT_IMAGES, 0x146},
               {ICET_RENDER_EMPTY_IMAGES, 0x147},
               {ICET_GL_DISPLAY, 0x170},
               {ICET_GL_DISPLAY_COLORED_BACKGROUND, 0x171},
               {ICET_GL_DISPLAY_INFLATE, 0x172},
               {ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE, 0x173},
               {ICET_DIAGNOSTIC_LEVEL, 0x1},
               {ICET_RANK, 0x2},
               {ICET_NUM_PROCESSES, 0x3},
               {ICET_BACKGROUND_COLOR, 0x5},
               {ICET_BACKGROUND_COLOR_WORD, 0x6},
               {ICET_PHYSICAL_RENDER_WIDTH, 0x7},
               {ICET_PHYSICAL_RENDER_HEIGHT, 0x8},
               {ICET_COLOR_FORMAT, 0x9},
               {ICET_DEPTH_FORMAT, 0xA},
               {ICET_NUM_TILES, 0x10},
               {ICET_TILE_VIEWPORTS, 0x11},
               {ICET_GLOBAL_VIEWPORT, 0x12},
               {ICET_TILE_MAX_WIDTH, 0x13},
               {ICET_TILE_MAX_HEIGHT, 0x14},
               {ICET_DISPLAY_NODES, 0x1A},
               {ICET_TILE_DISPLAYED, 0x1B},
               {ICET_GEOMETRY_BOUNDS, 0x22},
               {ICET_NUM_BOUNDING_VERTS, 0x23},
               {ICET_STRATEGY, 0x24},
               {ICET_SINGLE_IMAGE_STRATEGY, 0x25},
               {ICET_COMPOSITE_MODE, 0x28},
               {ICET_COMPOSITE_ORDER, 0x29},
               {ICET_PROCESS_ORDERS, 0x2A},
               {ICET_STRATEGY_SUPPORTS_ORDERING, 0x2B},
               {ICET_DATA_REPLICATION_GROUP, 0x2C},
               {ICET_DATA_REPLICATION_GROUP_SIZE, 0x2D},
               {ICET_FRAME_COUNT, 0x2E},
               {ICET_MAGIC_K, 0x40},
               {ICET_MAX_IMAGE_SPLIT, 0x41},
               {ICET_DRAW_FUNCTION, 0x60},
               {ICET_GL_INITIALIZED, 0x101},
               {ICET_GL_READ_BUFFER, 0x110},
               {ICET_GL_DRAW_FUNCTION, 0x120},
               {ICET_IS_DRAWING_FRAME, 0x80},
               {ICET_PROJECTION_MATRIX, 0x81},
               {ICET_MODELVIEW_MATRIX, 0x82},
               {ICET_CONTAINED_VIEWPORT, 0x83},
               {ICET_NEAR_DEPTH, 0x84},
               {ICET_FAR_DEPTH, 0x85},
               {ICET_NUM_CONTAINED_TILES, 0x86},
               {ICET_CONTAINED_TILES_LIST, 0x87},
               {ICET_CONTAINED_TILES_MASK, 0x88},
               {ICET_TRUE_BACKGROUND_COLOR, 0x8D},
               {ICET_TRUE_BACKGROUND_COLOR_WORD, 0x8E},
               {ICET_VALID_PIXELS_TILE, 0x98},
               {ICET_VALID_PIXELS_OFFSET, 0x99},
               {ICET_VALID_PIXELS_NUM, 0x9A},
               {ICET_RENDERED_VIEWPORT, 0xA0},
               {ICET_RENDER_TIME, 0xC1},
               {ICET_BUFFER_READ_TIME, 0xC2},
               {ICET_BUFFER_WRITE_TIME, 0xC3},
               {ICET_COMPRESS_TIME, 0xC4},
               {ICET_INTERLACE_TIME, 0xC5},
               {ICET_COMPARE_TIME, 0xC6},
               {ICET_COMPOSITE_TIME, 0xC7},
               {ICET_COLLECT_TIME, 0xC8},
               {ICET_TOTAL_DRAW_TIME, 0xC9},
               {ICET_BYTES_SENT, 0xCA},
               {ICET_BLEND_TIME, 0xC6},
               {ICET_DIAG_OFF, 0x0},
               {ICET_DIAG_ERRORS, 0x1},
               {ICET_DIAG_WARNINGS, 0x3},
               {ICET_DIAG_DEBUG, 0x7},
               {ICET_DIAG_ROOT_NODE, 0x0},
               {ICET_DIAG_ALL_NODES, 0x100},
               {ICET_DIAG_FULL, 0xFFFF},
               {ICET_NO_ERROR, 0x0},
               {ICET_SANITY_CHECK_FAIL, 0xFFFFFFFF},
               {ICET_INVALID_ENUM, 0xFFFFFFFE},
               {ICET_BAD_CAST, 0xFFFFFFFD},
               {ICET_OUT_OF_MEMORY, 0xFFFFFFFC},
               {ICET_INVALID_OPERATION, 0xFFFFFFFB},
               {ICET_INVALID_VALUE, 0xFFFFFFFA}};

int main(void) {
    const IceTCommRequest none = ICET_COMM_REQUEST_NULL;
    int failures = none != NULL || strcmp(ICET_VERSION, "2.2.0") != 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if (numbers[i].seen != numbers[i].wanted) {
            printf("number %zu: 0x%X, expected 0x%X\n", i, numbers[i].seen, numbers[i].wanted);
            ++failures;
        }
    return failures != 0;
}
