// Pictures in files: read into surfaces of all kinds, and written from them.
#include "copy/file_names.h"
#include "rig/traffic.h"

#include <cstring>
#include <sys/stat.h>

using namespace api;

namespace {

/// Where pixel (x, y) of a raw picture lies.
std::size_t place(const pixMPI_Picture &picture, int x, int y) {
    const int size = pixMPI_Format_bytes(picture.format);
    const std::int64_t row = picture.row_bytes ? picture.row_bytes : std::int64_t{size} * picture.width;
    return static_cast<std::size_t>(picture.offset + row * (picture.upside_down ? picture.height - 1 - y : y) +
                                    std::int64_t{x} * size);
}

/// The picture out of a file's bytes, row after row as its y counts, and back.
Bytes picture_of(const Bytes &file, const pixMPI_Picture &picture) {
    const auto row = static_cast<std::ptrdiff_t>(picture.width * pixMPI_Format_bytes(picture.format));
    Bytes pixels;
    for (int y = 0; y < picture.height; ++y) {
        const auto from = file.begin() + static_cast<std::ptrdiff_t>(place(picture, 0, y));
        pixels.insert(pixels.end(), from, from + row);
    }
    return pixels;
}
void set_picture(Bytes &file, const pixMPI_Picture &picture, const Bytes &pixels) {
    const auto row = static_cast<std::ptrdiff_t>(picture.width * pixMPI_Format_bytes(picture.format));
    for (int y = 0; y < picture.height; ++y)
        std::copy(pixels.begin() + row * y, pixels.begin() + row * (y + 1),
                  file.begin() + static_cast<std::ptrdiff_t>(place(picture, 0, y)));
}

/// Reads and writes parts of a picture in a file that has more than it, by blocking, nonblocking and persistent calls.
void there_and_back(const EndKind &kind, const pixMPI_Picture &picture, int mode, const Shape &in_file,
                    const Shape &in_surface, int edge) {
    note("%s, %dx%d of %s at %lld, rows of %lld, %s to %s, mode %d", kind.name, picture.width, picture.height,
         pixMPI_Format_name(picture.format), static_cast<long long>(picture.offset),
         static_cast<long long>(picture.row_bytes), in_file.name.c_str(), in_surface.name.c_str(), mode);
    const Name name("there_and_back");
    const auto end = kind.make(picture.format, edge, edge);
    Bytes bytes = pattern(place(picture, picture.width, picture.upside_down ? 0 : picture.height - 1) + 12345, 3);
    put(name, bytes);
    const Bytes before = end->fill(4);
    Bytes expected = before;
    unpack(expected, edge, end->pixel_bytes, in_surface,
           pack(picture_of(bytes, picture), picture.width, end->pixel_bytes, in_file));
    pixMPI_File file = open(name, read_write | mode);
    CHECK_OK(pixMPI_File_read_at(file, picture, in_file, end->any(), in_surface));
    CHECK_PIXELS(end->read(), expected, edge, end->pixel_bytes);
    end->write(before);
    pixMPI_Request request;
    NEED_OK(pixMPI_File_iread_at(file, picture, in_file, end->any(), in_surface, &request));
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_PIXELS(end->read(), expected, edge, end->pixel_bytes);
    end->check_surroundings();

    const Bytes written = end->fill(5);
    Bytes pixels = picture_of(bytes, picture);
    unpack(pixels, picture.width, end->pixel_bytes, in_file, pack(written, edge, end->pixel_bytes, in_surface));
    set_picture(bytes, picture, pixels);
    NEED_OK(pixMPI_File_write_at_init(file, picture, in_file, end->any(), in_surface, &request));
    for (int turn = 0; turn < 2; ++turn) {
        NEED_OK(pixMPI_Start(&request));
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(get(name) == bytes);
    }
    CHECK_OK(pixMPI_Request_free(&request));
    CHECK_OK(pixMPI_File_close(&file));
    CHECK(file == PIXMPI_FILE_NULL);
}

/// All ranks write a picture together, and read it all.
void together(const pixMPI_Picture &picture) {
    note("%dx%d of %s, container %d", picture.width, picture.height, pixMPI_Format_name(picture.format),
         picture.container);
    const Name name("together", false);
    const int width = picture.width, height = picture.height, pixel = pixMPI_Format_bytes(picture.format);
    const auto pixels = make_memory(picture.format, width, height), seen = make_memory(picture.format, width, height);
    const Bytes all = pixels->fill(6);
    const Shape mine = rows_of(rank, width, height);
    pixMPI_File file = open(name, create, world());
    CHECK_OK(pixMPI_File_write_at_all(file, picture, mine, pixels->any(), mine));
    CHECK_OK(pixMPI_File_read_at_all(file, picture, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE));
    CHECK_PIXELS(seen->read(), all, width, pixel);
    if (picture.container == PIXMPI_CONTAINER_RAW)
        CHECK_EQ(get(name).size(), all.size() + static_cast<std::size_t>(picture.offset));
    barrier();
    pixMPI_Request request;
    NEED_OK(pixMPI_File_write_at_all_init(file, picture, mine, pixels->any(), mine, &request));
    for (const std::uint64_t seed : {7u, 8u}) {
        const Bytes again = pixels->fill(seed);
        NEED_OK(pixMPI_Start(&request));
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        pixMPI_Request reading;
        NEED_OK(pixMPI_File_iread_at_all(file, picture, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE, &reading));
        CHECK_OK(pixMPI_Wait(&reading, MPI_STATUS_IGNORE));
        CHECK_PIXELS(seen->read(), again, width, pixel);
        barrier();
    }
    CHECK_OK(pixMPI_Request_free(&request));
    CHECK_OK(pixMPI_File_close(&file));
    // As another program finds it.
    file = open(name, PIXMPI_FILE_READ);
    pixMPI_Picture found = picture;
    if (picture.container == PIXMPI_CONTAINER_TIFF) {
        CHECK_OK(pixMPI_File_picture(file, &found));
        CHECK_EQ(found.width, width);
        CHECK_EQ(found.height, height);
        CHECK_EQ(found.format, picture.format);
        CHECK_EQ(found.tile_width, picture.tile_width);
        CHECK_EQ(found.tile_height, picture.tile_height);
    }
    seen->fill(0);
    CHECK_OK(pixMPI_File_read_at(file, found, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE));
    CHECK_PIXELS(seen->read(), pixels->read(), width, pixel);
    CHECK_OK(pixMPI_File_close(&file));
}

} // namespace

