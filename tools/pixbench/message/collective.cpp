#include "message/collective.h"

#include "baseline/nccl.h"
#include "baseline/nearest_by_hand.h"
#include "measure/compare.h"
#include "message/message.h"

#include <cmath>
#include <cstring>

namespace {

class Measured {
  public:
    Measured(const CollectiveCase &what, const Settings &settings, const Team &team) : what_(what), team_(team) {
        const Shape2D one{what.format, what.width, what.height}, all{what.format, what.width, what.height * team.ranks};
        std::string problem;
        const auto make = [&](const Shape2D &shape, std::unique_ptr<Object> &object) {
            if (problem.empty())
                object = make_object(*team.api, settings.object, shape, problem);
        };
        const Collective v = what.verb;
        make(v == Collective::scatter || v == Collective::alltoall ? all : one, out_);
        make(v == Collective::gather || v == Collective::allgather || v == Collective::alltoall ? all : one, in_);
        check_all(problem.empty(), problem, team.comm);
        from_ = std::make_unique<Naive>(*out_, team);
        to_ = std::make_unique<Naive>(*in_, *from_);
        put_test_pixels(*out_, static_cast<std::uint32_t>(team.rank) + 1);
        if (is_nearest())
            make_depths(settings);
        for (int r = 0; r < team.ranks; ++r) {
            pixMPI_Region part;
            check(pixMPI_Region_rect(0, r * what.height, what.width, what.height, &part));
            check(pixMPI_Region_commit(&part));
            parts_.push_back(part);
        }
        if (!settings.peer.empty() && team.ranks > 1 && v != Collective::nearest) {
            nccl_ = std::make_unique<Nccl>(std::max(out_->bytes(), in_->bytes()), settings.peer, team);
            check_all(nccl_->problem().empty(), nccl_->problem(), team.comm);
        }
        host_out_.assign(out_->bytes(), std::byte{1});
        host_in_.assign(in_->bytes(), std::byte{2});
    }
    ~Measured() {
        for (pixMPI_Region &part : parts_)
            pixMPI_Region_free(&part);
    }
    Measured(const Measured &) = delete;

    Way library() {
        return way("library", [this, out = out_->end().surface, in = in_->end().surface] {
            const pixMPI_Region whole = PIXMPI_WHOLE, *const parts = parts_.data();
            const MPI_Comm comm = team_.comm;
            switch (what_.verb) {
            case Collective::bcast:
                return check(pixMPI_Bcast(root() ? out : in, whole, 0, comm));
            case Collective::gather:
                return check(pixMPI_Gather(out, whole, in, parts, 0, comm));
            case Collective::scatter:
                return check(pixMPI_Scatter(out, parts, in, whole, 0, comm));
            case Collective::allgather:
                return check(pixMPI_Allgather(out, whole, in, parts, comm));
            case Collective::alltoall:
                return check(pixMPI_Alltoall(out, parts, in, parts, comm));
            case Collective::reduce:
                return check(pixMPI_Reduce(out, whole, in, whole, PIXMPI_SUM, 0, comm));
            case Collective::allreduce:
                return check(pixMPI_Allreduce(out, whole, in, whole, PIXMPI_SUM, comm));
            case Collective::nearest: {
                const pixMPI_Surface depth_out = depth_out_->end().surface, depth_in = depth_in_->end().surface;
                return check(pixMPI_Reduce(pixMPI_With_depth(&out, &depth_out), whole,
                                           pixMPI_With_depth(&in, &depth_in), whole, PIXMPI_NEAREST, 0, comm));
            }
            }
        });
    }

    /// Objects with pixels in host memory need no readback, but pixels may not arrive where they are sent from.
    Way naive() {
        return way("naive", [this] {
            if (is_nearest()) {
                by_hand_->read_back(*from_, *depth_from_);
                by_hand_->reduce(team_.comm);
                if (root())
                    by_hand_->upload(*to_, *depth_to_);
                return;
            }
            const bool sends = root() || (what_.verb != Collective::bcast && what_.verb != Collective::scatter);
            std::byte *const out = sends ? from_->read_back(out_->whole()) : nullptr;
            std::byte *const in = to_->landing(in_->whole());
            if (what_.verb == Collective::bcast) {
                collective(root() ? out : in, nullptr);
            } else {
                collective(out, in);
            }
            if (receives())
                to_->upload(in_->whole());
        });
    }

