#include "show/playlist.h"
#include "desk/tiles.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace mpiglut::walld {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto pause_after_failure = 1s, pause_when_all_fail = 30s;
constexpr auto long_enough = 30s; ///< an entry that was shown so long has not failed in a row

std::int64_t minute_of(Playlist::Time time) {
    return std::chrono::duration_cast<std::chrono::minutes>(time.time_since_epoch()).count();
}

/// By the clock on the wall.
int minute_of_day(std::int64_t minute) {
    const std::time_t seconds = minute * 60;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    return parts.tm_hour * 60 + parts.tm_min;
}

} // namespace

void Playlist::entries(std::vector<PlaylistEntry> entries, Time now) {
    const std::optional<PlaylistEntry> shown = plays_ ? std::optional(entries_[current_]) : std::nullopt;
    entries_ = std::move(entries);
    if (entries_.empty())
        return stop();
    if (!shown)
        return;
    const auto found = std::ranges::find(entries_, *shown);
    if (found == entries_.end())
        show(first(now), now);
    else
        current_ = static_cast<std::size_t>(found - entries_.begin());
}

std::string Playlist::start(Time now) {
    if (entries_.empty())
        return "the playlist has no entries";
    plays_ = true;
    failures_ = 0;
    minute_ = minute_of(now);
    show(first(now), now);
    return {};
}

std::string Playlist::next(Time now) {
    if (!plays_)
        return "the playlist is not playing";
    show((current_ + 1) % entries_.size(), now);
    return {};
}

void Playlist::stop() {
    plays_ = false;
    due_.reset();
}

/// What the clock has called last today; else what needs no clock.
std::size_t Playlist::first(Time now) const {
    const int minute = minute_of_day(minute_of(now));
    std::size_t best = entries_.size(), latest = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].at >= 0 && entries_[i].at <= minute &&
            (best == entries_.size() || entries_[i].at >= entries_[best].at))
            best = i;
        if (entries_[i].at >= entries_[latest].at)
            latest = i;
    }
    if (best < entries_.size())
        return best;
    const auto any = std::ranges::find(entries_, -1, &PlaylistEntry::at);
    return any == entries_.end() ? latest : static_cast<std::size_t>(any - entries_.begin());
}

std::optional<std::size_t> Playlist::next_in_turn() const {
    for (std::size_t step = 1; step <= entries_.size(); ++step)
        if (const std::size_t i = (current_ + step) % entries_.size(); entries_[i].at < 0)
            return i;
    return std::nullopt;
}

/// A server that was suspended heeds what it has missed, of the last day.
std::optional<std::size_t> Playlist::called_by_clock(Time now) {
    std::optional<std::size_t> called;
    const std::int64_t end = minute_of(now);
    for (std::int64_t minute = std::max(minute_ + 1, end - 24 * 60); minute <= end; ++minute)
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].at == minute_of_day(minute))
                called = i;
    minute_ = end;
    return called;
}

void Playlist::look(Time now) {
    if (!plays_)
        return;
    if (const auto called = called_by_clock(now))
        return show(*called, now);
    if (!due_ || now < *due_)
        return;
    if (failed_)
        return show((current_ + 1) % entries_.size(), now);
    due_.reset();
    if (const auto next = next_in_turn())
        show(*next, now);
}

void Playlist::show(std::size_t entry, Time now) {
    current_ = entry;
    since_ = now;
    failed_ = false;
    const PlaylistEntry &what = entries_[entry];
    due_ = what.seconds ? std::optional(now + std::chrono::seconds(what.seconds)) : std::nullopt;
    if (const std::string error = listener_.apply(what.preset); !error.empty())
        fail(error, now);
}

void Playlist::ended(const std::string &how, Time now) {
    if (plays_ && !failed_)
        fail(how, now);
}

/// Where all fail the wall does not flicker from one to the other.
void Playlist::fail(const std::string &how, Time now) {
    failures_ = now - since_ >= long_enough ? 1 : failures_ + 1;
    failed_ = true;
    const auto pause = failures_ < entries_.size() ? pause_after_failure : pause_when_all_fail;
    due_ = now + pause;
    listener_.says("playlist: '" + entries_[current_].preset + "': " + how + "; '" +
                   entries_[(current_ + 1) % entries_.size()].preset + "' is next, in " +
                   std::to_string(std::chrono::seconds(pause).count()) + " s");
}

json Playlist::to_json() const {
    json entries = json::array();
    for (const PlaylistEntry &entry : entries_)
        entries.push_back(walld::to_json(entry));
    return {{"entries", std::move(entries)},
            {"plays", plays_},
            {"current", plays_ ? json(current_) : json(nullptr)},
            {"since", plays_ ? json(milliseconds(since_)) : json(nullptr)},
            {"until", plays_ && due_ ? json(milliseconds(*due_)) : json(nullptr)}};
}

} // namespace mpiglut::walld
