#include "file/open_file.h"

#include "base/log.h"
#include "device/surface_checks.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pixmpi {
namespace {

bool same(const pixMPI_Picture &a, const pixMPI_Picture &b) {
    return a.width == b.width && a.height == b.height && a.format == b.format && a.container == b.container &&
           a.upside_down == b.upside_down && a.tile_width == b.tile_width && a.tile_height == b.tile_height &&
           a.offset == b.offset && a.row_bytes == b.row_bytes;
}

Status check_mode(int mode) {
    constexpr int known = PIXMPI_FILE_READ | PIXMPI_FILE_WRITE | PIXMPI_FILE_CREATE | PIXMPI_FILE_CACHED;
    if ((mode & ~known) || !(mode & (PIXMPI_FILE_READ | PIXMPI_FILE_WRITE)))
        return fail(PIXMPI_ERR_ARGUMENT, "mode: 0x%x, expected PIXMPI_FILE_READ, PIXMPI_FILE_WRITE, or both", mode);
    if ((mode & PIXMPI_FILE_CREATE) && !(mode & PIXMPI_FILE_WRITE))
        return fail(PIXMPI_ERR_ARGUMENT, "mode: PIXMPI_FILE_CREATE, expected PIXMPI_FILE_WRITE with it");
    return PIXMPI_SUCCESS;
}

} // namespace

Status OpenFile::failed(const char *what, std::size_t bytes, std::int64_t offset, int number) const {
    return fail(PIXMPI_ERR_FILE, "%s: %s %zu bytes at offset %lld: %s", path.c_str(), what, bytes,
                static_cast<long long>(offset), std::strerror(number));
}

Status OpenFile::open(const std::string &path, int mode, bool maker, std::shared_ptr<OpenFile> &file) {
    if (const Status error = check_mode(mode))
        return error;
    const bool reads = (mode & PIXMPI_FILE_READ) != 0, writes = (mode & PIXMPI_FILE_WRITE) != 0;
    const int access = reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY;
    const int making = (mode & PIXMPI_FILE_CREATE) && maker ? O_CREAT | O_TRUNC : 0;
    auto made = std::make_shared<OpenFile>(path, mode);
    made->plain_ = ::open(path.c_str(), access | making | O_CLOEXEC, 0666);
    if (made->plain_ < 0)
        return fail(PIXMPI_ERR_FILE, "%s: %s, expected a file that can be %s", path.c_str(), std::strerror(errno),
                    making            ? "made"
                    : reads && writes ? "read and written"
                    : writes          ? "written"
                                      : "read");
    struct stat facts {};
    if (::fstat(made->plain_, &facts) == 0 && S_ISDIR(facts.st_mode))
        return fail(PIXMPI_ERR_FILE, "%s: a folder, expected a file", path.c_str());
    if (!(mode & PIXMPI_FILE_CACHED) && S_ISREG(facts.st_mode)) {
        made->direct_ = ::open(path.c_str(), access | O_DIRECT | O_CLOEXEC);
        if (made->direct_ < 0)
            made->no_direct(std::strerror(errno));
        else
            log_line(PIXMPI_LOG_INFO, "%s: read and written past the page cache", path.c_str());
    } else {
        log_line(PIXMPI_LOG_INFO, "%s: read and written through the page cache", path.c_str());
    }
    file = std::move(made);
    return PIXMPI_SUCCESS;
}

OpenFile::~OpenFile() {
    for (const int descriptor : {plain_, direct_})
        if (descriptor >= 0)
            ::close(descriptor);
}

void OpenFile::no_direct(const char *why) {
    log_line(PIXMPI_LOG_INFO, "%s: through the page cache, since O_DIRECT is refused: %s", path.c_str(), why);
    direct_refused_ = true;
}

Status OpenFile::size(std::int64_t &bytes) const {
    struct stat facts {};
    if (::fstat(plain_, &facts) != 0)
        return fail(PIXMPI_ERR_FILE, "%s: its size is not known: %s", path.c_str(), std::strerror(errno));
    bytes = facts.st_size;
    return PIXMPI_SUCCESS;
}

