/*
 * Types and numbers of IceT's interface 2.2: what <IceTConfig.h> has, and the enumerants of <IceT.h> and <IceTGL.h>.
 *
 * Types have the sizes and layouts of IceT 2.2.0, and enumerants have its values. So a program that was compiled with
 * IceT's own headers runs on this library. All enumerants are macros: a program may ask for one by #ifdef.
 */
#ifndef ICET_PIXMPI_TYPES_H
#define ICET_PIXMPI_TYPES_H

#if defined(__GNUC__)
#define ICET_EXPORT __attribute__((visibility("default")))
#else
#define ICET_EXPORT
#endif
#define ICET_MPI_EXPORT ICET_EXPORT
#define ICET_GL_EXPORT ICET_EXPORT
#define ICET_GL3_EXPORT ICET_EXPORT

#define ICET_MAJOR_VERSION 2
#define ICET_MINOR_VERSION 2
#define ICET_PATCH_VERSION 0
#define ICET_VERSION "2.2.0"

/* ---- types -------------------------------------------------------------------------------------------------- */

typedef char IceTInt8;
typedef unsigned char IceTUnsignedInt8;
typedef short IceTInt16;
typedef unsigned short IceTUnsignedInt16;
typedef int IceTInt32;
typedef unsigned int IceTUnsignedInt32;
#if defined(__LP64__)
typedef long IceTInt64;
typedef unsigned long IceTUnsignedInt64;
#else
__extension__ typedef long long IceTInt64;
__extension__ typedef unsigned long long IceTUnsignedInt64;
#endif
typedef float IceTFloat32;
typedef double IceTFloat64;
#if defined(__LP64__)
typedef IceTInt64 IceTPointerArithmetic;
#else
typedef IceTInt32 IceTPointerArithmetic;
#endif

typedef IceTUnsignedInt32 IceTEnum;
typedef IceTUnsignedInt32 IceTBitField;
typedef IceTFloat64 IceTDouble;
typedef IceTFloat32 IceTFloat;
typedef IceTInt32 IceTInt;
typedef IceTUnsignedInt32 IceTUInt;
typedef IceTInt16 IceTShort;
typedef IceTUnsignedInt16 IceTUShort;
typedef IceTInt8 IceTByte;
typedef IceTUnsignedInt8 IceTUByte;
typedef IceTUnsignedInt8 IceTBoolean;
typedef void IceTVoid;
typedef IceTInt32 IceTSizeType;

#define ICET_FALSE 0
#define ICET_TRUE 1

/* ---- types of coordinates --------------------------------------------------------------------------- */

#define ICET_NULL 0x0000u
#define ICET_BOOLEAN 0x8000u
#define ICET_BYTE 0x8001u
#define ICET_SHORT 0x8002u
#define ICET_INT 0x8003u
#define ICET_FLOAT 0x8004u
#define ICET_DOUBLE 0x8005u
#define ICET_POINTER 0x8008u
#define ICET_VOID 0x800Fu
#define ICET_SIZE_TYPE ICET_INT

/* ---- formats of images ------------------------------------------------------------------------------ */

#define ICET_IMAGE_COLOR_NONE 0xC000u
#define ICET_IMAGE_COLOR_RGBA_UBYTE 0xC001u
#define ICET_IMAGE_COLOR_RGBA_FLOAT 0xC002u
#define ICET_IMAGE_COLOR_RGB_FLOAT 0xC003u
#define ICET_IMAGE_DEPTH_NONE 0xD000u
#define ICET_IMAGE_DEPTH_FLOAT 0xD001u

/* ---- strategies for several tiles, which all do the same here, and strategies for one --------------- */

#define ICET_STRATEGY_DIRECT 0x6001u
#define ICET_STRATEGY_SEQUENTIAL 0x6002u
#define ICET_STRATEGY_SPLIT 0x6003u
#define ICET_STRATEGY_REDUCE 0x6004u
#define ICET_STRATEGY_VTREE 0x6005u
#define ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC 0x7001u
#define ICET_SINGLE_IMAGE_STRATEGY_BSWAP 0x7002u
#define ICET_SINGLE_IMAGE_STRATEGY_TREE 0x7003u
#define ICET_SINGLE_IMAGE_STRATEGY_RADIXK 0x7004u
#define ICET_SINGLE_IMAGE_STRATEGY_RADIXKR 0x7005u
#define ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING 0x7006u

/* ---- icetCompositeMode ------------------------------------------------------------------------------ */

#define ICET_COMPOSITE_MODE_Z_BUFFER 0x0301u
#define ICET_COMPOSITE_MODE_BLEND 0x0302u

/* ---- features of icetEnable ------------------------------------------------------------------------- */

#define ICET_FLOATING_VIEWPORT 0x0141u
#define ICET_ORDERED_COMPOSITE 0x0142u
#define ICET_CORRECT_COLORED_BACKGROUND 0x0143u /* without effect: a blended image always has its background */
#define ICET_COMPOSITE_ONE_BUFFER 0x0144u
#define ICET_INTERLACE_IMAGES 0x0145u /* without effect: ranks always share the work evenly */
#define ICET_COLLECT_IMAGES 0x0146u
#define ICET_RENDER_EMPTY_IMAGES 0x0147u
#define ICET_GL_DISPLAY 0x0170u
#define ICET_GL_DISPLAY_COLORED_BACKGROUND 0x0171u /* without effect */
#define ICET_GL_DISPLAY_INFLATE 0x0172u /* without effect: images have the size of their tiles */
#define ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE 0x0173u /* without effect */

