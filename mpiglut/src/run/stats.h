// --stats: what each tile did, in numbers.
#pragma once

#include "wall/wall.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpiglut {

/// Kept by every rank; sums of real nanoseconds.
struct TileTimes {
    std::int64_t frames = 0;
    std::int64_t first_frame_ns = 0, last_frame_ns = 0; ///< real monotonic time of the first and last frame's end
    std::int64_t draw_ns = 0;      ///< inside display callbacks, swap wait taken out
    std::int64_t swap_wait_ns = 0; ///< waiting for the other tiles before a swap
    std::int64_t tick_ns = 0;      ///< waiting for and exchanging ticks
    std::int64_t idle_ns = 0;      ///< of tick_ns: nothing to do
    std::int64_t cpu_ns = 0;       ///< processor time of the rank
    std::int64_t ticks = 0;
    std::int64_t render_ns = 0;    ///< with --balance: what drawing the frames took the GPU
    std::int64_t ship_wait_ns = 0; ///< with --balance: until all ranks could send and receive strips
    std::int64_t ship_ns = 0;      ///< with --balance: sending and receiving them
    std::int64_t late_frames = 0;  ///< with --balance latency:1: shown with the next frame
    bool operator==(const TileTimes &) const = default;
};
std::vector<std::byte> pack(const TileTimes &times);
bool unpack(std::span<const std::byte> bytes, TileTimes &times);

/// Rank 0: collects the swap times of all ranks and writes the file.
class RunStats {
  public:
    explicit RunStats(int ranks) : lag_(ranks) {}
    /// Real times at which each rank's swap of `frame` returned, on one clock.
    void add_swaps(std::span<const std::int64_t> times);
    void add_divergence(std::int64_t frame, int rank, const std::string &what);

    /// With --balance: how many frames later the wall may show what was drawn.
    void allow_latency(int frames) { latency_ = frames; }
    /// In one frame each rank has rendered its rectangle of the wall instead of its tile.
    void add_rects(const pixmpi::Wall &wall, std::span<const pixmpi::Rect> rects);

    /// With --cut: in one frame a rank has drawn this share of the framebuffer objects that all could draw.
    void add_drawn(int rank, double share);
    /// From now on it draws another share.
    void forget_drawn() { drawn_.clear(); }

    double skew_us(double quantile) const;              ///< of a frame: last tile's swap minus the first's
    double tile_skew_us(int rank, double quantile) const; ///< a tile's swap minus the frame's first
    std::int64_t divergences() const { return divergences_; }

    /// JSON: {"wall": {...}, "clock": "wall", "swap": "...", "frames", "fps", "skew_us": {"p50","p99"}, "divergences",
    ///  "first_divergence": {...} or null, "tiles": [{"rank","tile","host","frames","fps","draw_ms","swap_wait_ms",
    ///  "tick_ms","idle_ms","cpu_percent","skew_us":{"p50","p99"}}, ...]}; *_ms are means for a frame. With --balance
    ///  tiles have "render_ms", "ship_wait_ms", "ship_ms" and "rendered_by", the ranks' shares of the tile, and there
    ///  is "latency": {"frames","late_frames"}, what was allowed and how many frames were shown late. With --cut tiles
    ///  have "passes_drawn".
    bool write(const std::string &path, const pixmpi::Wall &wall, std::span<const TileTimes> tiles,
               std::span<const std::string> hosts, const std::string &clock, const std::string &swap,
               std::string &error) const;

  private:
    /// Of a tile: each rank's mean share in it, over so many frames.
    std::vector<double> rendered_by(int tile, std::int64_t frames, bool shows_nothing) const;

    std::vector<std::vector<float>> lag_; ///< by rank, microseconds
    std::vector<float> skew_;
    std::vector<std::vector<double>> rendered_; ///< by tile and rank: shares of the tile, summed over those frames
    std::int64_t shared_frames_ = 0;
    std::vector<std::pair<double, int>> drawn_; ///< by rank: those shares, summed, and how many
    std::optional<int> latency_;           ///< none: not with --balance
    std::uint64_t swaps_ = 0, stride_ = 1; ///< one frame in so many is kept
    std::int64_t divergences_ = 0, first_frame_ = 0;
    int first_rank_ = 0;
    std::string first_what_;
};

} // namespace mpiglut