Status OpenFile::raw_grid(const pixMPI_Picture &named, Grid &grid) const {
    constexpr std::int64_t most = INT64_MAX / 4;
    const std::int64_t row = named.width * std::int64_t{format_info(named.format).bytes};
    const std::int64_t step = named.row_bytes ? named.row_bytes : row;
    if (step < row)
        return fail(PIXMPI_ERR_ARGUMENT, "picture.row_bytes: %lld, expected 0, or at least the %lld of %d %s pixels",
                    static_cast<long long>(named.row_bytes), static_cast<long long>(row), named.width,
                    format_info(named.format).name);
    if (named.height > 0 && step > most / named.height)
        return fail(PIXMPI_ERR_ARGUMENT, "picture: %d rows of %lld bytes, expected at most %lld bytes in all",
                    named.height, static_cast<long long>(step), static_cast<long long>(most));
    if (named.offset < 0 || named.offset > most)
        return fail(PIXMPI_ERR_ARGUMENT, "picture.offset: %lld, expected 0 or more, and less than %lld",
                    static_cast<long long>(named.offset), static_cast<long long>(most));
    if (named.tile_width || named.tile_height)
        return fail(PIXMPI_ERR_ARGUMENT, "picture.tile_width, tile_height: %d, %d, expected 0 and 0 for a raw picture",
                    named.tile_width, named.tile_height);
    grid.extent = {named.width, named.height};
    grid.format = named.format;
    grid.tile_width = std::max(named.width, 1);
    grid.tile_height = std::max(named.height, 1);
    grid.row_bytes = step;
    if (named.width > 0 && named.height > 0)
        grid.tiles = {named.offset};
    grid.upside_down = named.upside_down != 0;
    return PIXMPI_SUCCESS;
}

Status OpenFile::tiff_picture(pixMPI_Picture &picture) {
    if (!tiff_read_) {
        Grid grid;
        pixMPI_Picture found{};
        if (const Status error = read_tiff(path, grid, found))
            return error;
        tiff_read_ = Known{found, std::make_shared<const Grid>(std::move(grid))};
    }
    picture = tiff_read_->named;
    return PIXMPI_SUCCESS;
}

Status OpenFile::find_grid(const pixMPI_Picture &named, bool write, std::shared_ptr<const Grid> &grid) {
    if (!(mode & (write ? PIXMPI_FILE_WRITE : PIXMPI_FILE_READ)))
        return fail(PIXMPI_ERR_ARGUMENT, "file: %s was not opened with PIXMPI_FILE_%s", path.c_str(),
                    write ? "WRITE" : "READ");
    if (named.container != PIXMPI_CONTAINER_RAW && named.container != PIXMPI_CONTAINER_TIFF)
        return fail(PIXMPI_ERR_ARGUMENT,
                    "picture.container: %d, expected PIXMPI_CONTAINER_RAW or PIXMPI_CONTAINER_TIFF", named.container);
    int format = 0; // from C it may hold any
    std::memcpy(&format, &named.format, sizeof format);
    if (format <= PIXMPI_FORMAT_NONE || format >= PIXMPI_FORMAT_END)
        return fail(PIXMPI_ERR_FORMAT, "picture.format: %d, expected one of pixMPI_Format", format);
    if (named.width < 0 || named.height < 0)
        return fail(PIXMPI_ERR_ARGUMENT, "picture: %dx%d pixels, expected 0 or more", named.width, named.height);
    std::optional<Known> &known = named.container == PIXMPI_CONTAINER_RAW ? raw_ : tiff_named_;
    if (known && same(known->named, named)) {
        grid = known->grid;
        return check_tiles(*grid, write);
    }
    Grid made;
    if (named.container == PIXMPI_CONTAINER_RAW) {
        if (const Status error = raw_grid(named, made))
            return error;
    } else if (mode & PIXMPI_FILE_CREATE) {
        TiffDirectory directory;
        if (const Status error = lay_out_tiff(named, made, directory))
            return error;
        directory_ = std::move(directory);
        tiff_finished_ = false;
    } else {
        pixMPI_Picture found{};
        if (const Status error = tiff_picture(found))
            return error;
        found.upside_down = named.upside_down;
        if (!same(found, named))
            return fail(PIXMPI_ERR_ARGUMENT,
                        "picture: a TIFF of %dx%d pixels of %s, %s has %dx%d of %s, in tiles of "
                        "%dx%d; expected what pixMPI_File_picture gives",
                        named.width, named.height, format_info(named.format).name, path.c_str(), found.width,
                        found.height, format_info(found.format).name, found.tile_width, found.tile_height);
        made = *tiff_read_->grid;
        made.upside_down = named.upside_down != 0;
        tiff_finished_ = true; // its directory stays
    }
    known = Known{named, std::make_shared<const Grid>(std::move(made))};
    grid = known->grid;
    return check_tiles(*grid, write);
}

