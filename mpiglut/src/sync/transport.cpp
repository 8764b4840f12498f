#include "sync/transport.h"

#include "base/wait.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "run/packing.h"
#include "sync/seal.h"
#include "sync/stream.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <list>
#include <map>
#include <unistd.h>
#include <utility>

namespace mpiglut::transport {
namespace {

constexpr int message_tag = 1, clock_tag = 2;

struct Moving {
    MPI_Request request = MPI_REQUEST_NULL;
    int other = 0; ///< where the bytes go to, or come from
    Bytes bytes;
};
using Movings = std::list<Moving>; ///< a list, because MPI holds on to the requests' bytes

struct Job {
    MPI_Comm comm = MPI_COMM_NULL;
    std::array<MPI_Comm, roles_in_step> sequences{MPI_COMM_NULL, MPI_COMM_NULL}; ///< for collectives, which MPI counts
    bool started = false, began_mpi = false;
    int rank = 0, size = 1;
    std::vector<std::string> hosts;
    std::int64_t offset_ns = 0;
    Movings outgoing;
    Movings incoming;       ///< in the order of sending
    Movings abandoned;      ///< to and from the dead: never over, and MPI may yet touch them
    std::vector<bool> dead; ///< by rank: of those that MPI has started
    std::map<int, Stream> streams; ///< to ranks that have come back, and from there to rank 0
    Seal *seal = nullptr;          ///< where there are several hosts; for good, as threads may be in here at the end
    std::string elsewhere;
    int forged = -1, unsealed = -1;
};
Job job;

/// A message that MPI has given up is also over. Of a wall that outlives its ranks the dead one's are looked for by
/// other means.
bool is_over(MPI_Request &request, bool *given_up = nullptr) {
    int done = 0;
    const bool failed = MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    if (given_up)
        *given_up = failed;
    return failed || done != 0;
}

void abandon(Movings &movings, int rank) {
    for (auto it = movings.begin(); it != movings.end();) {
        const auto moving = it++;
        if (moving->other == rank)
            job.abandoned.splice(job.abandoned.end(), movings, moving);
    }
}

/// At the start, when there is one thread.
void wait_for(MPI_Request &request) {
    for (pixmpi::Wait wait; !is_over(request);)
        wait.pause();
}

void exchange_hosts() {
    constexpr int length = 256;
    char mine[length] = {};
    gethostname(mine, length - 1);
    std::vector<char> all(static_cast<std::size_t>(length) * job.size);
    MPI_Request request;
    MPI_Iallgather(mine, length, MPI_CHAR, all.data(), length, MPI_CHAR, job.comm, &request);
    wait_for(request);
    for (int r = 0; r < job.size; ++r)
        job.hosts.emplace_back(&all[static_cast<std::size_t>(r) * length]);
}

// Cristian's algorithm: of several question-and-answer rounds the quickest has the smallest error.
void measure_clock_offset() {
    constexpr int rounds = 8;
    MPI_Request request;
    if (job.rank == 0) {
        for (int r = 1; r < job.size; ++r)
            for (int i = 0; i < rounds && job.hosts[r] != job.hosts[0]; ++i) {
                std::int64_t now;
                MPI_Irecv(&now, 1, MPI_INT64_T, r, clock_tag, job.comm, &request);
                wait_for(request);
                now = clock::real_monotonic_ns();
                MPI_Isend(&now, 1, MPI_INT64_T, r, clock_tag, job.comm, &request);
                wait_for(request);
            }
    } else if (job.hosts[job.rank] != job.hosts[0]) {
        std::int64_t best = INT64_MAX;
        for (int i = 0; i < rounds; ++i) {
            std::int64_t before = clock::real_monotonic_ns(), theirs = 0;
            MPI_Isend(&before, 1, MPI_INT64_T, 0, clock_tag, job.comm, &request);
            wait_for(request);
            MPI_Irecv(&theirs, 1, MPI_INT64_T, 0, clock_tag, job.comm, &request);
            wait_for(request);
            std::int64_t after = clock::real_monotonic_ns();
            if (after - before < best) {
                best = after - before;
                job.offset_ns = theirs - (before + after) / 2;
            }
        }
    }
}

/// The network carries what this rank and that one send each other.
bool is_sealed(int other) {
    const auto far = static_cast<std::size_t>(job.rank + other); // one of the two is rank 0
    return job.seal && (far >= job.elsewhere.size() || job.elsewhere[far] != '0');
}

void begin() {
    pixmpi::set_local_ranks(static_cast<int>(std::count(job.hosts.begin(), job.hosts.end(), job.hosts[job.rank])));
    job.started = true;
}

} // namespace

bool start(bool outlives, const std::string &key, const std::string &elsewhere, std::string &error) {
    if (started())
        return true;
    int running = 0, over = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    if (over) {
        error = "MPI_Finalize has been called already; the wall needs MPI to run";
        return false;
    }
    if (!running) {
        int provided = 0;
        if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
            error = "MPI_Init_thread failed";
            return false;
        }
        job.began_mpi = true;
    }
    for (MPI_Comm *comm : {&job.comm, &job.sequences[0], &job.sequences[1]})
        if (MPI_Comm_dup(MPI_COMM_WORLD, comm) != MPI_SUCCESS) {
            error = "MPI_Comm_dup of MPI_COMM_WORLD failed";
            return false;
        }
    if (outlives)
        MPI_Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(job.comm, &job.rank);
    MPI_Comm_size(job.comm, &job.size);
    job.dead.resize(job.size);
    job.elsewhere = elsewhere;
    // On every rank, so that all have the same libraries at the same addresses.
    if (!key.empty() && !(job.seal = Seal::make(key, job.rank, error).release()))
        return false;
    exchange_hosts();
    measure_clock_offset();
    begin();
    return true;
}