    Way host_mpi() {
        return way("host MPI", [this] {
            if (is_nearest())
                by_hand_->reduce(team_.comm);
            else if (what_.verb == Collective::bcast)
                collective(host_out_.data(), nullptr);
            else
                collective(host_out_.data(), host_in_.data());
        });
    }

    /// By NCCL, if it was asked for.
    Way nccl() {
        if (!nccl_)
            return {.name = "NCCL", .run = [] {}};
        return {.name = "NCCL", .run = [this, one = out_->bytes()] {
                    const std::size_t part = one / static_cast<std::size_t>(team_.ranks);
                    switch (what_.verb) {
                    case Collective::bcast:
                        nccl_->bcast();
                        break;
                    case Collective::gather:
                        nccl_->gather(one);
                        break;
                    case Collective::scatter:
                        nccl_->scatter(part);
                        break;
                    case Collective::allgather:
                        nccl_->allgather(one);
                        break;
                    case Collective::alltoall:
                        nccl_->alltoall(part);
                        break;
                    case Collective::reduce:
                        nccl_->reduce();
                        break;
                    case Collective::allreduce:
                        nccl_->allreduce();
                        break;
                    case Collective::nearest: // NCCL has nothing like it
                        break;
                    }
                    all_finished(team_);
                }};
    }
    bool has_nccl() const { return nccl_ != nullptr; }

    /// Rank 0's readback and upload, one after another, and all others' at the same time.
    Way limit(std::vector<std::unique_ptr<Limits>> &planes) {
        Way result = way("limit", [this, &planes] {
            for (const auto &limits : planes)
                if (root() || (what_.verb != Collective::bcast && what_.verb != Collective::scatter))
                    limits->read();
            for (const auto &limits : planes)
                if (receives())
                    limits->write();
        });
        for (const auto &limits : planes)
            limits->choose_for(result);
        return result;
    }

    void verify(Way &library, Way &naive) {
        const auto result_of = [&](Way &way) {
            put_test_pixels(*in_, 99);
            if (is_nearest())
                put_test_pixels(*depth_in_, 98);
            idle_barrier(team_.comm);
            way.run();
            in_->use_layout(from_->layout());
            std::vector<std::byte> pixels;
            for (Object *plane : {in_.get(), depth_in_.get()})
                if (plane && receives()) {
                    const std::vector<std::byte> more = pixels_of(*plane);
                    pixels.insert(pixels.end(), more.begin(), more.end());
                }
            return pixels;
        };
        const std::vector<std::byte> ours = result_of(library), theirs = result_of(naive);
        check_all(alike(ours, theirs), what_.name + ": the library's pixels are others than those of MPI's collective",
                  team_.comm);
    }

    /// Of each plane, for so many bytes of it.
    std::vector<std::unique_ptr<Limits>> limits() {
        std::vector<std::unique_ptr<Limits>> all;
        all.push_back(std::make_unique<Limits>(*out_, *in_, std::min(out_->bytes(), in_->bytes()), team_));
        if (is_nearest())
            all.push_back(std::make_unique<Limits>(*depth_out_, *depth_in_, depth_out_->bytes(), team_));
        return all;
    }
    std::size_t bytes() const {
        return std::max(out_->bytes(), in_->bytes()) + (is_nearest() ? depth_out_->bytes() : 0);
    }

  private:
    void make_depths(const Settings &settings) {
        const Shape2D shape{PIXMPI_DEPTH32F, what_.width, what_.height};
        std::string problem;
        depth_out_ = make_object(*team_.api, settings.object, shape, problem);
        if (problem.empty())
            depth_in_ = make_object(*team_.api, settings.object, shape, problem);
        check_all(problem.empty(), problem, team_.comm);
        depth_from_ = std::make_unique<Naive>(*depth_out_, team_);
        depth_to_ = std::make_unique<Naive>(*depth_in_, *depth_from_);
        put_test_pixels(*depth_out_, static_cast<std::uint32_t>(team_.rank) + 50);
        by_hand_ = std::make_unique<NearestByHand>(out_->bytes() / 4);
    }
    bool is_nearest() const { return what_.verb == Collective::nearest; }
    bool root() const { return team_.rank == 0; }
    bool receives() const {
        if (what_.verb == Collective::bcast)
            return !root();
        return root() || (what_.verb != Collective::gather && what_.verb != Collective::reduce && !is_nearest());
    }

