#include "message/message.h"

#include "measure/compare.h"

#include <algorithm>
#include <array>

namespace {

constexpr int ack_tag = 2;
constexpr int host_tag = 3;

} // namespace

Message::Message(const MessageCase &what, const std::string &kind, const Team &team, const std::string &peer)
    : what_(what), team_(team) {
    const Shape2D shape{what.format, what.width, what.height};
    std::string problem;
    source_ = make_object(*team.api, kind, shape, problem);
    if (problem.empty())
        dest_ = make_object(*team.api, kind, shape, problem);
    check_all(problem.empty(), problem, team.comm);
    from_ = std::make_unique<Naive>(*source_, team);
    to_ = std::make_unique<Naive>(*dest_, *from_);
    limits_ = std::make_unique<Limits>(*source_, *dest_, source_->bytes(), team);
    host_out_.assign(source_->bytes(), std::byte{1});
    host_in_.assign(source_->bytes(), std::byte{2});
    memory_ = std::make_unique<MemoryCargo>(host_out_.data(), host_in_.data(), source_->bytes());
    ring_ = std::make_unique<SharedRing>(team, *memory_);
    if (team.api->software() && source_->straight()) {
        const bool sends_on = what.shape == Shape::ping_pong && !sends(); // what has come
        by_hand_ = std::make_unique<ByHand>(std::vector{source_->whole()}, sends_on ? *dest_ : *source_, *dest_);
        hand_ring_ = std::make_unique<SharedRing>(team, *by_hand_);
    }
    plain_copy_ = std::make_unique<PlainCopy>(source_->bytes(), team);
    if (!peer.empty()) {
        nccl_ = std::make_unique<Nccl>(source_->bytes(), peer, team);
        check_all(nccl_->problem().empty(), nccl_->problem(), team.comm);
    }
    put_test_pixels(*source_, static_cast<std::uint32_t>(team.rank) + 1);
}

Message::~Message() {
    for (pixMPI_Request &request : persistent_)
        pixMPI_Request_free(&request);
    for (MPI_Request &request : persistent_host_)
        MPI_Request_free(&request);
}

/// Rank 0 learns that everybody has what he was sent; the API's commands included.
void Message::all_finished(bool arrived) {
    if (receives() && !arrived)
        dest_->await_received();
    if (what_.shape == Shape::ring)
        meet(team_);
    else if (team_.ranks == 2 && team_.rank == 0)
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, ack_tag, team_.comm, MPI_STATUS_IGNORE);
    else if (team_.ranks == 2)
        MPI_Send(nullptr, 0, MPI_BYTE, 0, ack_tag, team_.comm);
}

Way Message::way(const std::string &name, std::function<void()> out, std::function<void()> in,
                 std::function<void()> both, const bool &arrived) {
    Way way{.name = name};
    if (what_.shape == Shape::ring || team_.ranks == 1)
        way.run = [this, both, &arrived] {
            both();
            all_finished(arrived);
        };
    else
        way.run = [this, out, in, &arrived] {
            if (what_.shape == Shape::frames && sends())
                source_->touch(++frame_);
            (sends() ? out : in)();
            all_finished(arrived);
        };
    return way;
}

Way Message::library(MPI_Comm comm) {
    const End out = source_->end(), in = dest_->end();
    const auto both = [=, this] { out.exchange(in, PIXMPI_WHOLE, next(), previous(), comm); };
    if (what_.shape == Shape::ping_pong)
        return {.name = "library", .run = [=, this] {
                    if (sends()) {
                        out.send(PIXMPI_WHOLE, 1, comm);
                        in.receive(PIXMPI_WHOLE, 1, comm);
                        if (!waits_for_gpu_)
                            dest_->await_received();
                    } else {
                        in.receive(PIXMPI_WHOLE, 0, comm);
                        in.send(PIXMPI_WHOLE, 0, comm);
                    }
                }};
    if (what_.shape == Shape::frames) {
        persistent_.push_back(sends() ? out.send_init(PIXMPI_WHOLE, 1, comm) : in.receive_init(PIXMPI_WHOLE, 0, comm));
        const auto frame = [request = persistent_.back()] {
            pixMPI_Request same = request;
            check(pixMPI_Start(&same));
            check(pixMPI_Wait(&same, MPI_STATUS_IGNORE));
        };
        return way("library", frame, frame, both, waits_for_gpu_);
    }
    return way(
        "library", [=] { out.send(PIXMPI_WHOLE, 1, comm); }, [=] { in.receive(PIXMPI_WHOLE, 0, comm); }, both,
        waits_for_gpu_);
}