/* ---- state of a context ----------------------------------------------------------------------------- */

#define ICET_DIAGNOSTIC_LEVEL 0x0001u
#define ICET_RANK 0x0002u
#define ICET_NUM_PROCESSES 0x0003u
#define ICET_BACKGROUND_COLOR 0x0005u
#define ICET_BACKGROUND_COLOR_WORD 0x0006u
#define ICET_PHYSICAL_RENDER_WIDTH 0x0007u
#define ICET_PHYSICAL_RENDER_HEIGHT 0x0008u
#define ICET_COLOR_FORMAT 0x0009u
#define ICET_DEPTH_FORMAT 0x000Au
#define ICET_NUM_TILES 0x0010u
#define ICET_TILE_VIEWPORTS 0x0011u
#define ICET_GLOBAL_VIEWPORT 0x0012u
#define ICET_TILE_MAX_WIDTH 0x0013u
#define ICET_TILE_MAX_HEIGHT 0x0014u
#define ICET_DISPLAY_NODES 0x001Au
#define ICET_TILE_DISPLAYED 0x001Bu
#define ICET_GEOMETRY_BOUNDS 0x0022u
#define ICET_NUM_BOUNDING_VERTS 0x0023u
#define ICET_STRATEGY 0x0024u
#define ICET_SINGLE_IMAGE_STRATEGY 0x0025u
#define ICET_COMPOSITE_MODE 0x0028u
#define ICET_COMPOSITE_ORDER 0x0029u
#define ICET_PROCESS_ORDERS 0x002Au
#define ICET_STRATEGY_SUPPORTS_ORDERING 0x002Bu
#define ICET_DATA_REPLICATION_GROUP 0x002Cu
#define ICET_DATA_REPLICATION_GROUP_SIZE 0x002Du
#define ICET_FRAME_COUNT 0x002Eu
#define ICET_MAGIC_K 0x0040u /* the radix of ICET_SINGLE_IMAGE_STRATEGY_RADIXK */
#define ICET_MAX_IMAGE_SPLIT 0x0041u /* 0: no limit */
#define ICET_DRAW_FUNCTION 0x0060u
#define ICET_GL_INITIALIZED 0x0101u
#define ICET_GL_READ_BUFFER 0x0110u
#define ICET_GL_DRAW_FUNCTION 0x0120u

/* ---- state of the last frame, or of the frame that is drawn ----------------------------------------- */

#define ICET_IS_DRAWING_FRAME 0x0080u
#define ICET_PROJECTION_MATRIX 0x0081u
#define ICET_MODELVIEW_MATRIX 0x0082u
#define ICET_CONTAINED_VIEWPORT 0x0083u
#define ICET_NEAR_DEPTH 0x0084u
#define ICET_FAR_DEPTH 0x0085u
#define ICET_NUM_CONTAINED_TILES 0x0086u
#define ICET_CONTAINED_TILES_LIST 0x0087u
#define ICET_CONTAINED_TILES_MASK 0x0088u
#define ICET_TRUE_BACKGROUND_COLOR 0x008Du
#define ICET_TRUE_BACKGROUND_COLOR_WORD 0x008Eu
#define ICET_VALID_PIXELS_TILE 0x0098u
#define ICET_VALID_PIXELS_OFFSET 0x0099u
#define ICET_VALID_PIXELS_NUM 0x009Au
#define ICET_RENDERED_VIEWPORT 0x00A0u

/* ---- times of the last frame, in seconds, and its bytes --------------------------------------------- */

#define ICET_RENDER_TIME 0x00C1u
#define ICET_BUFFER_READ_TIME 0x00C2u
#define ICET_BUFFER_WRITE_TIME 0x00C3u
#define ICET_COMPRESS_TIME 0x00C4u /* not measured: 0, as INTERLACE, COMPARE and COLLECT */
#define ICET_INTERLACE_TIME 0x00C5u
#define ICET_COMPARE_TIME 0x00C6u
#define ICET_COMPOSITE_TIME 0x00C7u
#define ICET_COLLECT_TIME 0x00C8u
#define ICET_TOTAL_DRAW_TIME 0x00C9u
#define ICET_BYTES_SENT 0x00CAu
#define ICET_BLEND_TIME ICET_COMPARE_TIME

/* ---- bits of icetDiagnostics: which lines are printed, and on which ranks --------------------------- */

#define ICET_DIAG_OFF 0x0000u
#define ICET_DIAG_ERRORS 0x0001u
#define ICET_DIAG_WARNINGS 0x0003u
#define ICET_DIAG_DEBUG 0x0007u
#define ICET_DIAG_ROOT_NODE 0x0000u
#define ICET_DIAG_ALL_NODES 0x0100u
#define ICET_DIAG_FULL 0xFFFFu

/* ---- errors ----------------------------------------------------------------------------------------- */

#define ICET_NO_ERROR 0x0000u
#define ICET_SANITY_CHECK_FAIL 0xFFFFFFFFu /* pixmpi or MPI failed, or another rank */
#define ICET_INVALID_ENUM 0xFFFFFFFEu
#define ICET_BAD_CAST 0xFFFFFFFDu
#define ICET_OUT_OF_MEMORY 0xFFFFFFFCu
#define ICET_INVALID_OPERATION 0xFFFFFFFBu
#define ICET_INVALID_VALUE 0xFFFFFFFAu

#endif
