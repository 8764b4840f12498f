// What a file looks like before all of its writers are done, and what it is when one of them never is: a new file does
// not look complete, and what a file had stays.
#include "copy/file_names.h"
#include "rig/traffic.h"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>

using namespace api;

namespace {

constexpr int edge = 300;

pixMPI_Picture square(bool tiff) {
    return tiff ? pixMPI_Tiff_picture(PIXMPI_RGBA8, edge, edge, 0, 0) : raw(PIXMPI_RGBA8, edge, edge, 0, 0, 0);
}

bool looks_complete(const Bytes &file, bool tiff) {
    return tiff ? file.size() >= 4 && std::memcmp(file.data(), "II*", 4) == 0 : file.size() >= 4 * edge * edge;
}

/// A complete file, of pixels that are returned.
Bytes write_whole(const Name &name, bool tiff, std::uint64_t seed) {
    const auto end = make_memory(PIXMPI_RGBA8, edge, edge);
    const Bytes pixels = end->fill(seed);
    const Shape mine = rows_of(rank, edge, edge);
    pixMPI_File file = open(name, create, world());
    CHECK_OK(pixMPI_File_write_at_all(file, square(tiff), mine, end->any(), mine));
    CHECK_OK(pixMPI_File_close(&file));
    return pixels;
}

Bytes read_whole(const Name &name, bool tiff) {
    const auto end = make_memory(PIXMPI_RGBA8, edge, edge);
    pixMPI_File file = open(name, PIXMPI_FILE_READ);
    CHECK_OK(pixMPI_File_read_at(file, square(tiff), PIXMPI_WHOLE, end->any(), PIXMPI_WHOLE));
    CHECK_OK(pixMPI_File_close(&file));
    return end->read();
}

/// The first rows of the picture, all but a few.
constexpr int upper = edge - 10;
Shape upper_rows_of(int r) { return rows_of(r, edge, upper); }

} // namespace

// One rank's disk is full: what the others have written is no whole file, though there was one before.
RANK_CASE(file, interrupted_writers, 2) {
    const auto end = make_memory(PIXMPI_RGBA8, edge, edge);
    end->fill(1);
    const Name name("interrupted", false);
    const Shape mine = rows_of(rank, edge, edge);
    for (const bool tiff : {false, true})
        for (const int broken : {size - 1, 1}) {
            write_whole(name, tiff, 1);
            pixMPI_File file = PIXMPI_FILE_NULL;
            NEED_OK(pixMPI_File_open(world(), rank == broken ? "/dev/full" : name.path.c_str(), create, &file));
            const int code = pixMPI_File_write_at_all(file, square(tiff), mine, end->any(), mine);
            CHECK_EQ(code, rank == broken ? PIXMPI_ERR_FILE : PIXMPI_ERR_PEER);
            barrier();
            CHECK(!looks_complete(get(name), tiff));
            barrier();
            (void)pixMPI_File_close(&file);
        }
}

