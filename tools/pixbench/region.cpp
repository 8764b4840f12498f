// Messages of many rectangles, from and to the same places of two objects.
#include "limits.h"
#include "message.h"
#include "shapes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace {

constexpr int ack_tag = 5;
constexpr int host_tag = 6;

/// The region in host memory: as MPI's own type, and as the loops that are the least that a processor has to do.
class HostRegion {
  public:
    HostRegion(const RegionCase &what, int pixel_bytes)
        : runs_(runs_of(what)), pixel_bytes_(static_cast<std::size_t>(pixel_bytes)),
          image_(static_cast<std::size_t>(what.width) * static_cast<std::size_t>(what.height) * pixel_bytes_,
                 std::byte{1}),
          band_(band + most_of_a_run(what) * pixel_bytes_, std::byte{1}) {
        std::vector<int> lengths, places;
        for (const Run &run : runs_) {
            lengths.push_back(run.length);
            places.push_back(run.at);
        }
        MPI_Datatype pixel = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(pixel_bytes, MPI_BYTE, &pixel);
        const MPI_Datatype element = pixel_bytes == 4 ? MPI_UINT32_T : pixel;
        MPI_Type_indexed(static_cast<int>(runs_.size()), lengths.data(), places.data(), element, &type_);
        MPI_Type_commit(&type_);
        MPI_Type_free(&pixel);
    }
    ~HostRegion() { MPI_Type_free(&type_); }
    HostRegion(const HostRegion &) = delete;
    HostRegion &operator=(const HostRegion &) = delete;

    void send(MPI_Comm comm) { MPI_Send(image_.data(), 1, type_, 1, host_tag, comm); }
    void receive(MPI_Comm comm) { MPI_Recv(image_.data(), 1, type_, 0, host_tag, comm, MPI_STATUS_IGNORE); }
    void pack() {
        for_each_run([](std::byte *image, std::byte *packed, auto bytes) { std::memcpy(packed, image, bytes); });
    }
    void unpack() {
        for_each_run([](std::byte *image, std::byte *packed, auto bytes) { std::memcpy(image, packed, bytes); });
    }

  private:
    static constexpr std::size_t band = 256 << 10; ///< packed pixels stay in the cache
    static std::size_t most_of_a_run(const RegionCase &what) { return static_cast<std::size_t>(what.width); }

    template <class Copy> void for_each_run(Copy copy) {
        std::size_t at = 0;
        for (const Run &run : runs_) {
            std::byte *const image = image_.data() + static_cast<std::size_t>(run.at) * pixel_bytes_;
            const std::size_t bytes = static_cast<std::size_t>(run.length) * pixel_bytes_;
            if (bytes == 4) // sizes that the compiler knows
                copy(image, band_.data() + at, std::integral_constant<std::size_t, 4>{});
            else if (bytes == 64)
                copy(image, band_.data() + at, std::integral_constant<std::size_t, 64>{});
            else
                copy(image, band_.data() + at, bytes);
            at = at + bytes < band ? at + bytes : 0;
        }
    }