RANK_CASE(file, every_end_there_and_back, 1) {
    const int edge = 64;
    for (const EndKind &kind : end_kinds())
        for (const int mode : {0, static_cast<int>(PIXMPI_FILE_CACHED)}) {
            there_and_back(kind, raw(PIXMPI_RGBA8, 64, 64, 0, 0, 0), mode, rectangle(0, 0, 64, 64),
                           rectangle(0, 0, 64, 64), edge);
            there_and_back(kind, raw(PIXMPI_RGBA8, 333, 77, 4097, 1333, 1), mode, rectangle(11, 3, 48, 64),
                           columns(0, 48, 0, 64, 1), edge);
        }
}

RANK_CASE(file, odd_sizes_and_offsets, 1) {
    const EndKind &memory = end_kinds().front();
    for (const std::int64_t offset : {0, 4095, 70001})
        for (const int upside_down : {0, 1})
            for (const Shape &shape : {rectangle(0, 0, 400, 300), rectangle(1, 2, 399, 201), rectangle(399, 299, 1, 1),
                                       columns(0, 300, 3, 13, 30), list_of({{5, 5, 9, 9}, {0, 0, 400, 1}})}) {
                there_and_back(memory, raw(PIXMPI_RGB8, 400, 300, offset, 0, upside_down), 0, shape, shape, 400);
                there_and_back(memory, raw(PIXMPI_RGBA8, 1024, 300, offset, 4096 + 8 * upside_down, upside_down), 0,
                               shape, shape, 400);
            }
}

// Many bands, blocks and slots.
RANK_CASE(file, large, 1) {
    const EndKind &memory = end_kinds().front();
    for (const std::int64_t offset : {0, 4096, 12345})
        there_and_back(memory, raw(PIXMPI_RGBA8, 2048, 2048, offset, 0, 0), 0, rectangle(0, 0, 2048, 2048),
                       rectangle(0, 0, 2048, 2048), 2048);
    there_and_back(memory, raw(PIXMPI_RGBA8, 4096, 1600, 0, 0, 0), 0, rectangle(1000, 5, 1500, 1500),
                   rectangle(0, 0, 1500, 1500), 1500);
}