bool start_beside(int rank, int fd, std::string &error) {
    Stream &stream = job.streams.try_emplace(0, fd).first->second;
    job.rank = rank;
    stream.send(encode(Header{Type::hello}, {}));
    Message welcome;
    for (pixmpi::Wait wait; !stream.next(welcome); wait.pause()) {
        stream.move();
        if (stream.lost()) {
            error = "the connection to rank 0 is lost";
            return false;
        }
    }
    // Rank 0 takes the question when it comes to that, but the answer is on its way for a moment only.
    job.offset_ns = static_cast<std::int64_t>(welcome.header.tick) - clock::real_monotonic_ns();
    job.hosts = from_bytes<std::vector<std::string>>(welcome.payload).value_or(std::vector<std::string>());
    job.size = static_cast<int>(job.hosts.size());
    if (rank <= 0 || rank >= job.size) {
        error = "rank 0 knows no rank " + std::to_string(rank);
        return false;
    }
    if (job.hosts[rank] == job.hosts[0])
        job.offset_ns = 0;
    job.dead.resize(job.size);
    begin();
    return true;
}

void stop() {
    // MPI_Finalize waits for all ranks.
    if (job.comm == MPI_COMM_NULL || std::find(job.dead.begin(), job.dead.end(), true) != job.dead.end())
        return;
    for (MPI_Comm *comm : {&job.comm, &job.sequences[0], &job.sequences[1]})
        MPI_Comm_free(comm);
    if (job.began_mpi)
        MPI_Finalize();
}

bool started() { return job.started; }
bool began_mpi() { return job.began_mpi; }
int rank() { return job.rank; }
int size() { return job.size; }
const std::vector<std::string> &hosts() { return job.hosts; }
std::int64_t clock_offset_ns() { return job.offset_ns; }

bool flushed() {
    return job.outgoing.empty() && std::ranges::all_of(job.streams, [](const auto &one) {
               return one.second.queued() == 0 || one.second.lost();
           });
}

bool allows_threads() {
    if (job.comm == MPI_COMM_NULL)
        return false; // a rank that comes back has no sequence for a thread that draws
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level >= (job.began_mpi ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE);
}

void forget(int rank) {
    job.dead[rank] = true;
    job.streams.erase(rank);
    abandon(job.outgoing, rank);
    abandon(job.incoming, rank);
}

void admit(int rank, int fd) {
    forget(rank);
    job.streams.try_emplace(rank, fd);
}

