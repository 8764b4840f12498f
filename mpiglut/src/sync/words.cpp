// Words: what rank 0 says at a place that all ranks come to, without waiting for any rank.
#include "sync/lanes.h"

#include "sync/returning.h"

#include "clock/clock.h"

#include <cstring>
#include <utility>

namespace mpiglut::comm {
namespace {

// A word comes by itself, unless rank 0's program took another path: a rank that waits for long asks.
bool hear(Lane &lane, Place here, std::span<std::byte> bytes) {
    constexpr std::int64_t patience_ns = 5'000'000;
    const std::int64_t begun = clock::real_monotonic_ns();
    bool asked = false;
    Message message;
    wait_until([&] {
        if (has_come(lane.words, here)) {
            message = std::move(lane.words.extract(here).mapped());
            return true;
        }
        if (lane.number == 0 && never_comes(lane.words, here))
            return true;
        const std::int64_t waited = clock::real_monotonic_ns() - begun;
        if (!asked && waited > patience_ns) {
            asked = true;
            send_up(header(Type::ask, lane, here), lane.here, {});
        }
        return lane.number != 0 && waited > longest_absence_ns;
    });
    if (!message.header.agreed || message.payload.size() != bytes.size())
        return false;
    std::memcpy(bytes.data(), message.payload.data(), bytes.size());
    return true;
}

} // namespace

void settle_question(Lane &lane, int rank) {
    const auto place = std::exchange(lane.asked[rank], std::nullopt);
    if (!place || lane.published.contains(*place)) // it is on its way
        return;
    transport::send(rank, header(Type::word, lane, *place), {});
    tell_divergence(lane, rank, place->tick, "clock reading, or program started or read from, that rank 0 did not come to");
}

bool publish(std::span<std::byte> bytes) {
    if (!started() || locked_here())
        return false;
    Lane &lane = own_lane();
    const Place here{lane.here.tick, lane.words_here++};
    if (rank() != 0)
        return hear(lane, here, bytes);
    if (size() == 1)
        return true;
    const Locked locked;
    lane.published.insert(here);
    Header word = header(Type::word, lane, here);
    word.agreed = 1;
    keep(word, bytes);
    for (int r = 1; r < size(); ++r)
        if (lives(r))
            transport::send(r, word, bytes);
    pump();
    return true;
}

} // namespace mpiglut::comm