    const std::vector<Run> runs_;
    const std::size_t pixel_bytes_;
    std::vector<std::byte> image_, band_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class RegionBench {
  public:
    RegionBench(const RegionCase &what, ObjectKind kind, const Team &team)
        : what_(what), team_(team),
          bytes_(static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(pixMPI_Format_bytes(what.format))) {
        std::string problem = source_.make(kind, what.format, what.width, what.height);
        if (problem.empty())
            problem = dest_.make(kind, what.format, what.width, what.height);
        check_all(problem.empty(), problem, team.comm);
        from_ = std::make_unique<Naive>(source_, team);
        to_ = std::make_unique<Naive>(dest_, team);
        limits_ = std::make_unique<Limits>(*from_, *to_, bytes_, team);
        host_ = std::make_unique<HostRegion>(what, source_.pixel_bytes);
        packed_.assign(bytes_, std::byte{1});
        const std::int64_t pixels = std::int64_t{what.width} * what.height;
        from_->write(source_.whole(), test_pixels(what.format, pixels, 1).data());
        check(pixMPI_Region_indexed(static_cast<int>(what.rects.size()), what.rects.data(), &region_));
        check(pixMPI_Region_commit(&region_));
    }
    ~RegionBench() { pixMPI_Region_free(&region_); }
    RegionBench(const RegionBench &) = delete;
    RegionBench &operator=(const RegionBench &) = delete;

    Figures measure(const Job &job, const Settings &settings);

  private:
    /// Runs `out` on rank 0 and `in` on rank 1, until rank 1 says that it has everything.
    Way way(const char *name, std::function<void()> out, std::function<void()> in) const {
        const Team &team = team_;
        return {.name = name, .run = [&team, out, in] {
                    (team.rank == 0 ? out : in)();
                    if (team.rank == 0) {
                        MPI_Recv(nullptr, 0, MPI_BYTE, 1, ack_tag, team.comm, MPI_STATUS_IGNORE);
                        return;
                    }
                    if (team.gl)
                        glFinish();
                    MPI_Send(nullptr, 0, MPI_BYTE, 0, ack_tag, team.comm);
                }};
    }
    /// A message of the library; an end is the object's region, or as many pixels in a row in host memory.
    Way message(const char *name, bool from_object, bool to_object) {
        const End out = from_object ? end_of(source_) : end_of(packed_, what_.format, what_.pixels());
        const End in = to_object ? end_of(dest_) : end_of(packed_, what_.format, what_.pixels());
        const pixMPI_Region out_region = from_object ? region_ : PIXMPI_WHOLE;
        const pixMPI_Region in_region = to_object ? region_ : PIXMPI_WHOLE;
        const MPI_Comm comm = team_.comm;
        return way(
            name, [=] { send(out, out_region, 1, comm); }, [=] { receive(in, in_region, 0, comm); });
    }
    /// The receiver's whole object after a message into known pixels.
    std::vector<std::byte> result_of(const Way &way) {
        to_->write(dest_.whole(), test_pixels(what_.format, std::int64_t{what_.width} * what_.height, 99).data());
        way.run();
        std::vector<std::byte> pixels(dest_.bytes());
        to_->read(dest_.whole(), pixels.data());
        return pixels;
    }

    const RegionCase &what_;
    const Team &team_;
    const std::size_t bytes_;
    Object source_, dest_;
    std::unique_ptr<Naive> from_, to_;
    std::unique_ptr<Limits> limits_;
    std::unique_ptr<HostRegion> host_;
    std::vector<std::byte> packed_;
    pixMPI_Region region_ = PIXMPI_REGION_NULL;
    std::vector<double> read_seconds_, write_seconds_;
};

template <class Work> void timed(std::vector<double> &seconds, Work work) {
    const double before = MPI_Wtime();
    work();
    seconds.push_back(MPI_Wtime() - before);
}

Figures RegionBench::measure(const Job &job, const Settings &settings) {
    const std::vector<pixMPI_Rect> &rects = what_.rects;
    Way library = message("library", true, true), to_host = message("library to host memory", true, false);
    Way from_host = message("library from host memory", false, true), host = message("host to host", false, false);
    Way each = way(
        "naive, each rectangle", [&] { from_->send_each(rects, 1); }, [&] { to_->receive_each(rects, 0); });
    Way packed = way(
        "naive, packed",
        [&] {
            from_->pack_all(rects);
            from_->send_packed(1);
        },
        [&] {
            to_->receive_packed(0);
            to_->unpack_all(rects);
        });
    Way indexed = way(
        "MPI_Type_indexed", [&] { host_->send(team_.comm); }, [&] { host_->receive(team_.comm); });
    Way loops = way(
        "loops", [&] { host_->pack(); }, [&] { host_->unpack(); });
    Way limit = way(
        "limit", [&] { timed(read_seconds_, [&] { limits_->read(); }); },
        [&] { timed(write_seconds_, [&] { limits_->write(); }); });
    limits_->find(limit.run);
    read_seconds_.clear();
    write_seconds_.clear();

    const std::vector<std::byte> expected = result_of(each);
    for (const Way *other : {&library, &packed})
        check_all(result_of(*other) == expected || team_.rank == 0,
                  what_.name + ": the way \"" + other->name + "\" brought other pixels than were sent", team_.comm);
    const Budget budget{settings.seconds, settings.repetitions, settings.least};
    const int repetitions =
        take_turns({&library, &each, &packed, &indexed, &loops, &limit, &to_host, &from_host, &host}, budget, team_);

    Figures f;
    f.bytes = static_cast<double>(bytes_);
    f.seconds = library.result;
    f.naive = each.result;
    f.naive_packed = packed.result;
    f.host_mpi = indexed.result;
    f.memcpy = loops.result;
    f.limit = limit.result;
    if (job.software) // pixels lie in host memory, too, so that no driver gets by without the loops
        f.limit = std::max(f.limit, f.memcpy);
    f.readback = typical(read_seconds_, budget);
    f.upload = last_rank_has(typical(write_seconds_, budget), team_);
    f.communication = host.result;
    f.pack = std::max(to_host.result - f.communication, 0.0);
    f.unpack = std::max(from_host.result - f.communication, 0.0);
    f.band_bytes = limits_->band_bytes();
    f.repetitions = repetitions;
    f.source = 0;
    f.dest = 1;
    f.format = what_.format;
    check(pixMPI_Comm_route(team_.comm, 1 - team_.rank, &f.route));
    add_stage(f, team_.comm);
    return f;
}

} // namespace

void measure_region(const Job &job, const Settings &settings, Report &report) {
    for (const RegionCase &what : region_cases(settings))
        report.add(what.name, RegionBench(what, settings.object, job.all).measure(job, settings));
}
