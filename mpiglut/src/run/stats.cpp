#include "run/stats.h"

#include "run/dashboard.h"
#include "run/packing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace mpiglut {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_samples = 1 << 16; ///< a wall may run for months: beyond this, one frame in 2, 4, 8...

/// The smallest value that at least this share of all values does not exceed; 0 of none.
double quantile_of(std::vector<float> values, double quantile) {
    if (values.empty())
        return 0;
    const double place = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(values.size()));
    const auto nth = values.begin() + std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place) - 1, 0);
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

/// Three decimals are enough, and read better than what a division leaves.
double rounded(double value) { return std::isfinite(value) ? std::round(value * 1000) / 1000 : 0; }

double frames_per_second(const TileTimes &times) {
    const auto span = static_cast<double>(times.last_frame_ns - times.first_frame_ns);
    return times.frames > 1 && span > 0 ? rounded(static_cast<double>(times.frames - 1) * 1e9 / span) : 0;
}

double ms_per_frame(std::int64_t ns, const TileTimes &times) {
    return rounded(static_cast<double>(ns) / 1e6 / static_cast<double>(std::max<std::int64_t>(times.frames, 1)));
}

/// Of the time from the first frame to the last, as far as that is known.
double cpu_percent(const TileTimes &times) {
    const auto span = static_cast<double>(times.last_frame_ns - times.first_frame_ns);
    return span > 0 ? rounded(100 * static_cast<double>(times.cpu_ns) / span) : 0;
}

/// Names come from files and the system and need not be UTF-8.
std::string text_of(const ordered_json &object) {
    return object.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

/// Leaves every other one.
void thin_out(std::vector<float> &values) {
    for (std::size_t i = 0; 2 * i < values.size(); ++i)
        values[i] = values[2 * i];
    values.resize((values.size() + 1) / 2);
}

ordered_json describe(const pixmpi::Wall &wall) {
    return {{"width", wall.width},         {"height", wall.height},   {"mm_width", wall.mm_width},
            {"mm_height", wall.mm_height}, {"columns", wall.columns}, {"rows", wall.rows},
            {"tiles", wall.tiles.size()}};
}

ordered_json describe(const pixmpi::Tile &tile, const std::string &host, const TileTimes &times) {
    return {{"rank", tile.rank},
            {"tile", tile.name},
            {"host", host},
            {"rect", {tile.rect.x, tile.rect.y, tile.rect.width, tile.rect.height}},
            {"frames", times.frames},
            {"fps", frames_per_second(times)},
            {"draw_ms", ms_per_frame(times.draw_ns, times)},
            {"swap_wait_ms", ms_per_frame(times.swap_wait_ns, times)},
            {"tick_ms", ms_per_frame(times.tick_ns, times)},
            {"idle_ms", ms_per_frame(times.idle_ns, times)},
            {"ticks", times.ticks},
            {"cpu_percent", cpu_percent(times)}};
}

std::string name_of(const pixmpi::Wall &wall, int rank) {
    for (const pixmpi::Tile &tile : wall.tiles)
        if (tile.rank == rank)
            return tile.name;
    return {};
}

ordered_json quantiles(double p50, double p99) { return {{"p50", rounded(p50)}, {"p99", rounded(p99)}}; }

} // namespace

std::vector<std::byte> pack(const TileTimes &times) { return to_bytes<std::vector<std::byte>>(times); }

bool unpack(std::span<const std::byte> bytes, TileTimes &times) {
    const auto read = from_bytes<TileTimes>(bytes);
    times = read.value_or(times);
    return read.has_value();
}

void RunStats::add_swaps(std::span<const std::int64_t> times) {
    if (times.size() != lag_.size() || times.empty() || swaps_++ % stride_ != 0)
        return;
    if (skew_.size() == most_samples) {
        stride_ *= 2;
        thin_out(skew_);
        for (auto &lag : lag_)
            thin_out(lag);
    }
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    for (std::size_t rank = 0; rank < times.size(); ++rank)
        lag_[rank].push_back(static_cast<float>(times[rank] - *first) / 1000);
    skew_.push_back(static_cast<float>(*last - *first) / 1000);
}