RANK_CASE(file, together, 1) {
    for (const auto &[width, height] : {std::pair(640, 480), std::pair(33, 3), std::pair(1024, 1024)}) {
        pixMPI_Picture picture = raw(PIXMPI_RGBA8, width, height, 0, 0, 0);
        together(picture);
        picture.offset = 100;
        picture.upside_down = 1;
        together(picture);
        for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB16, PIXMPI_RGBA32F}) {
            together(pixMPI_Tiff_picture(format, width, height, 0, 0));
            together(pixMPI_Tiff_picture(format, width, height, 64, 32));
        }
    }
}

// Tiles of one picture; each rank writes some. No two ranks write the same tile, and no rank writes the remaining ones.
RANK_CASE(file, holes, 1) {
    const Name name("holes", false);
    constexpr int edge = 600;
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, edge, edge, 0, 0, 0);
    std::vector<pixMPI_Rect> tiles;
    for (int i = rank; i < 30; i += size)
        tiles.push_back({i % 6 * 100, i / 6 * 100, 100, 100});
    const Shape mine = list_of(tiles);
    const auto pixels = make_memory(PIXMPI_RGBA8, edge, edge), seen = make_memory(PIXMPI_RGBA8, edge, edge);
    Bytes expected = pixels->fill(9);
    std::fill(expected.begin() + 4 * edge * 500, expected.end(), 0);
    pixMPI_File file = open(name, create, world());
    CHECK_OK(pixMPI_File_write_at_all(file, picture, mine, pixels->any(), mine));
    CHECK_OK(pixMPI_File_read_at_all(file, picture, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE));
    CHECK_PIXELS(seen->read(), expected, edge, 4);
    CHECK_OK(pixMPI_File_close(&file));
    CHECK_EQ(get(name).size(), expected.size());
}

RANK_CASE(file, sparse_and_far, 1) {
    const Name name("sparse");
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 512, 512, std::int64_t{6} << 30, 0, 0);
    const auto pixels = make_memory(PIXMPI_RGBA8, 512, 512), seen = make_memory(PIXMPI_RGBA8, 512, 512);
    const Bytes written = pixels->fill(10);
    pixMPI_File file = open(name, create);
    CHECK_OK(pixMPI_File_write_at(file, picture, PIXMPI_WHOLE, pixels->any(), PIXMPI_WHOLE));
    CHECK_OK(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE));
    CHECK_PIXELS(seen->read(), written, 512, 4);
    pixMPI_Picture hole = picture;
    hole.offset = std::int64_t{3} << 30;
    CHECK_OK(pixMPI_File_read_at(file, hole, PIXMPI_WHOLE, seen->any(), PIXMPI_WHOLE));
    CHECK(seen->read() == Bytes(seen->bytes()));
    CHECK_OK(pixMPI_File_close(&file));
    struct stat facts {};
    CHECK_EQ(::stat(name, &facts), 0);
    CHECK_EQ(facts.st_size, (std::int64_t{6} << 30) + 512 * 512 * 4);
}

RANK_CASE(file, big_tiff, 1) {
    // A directory of more than 4 GiB of pixels; one tile is written and the rest is a hole.
    const Name name("big_tiff");
    const pixMPI_Picture picture = pixMPI_Tiff_picture(PIXMPI_RGBA8, 40'000, 40'000, 512, 512);
    const auto pixels = make_memory(PIXMPI_RGBA8, 512, 512), seen = make_memory(PIXMPI_RGBA8, 512, 512);
    const Bytes written = pixels->fill(11);
    const Shape tile = rectangle(39'400, 39'400, 512, 512);
    pixMPI_File file = open(name, create);
    CHECK_OK(pixMPI_File_write_at(file, picture, tile, pixels->any(), PIXMPI_WHOLE));
    CHECK_OK(pixMPI_File_close(&file));
    char magic[4] = "";
    std::ifstream(name.path, std::ios::binary).read(magic, 4);
    CHECK_EQ(static_cast<int>(magic[2]), 43);
    file = open(name, PIXMPI_FILE_READ);
    pixMPI_Picture found;
    NEED_OK(pixMPI_File_picture(file, &found));
    CHECK_EQ(found.width, 40'000);
    CHECK_OK(pixMPI_File_read_at(file, found, tile, seen->any(), PIXMPI_WHOLE));
    CHECK_PIXELS(seen->read(), written, 512, 4);
    CHECK_OK(pixMPI_File_close(&file));
}

RANK_CASE(file, too_short, 1) {
    const Name name("too_short");
    put(name, pattern(100'000, 1));
    const auto end = make_memory(PIXMPI_RGBA8, 200, 200);
    for (const int mode : {0, static_cast<int>(PIXMPI_FILE_CACHED)}) {
        pixMPI_File file = open(name, PIXMPI_FILE_READ | mode);
        const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 200, 200, 0, 0, 0);
        CHECK_FAILS(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE), PIXMPI_ERR_FILE,
                    "pixMPI_File_read_at too_short offset 100000 expected 160000 200x200");
        CHECK_OK(pixMPI_File_read_at(file, picture, rectangle(0, 0, 200, 125), end->any(), rectangle(0, 0, 200, 125)));
        CHECK_OK(pixMPI_File_close(&file));
    }
}

// Somebody else makes the file shorter while it is read, again and again: pixels, or an error.
RANK_CASE(file, shrinks_while_it_is_read, 1) {
    const Name name("shrinks");
    const auto end = make_memory(PIXMPI_RGBA8, 2000, 1000);
    const Bytes whole = end->fill(12);
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 2000, 1000, 0, 0, 0);
    for (int turn = 0; turn < 6; ++turn) {
        put(name, whole);
        pixMPI_File file = open(name, PIXMPI_FILE_READ);
        pixMPI_Request request;
        NEED_OK(pixMPI_File_iread_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE, &request));
        CHECK_EQ(::truncate(name, 1000 * turn), 0);
        const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_FILE);
        if (code)
            CHECK(std::strstr(pixMPI_Error_text(), "ends at offset") != nullptr);
        CHECK_OK(pixMPI_File_close(&file));
    }
    pixMPI_File file = open(name, PIXMPI_FILE_READ);
    CHECK_EQ(::truncate(name, 5000), 0);
    CHECK_FAILS(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE), PIXMPI_ERR_FILE,
                "ends at offset 5000");
    CHECK_OK(pixMPI_File_close(&file));
}

