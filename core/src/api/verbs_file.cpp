// The verbs of files: those that read and write are a table.
#include "api/file_call.h"

using namespace pixmpi;

int pixMPI_File_open(MPI_Comm comm, const char *path, int mode, pixMPI_File *file) {
    return open_file("pixMPI_File_open", comm, path, mode, file);
}

int pixMPI_File_close(pixMPI_File *file) { return close_file("pixMPI_File_close", file); }

int pixMPI_File_picture(pixMPI_File file, pixMPI_Picture *picture) {
    return public_call("pixMPI_File_picture", [&]() -> Status {
        std::shared_ptr<FileHandle> handle;
        if (const Status error = find_file(file, handle))
            return error;
        if (!picture)
            return fail(PIXMPI_ERR_ARGUMENT, "picture: null, expected a pointer to a picture");
        return handle->file->tiff_picture(*picture);
    });
}

#define ACCESS                                                                                                         \
    pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface, pixMPI_Region region
#define READS ({file, picture, file_region, surface, region, false})
#define WRITES ({file, picture, file_region, surface, region, true})

PIXMPI_VERB(File_read_at, File_iread_at, access_file, (ACCESS), READS)
PIXMPI_VERB(File_write_at, File_iwrite_at, access_file, (ACCESS), WRITES)
PIXMPI_VERB(File_read_at_all, File_iread_at_all, access_file_together, (ACCESS), READS)
PIXMPI_VERB(File_write_at_all, File_iwrite_at_all, access_file_together, (ACCESS), WRITES)
