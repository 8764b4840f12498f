// What is known of each tile: how it is, since when, and its figures.
#pragma once

#include "link/messages.h"
#include "wall/wall.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <deque>
#include <string>
#include <vector>

namespace mpiglut::walld {

using Clock = std::chrono::system_clock;

enum class Condition {
    starting,
    running,   ///< draws, or has nothing to do
    waiting,   ///< for other tiles, for more than a second
    late,      ///< the others wait for it for more than a second
    hung,      ///< or for more than five
    silent,    ///< nothing was heard of it for three seconds
    returning, ///< it has died, and catches up with the others
    dead,      ///< its program has ended badly, or the wall goes on without it
    ended
};
const char *name(Condition condition);

struct Tile {
    pixmpi::Tile place;
    std::string host;
    Condition condition = Condition::starting;
    Clock::time_point since = Clock::now(), heard{};
    bool started = false, over = false, returning = false;
    int status = 0;
    std::string cause; ///< why it is dead
    /// What the program draws.
    bool shows() const { return !over && !returning; }
    launcher::Figures now, before; ///< the last figures, and those of the last sample
    double fps = 0, draw_ms = 0, wait_ms = 0, idle_percent = 0, cpu_percent = 0, lag_us = 0;
};

/// A second of the wall's life.
struct Sample {
    Clock::time_point time;
    double fps = 0, skew_p50_us = 0, skew_p99_us = 0;
    std::vector<float> draw_ms, wait_ms, lag_us; ///< by rank
};

class Tiles {
  public:
    void reset(const pixmpi::Wall &wall);
    /// The same tiles at other places.
    void move(const pixmpi::Wall &wall);
    void tell(const launcher::TileState &state);
    void tell(int rank, launcher::Figures &&figures);
    /// How the tiles are now; true when that of any has changed.
    bool judge();
    /// Once a second: rates from the figures since the last time.
    const Sample &sample();

    const std::vector<Tile> &all() const { return tiles_; }
    const std::deque<Sample> &history() const { return history_; }
    double fps() const { return history_.empty() ? 0 : history_.back().fps; }

  private:
    Condition judge(const Tile &tile, bool somebody_waits) const;
    std::vector<Tile> tiles_;
    std::deque<Sample> history_;
    Clock::time_point sampled_{};
};

std::int64_t milliseconds(Clock::time_point time);
nlohmann::json to_json(const Tile &tile);
nlohmann::json to_json(const Sample &sample);

} // namespace mpiglut::walld
