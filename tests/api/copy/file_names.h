// Files of the cases about files: their names, their bytes, and pictures in them.
#pragma once

#include "rig/ends.h"

#include <pixmpi_file.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace api {

/// A file of this case's, the same name on all ranks; gone when it ends.
class Name {
  public:
    explicit Name(const char *name, bool own = true)
        : path(std::string(folder()) + "/pixmpi-" + std::to_string(parent()) + "-" + name +
               (own ? "-" + std::to_string(rank) : "")) {}
    ~Name() {
        barrier();
        ::unlink(path.c_str());
        barrier();
    }
    operator const char *() const { return path.c_str(); }
    const std::string path;

  private:
    static const char *folder() {
        const char *const text = std::getenv("PIXMPI_TEST_FOLDER");
        return text ? text : ".";
    }
    /// A number that all ranks of this run have alone.
    static int parent() {
        static int number = [] {
            int one = rank == 0 ? static_cast<int>(::getpid()) : 0;
            return everywhere(one);
        }();
        return number;
    }
};

inline void put(const Name &name, const Bytes &bytes) {
    std::ofstream(name.path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline Bytes get(const Name &name) {
    std::ifstream file(name.path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

inline pixMPI_File open(const Name &name, int mode, MPI_Comm comm = MPI_COMM_NULL) {
    pixMPI_File file = PIXMPI_FILE_NULL;
    NEED_OK(pixMPI_File_open(comm, name, mode, &file));
    return file;
}

constexpr int read_write = PIXMPI_FILE_READ | PIXMPI_FILE_WRITE, create = read_write | PIXMPI_FILE_CREATE;

inline pixMPI_Picture raw(pixMPI_Format format, int width, int height, std::int64_t offset, std::int64_t row_bytes,
                          int upside_down) {
    pixMPI_Picture picture = pixMPI_Raw_picture(format, width, height);
    picture.offset = offset;
    picture.row_bytes = row_bytes;
    picture.upside_down = upside_down;
    return picture;
}

/// The part of the rows that is rank r's, the last ones' may be none.
inline Shape rows_of(int r, int width, int height) {
    const int first = height * r / size, end = height * (r + 1) / size;
    return rectangle(0, first, width, end - first);
}

} // namespace api
