// Collectives: all ranks come to the same place of a sequence. Reports go up to rank 0, a release comes down from it.
#include "sync/sequences.h"

#include "sync/returning.h"

#include "clock/clock.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

namespace mpiglut::comm {
namespace {

const char *name(Collective kind) {
    static const char *const names[] = {"swap",         "read of pixels",       "mpiglutAgree",     "end",
                                        "statistics",   "capture",              "query result",     "contents of a buffer",
                                        "start of drawing", "exchange of strips"};
    static_assert(std::size(names) == static_cast<std::size_t>(Collective::strips) + 1);
    return names[static_cast<unsigned>(kind) % std::size(names)];
}

const char *name(const Message &report) { return name(static_cast<Collective>(report.header.kind)); }

void release(const Sequence &sequence, int rank, Place place, bool agreed, std::span<const std::byte> payload = {}) {
    Header go = header(Type::go, sequence, place);
    go.agreed = agreed;
    transport::send(rank, go, payload);
}

enum class Arrival { waiting, agreed, other };

Arrival look(Sequence &sequence, int rank, Place here, Collective kind, std::uint64_t signature, Bytes *payload) {
    settle(sequence, rank, here);
    auto &queue = sequence.reports[rank];
    if (queue.empty())
        return Arrival::waiting;
    const Header &header = queue.front().header;
    const Place place{header.tick, header.index};
    if (header.type == Type::done || place > here) { // it went past; its report stays for later
        report_divergence(sequence, rank, here.tick, std::string(name(kind)) + " that only the other ranks came to");
        return Arrival::other;
    }
    Message message = std::move(queue.front());
    queue.pop_front();
    if (static_cast<Collective>(message.header.kind) != kind) {
        report_divergence(sequence, rank, here.tick,
                          std::string(name(message)) + " where rank 0 came to " + name(kind));
        release(sequence, rank, place, false);
        return Arrival::other;
    }
    if (message.header.signature != signature) {
        report_divergence(sequence, rank, here.tick, std::string(name(kind)) + " with other arguments than on rank 0");
        release(sequence, rank, place, false);
        return Arrival::other;
    }
    if (payload)
        *payload = std::move(message.payload);
    return Arrival::agreed;
}

struct Call {
    Collective kind;
    std::uint64_t signature = 0;
    std::span<const std::byte> mine;      ///< for rank 0
    std::vector<Bytes> *gathered = nullptr; ///< on rank 0
    std::function<Bytes()> sent_back = {};  ///< from rank 0, once all have come
    Bytes *reply = nullptr;               ///< elsewhere
    std::int64_t deadline = 0;            ///< in real ns; 0: none

