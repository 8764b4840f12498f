// Messages of many rectangles, from and to the same places of two objects, or others with as many pixels.
#include "baseline/by_hand.h"
#include "baseline/host_type.h"
#include "baseline/limits.h"
#include "baseline/shared_ring.h"
#include "measure/compare.h"
#include "message/message.h"
#include "object/ends.h"
#include "object/shapes.h"

#include <algorithm>

namespace {

constexpr int ack_tag = 5;

/// A rank's own part of a way, and the time until both have finished.
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
    Way through(const char *name, SharedRing *ring);
    void prepare_by_hand(const Shape2D &shape);
    /// Rank 0 sends, rank 1 receives.
    const std::vector<pixMPI_Rect> &own_rects() const { return team_.rank == 0 ? what_.rects : what_.at_dest(); }
    bool goes_by_hand() const { return hand_ring_ && hand_ring_->possible(); }
    void read_alone();
    void write_alone();
    std::vector<std::byte> result_of(const Way &way);
    void await_received() const { dest_->await_received(); }

    const RegionCase &what_;
    const Team &team_;
    const std::size_t bytes_;
    std::unique_ptr<Object> source_, dest_;
    std::unique_ptr<Naive> from_, to_;
    std::unique_ptr<Limits> limits_;
    std::unique_ptr<HostType> host_;
    HostMemory packed_, other_packed_;
    MemoryCargo memory_;
    SharedRing ring_;
    /// By hand, of one rank's part alone and of both; of objects that the processor reaches by pointer, two of host
    /// memory in their place. Null: not so. See by_hand.h.
    std::unique_ptr<Object> plain_source_, plain_dest_;
    std::unique_ptr<ByHand> alone_, by_hand_;
    std::unique_ptr<SharedRing> hand_ring_;
    HostMemory slot_;
    pixMPI_Region region_ = PIXMPI_REGION_NULL;
};

RegionBench::RegionBench(const RegionCase &what, const std::string &kind, const Team &team)
    : what_(what), team_(team),
      bytes_(static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(pixMPI_Format_bytes(what.format))),
      packed_(bytes_, std::byte{1}), other_packed_(bytes_, std::byte{2}),
      memory_(packed_.data(), other_packed_.data(), bytes_), ring_(team, memory_) {
    const Shape2D shape{what.format, what.width, what.height};
    std::string problem;
    source_ = make_object(*team.api, kind, shape, problem);
    if (problem.empty())
        dest_ = make_object(*team.api, kind, shape, problem);
    check_all(problem.empty(), problem, team.comm);
    from_ = std::make_unique<Naive>(*source_, team);
    to_ = std::make_unique<Naive>(*dest_, *from_);
    limits_ = std::make_unique<Limits>(*source_, *dest_, bytes_, team);
    host_ = std::make_unique<HostType>(what, own_rects(), source_->pixel_bytes);
    put_test_pixels(*source_, 1);
    check(pixMPI_Region_indexed(static_cast<int>(own_rects().size()), own_rects().data(), &region_));
    check(pixMPI_Region_commit(&region_));
    if (team.api->software() && source_->straight() && what.alike())
        prepare_by_hand(shape);
}

void RegionBench::prepare_by_hand(const Shape2D &shape) {
    std::string problem;
    if (source_->by_pointer()) {
        const std::unique_ptr<Api> host = make_api("host");
        plain_source_ = host->make("memory", shape, problem);
        plain_dest_ = host->make("memory", shape, problem);
    }
    Object &from = plain_source_ ? *plain_source_ : *source_, &to = plain_dest_ ? *plain_dest_ : *dest_;
    alone_ = std::make_unique<ByHand>(what_.rects, from, to);
    by_hand_ = std::make_unique<ByHand>(what_.rects, from, to);
    hand_ring_ = std::make_unique<SharedRing>(team_, *by_hand_);
    slot_.assign(SharedRing::most_bytes, std::byte{1});
}

/// Runs `out` on rank 0 and `in` on rank 1, until rank 1 says that it has everything.
Way RegionBench::way(const char *name, Work out, Work in) const {
    return {.name = name, .run = [this, out, in] {
                if (team_.rank == 0) {
                    out();
                    MPI_Recv(nullptr, 0, MPI_BYTE, 1, ack_tag, team_.comm, MPI_STATUS_IGNORE);
                } else {
                    in();
                    await_received();
                    MPI_Send(nullptr, 0, MPI_BYTE, 0, ack_tag, team_.comm);
                }
            }};
}

/// A message of the library; an end is the object's region, or as many pixels in a row in host memory.
Way RegionBench::message(const char *name, bool from_object, bool to_object) {
    const auto plain = [this] {
        return End(pixMPI_Memory(packed_.data(), what_.format, static_cast<int>(what_.pixels()), 1));
    };
    const End out = from_object ? source_->end() : plain(), in = to_object ? dest_->end() : plain();
    const pixMPI_Region out_region = from_object ? region_ : PIXMPI_WHOLE;
    const pixMPI_Region in_region = to_object ? region_ : PIXMPI_WHOLE;
    const MPI_Comm comm = team_.comm;
    return way(
        name, [=] { out.send(out_region, 1, comm); }, [=] { in.receive(in_region, 0, comm); });
}

