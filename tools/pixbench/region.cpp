// Messages of many rectangles, from and to the same places of two objects.
#include "ends.h"
#include "host_type.h"
#include "limits.h"
#include "message.h"
#include "shapes.h"
#include "shared_ring.h"
#include "strips.h"

#include <algorithm>

namespace {

constexpr int ack_tag = 5;

/// A rank's own part of a way, beside the time until both have finished.
using Seconds = std::vector<double>;

template <class Work> auto timed(Seconds &seconds, Work work) {
    return [&seconds, work] {
        const double before = MPI_Wtime();
        work();
        seconds.push_back(MPI_Wtime() - before);
    };
}

class RegionBench {
  public:
    RegionBench(const RegionCase &what, const std::string &kind, const Team &team);
    ~RegionBench() { pixMPI_Region_free(&region_); }
    RegionBench(const RegionBench &) = delete;
    RegionBench &operator=(const RegionBench &) = delete;

    Figures measure(const Settings &settings);

  private:
    using Work = std::function<void()>;
    Way way(const char *name, Work out, Work in) const;
    Way message(const char *name, bool from_object, bool to_object);
    std::vector<std::byte> result_of(const Way &way);
    void finish() const { dest_->finish(); }
    std::int64_t object_pixels() const { return std::int64_t{what_.width} * what_.height; }