    bool late() const { return deadline && clock::real_monotonic_ns() > deadline; }
};

// One collective, seen from rank 0: waits for all, then releases those who agree.
bool lead(Sequence &sequence, Place here, const Call &call) {
    std::vector<Arrival> arrival(size(), Arrival::waiting);
    arrival[0] = Arrival::agreed;
    bool agreed = true;
    wait_until([&] {
        bool all_here = true;
        for (int r = 1; r < size(); ++r) {
            if (!lives(r))
                continue;
            if (arrival[r] == Arrival::waiting)
                arrival[r] =
                    look(sequence, r, here, call.kind, call.signature, call.gathered ? &(*call.gathered)[r] : nullptr);
            all_here &= arrival[r] != Arrival::waiting;
        }
        return all_here || call.late();
    });
    const Locked locked;
    for (int r = 1; r < size(); ++r) {
        if (!lives(r))
            continue;
        agreed &= arrival[r] == Arrival::agreed;
        if (arrival[r] == Arrival::waiting && sequence.number != 0)
            report_divergence(sequence, r, here.tick,
                              std::string(name(call.kind)) + " that only the other ranks came to");
    }
    if (agreed)
        sequence.published.clear(); // all ranks that are here have them
    const Bytes answer = agreed && call.sent_back ? call.sent_back() : Bytes();
    Header go = header(Type::go, sequence, here);
    go.agreed = agreed;
    keep(go, answer);
    for (int r = 1; r < size(); ++r)
        if (arrival[r] == Arrival::agreed)
            release(sequence, r, here, agreed, answer);
    return agreed;
}

bool follow(Sequence &sequence, Place here, const Call &call) {
    bool begun = false, come = false;
    Message message;
    wait_until([&] {
        if (!begun && (sequence.number != 0 || !is_muted(here))) {
            begun = true;
            Header collect = header(Type::collect, sequence, here);
            collect.kind = static_cast<std::uint32_t>(call.kind);
            collect.signature = call.signature;
            transport::send(0, collect, call.mine);
        }
        if ((come = has_come(sequence.go, here)))
            message = std::move(sequence.go.extract(here).mapped());
        return come || call.late() || (sequence.number == 0 && never_comes(sequence.go, here));
    });
    if (call.reply)
        *call.reply = std::move(message.payload);
    return come && message.header.agreed != 0;
}

bool collect(Call call) {
    if (size() == 1)
        return true;
    Sequence &sequence = own_sequence();
    const Place here = sequence.here;
    ++sequence.here.index;
    if (sequence.number != 0 && !call.deadline)
        call.deadline = clock::real_monotonic_ns() + longest_absence_ns;
    return rank() == 0 ? lead(sequence, here, call) : follow(sequence, here, call);
}

} // namespace

void settle(Sequence &sequence, int rank, Place here) {
    settle_question(sequence, rank);
    auto &queue = sequence.reports[rank];
    while (!queue.empty()) {
        const Header &header = queue.front().header;
        const Place place{header.tick, header.index};
        const bool done = header.type == Type::done;
        if (done ? header.tick > here.tick || (header.tick == here.tick && here.index != end_of_tick) : place >= here)
            return;
        const Message message = std::move(queue.front());
        queue.pop_front();
        if (done) {
            handle_done(rank, message);
        } else {
            release(sequence, rank, place, false);
            report_divergence(sequence, rank, place.tick, std::string(name(message)) + " that rank 0 did not come to");
        }
    }
}

namespace {

std::uint64_t hash_of(std::span<const std::size_t> sizes) {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (std::size_t s : sizes)
        hash = (hash ^ s) * 0x100000001b3ull;
    return hash;
}

/// A mark for each rank, whether it has come, and then its bytes.
Bytes join(const std::vector<Bytes> &pieces, std::span<const std::size_t> sizes) {
    Bytes joined;
    for (std::size_t r = 0; r < pieces.size(); ++r)
        joined.push_back(std::byte{pieces[r].size() == sizes[r]});
    for (std::size_t r = 0; r < pieces.size(); ++r)
        if (pieces[r].size() == sizes[r])
            joined.insert(joined.end(), pieces[r].begin(), pieces[r].end());
    return joined;
}

void part(std::span<const std::byte> joined, std::span<const std::size_t> sizes, std::vector<Bytes> &all) {
    std::size_t at = sizes.size();
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        if (joined.size() < sizes.size() || joined[r] == std::byte{0} || joined.size() - at < sizes[r]) {
            all[r].clear(); // its earlier slices, too
            continue;
        }
        all[r].insert(all[r].end(), joined.begin() + at, joined.begin() + at + sizes[r]);
        at += sizes[r];
    }
}

// By rank 0: it alone says which ranks' bytes have come, so that a death looks alike to all ranks.
bool gather_by_rank_0(Collective kind, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                      std::vector<Bytes> &all) {
    // MPI counts in int, so what is larger goes in slices.
    const std::size_t slice = static_cast<std::size_t>(INT_MAX) / 2 / sizes.size();
    const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
    all.assign(sizes.size(), {});
    for (std::size_t from = 0; from == 0 || from < longest; from += slice) {
        std::vector<std::size_t> counts;
        for (const std::size_t size : sizes)
            counts.push_back(size > from ? std::min(slice, size - from) : 0);
        const auto own = mine.subspan(std::min(from, mine.size()), counts[rank()]);
        std::vector<Bytes> pieces(rank() == 0 ? sizes.size() : 0);
        if (rank() == 0)
            pieces[0].assign(own.begin(), own.end());
        Bytes joined;
        const auto answer = [&] { return joined = join(pieces, counts); };
        if (!collect({.kind = kind,
                      .signature = hash_of(sizes),
                      .mine = own,
                      .gathered = rank() == 0 ? &pieces : nullptr,
                      .sent_back = answer,
                      .reply = &joined}))
            return false;
        part(joined, counts, all);
    }
    return true;
}

} // namespace

bool barrier_until(Collective kind, std::int64_t deadline) { return collect({.kind = kind, .deadline = deadline}); }

bool barrier(Collective kind, std::uint64_t signature) {
    const TicksHere ticks;
    return collect({.kind = kind, .signature = signature});
}

bool all_gather(Collective kind, std::span<const std::byte> mine, std::span<const std::size_t> sizes,
                std::vector<Bytes> &all) {
    const TicksHere ticks;
    if (outlives() && size() > 1)
        return gather_by_rank_0(kind, mine, sizes, all);
    if (!barrier(kind, hash_of(sizes)))
        return false;
    transport::all_gather(own_sequence().number, mine, sizes, all, wait_until);
    return true;
}

bool gather(Collective kind, std::span<const std::byte> mine, std::vector<Bytes> &all) {
    const TicksHere ticks;
    all.assign(rank() == 0 ? size() : 0, {});
    if (rank() == 0)
        all[0].assign(mine.begin(), mine.end());
    return collect({.kind = kind, .mine = mine, .gathered = rank() == 0 ? &all : nullptr});
}

bool broadcast(Collective kind, std::span<std::byte> bytes) {
    const TicksHere ticks;
    Bytes reply;
    const auto own = [&] { return Bytes(bytes.begin(), bytes.end()); };
    if (!collect({.kind = kind, .signature = bytes.size(), .sent_back = own, .reply = &reply}))
        return false;
    if (rank() != 0 && !bytes.empty())
        std::memcpy(bytes.data(), reply.data(), bytes.size());
    return true;
}

bool all_agree(bool mine) {
    std::vector<std::uint8_t> all;
    return all_values<std::uint8_t>(Collective::agree, mine, all) && *std::min_element(all.begin(), all.end());
}

} // namespace mpiglut::comm