RANK_CASE(file, full_disk, 1) {
    const auto end = make_memory(PIXMPI_RGBA8, 500, 500);
    end->fill(1);
    pixMPI_File file = PIXMPI_FILE_NULL;
    NEED_OK(pixMPI_File_open(MPI_COMM_NULL, "/dev/full", PIXMPI_FILE_WRITE, &file));
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 500, 500, 0, 0, 0);
    CHECK_FAILS(pixMPI_File_write_at(file, picture, PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE), PIXMPI_ERR_FILE,
                "/dev/full: writing offset No space left on device");
    CHECK_OK(pixMPI_File_close(&file));
    // One rank's error is everybody's.
    NEED_OK(pixMPI_File_open(world(), rank == size - 1 ? "/dev/full" : "/dev/null", PIXMPI_FILE_WRITE, &file));
    const Shape mine = rows_of(rank, 500, 500);
    const int code = pixMPI_File_write_at_all(file, picture, mine, end->any(), mine);
    CHECK_EQ(code, rank == size - 1 ? PIXMPI_ERR_FILE : PIXMPI_ERR_PEER);
    CHECK_OK(pixMPI_File_close(&file));
}

RANK_CASE(file, wrong_arguments, 1) {
    const Name name("wrong");
    Bytes memory(4 * 64 * 64);
    const pixMPI_Surface surface = pixMPI_Memory(memory.data(), PIXMPI_RGBA8, 64, 64);
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 64, 64, 0, 0, 0);
    pixMPI_File file = PIXMPI_FILE_NULL;
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, name, PIXMPI_FILE_READ, &file), PIXMPI_ERR_FILE, "wrong No such file");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, ".", PIXMPI_FILE_READ, &file), PIXMPI_ERR_FILE, "folder");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, name, 0, &file), PIXMPI_ERR_ARGUMENT, "mode");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, name, PIXMPI_FILE_READ | PIXMPI_FILE_CREATE, &file),
                PIXMPI_ERR_ARGUMENT, "CREATE WRITE");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, nullptr, PIXMPI_FILE_READ, &file), PIXMPI_ERR_ARGUMENT, "path: null");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, name, create, nullptr), PIXMPI_ERR_ARGUMENT, "file: null");
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, "/sys/kernel/file", PIXMPI_FILE_WRITE | PIXMPI_FILE_CREATE, &file),
                PIXMPI_ERR_FILE, "/sys/kernel/file expected made"); // no user may, not even root
    CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, "/proc/nowhere/file", PIXMPI_FILE_WRITE | PIXMPI_FILE_CREATE, &file),
                PIXMPI_ERR_FILE, "/proc/nowhere/file expected");
    CHECK_FAILS(pixMPI_File_read_at(file, picture, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), PIXMPI_ERR_ARGUMENT,
                "file PIXMPI_FILE_NULL");
    put(name, Bytes(4 * 64 * 64));
    NEED_OK(pixMPI_File_open(MPI_COMM_NULL, name, PIXMPI_FILE_READ, &file));
    CHECK_FAILS(pixMPI_File_write_at(file, picture, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), PIXMPI_ERR_ARGUMENT,
                "opened PIXMPI_FILE_WRITE");
    const auto fails = [&](pixMPI_Picture wrong, int code, const char *words) {
        CHECK_FAILS(pixMPI_File_read_at(file, wrong, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), code, words);
    };
    fails(raw(PIXMPI_RGBA8, 64, 64, -1, 0, 0), PIXMPI_ERR_ARGUMENT, "picture.offset: -1");
    fails(raw(PIXMPI_RGBA8, 64, 64, 0, 255, 0), PIXMPI_ERR_ARGUMENT, "picture.row_bytes: 255 256");
    // Too large, also for a product of ints or of 64 bits.
    fails(raw(PIXMPI_RGBA8, 64, 64, 0, INT64_MAX, 0), PIXMPI_ERR_ARGUMENT,
          "picture: 64 rows of 9223372036854775807 bytes, expected at most");
    fails(raw(PIXMPI_R8, INT_MAX, INT_MAX, 0, 0, 0), PIXMPI_ERR_ARGUMENT,
          "picture: 2147483647 rows of 2147483647 bytes, expected at most");
    fails(raw(PIXMPI_RGBA8, -1, 64, 0, 0, 0), PIXMPI_ERR_ARGUMENT, "picture: -1x64");
    fails(raw(PIXMPI_FORMAT_NONE, 64, 64, 0, 0, 0), PIXMPI_ERR_FORMAT, "picture.format");
    fails(raw(PIXMPI_R8, 64, 64, 0, 0, 0), PIXMPI_ERR_FORMAT, "surface 4 file 1");
    fails(raw(PIXMPI_RGBA8, 64, 63, 0, 0, 0), PIXMPI_ERR_REGION, "region: 4096 file_region 4032");
    fails(pixMPI_Tiff_picture(PIXMPI_RGBA8, 64, 64, 0, 0), PIXMPI_ERR_FILE, "wrong TIFF");
    pixMPI_Picture other = picture;
    other.container = 7;
    fails(other, PIXMPI_ERR_ARGUMENT, "picture.container: 7");
    CHECK_FAILS(pixMPI_File_read_at_all(file, picture, PIXMPI_WHOLE, surface, PIXMPI_WHOLE), PIXMPI_ERR_COMM, "file");
    CHECK_FAILS(pixMPI_File_picture(file, nullptr), PIXMPI_ERR_ARGUMENT, "picture: null");
    CHECK_OK(pixMPI_File_close(&file));
    CHECK_FAILS(pixMPI_File_close(&file), PIXMPI_ERR_ARGUMENT, "PIXMPI_FILE_NULL");
    NEED_OK(pixMPI_File_open(MPI_COMM_NULL, name, create, &file));
    CHECK_FAILS(pixMPI_File_write_at(file, pixMPI_Tiff_picture(PIXMPI_RGBA8, 64, 64, 15, 16), PIXMPI_WHOLE, surface,
                                     PIXMPI_WHOLE),
                PIXMPI_ERR_ARGUMENT, "tile_width 15");
    CHECK_FAILS(pixMPI_File_write_at(file, pixMPI_Tiff_picture(PIXMPI_BGRA8, 64, 64, 0, 0), PIXMPI_WHOLE, surface,
                                     PIXMPI_WHOLE),
                PIXMPI_ERR_FORMAT, "picture.format: BGRA8");
    CHECK_OK(pixMPI_File_close(&file));
    // A folder that only root may write to.
    if (::geteuid() != 0) {
        const std::string folder = name.path + "-folder";
        ::mkdir(folder.c_str(), 0500);
        CHECK_FAILS(pixMPI_File_open(MPI_COMM_NULL, (folder + "/file").c_str(), create, &file), PIXMPI_ERR_FILE,
                    "Permission denied");
        ::rmdir(folder.c_str());
    }
    barrier();
    // All ranks fail when one does.
    if (size > 1) {
        const int code =
            pixMPI_File_open(world(), rank == 1 ? "/proc/nowhere/file" : name.path.c_str(), PIXMPI_FILE_READ, &file);
        CHECK_EQ(code, rank == 1 ? PIXMPI_ERR_FILE : PIXMPI_ERR_PEER);
    }
}
