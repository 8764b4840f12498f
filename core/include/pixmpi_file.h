/*
 * pixmpi_file: pixels between files and surfaces of every API. A file has a picture. You read a region of the picture
 * into a region of a surface, or write it from one. So N ranks read the tiles of one gigapixel picture, or write a
 * wall-sized picture together into one file.
 *
 *     pixMPI_File file;
 *     pixMPI_Picture picture;
 *     pixMPI_File_open(MPI_COMM_WORLD, "earth.tif", PIXMPI_FILE_READ, &file);
 *     pixMPI_File_picture(file, &picture);                                       // width, height, format
 *     pixMPI_File_read_at_all(file, picture, my_tile, texture, PIXMPI_WHOLE);
 *     pixMPI_File_close(&file);
 *
 * Bytes go between the disk and memory that the surface's device touches, several bands at a time, while the device
 * packs or unpacks further ones. They do not pass through the system's page cache where the file system and the
 * alignment allow (O_DIRECT); io_uring moves them if the system has it, otherwise threads do. The log says which, at
 * PIXMPI_LOG_INFO.
 *
 * A file that is shorter than the picture, or that shrinks while it is read, or a full disk is PIXMPI_ERR_FILE; the
 * text names file, offset and what was expected.
 */
#ifndef PIXMPI_FILE_H
#define PIXMPI_FILE_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open file. Requests under way keep what they need of it. */
typedef struct pixMPI_File_tag *pixMPI_File;
#define PIXMPI_FILE_NULL ((pixMPI_File)0)

/** How a file is opened: a sum of these modes. */
typedef enum pixMPI_File_mode PIXMPI_ENUM {
    PIXMPI_FILE_READ = 1,
    PIXMPI_FILE_WRITE = 2,
    PIXMPI_FILE_CREATE = 4, /* with WRITE: the file is made, or emptied if there is one */
    PIXMPI_FILE_CACHED = 8  /* through the system's page cache: for files that are read again soon */
} pixMPI_File_mode;

/** The format of a file. */
typedef enum pixMPI_Container PIXMPI_ENUM {
    PIXMPI_CONTAINER_RAW = 0, /* pixels alone */
    PIXMPI_CONTAINER_TIFF = 1 /* uncompressed TIFF of grey or RGB, its first picture; BigTIFF where the file needs more
                                 than 4 GiB */
} pixMPI_Container;

/** The picture of a file. A plain value; all zero except width, height and format: rows without gaps from the file's
 *  first byte on. Pixels are numbered as in regions; pixel (0, 0) is the first one of the file's first row. */
typedef struct pixMPI_Picture {
    int width, height; /* pixels */
    pixMPI_Format format;
    int container;               /* PIXMPI_CONTAINER_* */
    int upside_down;             /* 1: y counts from the file's last row. A file with its top row first is then upright
                                    in OpenGL, where y counts upwards */
    int tile_width, tile_height; /* TIFF: multiples of 16; 0: strips of whole rows */
    int64_t offset;              /* raw: bytes before the first pixel */
    int64_t row_bytes;           /* raw: from one row to the next; 0: rows without gaps */
} pixMPI_Picture;

/** Rows without gaps from the file's first byte on. */
PIXMPI_API pixMPI_Picture pixMPI_Raw_picture(pixMPI_Format format, int width, int height);

/** A TIFF of tiles, or, with tile sizes of 0, of strips. Formats: one to four channels of 8, 16 or 32 bits each, in the
 *  order R, G, B, A; DEPTH16 and DEPTH32F. */
PIXMPI_API pixMPI_Picture pixMPI_Tiff_picture(pixMPI_Format format, int width, int height, int tile_width,
                                              int tile_height);

/** Opens a file. Every rank of `comm`, an attached intracommunicator, calls it with the same arguments; when it fails
 * on one rank, it fails on all. MPI_COMM_NULL: this process alone opens the file, and calls that end in _all are not
 * for it. Returns PIXMPI_ERR_FILE, _COMM, _ARGUMENT. */
PIXMPI_API int pixMPI_File_open(MPI_Comm comm, const char *path, int mode, pixMPI_File *file);
/** Closes it and sets the handle to PIXMPI_FILE_NULL. Every rank of the file's communicator calls it, after its
 * requests on the file have completed. A TIFF that pixMPI_File_write_at has written gets its directory now. */
PIXMPI_API int pixMPI_File_close(pixMPI_File *file);
/** The picture of a TIFF. upside_down is 1 where the file's first row is the lowest one (Orientation 4), so that y
 * counts from the top. Tiles and strips that were never written read as 0, or as the number of GDAL's tag NODATA. Such
 * a file cannot be written to. Returns PIXMPI_ERR_FILE, with the reason, if the bytes of the file are not the pixels.
 * Such files are compressed, of planes, of FillOrder 2, in the other byte order, mirrored or turned. Or they have other
 * colours than RGB and grey (0 is black), or tiles with too few bytes. */
PIXMPI_API int pixMPI_File_picture(pixMPI_File file, pixMPI_Picture *picture);

/*
 * Reading and writing: pixels of `file_region` of the picture, in packed order, become those of `region` of the
 * surface, or the other way round. Both regions have as many pixels, of as many bytes. Contexts and threads: as for
 * pixMPI_Copy. Its other rules also hold. The calls with _all are collective over the file's communicator, as those of
 * <pixmpi_collectives.h> are: they fail on all ranks when they fail on one, and accept surfaces of this thread's
 * contexts.
 *
 * The system decides when the bytes of pixMPI_File_write_at are on the disk. pixMPI_File_write_at_all writes one
 * picture by all ranks together: it returns when all of it is on the disk. Ranks may write nothing; no two of them
 * write the same pixel. Bytes that no rank writes stay as they are.
 *
 * A file that is new or becomes longer is finished at the end: a raw picture that is the last thing in its file gets
 * its last byte then, and with it its length, a TIFF its directory and header. If writers are interrupted before, the
 * file is too short, or no TIFF. A file that was complete before the call stays so: an interrupted call leaves some of
 * the new pixels in it. Open it with PIXMPI_FILE_CREATE to write it anew, also if the picture may be smaller than what
 * was there.
 *
 * Return codes: PIXMPI_ERR_FILE, _ARGUMENT (the file, or a member of the picture), _REGION, _SURFACE, _FORMAT,
 * _CONTEXT, _MEMORY, _DEVICE, _MPI.
 */
PIXMPI_API int pixMPI_File_read_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                   pixMPI_Surface surface, pixMPI_Region region);
PIXMPI_API int pixMPI_File_write_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                    pixMPI_Surface surface, pixMPI_Region region);
PIXMPI_API int pixMPI_File_read_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                       pixMPI_Surface surface, pixMPI_Region region);
PIXMPI_API int pixMPI_File_write_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                        pixMPI_Surface surface, pixMPI_Region region);
PIXMPI_API int pixMPI_File_iread_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                    pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_iwrite_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                     pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_iread_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                        pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_iwrite_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                         pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_read_at_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                        pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_write_at_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                         pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_read_at_all_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                            pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);
PIXMPI_API int pixMPI_File_write_at_all_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                             pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
