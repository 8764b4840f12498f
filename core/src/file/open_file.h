// A file that a program has opened: its descriptors, and the pictures in it.
#pragma once

#include "file/tiff.h"

#include <memory>
#include <optional>
#include <string>

namespace pixmpi {

class OpenFile {
  public:
    /// `maker`: whether this process makes or empties it where the mode says so; others find it made.
    static Status open(const std::string &path, int mode, bool maker, std::shared_ptr<OpenFile> &file);
    explicit OpenFile(std::string path_, int mode_) : path(std::move(path_)), mode(mode_) {}
    ~OpenFile();
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;

    const std::string path;
    const int mode; ///< PIXMPI_FILE_*
    int plain() const { return plain_; }
    /// For transfers past the page cache, with memory, offset and length that are multiples of `direct_unit`; -1: none.
    int direct() const { return direct_refused_ ? -1 : direct_; }
    static constexpr std::int64_t direct_unit = 4096;
    /// The file system has refused one. Others that have begun may still use the descriptor.
    void no_direct(const char *why);

    /// Where the pixels of what the program named lie. PIXMPI_ERR_ARGUMENT names the member that is wrong.
    Status find_grid(const pixMPI_Picture &named, bool write, std::shared_ptr<const Grid> &grid);
    /// The picture of a TIFF that exists.
    Status tiff_picture(pixMPI_Picture &picture);

    // One picture written by all ranks together.
    /// The root's, before any rank writes: a file that is not complete does not look so until the end.
    Status begin_whole(const Grid &grid) const;
    /// When all else lies on the disk; the root finishes the file.
    Status end_whole(const Grid &grid, bool root);
    /// Bytes at `offset`, now, and on the disk.
    Status put(const void *bytes, std::size_t count, std::int64_t offset) const;
    Status sync() const;
    /// A TIFF that has pixels and no directory.
    bool unfinished() const { return written_ && tiff_named_ && !tiff_finished_; }
    void note_written() { written_ = true; }
    Status finish_tiff();

    Status size(std::int64_t &bytes) const;
    /// PIXMPI_ERR_FILE: "PATH: WHAT N bytes at offset M: the system's words".
    Status failed(const char *what, std::size_t bytes, std::int64_t offset, int number) const;

  private:
    Status raw_grid(const pixMPI_Picture &named, Grid &grid) const;
    Status check_tiles(const Grid &grid, bool write) const;
    int plain_ = -1, direct_ = -1;
    bool direct_refused_ = false;
    struct Known {
        pixMPI_Picture named;
        std::shared_ptr<const Grid> grid;
    };
    std::optional<Known> tiff_read_, tiff_named_, raw_;
    TiffDirectory directory_; ///< of tiff_named_
    bool written_ = false, tiff_finished_ = false;
};

} // namespace pixmpi