void send_encoded(int rank, std::span<const std::byte> encoded) {
    if (const auto stream = job.streams.find(rank); stream != job.streams.end())
        stream->second.send(encoded);
}

std::size_t queued(int rank) {
    const auto stream = job.streams.find(rank);
    return stream == job.streams.end() ? 0 : stream->second.queued();
}

int lost() {
    const auto found = std::ranges::find_if(job.streams, [](const auto &one) { return one.second.lost(); });
    return found == job.streams.end() ? -1 : found->first;
}

int forged() { return job.forged; }
int unsealed() { return job.unsealed; }

void send(int to, const Header &header, std::span<const std::byte> payload) {
    if (job.streams.contains(to))
        return send_encoded(to, encode(header, payload));
    if (job.comm == MPI_COMM_NULL || job.dead[to])
        return;
    Moving &out = job.outgoing.emplace_back();
    out.other = to;
    out.bytes = encode(header, payload);
    if (is_sealed(to) && !job.seal->close(to, out.bytes)) {
        job.unsealed = to; // the caller's next look ends the run
        job.outgoing.pop_back();
        return;
    }
    MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, to, message_tag, job.comm, &out.request);
}

namespace {

bool receive_next() {
    int flag = 0, length = 0;
    MPI_Message handle;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, message_tag, job.comm, &flag, &handle, &status);
    if (!flag)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    Movings &movings = job.dead[status.MPI_SOURCE] ? job.abandoned : job.incoming;
    Moving &in = movings.emplace_back();
    in.other = status.MPI_SOURCE;
    in.bytes.resize(length);
    MPI_Imrecv(in.bytes.data(), length, MPI_BYTE, &handle, &in.request);
    return true;
}

} // namespace

bool pump(const std::function<void(int, Message &&)> &handle) {
    bool any = false;
    for (auto &[rank, stream] : job.streams) {
        stream.move();
        for (Message message; stream.next(message); any = true)
            handle(rank, std::move(message));
    }
    if (job.comm == MPI_COMM_NULL)
        return any;
    std::erase_if(job.outgoing, [](Moving &out) { return is_over(out.request); });
    while (receive_next()) {
    }
    bool given_up = false;
    while (!job.incoming.empty() && is_over(job.incoming.front().request, &given_up)) {
        Moving in = std::move(job.incoming.front());
        job.incoming.pop_front();
        any = true;
        if (given_up)
            continue;
        if (is_sealed(in.other) && !job.seal->open(in.other, in.bytes)) {
            job.forged = in.other;
            return any;
        }
        Message message;
        bool is_broken = false;
        if (parse_frame({reinterpret_cast<const char *>(in.bytes.data()), in.bytes.size()}, in.bytes.size(), message,
                       is_broken))
            handle(in.other, std::move(message));
    }
    return any;
}

void all_gather(std::uint32_t sequence, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all, WaitUntil wait_until) {
    // MPI counts in int, so what is larger goes in slices.
    const std::size_t slice = static_cast<std::size_t>(INT_MAX) / job.size;
    const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
    std::vector<int> counts(job.size), starts(job.size);
    Bytes joined;
    all.assign(job.size, {});
    for (std::size_t from = 0; from < longest; from += slice) {
        int total = 0;
        for (int r = 0; r < job.size; ++r) {
            counts[r] = static_cast<int>(sizes[r] > from ? std::min(slice, sizes[r] - from) : 0);
            starts[r] = total;
            total += counts[r];
        }
        joined.resize(total);
        MPI_Request request = MPI_REQUEST_NULL;
        bool begun = false;
        wait_until([&] {
            if (!std::exchange(begun, true))
                MPI_Iallgatherv(mine.data() + std::min(from, mine.size()), counts[job.rank], MPI_BYTE, joined.data(),
                                counts.data(), starts.data(), MPI_BYTE, job.sequences[sequence], &request);
            return is_over(request);
        });
        for (int r = 0; r < job.size; ++r)
            all[r].insert(all[r].end(), joined.begin() + starts[r], joined.begin() + starts[r] + counts[r]);
    }
}

} // namespace mpiglut::transport
