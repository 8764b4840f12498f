// Files as programs hold them, and what calls on them write as steps.
#pragma once

#include "api/collective_call.h"
#include "api/copy_call.h"
#include "file/file_device.h"

namespace pixmpi {

struct FileHandle {
    std::shared_ptr<OpenFile> file;
    MPI_Comm comm = MPI_COMM_NULL; ///< MPI_COMM_NULL: this process alone has it
};

/// One call that reads or writes, as the program named it.
struct FileCall {
    pixMPI_File file;
    pixMPI_Picture picture;
    pixMPI_Region file_region;
    pixMPI_Surface surface;
    pixMPI_Region region;
    bool write;
};

/// PIXMPI_ERR_ARGUMENT names `file`.
Status find_file(pixMPI_File handle, std::shared_ptr<FileHandle> &file);
int open_file(const char *name, MPI_Comm comm, const char *path, int mode, pixMPI_File *handle);
int close_file(const char *name, pixMPI_File *handle);
/// By this process alone.
int access_file(const char *name, const Form &form, const FileCall &call);
/// By all ranks of the file's communicator.
int access_file_together(const char *name, const Form &form, const FileCall &call);

} // namespace pixmpi