Status OpenFile::check_tiles(const Grid &grid, bool write) const {
    return write && grid.is_sparse()
               ? fail(PIXMPI_ERR_FILE,
                      "%s: has tiles that were never written, expected none in a TIFF that is written to", path.c_str())
               : Status{PIXMPI_SUCCESS};
}

Status OpenFile::sync() const {
    return ::fsync(plain_) == 0 || errno == EINVAL // what is no file on a disk
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_FILE, "%s: what was written does not lie on the disk: %s", path.c_str(),
                      std::strerror(errno));
}

Status OpenFile::put(const void *bytes, std::size_t count, std::int64_t offset) const {
    const auto *next = static_cast<const std::byte *>(bytes);
    for (std::size_t left = count; left > 0;) {
        const ssize_t written = ::pwrite(plain_, next, left, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed("writing", left, offset, written < 0 ? errno : ENOSPC);
        next += written;
        offset += written;
        left -= static_cast<std::size_t>(written);
    }
    return sync();
}

Status OpenFile::begin_whole(const Grid &grid) const {
    std::int64_t bytes = 0;
    if (const Status error = size(bytes))
        return error;
    const std::int64_t end = grid.end();
    // Room for all of it at once, where the file system can say so: it lies in one piece, and a full disk is known now.
    if (end > bytes && ::fallocate(plain_, FALLOC_FL_KEEP_SIZE, 0, end) != 0 && errno == ENOSPC)
        return failed("making room for", static_cast<std::size_t>(end), 0, errno);
    // What is whole already stays so: its other bytes are the program's, and so is a last byte that no call writes.
    if (grid.is_tiff) {
        if (bytes == 0 || tiff_finished_ || !(mode & PIXMPI_FILE_CREATE))
            return PIXMPI_SUCCESS;
        const std::vector<std::byte> nothing(directory_.header.size()); // it was written before
        return put(nothing.data(), nothing.size(), 0);
    }
    if (bytes < end && ::ftruncate(plain_, end - 1) != 0 && errno != EINVAL)
        return failed("making room for", static_cast<std::size_t>(end - 1), 0, errno);
    return PIXMPI_SUCCESS;
}

Status OpenFile::end_whole(const Grid &grid, bool root) {
    const bool finished = tiff_finished_;
    tiff_finished_ = tiff_finished_ || grid.is_tiff;
    if (!root)
        return PIXMPI_SUCCESS;
    if (grid.is_tiff)
        return finished ? sync() : finish_tiff();
    std::int64_t bytes = 0;
    if (const Status error = size(bytes))
        return error;
    if (bytes >= grid.end())
        return PIXMPI_SUCCESS;
    if (::ftruncate(plain_, grid.end()) != 0 && errno != EINVAL) // its last pixel has not been written
        return failed("making room for", static_cast<std::size_t>(grid.end()), 0, errno);
    return sync();
}

Status OpenFile::finish_tiff() {
    if (!tiff_named_ || !(mode & PIXMPI_FILE_CREATE))
        return sync();
    tiff_finished_ = false;
    if (const Status error = put(directory_.directory.data(), directory_.directory.size(), directory_.directory_offset))
        return error;
    const Status error = put(directory_.header.data(), directory_.header.size(), 0);
    tiff_finished_ = !error;
    return error;
}

} // namespace pixmpi