void RunStats::add_rects(const pixmpi::Wall &wall, std::span<const pixmpi::Rect> rects) {
    rendered_.resize(rects.size(), std::vector<double>(rects.size()));
    ++shared_frames_;
    const auto area = [](const pixmpi::Rect &r) { return static_cast<double>(r.width) * r.height; };
    for (const pixmpi::Tile &tile : wall.tiles)
        for (std::size_t rank = 0; rank < rects.size() && !tile.rect.empty(); ++rank)
            rendered_[tile.rank][rank] += area(intersect(tile.rect, rects[rank])) / area(tile.rect);
}

void RunStats::add_drawn(int rank, double share) {
    drawn_.resize(lag_.size());
    drawn_[rank].first += share;
    ++drawn_[rank].second;
}

void RunStats::add_divergence(std::int64_t frame, int rank, const std::string &what) {
    if (divergences_++ > 0)
        return;
    first_frame_ = frame;
    first_rank_ = rank;
    first_what_ = what;
}

std::vector<double> RunStats::rendered_by(int tile, std::int64_t frames, bool shows_nothing) const {
    std::vector<double> shares(lag_.size());
    const auto all = static_cast<double>(std::max<std::int64_t>(frames, 1));
    for (std::size_t rank = 0; rank < shares.size() && !rendered_.empty(); ++rank)
        shares[rank] = rendered_[tile][rank] / all;
    if (!shows_nothing)
        shares[tile] += 1 - static_cast<double>(std::min(shared_frames_, frames)) / all;
    for (double &share : shares)
        share = rounded(share);
    return shares;
}

double RunStats::skew_us(double quantile) const { return quantile_of(skew_, quantile); }

double RunStats::tile_skew_us(int rank, double quantile) const {
    return rank >= 0 && rank < static_cast<int>(lag_.size()) ? quantile_of(lag_[rank], quantile) : 0;
}

bool RunStats::write(const std::string &path, const pixmpi::Wall &wall, std::span<const TileTimes> tiles,
                     std::span<const std::string> hosts, const std::string &clock, const std::string &swap,
                     std::string &error) const {
    ordered_json run{{"wall", describe(wall)}, {"clock", clock}, {"swap", swap}};
    run["frames"] = tiles.empty() ? 0 : tiles[0].frames;
    run["fps"] = tiles.empty() ? 0.0 : frames_per_second(tiles[0]);
    run["skew_us"] = quantiles(skew_us(0.5), skew_us(0.99));
    run["divergences"] = divergences_;
    run["first_divergence"] = nullptr;
    if (divergences_ > 0)
        run["first_divergence"] = {{"frame", first_frame_},
                                   {"rank", first_rank_},
                                   {"tile", name_of(wall, first_rank_)},
                                   {"what", first_what_}};
    if (latency_)
        run["latency"] = {{"frames", *latency_}, {"late_frames", tiles.empty() ? 0 : tiles[0].late_frames}};
    run["tiles"] = ordered_json::array();
    for (std::size_t i = 0; i < std::min(tiles.size(), wall.tiles.size()); ++i) {
        const int rank = wall.tiles[i].rank;
        ordered_json tile = describe(wall.tiles[i], i < hosts.size() ? hosts[i] : std::string(), tiles[i]);
        if (const std::int64_t rendered_ns = tiles[i].render_ns; rendered_ns > 0) {
            tile["render_ms"] = ms_per_frame(rendered_ns, tiles[i]);
            tile["ship_wait_ms"] = ms_per_frame(tiles[i].ship_wait_ns, tiles[i]);
            tile["ship_ms"] = ms_per_frame(tiles[i].ship_ns, tiles[i]);
            tile["rendered_by"] = rendered_by(rank, tiles[i].frames, wall.tiles[i].rect.empty());
        }
        if (!drawn_.empty() && drawn_[rank].second > 0)
            tile["passes_drawn"] = rounded(drawn_[rank].first / drawn_[rank].second);
        tile["skew_us"] = quantiles(tile_skew_us(rank, 0.5), tile_skew_us(rank, 0.99));
        run["tiles"].push_back(std::move(tile));
    }
    errno = 0;
    std::ofstream file(path, std::ios::trunc);
    file << text_of(run) << std::endl;
    if (!file)
        error = path + ": cannot be written" + (errno ? std::string(": ") + std::strerror(errno) : "");
    return file.good();
}

} // namespace mpiglut