    const RegionCase &what_;
    const Team &team_;
    const std::size_t bytes_;
    std::unique_ptr<Object> source_, dest_;
    std::unique_ptr<Naive> from_, to_;
    std::unique_ptr<Limits> limits_;
    std::unique_ptr<Strips> strips_;
    std::unique_ptr<HostType> host_;
    HostMemory packed_, other_packed_;
    std::unique_ptr<SharedRing> ring_;
    pixMPI_Region region_ = PIXMPI_REGION_NULL;
};

RegionBench::RegionBench(const RegionCase &what, const std::string &kind, const Team &team)
    : what_(what), team_(team),
      bytes_(static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(pixMPI_Format_bytes(what.format))) {
    const Shape2D shape{what.format, what.width, what.height};
    std::string problem;
    source_ = make_object(*team.api, kind, shape, problem);
    if (problem.empty())
        dest_ = make_object(*team.api, kind, shape, problem);
    check_all(problem.empty(), problem, team.comm);
    from_ = std::make_unique<Naive>(*source_, team);
    to_ = std::make_unique<Naive>(*dest_, *from_);
    limits_ = std::make_unique<Limits>(*source_, *dest_, bytes_, team);
    strips_ = std::make_unique<Strips>(what, *source_, *dest_);
    host_ = std::make_unique<HostType>(what, source_->pixel_bytes);
    packed_.assign(bytes_, std::byte{1});
    other_packed_.assign(bytes_, std::byte{2});
    ring_ = std::make_unique<SharedRing>(team, packed_.data(), other_packed_.data(), bytes_);
    source_->write(source_->whole(), test_pixels(what.format, object_pixels(), 1).data());
    check(pixMPI_Region_indexed(static_cast<int>(what.rects.size()), what.rects.data(), &region_));
    check(pixMPI_Region_commit(&region_));
}

/// Runs `out` on rank 0 and `in` on rank 1, until rank 1 says that it has everything.
Way RegionBench::way(const char *name, Work out, Work in) const {
    return {.name = name, .run = [this, out, in] {
                if (team_.rank == 0) {
                    out();
                    MPI_Recv(nullptr, 0, MPI_BYTE, 1, ack_tag, team_.comm, MPI_STATUS_IGNORE);
                } else {
                    in();
                    finish();
                    MPI_Send(nullptr, 0, MPI_BYTE, 0, ack_tag, team_.comm);
                }
            }};
}

/// A message of the library; an end is the object's region, or as many pixels in a row in host memory.
Way RegionBench::message(const char *name, bool from_object, bool to_object) {
    const auto plain = [this] { return memory_end(packed_.data(), what_.format, static_cast<int>(what_.pixels()), 1); };
    const std::shared_ptr<const End> out = from_object ? source_->end() : plain(),
                                     in = to_object ? dest_->end() : plain();
    const pixMPI_Region out_region = from_object ? region_ : PIXMPI_WHOLE;
    const pixMPI_Region in_region = to_object ? region_ : PIXMPI_WHOLE;
    const MPI_Comm comm = team_.comm;
    return way(
        name, [=] { out->send(out_region, 1, comm); }, [=] { in->receive(in_region, 0, comm); });
}

/// The receiver's whole object after a message into known pixels.
std::vector<std::byte> RegionBench::result_of(const Way &way) {
    dest_->write(dest_->whole(), test_pixels(what_.format, object_pixels(), 99).data());
    way.run();
    std::vector<std::byte> pixels(dest_->bytes());
    dest_->read(dest_->whole(), pixels.data());
    return pixels;
}

Figures RegionBench::measure(const Settings &settings) {
    const std::vector<pixMPI_Rect> &rects = what_.rects;
    Way library = message("library", true, true), to_host = message("library to host memory", true, false);
    Way from_host = message("library from host memory", false, true), host = message("host to host", false, false);
    Way each = way(
        "naive, each rectangle", [&] { from_->send_each(rects, 1); }, [&] { to_->receive_each(rects, 0); });
    const Work send_packed = [&] {
        from_->pack_all(rects);
        from_->send_packed(1);
    };
    const Work receive_packed = [&] {
        to_->receive_packed(0);
        to_->unpack_all(rects);
    };
    Way packed = way("naive, packed", send_packed, receive_packed);
    Way indexed = way(
        "MPI_Type_indexed", [&] { host_->send(team_.comm); }, [&] { host_->receive(team_.comm); });

    const std::vector<std::byte> expected = result_of(each);
    for (const Way *other : {&library, &packed})
        check_all(result_of(*other) == expected || team_.rank == 0,
                  what_.name + ": the way \"" + other->name + "\" brought other pixels than were sent", team_.comm);

    // Each rank's own times: out of the source on rank 0, into the destination on rank 1.
    Seconds calls, strips, plain, looped;
    Way by_calls = way("a call each", timed(calls, [&] { from_->pack_all(rects); }), timed(calls, [&] {
                           to_->unpack_all(rects);
                           finish();
                       }));
    Way by_strips = way("strips", timed(strips, [&] { strips_->read(); }), timed(strips, [&] {
                            strips_->write();
                            finish();
                        }));
    Way in_one = way("in one piece", timed(plain, [&] { limits_->read(); }), timed(plain, [&] { limits_->write(); }));
    Way loops = way("loops", timed(looped, [&] { strips_->pack(); }), timed(looped, [&] { strips_->unpack(); }));
    Way nothing = way(
        "nothing", [] {}, [] {});
    Way shared = {.name = "shared memory", .run = [&] {
                      if (ring_->possible())
                          team_.rank == 0 ? ring_->send() : ring_->receive();
                  }};
    for (Way *limit : {&in_one, &nothing, &shared})
        limit->limit = true;
    choose_fastest(*limits_, in_one.run, team_);
    if (ring_->possible())
        choose_fastest(*ring_, shared.run, team_);
    for (Seconds *seconds : {&calls, &strips, &plain, &looped})
        seconds->clear();

    const Budget budget{settings.seconds, settings.repetitions, settings.least};
    Figures f;
    std::vector<Way *> ways = {&library, &each,   &packed,  &indexed,   &in_one,
                               &nothing, &shared, &to_host, &from_host, &host};
    if (team_.api->software()) // else the processor's ways are no limit
        ways.insert(ways.end(), {&by_calls, &by_strips, &loops});
    f.repetitions = take_turns(ways, budget, team_);
    f.bytes = static_cast<double>(bytes_);
    f.seconds = library.result;
    f.naive = each.result;
    f.naive_packed = packed.result;
    f.host_mpi = indexed.result;
    if (team_.api->software())
        f.loops = loops.result;
    if (ring_->possible())
        f.memcpy = shared.result;
    // A card may pick the pixels by itself, so that only as many bytes in one piece are a limit there. A software
    // driver's textures are reached by calls or by strips, its buffers and host memory by pointer, too.
    double mine = typical(plain, budget);
    if (team_.api->software())
        mine = std::min(typical(calls, budget), typical(strips, budget));
    if (team_.api->software() && source_->by_pointer())
        mine = std::min(mine, typical(looped, budget));
    f.readback = mine;
    f.upload = last_rank_has(mine, team_);
    f.limit = std::max(f.readback, f.upload) + nothing.result;
    if (ring_->possible() && team_.api->software())
        f.limit = std::max(f.limit, f.memcpy);
    f.communication = host.result;
    f.pack = std::max(to_host.result - f.communication, 0.0);
    f.unpack = std::max(from_host.result - f.communication, 0.0);
    f.band_bytes = limits_->band_bytes();
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
        report.add(what.name, RegionBench(what, settings.object, job.all).measure(settings));
}
