// Files: pictures between a disk and a surface, compared with fread and upload by hand, and with reads and writes of
// the same file system that do nothing else, past the page cache.
#include "measure/turns.h"
#include "modes.h"

#include <pixmpi_file.h>

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace {

void need(bool well, const std::string &what) {
    if (!well)
        give_up(what + ": " + std::strerror(errno));
}

/// The file of this run, the same for all ranks; gone at the end.
struct Scratch {
    Scratch(const std::string &folder, const Team &team) : all(team) {
        int number = static_cast<int>(::getpid());
        MPI_Bcast(&number, 1, MPI_INT, 0, all.comm);
        path = folder + "/pixbench-" + std::to_string(number);
    }
    ~Scratch() {
        if (all.rank == 0)
            ::unlink(path.c_str());
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    const Team &all;
    std::string path;
};

/// Nothing of the file is in the page cache any more.
void forget(const std::string &path) {
    const int file = ::open(path.c_str(), O_RDONLY);
    need(file >= 0 && ::fdatasync(file) == 0 && ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, path);
    ::close(file);
}

constexpr std::size_t piece = 4 << 20; // as dd bs=4M

/// As dd does with O_DIRECT: one piece after the other.
void plain(const std::string &path, HostMemory &memory, std::size_t bytes, bool write) {
    const int file = ::open(path.c_str(), (write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_DIRECT, 0666);
    need(file >= 0, path);
    for (std::size_t at = 0; at < bytes; at += piece) {
        const std::size_t count = std::min(piece, bytes - at);
        const ssize_t moved = write ? ::write(file, memory.data(), count) : ::read(file, memory.data(), count);
        need(moved == static_cast<ssize_t>(count), path);
    }
    need(!write || ::fsync(file) == 0, path);
    ::close(file);
}

struct Case {
    Object &object;
    const Job &job;
    const Settings &settings;
    Report &report;
    HostMemory memory;
    pixMPI_Picture picture;
};

void read_by_hand(Case &c, const std::string &path) {
    std::FILE *const file = std::fopen(path.c_str(), "rb");
    need(file && std::fread(c.memory.data(), 1, c.object.bytes(), file) == c.object.bytes(), path);
    std::fclose(file);
    c.object.write(c.object.whole(), c.memory.data());
    c.object.finish();
}

void write_by_hand(Case &c, const std::string &path) {
    c.object.read(c.object.whole(), c.memory.data());
    std::FILE *const file = std::fopen(path.c_str(), "wb");
    need(file && std::fwrite(c.memory.data(), 1, c.object.bytes(), file) == c.object.bytes() &&
             std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0,
         path);
    std::fclose(file);
}

void read_by_library(const Case &c, const std::string &path, int mode) {
    pixMPI_File file = PIXMPI_FILE_NULL;
    check(pixMPI_File_open(MPI_COMM_NULL, path.c_str(), PIXMPI_FILE_READ | mode, &file));
    check(pixMPI_File_read_at(file, c.picture, PIXMPI_WHOLE, c.object.end().surface, PIXMPI_WHOLE));
    check(pixMPI_File_close(&file));
    c.object.finish();
}

/// Rank `writers`' part of the picture and so on; all of it on the disk.
void write_by_library(const Case &c, const std::string &path, MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int first = c.object.height * rank / ranks, end = c.object.height * (rank + 1) / ranks;
    pixMPI_Region rows = PIXMPI_REGION_NULL, own = PIXMPI_REGION_NULL;
    check(pixMPI_Region_rect(0, first, c.object.width, end - first, &rows));
    check(pixMPI_Region_commit(&rows));
    check(pixMPI_Region_rect(0, first, c.object.width, end - first, &own));
    check(pixMPI_Region_commit(&own));
    pixMPI_File file = PIXMPI_FILE_NULL;
    check(pixMPI_File_open(comm, path.c_str(), PIXMPI_FILE_WRITE | PIXMPI_FILE_CREATE, &file));
    check(pixMPI_File_write_at_all(file, c.picture, rows, c.object.end().surface, own));
    check(pixMPI_File_close(&file));
    check(pixMPI_Region_free(&rows));
    check(pixMPI_Region_free(&own));
}

void add_case(const std::string &name, Case &c, std::vector<Way> ways) {
    if (!c.settings.wants(name))
        return;
    std::vector<Way *> all;
    for (Way &way : ways)
        all.push_back(&way);
    const int repetitions = take_turns(all, {c.settings.seconds, c.settings.repetitions, c.settings.least}, c.job.all);
    Figures figures;
    figures.bytes = static_cast<double>(c.object.bytes());
    figures.seconds = ways[0].result;
    figures.naive = ways[1].result;
    if (ways.size() > 2)
        figures.limit = ways[2].result;
    figures.repetitions = repetitions;
    figures.format = c.object.format;
    c.report.add(name, figures);
}

void measure_alone(Case &c, const std::string &size, const std::string &path) {
    const std::size_t bytes = c.object.bytes();
    c.object.touch(1);
    write_by_library(c, path, MPI_COMM_WORLD);
    const auto cold = [&](auto run) {
        return [&, run] {
            forget(path);
            run();
        };
    };
    add_case(size + "disk to surface, cold", c,
             {{"library", cold([&] { read_by_library(c, path, 0); })},
              {"fread", cold([&] { read_by_hand(c, path); })},
              {"plain", cold([&] { plain(path, c.memory, bytes, false); })}});
    read_by_hand(c, path); // it is in the page cache from now on
    add_case(size + "page cache to surface", c,
             {{"library", [&] { read_by_library(c, path, PIXMPI_FILE_CACHED); }},
              {"fread", [&] { read_by_hand(c, path); }}});
    add_case(size + "surface to disk", c,
             {{"library", [&] { write_by_library(c, path, MPI_COMM_WORLD); }},
              {"fwrite", [&] { write_by_hand(c, path); }},
              {"plain", [&] { plain(path, c.memory, bytes, true); }}});
}

} // namespace

void measure_file(const Job &job, const Settings &settings, Report &report) {
    const Shape2D shape{settings.format ? settings.format : PIXMPI_RGBA8, settings.width ? settings.width : 16384,
                        settings.width ? settings.height : 16384};
    const std::string size = std::to_string(shape.width) + "x" + std::to_string(shape.height) + " ";
    std::string problem;
    const auto object = make_object(*job.api, settings.object, shape, problem);
    check_all(problem.empty(), problem, job.all.comm);
    object->use_layout(0);
    const Scratch scratch(settings.folder, job.all);
    Case c{*object,
           job,
           settings,
           report,
           HostMemory(std::max(object->bytes(), piece)),
           pixMPI_Raw_picture(shape.format, shape.width, shape.height)};
    if (job.all.ranks == 1)
        return measure_alone(c, size, scratch.path);
    // All ranks write a part of one picture, or one rank all of it.
    const std::string ranks = std::to_string(job.all.ranks);
    MPI_Comm one = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &one);
    check(pixMPI_Comm_attach(one, nullptr));
    add_case(size + ranks + " ranks to one file", c,
             {{"all", [&] { write_by_library(c, scratch.path, MPI_COMM_WORLD); }}, {"one", [&] {
                                                                                        if (job.all.rank == 0)
                                                                                            write_by_library(
                                                                                                c, scratch.path, one);
                                                                                        all_finished(job.all);
                                                                                    }}});
    check(pixMPI_Comm_detach(one));
    MPI_Comm_free(&one);
}
