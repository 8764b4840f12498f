#include "desk/input.h"
#include "option/option_values.h"
#include "wall/wall.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

namespace mpiglut::walld {

namespace {

using nlohmann::json;

constexpr int deepest = 8, farthest = 1 << 20, most_rank = 1 << 20, farthest_nudge = 10'000;
constexpr std::array<const char *, 5> shows{"picture", "black", "pattern", "identify", "frozen"}; // as gl::Over

// GLUT's numbers, by the names that browsers give keys (KeyboardEvent.key).
const std::map<std::string, int, std::less<>> &special_keys() {
    static const std::map<std::string, int, std::less<>> keys{
        {"F1", 1},          {"F2", 2},        {"F3", 3},          {"F4", 4},        {"F5", 5},
        {"F6", 6},          {"F7", 7},        {"F8", 8},          {"F9", 9},        {"F10", 10},
        {"F11", 11},        {"F12", 12},      {"ArrowLeft", 100}, {"ArrowUp", 101}, {"ArrowRight", 102},
        {"ArrowDown", 103}, {"PageUp", 104},  {"PageDown", 105},  {"Home", 106},    {"End", 107},
        {"Insert", 108},    {"NumLock", 109}, {"Shift", 112},     {"Control", 114}, {"Alt", 116}};
    return keys;
}

const std::map<std::string, int, std::less<>> &named_characters() {
    static const std::map<std::string, int, std::less<>> keys{
        {"Enter", 13}, {"Tab", 9}, {"Escape", 27}, {"Backspace", 8}, {"Delete", 127}};
    return keys;
}

/// Reads one event; the first thing that is wrong stays in `error`.
struct EventReader {
    const json &object;
    std::string error;

    void wrong(const std::string &key, const std::string &expected) {
        if (error.empty())
            error = key + ": expected " + expected;
    }
    int number(const char *key, int least, int most, std::optional<int> otherwise = std::nullopt) {
        const auto found = object.find(key);
        if (found == object.end() && otherwise)
            return *otherwise;
        const bool whole = found != object.end() && found->is_number_integer() &&
                           !(found->is_number_unsigned() && found->get<std::uint64_t>() > 1u << 30);
        const std::int64_t value = whole ? found->get<std::int64_t>() : 0;
        if (whole && value >= least && value <= most)
            return static_cast<int>(value);
        wrong(key, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
        return 0;
    }
    bool flag(const char *key) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_boolean())
            return found->get<bool>();
        wrong(key, "true or false");
        return false;
    }
    /// Of a list's element, or of the key's value.
    double real(const json *value, const std::string &name, double least, double most) {
        const double read = value && value->is_number() ? value->get<double>() : least - 1;
        if (read >= least && read <= most)
            return read;
        std::array<char, 64> range;
        std::snprintf(range.data(), range.size(), "a number from %g to %g", least, most);
        wrong(name, range.data());
        return 0;
    }
    std::optional<double> optional_real(const char *key, double least, double most) {
        const auto found = object.find(key);
        return found == object.end() ? std::nullopt : std::optional(real(&*found, key, least, most));
    }
    std::string text(const char *key) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_string() && found->get_ref<const std::string &>().size() <= 32)
            return found->get<std::string>();
        wrong(key, "a text of at most 32 bytes");
        return {};
    }

    void place(Event &event) {
        event.x = number("x", -farthest, farthest);
        event.y = number("y", -farthest, farthest);
    }
    void key(Event &event) {
        const std::string name = text("key");
        const bool down = flag("down");
        if (const auto special = special_keys().find(name); special != special_keys().end()) {
            event.kind = down ? Event::Kind::special : Event::Kind::special_up;
            event.a = special->second;
            return;
        }
        event.kind = down ? Event::Kind::key : Event::Kind::key_up;
        const auto named = named_characters().find(name);
        if (named != named_characters().end())
            event.a = named->second;
        else if (name.size() == 1 && static_cast<unsigned char>(name[0]) >= 32)
            event.a = static_cast<unsigned char>(name[0]);
        else if (name.size() == 2 && (name[0] == '\xc2' || name[0] == '\xc3')) // Latin 1, as GLUT has it
            event.a = ((name[0] & 3) << 6) | (name[1] & 0x3f);
        else
            wrong("key", "a character of Latin 1, or the name of a key that GLUT knows");
        if (event.modifiers & 2 && event.a >= 'a' && event.a <= 'z')
            event.a -= 'a' - 1; // with Ctrl, as X has it
    }
    Event read() {
        Event event;
        const std::string type = text("type");
        event.modifiers = number("modifiers", 0, 7, 0);
        event.window = number("window", 0, farthest, 0);
        if (type == "mouse") {
            event.kind = Event::Kind::mouse;
            place(event);
            event.a = number("button", 0, 2);
            event.b = flag("down") ? 0 : 1; // GLUT_DOWN, GLUT_UP
        } else if (type == "move") {
            event.kind = Event::Kind::motion;
            place(event);
        } else if (type == "wheel") {
            event.kind = Event::Kind::wheel;
            place(event);
            event.b = number("direction", -1, 1);
            if (event.b == 0)
                wrong("direction", "1 or -1");
        } else if (type == "key") {
            key(event);
        } else if (type == "menu") {
            event.kind = Event::Kind::menu;
            event.a = number("item", 0, farthest);
            event.b = event.a ? number("menu", 1, farthest) : 0;
        } else if (type == "leave") {
            event.kind = Event::Kind::entry;
        } else {
            wrong("type", "mouse, move, wheel, key, menu or leave");
        }
        return event;
    }
};

