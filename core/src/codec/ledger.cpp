#include "codec/ledger.h"

#include "codec/jpeg.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::uint64_t again = 64;  ///< messages after which what was not chosen is tried again
constexpr double hopeless = 2;       ///< except what took so many times as long
constexpr double newest = 0.5;       ///< weight of the last message's figures
constexpr double link_forgets = 0.9; ///< what a message fills less of the link's rate counts as slower

/// What the wish allows and the format can.
std::vector<CodecChoice> candidates(const CodecWish &wish, const CodecQuery &query) {
    std::vector<CodecChoice> all{{CodecKind::lz4}};
    CodecQuery lossy = query;
    lossy.may_lose = wish.may_lose;
    if (may_use(wish.choice, lossy))
        all.push_back(wish.choice);
    return all;
}

} // namespace

CodecLedger::CodecRecord *CodecLedger::find(const CodecChoice &choice, pixMPI_Format format) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const CodecRecord &entry) {
        return entry.format == format && entry.speed.choice == choice;
    });
    return found == entries_.end() ? nullptr : &*found;
}

void CodecLedger::link_carried(std::uint64_t bytes, double seconds) {
    if (bytes == 0 || seconds <= 0)
        return;
    // A message that waits for its encoding leaves the link idle: the fastest one tells what the link can.
    link_.bytes_per_second = std::max(static_cast<double>(bytes) / seconds, link_forgets * link_.bytes_per_second);
}

void CodecLedger::encoded(const CodecChoice &choice, pixMPI_Format format, std::uint64_t pixel_bytes,
                          std::uint64_t stream_bytes, double seconds) {
    if (stream_bytes == 0 || seconds <= 0)
        return;
    const double rate = static_cast<double>(pixel_bytes) / seconds;
    const double ratio = static_cast<double>(pixel_bytes) / static_cast<double>(stream_bytes);
    CodecRecord *entry = find(choice, format);
    if (!entry) {
        // The other end decodes about as fast.
        entries_.push_back({format, {choice, rate, rate, ratio, 0}, messages_});
        return;
    }
    CodecSpeed &speed = entry->speed;
    speed.encode = speed.decode = newest * rate + (1 - newest) * speed.encode;
    speed.ratio = newest * ratio + (1 - newest) * speed.ratio;
}

CodecChoice CodecLedger::choose(const CodecWish &wish, const CodecQuery &query) {
    ++messages_;
    if (!knows_link())
        return {};
    const std::vector<CodecChoice> all = candidates(wish, query);
    std::vector<CodecSpeed> speeds;
    for (const CodecChoice &choice : all) {
        CodecRecord *const entry = find(choice, query.format);
        if (!entry)
            return choice;
        speeds.push_back(entry->speed);
    }
    CodecQuery allowed = query;
    allowed.may_lose = wish.may_lose;
    CodecChoice best = pixmpi::choose(link_, speeds, allowed);
    const auto speed_of = [&](const CodecChoice &choice) {
        const CodecRecord *const entry = find(choice, query.format);
        return entry ? entry->speed : CodecSpeed{};
    };
    const double least = seconds_with(link_, speed_of(best), query);
    for (const CodecChoice &choice : all) {
        CodecRecord &entry = *find(choice, query.format);
        if (!(choice == best) && messages_ - entry.last >= again &&
            seconds_with(link_, entry.speed, query) < hopeless * least) {
            best = choice;
            break;
        }
    }
    if (CodecRecord *const entry = find(best, query.format))
        entry->last = messages_;
    return best;
}

} // namespace pixmpi