Way Message::naive() {
    const pixMPI_Rect all = source_->whole();
    if (what_.shape == Shape::ping_pong)
        return {.name = "naive", .run = [=, this] {
                    if (sends()) {
                        from_->send(all, 1);
                        to_->receive(all, 1);
                        dest_->await_received();
                    } else {
                        to_->receive(all, 0);
                        to_->send(all, 0);
                    }
                }};
    const auto both = [=, this] { to_->exchange(*from_, all, next(), previous()); };
    return way(
        "naive", [=, this] { from_->send(all, 1); }, [=, this] { to_->receive(all, 0); }, both);
}

Way Message::naive_part(bool readback) {
    const pixMPI_Rect all = source_->whole();
    const auto nothing = [] {};
    const auto out = [=, this] { source_->read(all, host_out_.data()); };
    const auto in = [=, this] { dest_->write(all, host_in_.data()); };
    return readback ? way("naive readback", out, nothing, out) : way("naive upload", nothing, in, in);
}

Way Message::host_mpi() {
    const int bytes = static_cast<int>(source_->bytes());
    void *const out = host_out_.data(), *const in = host_in_.data();
    const MPI_Comm comm = team_.comm;
    if (what_.shape == Shape::ping_pong)
        return {.name = "host MPI", .run = [=, this] {
                    if (sends()) {
                        MPI_Send(out, bytes, MPI_BYTE, 1, host_tag, comm);
                        MPI_Recv(in, bytes, MPI_BYTE, 1, host_tag, comm, MPI_STATUS_IGNORE);
                    } else {
                        MPI_Recv(in, bytes, MPI_BYTE, 0, host_tag, comm, MPI_STATUS_IGNORE);
                        MPI_Send(in, bytes, MPI_BYTE, 0, host_tag, comm);
                    }
                }};
    const auto both = [=, this] {
        MPI_Sendrecv(out, bytes, MPI_BYTE, next(), host_tag, in, bytes, MPI_BYTE, previous(), host_tag, comm,
                     MPI_STATUS_IGNORE);
    };
    if (what_.shape == Shape::frames) {
        MPI_Request request;
        if (sends())
            MPI_Send_init(out, bytes, MPI_BYTE, 1, host_tag, comm, &request);
        else
            MPI_Recv_init(in, bytes, MPI_BYTE, 0, host_tag, comm, &request);
        persistent_host_.push_back(request);
        const auto frame = [request] {
            MPI_Request same = request;
            MPI_Start(&same);
            MPI_Wait(&same, MPI_STATUS_IGNORE);
        };
        return way("host MPI", frame, frame, both, always);
    }
    return way(
        "host MPI", [=] { MPI_Send(out, bytes, MPI_BYTE, 1, host_tag, comm); },
        [=] { MPI_Recv(in, bytes, MPI_BYTE, 0, host_tag, comm, MPI_STATUS_IGNORE); }, both, always);
}

Way Message::limit() {
    const auto out = [this] { limits_->read(); };
    const auto in = [this] { limits_->write(); };
    Way result = way("limit", out, in, [=] {
        out();
        in();
    });
    limits_->choose_for(result);
    return result;
}

Way Message::through(SharedRing *ring, const char *name) {
    Way way{.name = name, .run = [] {}, .limit = true};
    if (!ring || !ring->possible())
        return way;
    if (what_.shape == Shape::ping_pong)
        way.run = [this, ring] {
            sends() ? ring->send() : ring->receive();
            sends() ? ring->receive() : ring->send();
            if (sends())
                dest_->await_received();
        };
    else
        way.run = this->way(
                          name, [=] { ring->send(); }, [=] { ring->receive(); }, [=] { ring->exchange(); })
                      .run;
    choose_fastest(*ring, way.run, team_);
    return way;
}

Way Message::gpu_copy() {
    if (!plain_copy_->possible())
        return {.name = "GPU copy", .run = [] {}};
    const auto copy = [this] { plain_copy_->run(); };
    const auto nothing = [] {};
    Way result = way("GPU copy", nothing, copy, copy, always);
    if (what_.shape == Shape::ping_pong) // there and back
        result.run = [this] {
            for (int turn = 0; turn < 2; ++turn) {
                if (sends() == (turn == 1))
                    plain_copy_->run();
                MPI_Barrier(team_.comm);
            }
        };
    return result;
}

Way Message::nccl() {
    if (!nccl_)
        return {.name = "NCCL", .run = [] {}};
    if (what_.shape == Shape::ping_pong)
        return {.name = "NCCL", .run = [this] {
                    sends() ? nccl_->send(1) : nccl_->receive(0);
                    sends() ? nccl_->receive(1) : nccl_->send(0);
                }};
    return way(
        "NCCL", [this] { nccl_->send(1); }, [this] { nccl_->receive(0); },
        [this] { nccl_->exchange(next(), previous()); }, always);
}

