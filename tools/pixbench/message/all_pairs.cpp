#include "message/all_pairs.h"

#include "measure/compare.h"

namespace {

constexpr int host_tag = 9;

/// One object to send and one for each other rank's pixels. With number i of those a rank receives from the i-th rank
/// before it, while its message number i goes to the i-th rank behind it, so that no rank is the first of all others.
class AllPairs {
  public:
    AllPairs(const MessageCase &what, const std::string &kind, const Team &team);
    ~AllPairs();
    AllPairs(const AllPairs &) = delete;
    AllPairs &operator=(const AllPairs &) = delete;

    Figures measure(const Settings &settings);

  private:
    struct Incoming {
        std::unique_ptr<Object> object;
        std::unique_ptr<Naive> naive;
        HostMemory host;
        int source, dest; ///< pixels come from there; this rank's go there meanwhile
    };
    Way way(const char *name, std::function<void()> run);
    Way library();
    Way naive();
    Way host_mpi();
    Way limit();
    Way gpu_copy();
    template <class Landing> void exchange(const void *out, Landing landing);
    pixMPI_Route verify(Way &way);
    std::string differences(const std::vector<std::uint64_t> &sources);

    const MessageCase what_;
    const Team &team_;
    std::unique_ptr<Object> source_;
    std::unique_ptr<Naive> naive_;
    HostMemory host_;
    std::vector<Incoming> incoming_;
    std::unique_ptr<Limits> limits_;
    std::unique_ptr<PlainCopy> plain_copy_;
    std::vector<pixMPI_Request> requests_; ///< persistent, receives first
    std::vector<MPI_Request> host_requests_;
};

AllPairs::AllPairs(const MessageCase &what, const std::string &kind, const Team &team)
    : what_(what), team_(team), incoming_(static_cast<std::size_t>(team.ranks - 1)) {
    const Shape2D shape{what.format, what.width, what.height};
    std::string problem;
    source_ = make_object(*team.api, kind, shape, problem);
    for (Incoming &in : incoming_)
        if (problem.empty())
            in.object = make_object(*team.api, kind, shape, problem);
    check_all(problem.empty(), problem, team.comm);
    naive_ = std::make_unique<Naive>(*source_, team);
    host_.assign(source_->bytes(), std::byte{1});
    int distance = 0;
    for (Incoming &in : incoming_) {
        ++distance;
        in.source = (team.rank + team.ranks - distance) % team.ranks;
        in.dest = (team.rank + distance) % team.ranks;
        in.naive = std::make_unique<Naive>(*in.object, *naive_);
        in.host.assign(source_->bytes(), std::byte{2});
    }
    limits_ = std::make_unique<Limits>(*source_, *incoming_.front().object, source_->bytes(), team);
    plain_copy_ = std::make_unique<PlainCopy>(source_->bytes(), team, team.ranks - 1);
    put_test_pixels(*source_, static_cast<std::uint32_t>(team.rank) + 1);
}

AllPairs::~AllPairs() {
    for (pixMPI_Request &request : requests_)
        pixMPI_Request_free(&request);
}

Way AllPairs::way(const char *name, std::function<void()> run) {
    return {.name = name, .run = [this, run] {
                run();
                incoming_.back().object->await_received(); // the context's commands, which are those of all
                meet(team_);
            }};
}

Way AllPairs::library() {
    for (const Incoming &in : incoming_)
        requests_.push_back(in.object->end().receive_init(PIXMPI_WHOLE, in.source, team_.comm));
    for (const Incoming &in : incoming_)
        requests_.push_back(source_->end().send_init(PIXMPI_WHOLE, in.dest, team_.comm));
    return way("library", [this] {
        const int count = static_cast<int>(requests_.size());
        check(pixMPI_Startall(count, requests_.data()));
        check(pixMPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE));
    });
}

