// Input from browsers and scripts: JSON to events of the wall. Everything here comes from outside.
#pragma once

#include "sync/tick.h"

#include <nlohmann/json_fwd.hpp>
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
/// {"every": 10}: which frames a film takes; all without it
Read<int> read_film(const nlohmann::json &object);

} // namespace mpiglut::walld
