// Input from browsers and scripts: JSON to events of the wall. Everything here comes from outside.
#pragma once

#include "sync/tick.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiglut::walld {

/// What a text from outside is, or why it is none of ours.
template <class T> struct Read {
    T value{};
    std::string error; ///< "events[2].x: expected ...", empty when there is a value
};

inline constexpr std::size_t most_events = 256; ///< in one request

/// JSON of limited depth; the error says where it ends to be JSON.
Read<nlohmann::json> read_json(std::string_view text);
/// {"events": [{"type": "mouse", "x": 10, "y": 20, "button": 0, "down": true}, ...]}
Read<std::vector<Event>> read_input(const nlohmann::json &object);
/// {"show": "picture" | "black" | "pattern" | "identify" | "frozen"}
Read<int> read_show(const nlohmann::json &object);
const char *name_of_show(int show);
/// {"now": true}
Read<bool> read_quit(const nlohmann::json &object);
/// {"target": "bezels" or a rank, "by": [1, 0]}
struct Nudge {
    int rank = -1; ///< -1: all bezels
    int x = 0, y = 0;
};
Read<Nudge> read_nudge(const nlohmann::json &object);
/// {"tile": 2, "brightness": 0.9, "gamma": 1.1, "colour": [1, 1, 0.9]}: a tile's, where what is absent is not to change
struct Recolouring {
    int rank = 0;
    std::optional<double> brightness, gamma;
    std::optional<std::array<double, 3>> colour;
};
Read<Recolouring> read_recolouring(const nlohmann::json &object);
/// {"clock": "step:60"}: as --clock has it; empty without it
Read<std::string> read_clock_choice(const nlohmann::json &object);
/// {"recording": "wall-20260102-030405-001.jsonl"}
Read<std::string> read_recording_name(const nlohmann::json &object);
/// What a rank says of the menu that is open: null, or {"by": "operator" | "tile", "x", "y", "menu": 1, "entries":
/// [{"label": "red"}, {"label": "more", "submenu": {"menu": 2, "entries": [...]}}]}
nlohmann::json read_menu(const std::string &text);
/// {"every": 10}: which frames a film takes; all without it
Read<int> read_film(const nlohmann::json &object);

} // namespace mpiglut::walld