Way RegionBench::through(const char *name, SharedRing *ring) {
    const Work nothing = [] {};
    if (!ring || !ring->possible())
        return way(name, nothing, nothing);
    return way(
        name, [=] { ring->send(); }, [=] { ring->receive(); });
}

/// All pieces by way of memory that stays in the cache.
void RegionBench::read_alone() {
    for (std::uint64_t k = 0; k < alone_->pieces(); ++k)
        alone_->put(k, slot_.data());
}

void RegionBench::write_alone() {
    for (std::uint64_t k = 0; k < alone_->pieces(); ++k)
        alone_->get(k, slot_.data());
}

/// The receiver's whole object after a message into known pixels.
std::vector<std::byte> RegionBench::result_of(const Way &way) {
    put_test_pixels(*dest_, 99);
    way.run();
    return pixels_of(*dest_);
}

Figures RegionBench::measure(const Settings &settings) {
    const std::vector<pixMPI_Rect> &rects = what_.rects, &there = what_.at_dest();
    Way library = message("library", true, true), to_host = message("library to host memory", true, false);
    Way from_host = message("library from host memory", false, true), host = message("host to host", false, false);
    Way each = way(
        "naive, each rectangle", [&] { from_->send_each(rects, 1); }, [&] { to_->receive_each(there, 0); });
    const Work send_packed = [&] {
        from_->pack_all(rects);
        from_->send_packed(1);
    };
    const Work receive_packed = [&] {
        to_->receive_packed(0);
        to_->unpack_all(there);
    };
    Way packed = way("naive, packed", send_packed, receive_packed);
    Way indexed = way(
        "MPI_Type_indexed", [&] { host_->send(team_.comm); }, [&] { host_->receive(team_.comm); });

    const std::vector<std::byte> expected = result_of(each);
    pixMPI_Stats before = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&before));
    const bool library_right = result_of(library) == expected;
    const pixMPI_Route route = route_since(before);
    const auto check_way = [&](const Way &way, bool right) {
        check_all(right || team_.rank == 0,
                  what_.name + ": the way \"" + way.name + "\" brought other pixels than were sent", team_.comm);
    };
    check_way(library, library_right);
    check_way(packed, result_of(packed) == expected);

    // Each rank's own times: out of the source on rank 0, into the destination on rank 1.
    Seconds mine;
    Way one_end = alone_ ? way("one end alone", timed(mine, [&] { read_alone(); }), timed(mine, [&] { write_alone(); }))
                         : way("one end in one piece", timed(mine, [&] { limits_->read(); }),
                               timed(mine, [&] { limits_->write(); }));
    Way nothing = way(
        "nothing", [] {}, [] {});
    Way shared = through("shared memory", &ring_), by_hand = through("by hand", hand_ring_.get());
    for (Way *limit : {&one_end, &nothing, &shared, &by_hand})
        limit->limit = true;
    alone_ ? choose_fastest(*alone_, one_end.run, team_) : choose_fastest(*limits_, one_end.run, team_);
    if (ring_.possible())
        choose_fastest(ring_, shared.run, team_);
    if (goes_by_hand())
        choose_fastest(*hand_ring_, by_hand.run, team_);
    if (goes_by_hand() && !plain_source_)
        check_all(result_of(by_hand) == expected || team_.rank == 0,
                  what_.name + ": the way \"by hand\" brought other pixels than were sent", team_.comm);
    mine.clear();

    const Budget budget{settings.seconds, settings.repetitions, settings.least};
    Figures f;
    f.repetitions = take_turns(
        {&library, &each, &packed, &indexed, &one_end, &nothing, &shared, &by_hand, &to_host, &from_host, &host},
        budget, team_);
    f.bytes = static_cast<double>(bytes_);
    f.seconds = library.result;
    f.naive = each.result;
    f.naive_packed = packed.result;
    f.host_mpi = indexed.result;
    f.readback = typical(mine, budget);
    f.upload = last_rank_has(f.readback, team_);
    f.limit = std::max(f.readback, f.upload) + nothing.result;
    if (ring_.possible()) {
        f.memcpy = shared.result;
        f.limit = team_.api->software() ? std::max(f.limit, f.memcpy) : f.limit;
    }
    if (goes_by_hand()) {
        f.by_hand = by_hand.result;
        f.limit = std::max(f.limit, f.by_hand);
    }
    f.communication = host.result;
    f.pack = std::max(to_host.result - f.communication, 0.0);
    f.unpack = std::max(from_host.result - f.communication, 0.0);
    f.band_bytes = limits_->band_bytes();
    f.source = 0;
    f.dest = 1;
    f.format = what_.format;
    f.route = route;
    add_stage(f, team_.comm);
    return f;
}

} // namespace

void measure_region(const Job &job, const Settings &settings, Report &report) {
    for (const RegionCase &what : datatype_cases(settings))
        if (settings.wants(what.name))
            report.add(what.name, RegionBench(what, settings.object, job.all).measure(settings));
}