// Parts of a file that is there: all other bytes stay, the last one among them, also at every moment in between, which
// is what writers that die then leave behind.
RANK_CASE(file, parts_of_an_existing_file, 1) {
    const auto end = make_memory(PIXMPI_RGBA8, edge, edge);
    const Name name("parts", false);
    const Shape mine = upper_rows_of(rank);
    for (const bool tiff : {false, true})
        for (const int mode : {0, static_cast<int>(PIXMPI_FILE_CACHED)}) {
            note("%s, mode %d", tiff ? "TIFF" : "raw", mode);
            Bytes expected = write_whole(name, tiff, 2);
            const std::size_t bytes = get(name).size(), changed = std::size_t{4} * edge * upper;
            const Bytes tail(expected.begin() + static_cast<std::ptrdiff_t>(changed), expected.end());
            barrier();
            const Bytes written = end->fill(3);
            std::copy_n(written.begin(), changed, expected.begin());
            pixMPI_File file = open(name, PIXMPI_FILE_WRITE | mode, world());
            for (int turn = 0; turn < 2; ++turn) {
                pixMPI_Request request;
                NEED_OK(pixMPI_File_iwrite_at_all(file, square(tiff), mine, end->any(), mine, &request));
                for (int flag = 0; !flag;) {
                    const Bytes now = rank == 0 ? get(name) : Bytes();
                    CHECK(rank > 0 || (looks_complete(now, tiff) && now.size() == bytes));
                    CHECK(rank > 0 || std::search(now.begin(), now.end(), tail.begin(), tail.end()) != now.end());
                    NEED_OK(pixMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                }
            }
            CHECK_OK(pixMPI_File_close(&file));
            CHECK(read_whole(name, tiff) == expected);
            barrier();
        }
}

// The same where a writer fails, and where the file has become complete through the same handle.
RANK_CASE(file, parts_of_an_existing_file_interrupted, 2) {
    const auto end = make_memory(PIXMPI_RGBA8, edge, edge);
    const Name name("parts_interrupted", false);
    const Shape mine = upper_rows_of(rank);
    for (const bool tiff : {false, true}) {
        const Bytes before = write_whole(name, tiff, 4);
        const std::size_t bytes = get(name).size();
        barrier();
        end->fill(5);
        pixMPI_File file = PIXMPI_FILE_NULL;
        if (!tiff) { // a TIFF's picture is read from the file
            NEED_OK(pixMPI_File_open(world(), rank == 1 ? "/dev/full" : name.path.c_str(), PIXMPI_FILE_WRITE, &file));
            const int code = pixMPI_File_write_at_all(file, square(tiff), mine, end->any(), mine);
            CHECK_EQ(code, rank == 1 ? PIXMPI_ERR_FILE : PIXMPI_ERR_PEER);
            CHECK_OK(pixMPI_File_close(&file));
            const Bytes now = get(name);
            CHECK_EQ(now.size(), bytes);
            CHECK(std::equal(now.end() - 4 * edge, now.end(), before.end() - 4 * edge, before.end()));
            barrier();
        }
        file = open(name, create, world());
        CHECK_OK(pixMPI_File_write_at_all(file, square(tiff), rows_of(rank, edge, edge), end->any(),
                                          rows_of(rank, edge, edge)));
        const Shape outside = rectangle(0, 0, rank == 1 ? 1 : 2, 1); // the regions differ on rank 1
        const int code = pixMPI_File_write_at_all(file, square(tiff), outside, end->any(), rectangle(0, 0, 2, 1));
        CHECK_EQ(code, rank == 1 ? PIXMPI_ERR_REGION : PIXMPI_ERR_PEER);
        CHECK(looks_complete(get(name), tiff));
        barrier();
        CHECK_OK(pixMPI_File_close(&file));
    }
}

// While the ranks write a file anew, again and again, a reader sees all of it, or a file that is too short.
RANK_CASE(file, seen_while_it_is_written, 1) {
    const Name name("seen", false);
    const auto end = make_memory(PIXMPI_RGBA8, 256, 256);
    const pixMPI_Picture picture = raw(PIXMPI_RGBA8, 256, 256, 0, 0, 0);
    const Bytes written = end->fill(2);
    const Shape mine = rows_of(rank, 256, 256);
    int incomplete = 0;
    for (int turn = 0; turn < 10; ++turn) {
        pixMPI_File file = open(name, create, world());
        pixMPI_Request request;
        NEED_OK(pixMPI_File_iwrite_at_all(file, picture, mine, end->any(), mine, &request));
        for (int flag = 0; !flag;) {
            if (rank == 0) {
                struct stat facts {}; // first: what is read afterwards may be newer
                CHECK_EQ(::stat(name, &facts), 0);
                const bool whole = facts.st_size >= static_cast<std::int64_t>(written.size());
                CHECK(!whole || get(name) == written);
                incomplete += !whole;
            }
            NEED_OK(pixMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        }
        if (rank == 0)
            CHECK(get(name) == written);
        barrier();
        CHECK_OK(pixMPI_File_close(&file));
    }
    if (rank == 0)
        CHECK(incomplete > 0);
}