/// Before anything is parsed: to copy or to write JSON takes stack for each level.
bool nests_deeper(std::string_view text, int most) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > most)
            return true;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

} // namespace

Read<json> read_json(std::string_view text) {
    if (nests_deeper(text, deepest))
        return {{}, "body: expected JSON with at most " + std::to_string(deepest) + " levels"};
    json object = json::parse(text, nullptr, false);
    if (object.is_discarded() || !object.is_object())
        return {{}, "body: expected a JSON object"};
    return {std::move(object), {}};
}

Read<std::vector<Event>> read_input(const json &object) {
    const auto found = object.find("events");
    if (found == object.end() || !found->is_array() || found->size() > most_events)
        return {{}, "events: expected a list of at most " + std::to_string(most_events)};
    std::vector<Event> events;
    for (const json &one : *found) {
        const std::string where = "events[" + std::to_string(events.size()) + "]";
        if (!one.is_object())
            return {{}, where + ": expected an object"};
        EventReader reader{one, {}};
        events.push_back(reader.read());
        if (!reader.error.empty())
            return {{}, where + "." + reader.error};
    }
    return {std::move(events), {}};
}

Read<int> read_show(const json &object) {
    const auto found = object.find("show");
    const std::string name = found != object.end() && found->is_string() ? found->get<std::string>() : "";
    const auto at = std::ranges::find(shows, name);
    if (at == shows.end())
        return {0, "show: expected picture, black, pattern, identify or frozen"};
    return {static_cast<int>(at - shows.begin()), {}};
}

const char *name_of_show(int show) { return shows[static_cast<std::size_t>(show) % shows.size()]; }

Read<bool> read_quit(const json &object) {
    EventReader reader{object, {}};
    const bool now = object.contains("now") && reader.flag("now");
    return {now, reader.error};
}

Read<Nudge> read_nudge(const json &object) {
    EventReader reader{object, {}};
    Nudge nudge;
    const auto target = object.find("target"), by = object.find("by");
    if (target == object.end() || *target != "bezels")
        nudge.rank = reader.number("target", 0, most_rank);
    if (!reader.error.empty())
        return {{}, "target: expected \"bezels\" or a tile's rank"};
    if (by == object.end() || !by->is_array() || by->size() != 2)
        return {{}, "by: expected [pixels to the right, pixels down]"};
    for (const auto &[value, to] : {std::pair{&(*by)[0], &nudge.x}, std::pair{&(*by)[1], &nudge.y}}) {
        const double read = reader.real(value, "by", -farthest_nudge, farthest_nudge);
        *to = static_cast<int>(read);
        if (*to != read)
            reader.wrong("by", "whole pixels");
    }
    return {nudge, reader.error};
}

Read<Recolouring> read_recolouring(const json &object) {
    EventReader reader{object, {}};
    Recolouring wish;
    wish.rank = reader.number("tile", 0, most_rank);
    wish.brightness = reader.optional_real("brightness", 0, pixmpi::most_brightness);
    wish.gamma = reader.optional_real("gamma", pixmpi::least_gamma, pixmpi::most_gamma);
    if (const auto colour = object.find("colour"); colour != object.end()) {
        if (!colour->is_array() || colour->size() != 3)
            reader.wrong("colour", "[red, green, blue]");
        else
            for (std::size_t i = 0; i < 3; ++i)
                (wish.colour ? *wish.colour : wish.colour.emplace())[i] =
                    reader.real(&(*colour)[i], "colour", 0, pixmpi::most_brightness);
    }
    return {wish, reader.error};
}

Read<std::string> read_clock_choice(const json &object) {
    const auto found = object.find("clock");
    if (found == object.end())
        return {};
    RunOptions options;
    const std::string text = found->is_string() ? found->get<std::string>() : found->dump();
    const std::string error = launcher::read_clock(text, options);
    return {error.empty() ? text : std::string(), error.empty() ? error : "clock: " + error};
}

Read<std::string> read_recording_name(const json &object) {
    const auto found = object.find("recording");
    if (found == object.end() || !found->is_string())
        return {{}, "recording: expected the name of one of the captures"};
    return {found->get<std::string>(), {}};
}

json read_menu(const std::string &text) {
    constexpr int of_submenu = 3; // its object, the entries, the entry that it is in
    if (nests_deeper(text, of_submenu * (deepest + 1)))
        return {};
    json menu = json::parse(text, nullptr, false);
    const auto is_good = [](const auto &self, const json &one, int depth) -> bool {
        return depth <= deepest && one.is_object() && one.value("menu", json()).is_number_integer() &&
               one.value("entries", json()).is_array() && std::ranges::all_of(one["entries"], [&](const json &entry) {
                   return entry.is_object() && entry.value("label", json()).is_string() &&
                          (!entry.contains("submenu") || self(self, entry["submenu"], depth + 1));
               });
    };
    const bool good = is_good(is_good, menu, 0) && menu.value("by", json()).is_string() &&
                      menu.value("x", json()).is_number_integer() && menu.value("y", json()).is_number_integer();
    return good ? std::move(menu) : json();
}

Read<int> read_film(const json &object) {
    EventReader reader{object, {}};
    const int every = reader.number("every", 1, 100'000, 1);
    return {every, reader.error};
}

} // namespace mpiglut::walld