    void collective(void *out, void *in) {
        const int count = static_cast<int>(out_->bytes()), parts = team_.ranks;
        const MPI_Comm comm = team_.comm;
        const auto floats = count / static_cast<int>(sizeof(float));
        switch (what_.verb) {
        case Collective::bcast:
            MPI_Bcast(out, count, MPI_BYTE, 0, comm);
            break;
        case Collective::gather:
            MPI_Gather(out, count, MPI_BYTE, in, count, MPI_BYTE, 0, comm);
            break;
        case Collective::scatter:
            MPI_Scatter(out, count / parts, MPI_BYTE, in, count / parts, MPI_BYTE, 0, comm);
            break;
        case Collective::allgather:
            MPI_Allgather(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
            break;
        case Collective::alltoall:
            MPI_Alltoall(out, count / parts, MPI_BYTE, in, count / parts, MPI_BYTE, comm);
            break;
        case Collective::reduce:
            MPI_Reduce(out, in, floats, MPI_FLOAT, MPI_SUM, 0, comm);
            break;
        case Collective::allreduce:
            MPI_Allreduce(out, in, floats, MPI_FLOAT, MPI_SUM, comm);
            break;
        case Collective::nearest: // NearestByHand
            break;
        }
    }

    /// MPI may add up in another order.
    bool alike(const std::vector<std::byte> &a, const std::vector<std::byte> &b) const {
        constexpr float tolerance = 1e-5F;
        if (what_.verb != Collective::reduce && what_.verb != Collective::allreduce)
            return a == b;
        for (std::size_t i = 0; i + sizeof(float) <= a.size(); i += sizeof(float)) {
            float x = 0, y = 0;
            std::memcpy(&x, &a[i], sizeof x);
            std::memcpy(&y, &b[i], sizeof y);
            if (!(std::fabs(x - y) <= tolerance * std::fabs(y)))
                return false;
        }
        return a.size() == b.size();
    }

    template <class Body> Way way(const char *name, Body body) {
        return {.name = name, .run = [this, body] {
                    body();
                    if (receives())
                        in_->await_received();
                    if (receives() && depth_in_)
                        depth_in_->await_received();
                    all_finished(team_);
                }};
    }

    const CollectiveCase what_;
    const Team &team_;
    std::unique_ptr<Object> out_, in_;
    std::unique_ptr<Naive> from_, to_;
    std::unique_ptr<Object> depth_out_, depth_in_; ///< with the two above, of pixels with depth
    std::unique_ptr<Naive> depth_from_, depth_to_;
    std::unique_ptr<NearestByHand> by_hand_;
    std::vector<pixMPI_Region> parts_;
    HostMemory host_out_, host_in_;
    std::unique_ptr<Nccl> nccl_;
};

} // namespace

Figures measure_collective(const CollectiveCase &what, const Settings &settings, const Team &team) {
    const Budget budget{settings.seconds, settings.repetitions, settings.least};
    Measured measured(what, settings, team);
    std::vector<std::unique_ptr<Limits>> limits = measured.limits();
    Way library = measured.library(), naive = measured.naive(), host_mpi = measured.host_mpi(),
        limit = measured.limit(limits), nccl = measured.nccl();
    pixMPI_Stats before = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&before));
    measured.verify(library, naive);
    const pixMPI_Route route = route_since(before, team.comm);
    std::vector<Way *> ways{&library, &naive, &host_mpi, &limit};
    Figures f;
    if (measured.has_nccl())
        ways.push_back(&nccl);
    f.repetitions = take_turns(ways, budget, team);
    f.bytes = static_cast<double>(measured.bytes());
    f.seconds = library.result;
    f.naive = naive.result;
    f.host_mpi = host_mpi.result;
    f.limit = limit.result;
    if (measured.has_nccl())
        f.nccl = nccl.result;
    f.readback = f.upload = 0;
    for (const auto &plane : limits) {
        f.readback += typical(plane->read_seconds(), budget);
        f.upload += last_rank_has(typical(plane->write_seconds(), budget), team);
    }
    f.band_bytes = limits.front()->band_bytes();
    f.format = what.format;
    f.route = route;
    f.ranks = team.ranks;
    add_stage(f, team.comm);
    return f;
}
