#include "calls/metrics.h"

#include <sstream>

namespace mpiglut::walld {

namespace {

/// A value of a label, as the format has it.
std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text)
        out += c == '"' || c == '\\'                 ? std::string("\\") + c
               : static_cast<unsigned char>(c) < ' ' ? " "
                                                     : std::string(1, c);
    return out + "\"";
}

class Text {
  public:
    void head(const char *name, const char *type, const char *help) {
        name_ = name;
        out_ << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
    }
    void value(double value, const std::string &labels = {}) {
        out_ << name_ << (labels.empty() ? "" : "{" + labels + "}") << ' ' << value << '\n';
    }
    std::string str() { return out_.str(); }

  private:
    std::ostringstream out_;
    const char *name_ = "";
};

} // namespace

std::string prometheus(const WallRun *run, std::size_t clients) {
    Text text;
    text.head("wall_browsers", "gauge", "Browsers that are connected.");
    text.value(static_cast<double>(clients));
    text.head("wall_running", "gauge", "1 while a program runs on the wall.");
    text.value(run && !run->is_over());
    if (!run || run->tiles().all().empty())
        return text.str();
    const auto &tiles = run->tiles().all();
    const Sample last = run->tiles().history().empty() ? Sample{} : run->tiles().history().back();
    text.head("wall_frames_total", "counter", "Frames that the wall has shown.");
    text.value(static_cast<double>(tiles.front().now.frames));
    text.head("wall_divergences_total", "counter", "Ticks in which ranks differed.");
    text.value(static_cast<double>(run->divergences()));
    text.head("wall_swap_skew_seconds", "gauge", "From a frame's first swap to its last, of the last frames.");
    text.value(last.skew_p50_us / 1e6, "quantile=\"0.5\"");
    text.value(last.skew_p99_us / 1e6, "quantile=\"0.99\"");
    const auto each = [&](const char *name, const char *help, auto &&value) {
        text.head(name, "gauge", help);
        for (const Tile &tile : tiles)
            text.value(value(tile), "rank=\"" + std::to_string(tile.place.rank) + "\",tile=" + quoted(tile.place.name) +
                                        ",host=" + quoted(tile.host));
    };
    each("wall_tile_good", "1 while the tile's rank runs or waits for others.", [](const Tile &tile) {
        return tile.condition == Condition::running || tile.condition == Condition::waiting ? 1.0 : 0.0;
    });
    each("wall_tile_frames_per_second", "Frames in the last second.", [](const Tile &tile) { return tile.fps; });
    each("wall_tile_draw_seconds", "In display callbacks, for a frame.",
         [](const Tile &tile) { return tile.draw_ms / 1000; });
    each("wall_tile_wait_seconds", "Waiting for other tiles, for a frame.",
         [](const Tile &tile) { return tile.wait_ms / 1000; });
    each("wall_tile_lag_seconds", "Behind the frame's first tile.", [](const Tile &tile) { return tile.lag_us / 1e6; });
    each("wall_tile_processor_ratio", "Processor time of the rank, 1 for a whole core.",
         [](const Tile &tile) { return tile.cpu_percent / 100; });
    return text.str();
}

} // namespace mpiglut::walld
