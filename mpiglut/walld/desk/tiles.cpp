#include "desk/tiles.h"
#include "child/spawn.h"
#include "run/dashboard.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace mpiglut::walld {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t late_ms = 1000, hung_ms = 5000;
constexpr auto silent_after = 3s;
constexpr std::size_t most_samples = 600;

double rounded(double value) { return std::isfinite(value) ? std::round(value * 100) / 100 : 0; }

double since(const Tile &tile, std::int64_t TileTimes::*which) {
    return std::max(0.0, static_cast<double>(tile.now.times.*which - tile.before.times.*which)); // or it counts anew
}

} // namespace

const char *name(Condition condition) {
    constexpr std::array names{"starting", "running",   "waiting", "late", "hung",
                               "silent",   "returning", "dead",    "ended"};
    return names[static_cast<std::size_t>(condition)];
}

std::int64_t milliseconds(Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

void Tiles::reset(const pixmpi::Wall &wall) {
    tiles_.clear();
    history_.clear();
    sampled_ = {};
    for (const pixmpi::Tile &place : wall.tiles)
        tiles_.emplace_back().place = place;
}

void Tiles::move(const pixmpi::Wall &wall) {
    for (std::size_t i = 0; i < std::min(tiles_.size(), wall.tiles.size()); ++i)
        tiles_[i].place = wall.tiles[i];
}

void Tiles::tell(const launcher::TileState &state) {
    if (state.rank < 0 || static_cast<std::size_t>(state.rank) >= tiles_.size())
        return;
    Tile &tile = tiles_[static_cast<std::size_t>(state.rank)];
    tile.host = state.host.empty() ? tile.host : state.host;
    tile.started = tile.started || state.state == "started";
    tile.returning = state.state == "returning";
    const bool dead = state.state == "dead";
    tile.over = dead || state.state == "ended";
    tile.status = dead && !state.status ? 1 : static_cast<int>(state.status); // it may have left without a word
    if (tile.over && tile.status)
        tile.cause = state.status ? launcher::describe_status(tile.status) : "it is gone, without a word";
    tile.heard = Clock::now();
}

void Tiles::tell(int rank, launcher::Figures &&figures) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= tiles_.size())
        return;
    Tile &tile = tiles_[static_cast<std::size_t>(rank)];
    tile.now = std::move(figures);
    tile.heard = Clock::now();
}

Condition Tiles::judge(const Tile &tile, bool somebody_waits) const {
    const auto activity = static_cast<Activity>(tile.now.activity);
    if (tile.over)
        return tile.status ? Condition::dead : Condition::ended;
    if (tile.returning)
        return Condition::returning;
    if (!tile.started || activity == Activity::starting)
        return Condition::starting;
    if (Clock::now() - tile.heard > silent_after)
        return Condition::silent;
    // A process that is stopped while it waits for a tick is not at work, but the others wait for it.
    const bool at_work = activity == Activity::program || (activity == Activity::between && somebody_waits);
    if (at_work && tile.now.for_ms > late_ms)
        return tile.now.for_ms > hung_ms ? Condition::hung : Condition::late;
    return activity == Activity::others && tile.now.for_ms > late_ms ? Condition::waiting : Condition::running;
}

bool Tiles::judge() {
    const bool somebody_waits = std::ranges::any_of(tiles_, [](const Tile &tile) {
        return static_cast<Activity>(tile.now.activity) == Activity::others && tile.now.for_ms > late_ms;
    });
    bool changed = false;
    for (Tile &tile : tiles_) {
        const Condition condition = judge(tile, somebody_waits);
        if (condition == tile.condition)
            continue;
        const bool has_lasted =
            condition == Condition::late || condition == Condition::hung || condition == Condition::waiting;
        tile.condition = condition;
        tile.since = Clock::now() - std::chrono::milliseconds(has_lasted ? tile.now.for_ms : 0);
        changed = true;
    }
    return changed;
}

const Sample &Tiles::sample() {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - sampled_).count();
    Sample sample{.time = now};
    for (Tile &tile : tiles_) {
        const double shown = since(tile, &TileTimes::frames), per_frame = std::max(shown, 1.0) * 1e6;
        if (sampled_ != Clock::time_point{}) {
            tile.fps = rounded(shown / seconds);
            tile.draw_ms = rounded(since(tile, &TileTimes::draw_ns) / per_frame);
            tile.wait_ms =
                rounded((since(tile, &TileTimes::swap_wait_ns) + since(tile, &TileTimes::tick_ns)) / per_frame);
            tile.idle_percent = rounded(std::clamp(since(tile, &TileTimes::idle_ns) / seconds / 1e7, 0.0, 100.0));
            tile.cpu_percent = rounded(since(tile, &TileTimes::cpu_ns) / seconds / 1e7);
        }
        tile.before = tile.now;
        sample.draw_ms.push_back(static_cast<float>(tile.draw_ms));
        sample.wait_ms.push_back(static_cast<float>(tile.wait_ms));
    }
    if (!tiles_.empty()) {
        const launcher::Figures &of_rank_0 = tiles_.front().now;
        sample.fps = tiles_.front().fps;
        if (of_rank_0.skew_ns.size() == 2) {
            sample.skew_p50_us = rounded(static_cast<double>(of_rank_0.skew_ns[0]) / 1000);
            sample.skew_p99_us = rounded(static_cast<double>(of_rank_0.skew_ns[1]) / 1000);
        }
        for (std::size_t rank = 0; rank < tiles_.size(); ++rank) {
            tiles_[rank].lag_us =
                rank < of_rank_0.lag_ns.size() ? rounded(static_cast<double>(of_rank_0.lag_ns[rank]) / 1000) : 0;
            sample.lag_us.push_back(static_cast<float>(tiles_[rank].lag_us));
        }
    }
    sampled_ = now;
    history_.push_back(std::move(sample));
    if (history_.size() > most_samples)
        history_.pop_front();
    return history_.back();
}

nlohmann::json to_json(const Tile &tile) {
    const pixmpi::Rect &rect = tile.place.rect;
    return {{"rank", tile.place.rank},
            {"name", tile.place.name},
            {"host", tile.host.empty() ? tile.place.host : tile.host},
            {"display", tile.place.display},
            {"column", tile.place.column},
            {"row", tile.place.row},
            {"rect", {rect.x, rect.y, rect.width, rect.height}},
            {"rotation", tile.place.rotation},
            {"state", name(tile.condition)},
            {"since", milliseconds(tile.since)},
            {"cause", tile.status || tile.returning ? nlohmann::json(tile.cause) : nlohmann::json(nullptr)},
            {"frames", tile.now.frames},
            {"fps", tile.fps},
            {"draw_ms", tile.draw_ms},
            {"wait_ms", tile.wait_ms},
            {"idle_percent", tile.idle_percent},
            {"cpu_percent", tile.cpu_percent},
            {"lag_us", tile.lag_us}};
}

nlohmann::json to_json(const Sample &sample) {
    return {{"time", milliseconds(sample.time)},
            {"fps", sample.fps},
            {"skew_p50_us", sample.skew_p50_us},
            {"skew_p99_us", sample.skew_p99_us},
            {"draw_ms", sample.draw_ms},
            {"wait_ms", sample.wait_ms},
            {"lag_us", sample.lag_us}};
}

} // namespace mpiglut::walld