pixMPI_Route route_since(const pixMPI_Stats &before, MPI_Comm comm) {
    constexpr int routes = PIXMPI_ROUTE_MPI + 1;
    pixMPI_Stats now = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&now));
    std::array<std::uint64_t, routes> bytes{};
    for (std::size_t route = 0; route < bytes.size(); ++route)
        bytes[route] = now.bytes_by_route[route] - before.bytes_by_route[route];
    MPI_Allreduce(MPI_IN_PLACE, bytes.data(), routes, MPI_UINT64_T, MPI_SUM, comm);
    return static_cast<pixMPI_Route>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
}

// Which pixels are not those of rank `from`, or, of all ranks at once, of the one before.
std::string Message::difference_from(int from) {
    std::vector<std::byte> sent = pixels_of(*source_);
    const int bytes = static_cast<int>(sent.size());
    if (what_.shape == Shape::ring)
        MPI_Sendrecv_replace(sent.data(), bytes, MPI_BYTE, next(), ack_tag, from, ack_tag, team_.comm,
                             MPI_STATUS_IGNORE);
    else
        MPI_Bcast(sent.data(), bytes, MPI_BYTE, from, team_.comm);
    return difference(*dest_, sent);
}

pixMPI_Route Message::verify(Way &way) {
    pixMPI_Stats before = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&before));
    if (receives() || what_.shape == Shape::ping_pong)
        put_test_pixels(*dest_, 99);
    idle_barrier(team_.comm);
    way.run();
    const std::vector<std::uint64_t> sources = digests(*source_, team_);
    const int from = what_.shape == Shape::ring ? previous() : 0;
    const bool right =
        !(receives() || what_.shape == Shape::ping_pong) || digest(*dest_) == sources[static_cast<std::size_t>(from)];
    int all_right = right;
    MPI_Allreduce(MPI_IN_PLACE, &all_right, 1, MPI_INT, MPI_LAND, team_.comm);
    if (!all_right) {
        const std::string which = difference_from(from);
        check_all(right, what_.name + ": the way \"" + way.name + "\" brought other pixels than were sent" + which,
                  team_.comm);
    }
    return route_since(before, team_.comm);
}

Message::Ways Message::ways() {
    return {library(team_.comm), naive(), host_mpi(), limit(), shared_memory(), by_hand(), gpu_copy(), nccl()};
}

Figures Message::figures(const Ways &ways, pixMPI_Route route, const Budget &budget) const {
    const double share = what_.shape == Shape::ping_pong ? 0.5 : 1;
    Figures f;
    f.bytes = static_cast<double>(source_->bytes()) * (what_.shape == Shape::ring ? team_.ranks : 1);
    f.seconds = ways.library.result * share;
    f.naive = ways.naive.result * share;
    f.host_mpi = ways.host_mpi.result * share;
    f.limit = ways.limit.result;
    if (ring_->possible())
        f.memcpy = ways.shared_memory.result * share;
    if (ring_->possible() && team_.api->software())
        f.limit = std::max(f.limit, f.memcpy);
    if (goes_by_hand()) {
        f.by_hand = ways.by_hand.result * share;
        f.limit = std::max(f.limit, f.by_hand);
    }
    if (plain_copy_->possible())
        f.gpu_copy = ways.gpu_copy.result * share;
    if (nccl_)
        f.nccl = ways.nccl.result * share;
    if (plain_copy_->possible() && route == PIXMPI_ROUTE_PEER)
        f.limit = f.gpu_copy;
    f.readback = typical(limits_->read_seconds(), budget);
    f.upload = last_rank_has(typical(limits_->write_seconds(), budget), team_);
    f.band_bytes = limits_->band_bytes();
    f.format = what_.format;
    f.repetitions = static_cast<int>(ways.library.seconds.size());
    f.route = route;
    if (what_.shape != Shape::ring) {
        f.source = 0;
        f.dest = team_.ranks - 1;
    }
    add_stage(f, team_.comm);
    return f;
}

Figures measure_message(const MessageCase &what, const Settings &settings, const Team &team, double seconds) {
    const Budget budget{seconds, settings.repetitions, settings.least};
    Message message(what, settings.object, team, settings.peer);
    Message::Ways ways = message.ways();
    const pixMPI_Route route = message.verify(ways.library);
    message.learn(route);
    message.verify(ways.naive);
    if (message.goes_by_hand())
        message.verify(ways.by_hand);
    take_turns(ways.all(), budget, team);
    return message.figures(ways, route, budget);
}

void add_stage(Figures &figures, MPI_Comm comm) {
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&stats));
    double mine[2] = {static_cast<double>(stats.stage_bytes), static_cast<double>(stats.stage_bytes_max)}, most[2];
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, comm);
    figures.stage_bytes = most[0];
    figures.stage_bytes_max = most[1];
}

double last_rank_has(double value, const Team &team) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, team.ranks - 1, team.comm);
    return value;
}
