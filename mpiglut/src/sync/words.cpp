// Words: what rank 0 says at a place that all ranks come to, without waiting for any rank.
#include "sync/sequences.h"

#include "sync/returning.h"

#include "clock/clock.h"

#include <cstring>
#include <utility>

namespace mpiglut::comm {
namespace {

// A word comes by itself, unless rank 0's program took another path: a rank that waits for long asks.
bool hear(Sequence &sequence, Place here, std::span<std::byte> bytes) {
    constexpr std::int64_t patience_ns = 5'000'000;
    const std::int64_t begun = clock::real_monotonic_ns();
    bool asked = false;
    Message message;
    wait_until([&] {
        if (has_come(sequence.words, here)) {
            message = std::move(sequence.words.extract(here).mapped());
            return true;
        }
        if (sequence.number == 0 && never_comes(sequence.words, here))
            return true;
        const std::int64_t waited = clock::real_monotonic_ns() - begun;
        if (!asked && waited > patience_ns) {
            asked = true;
            send_up(header(Type::ask, sequence, here), sequence.here, {});
        }
        return sequence.number != 0 && waited > longest_absence_ns;
    });
    if (!message.header.agreed || message.payload.size() != bytes.size())
        return false;
    std::memcpy(bytes.data(), message.payload.data(), bytes.size());
    return true;
}

} // namespace

void settle_question(Sequence &sequence, int rank) {
    const auto place = std::exchange(sequence.asked[rank], std::nullopt);
    if (!place || sequence.published.contains(*place)) // it is on its way
        return;
    transport::send(rank, header(Type::word, sequence, *place), {});
    report_divergence(sequence, rank, place->tick,
                      "clock reading, or program started or read from, that rank 0 did not come to");
}

bool publish(std::span<std::byte> bytes) {
    if (!started() || locked_here())
        return false;
    Sequence &sequence = own_sequence();
    const Place here{sequence.here.tick, sequence.words_here++};
    if (rank() != 0)
        return hear(sequence, here, bytes);
    if (size() == 1)
        return true;
    const Locked locked;
    sequence.published.insert(here);
    Header word = header(Type::word, sequence, here);
    word.agreed = 1;
    keep(word, bytes);
    for (int r = 1; r < size(); ++r)
        if (lives(r))
            transport::send(r, word, bytes);
    pump();
    return true;
}

} // namespace mpiglut::comm