/// From host memory to host memory.
template <class Landing> void AllPairs::exchange(const void *out, Landing landing) {
    const int bytes = static_cast<int>(source_->bytes());
    host_requests_.resize(2 * incoming_.size());
    MPI_Request *request = host_requests_.data();
    for (Incoming &in : incoming_)
        MPI_Irecv(landing(in), bytes, MPI_BYTE, in.source, host_tag, team_.comm, request++);
    for (const Incoming &in : incoming_)
        MPI_Isend(out, bytes, MPI_BYTE, in.dest, host_tag, team_.comm, request++);
    MPI_Waitall(static_cast<int>(host_requests_.size()), host_requests_.data(), MPI_STATUSES_IGNORE);
}

Way AllPairs::naive() {
    return way("naive", [this] {
        const pixMPI_Rect all = source_->whole();
        exchange(naive_->read_back(all), [&](Incoming &in) { return in.naive->landing(all); });
        for (Incoming &in : incoming_)
            in.naive->upload(all);
    });
}

Way AllPairs::host_mpi() {
    return way("host MPI", [this] { exchange(host_.data(), [](Incoming &in) { return in.host.data(); }); });
}

/// One image out and the others' in, which no program can leave out.
Way AllPairs::limit() {
    Way result = way("limit", [this] {
        limits_->read();
        limits_->write(team_.ranks - 1);
    });
    limits_->choose_for(result);
    return result;
}

Way AllPairs::gpu_copy() {
    if (!plain_copy_->possible())
        return {.name = "GPU copy", .run = [] {}};
    return way("GPU copy", [this] { plain_copy_->run(); });
}

/// Whose pixels have not come, and which of them.
std::string AllPairs::differences(const std::vector<std::uint64_t> &sources) {
    std::string text;
    for (int source = 0; source < team_.ranks; ++source) {
        std::vector<std::byte> sent = pixels_of(*source_);
        MPI_Bcast(sent.data(), static_cast<int>(sent.size()), MPI_BYTE, source, team_.comm);
        for (const Incoming &in : incoming_)
            if (in.source == source && digest(*in.object) != sources[static_cast<std::size_t>(source)])
                text += (text.empty() ? " from rank " : "; from rank ") + std::to_string(source) +
                        difference(*in.object, sent);
    }
    return text;
}

pixMPI_Route AllPairs::verify(Way &way) {
    pixMPI_Stats before = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&before));
    for (const Incoming &in : incoming_)
        put_test_pixels(*in.object, 99);
    idle_barrier(team_.comm);
    way.run();
    const std::vector<std::uint64_t> sources = digests(*source_, team_);
    int right = 1, all_right = 0;
    for (const Incoming &in : incoming_)
        right = right && digest(*in.object) == sources[static_cast<std::size_t>(in.source)];
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, team_.comm);
    if (!all_right)
        check_all(right,
                  what_.name + ": the way \"" + way.name + "\" brought rank " + std::to_string(team_.rank) +
                      " other pixels than were sent" + differences(sources),
                  team_.comm);
    return route_since(before);
}

Figures AllPairs::measure(const Settings &settings) {
    const Budget budget{settings.seconds, settings.repetitions, settings.least};
    Way library = this->library(), naive = this->naive(), host_mpi = this->host_mpi(), limit = this->limit(),
        gpu_copy = this->gpu_copy();
    Figures f;
    f.route = verify(library);
    verify(naive);
    f.repetitions = take_turns({&library, &naive, &host_mpi, &limit, &gpu_copy}, budget, team_);
    f.bytes = static_cast<double>(source_->bytes()) * team_.ranks * (team_.ranks - 1);
    f.seconds = library.result;
    f.naive = naive.result;
    f.host_mpi = host_mpi.result;
    f.limit = limit.result;
    if (plain_copy_->possible())
        f.gpu_copy = gpu_copy.result;
    if (plain_copy_->possible() && f.route == PIXMPI_ROUTE_PEER)
        f.limit = f.gpu_copy;
    f.readback = typical(limits_->read_seconds(), budget);
    f.upload = last_rank_has(typical(limits_->write_seconds(), budget), team_);
    f.band_bytes = limits_->band_bytes();
    f.format = what_.format;
    add_stage(f, team_.comm);
    return f;
}

} // namespace

Figures measure_all_pairs(const MessageCase &what, const Settings &settings, const Team &team) {
    return AllPairs(what, settings.object, team).measure(settings);
}
