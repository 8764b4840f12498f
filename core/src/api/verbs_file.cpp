// The verbs of files.
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

int pixMPI_File_read_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface,
                        pixMPI_Region region) {
    return access_file("pixMPI_File_read_at", blocking(), {file, picture, file_region, surface, region, false});
}

int pixMPI_File_iread_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface,
                         pixMPI_Region region, pixMPI_Request *request) {
    return access_file("pixMPI_File_iread_at", nonblocking(request),
                       {file, picture, file_region, surface, region, false});
}

int pixMPI_File_read_at_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                             pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file("pixMPI_File_read_at_init", persistent(request),
                       {file, picture, file_region, surface, region, false});
}

int pixMPI_File_write_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface,
                         pixMPI_Region region) {
    return access_file("pixMPI_File_write_at", blocking(), {file, picture, file_region, surface, region, true});
}

int pixMPI_File_iwrite_at(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface,
                          pixMPI_Region region, pixMPI_Request *request) {
    return access_file("pixMPI_File_iwrite_at", nonblocking(request),
                       {file, picture, file_region, surface, region, true});
}

int pixMPI_File_write_at_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                              pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file("pixMPI_File_write_at_init", persistent(request),
                       {file, picture, file_region, surface, region, true});
}

int pixMPI_File_read_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region, pixMPI_Surface surface,
                            pixMPI_Region region) {
    return access_file_together("pixMPI_File_read_at_all", blocking(),
                                {file, picture, file_region, surface, region, false});
}

int pixMPI_File_iread_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                             pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file_together("pixMPI_File_iread_at_all", nonblocking(request),
                                {file, picture, file_region, surface, region, false});
}

int pixMPI_File_read_at_all_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                 pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file_together("pixMPI_File_read_at_all_init", persistent(request),
                                {file, picture, file_region, surface, region, false});
}

int pixMPI_File_write_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                             pixMPI_Surface surface, pixMPI_Region region) {
    return access_file_together("pixMPI_File_write_at_all", blocking(),
                                {file, picture, file_region, surface, region, true});
}

int pixMPI_File_iwrite_at_all(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                              pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file_together("pixMPI_File_iwrite_at_all", nonblocking(request),
                                {file, picture, file_region, surface, region, true});
}

int pixMPI_File_write_at_all_init(pixMPI_File file, pixMPI_Picture picture, pixMPI_Region file_region,
                                  pixMPI_Surface surface, pixMPI_Region region, pixMPI_Request *request) {
    return access_file_together("pixMPI_File_write_at_all_init", persistent(request),
                                {file, picture, file_region, surface, region, true});
}
