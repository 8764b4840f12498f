#include "show/presets.h"
#include "access/own_file.h"
#include "option/option_values.h"
#include "wall/wall.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace mpiglut::walld {

namespace {

using nlohmann::json;

constexpr std::size_t most_presets = 200, most_entries = 500, longest_name = 64, longest_file = 1u << 20;
constexpr int longest_show = 7 * 24 * 3600;

std::string wrong_name(const std::string &name) {
    const bool plain = std::ranges::none_of(name, [](unsigned char c) { return c < ' '; }) &&
                       name.find_first_of("/?#%&\\") == name.npos;
    // What is no UTF-8 is another name once it has been written.
    const bool kept = json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace)) == name;
    return !name.empty() && name.size() <= longest_name && plain && kept
               ? ""
               : "name: expected a text without / ? # % & \\, of at most 64 bytes of UTF-8";
}

/// Absent and null are the same.
const json *value_of(const json &object, const char *key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// "08:30" as minutes after midnight.
std::optional<int> minutes(const json &value) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (text.size() != 5 || text[2] != ':' || text.find_first_not_of("0123456789:") != text.npos)
        return std::nullopt;
    const int hours = (text[0] - '0') * 10 + text[1] - '0', rest = (text[3] - '0') * 10 + text[4] - '0';
    return hours < 24 && rest < 60 ? std::optional(hours * 60 + rest) : std::nullopt;
}

Read<PlaylistEntry> read_entry(const json &one) {
    PlaylistEntry entry;
    const json *preset = one.is_object() ? value_of(one, "preset") : nullptr;
    if (!preset || !preset->is_string())
        return {{}, "preset: expected the name of a preset"};
    entry.preset = preset->get<std::string>();
    if (const json *seconds = value_of(one, "seconds")) {
        if (!seconds->is_number_integer() || *seconds < 1 || *seconds > longest_show)
            return {{}, "seconds: expected an integer from 1 to " + std::to_string(longest_show)};
        entry.seconds = seconds->get<int>();
    }
    if (const json *at = value_of(one, "at")) {
        const auto when = minutes(*at);
        if (!when)
            return {{}, "at: expected a time of day, 08:30 for instance"};
        entry.at = *when;
    }
    if (entry.seconds == 0 && entry.at < 0)
        return {{}, "seconds: expected how long, or a time of day by at"};
    return {entry, {}};
}

} // namespace

Read<double> read_brightness(const json &object) {
    const json *value = value_of(object, "brightness");
    if (!value || !value->is_number() || *value < 0 || *value > pixmpi::most_brightness)
        return {0, "brightness: expected a number from 0 to 4"};
    return {value->get<double>(), {}};
}

Read<PresetWish> read_preset(const json &object) {
    PresetWish wish;
    for (const auto &[key, to] : {std::pair{"program", &wish.program}, std::pair{"clock", &wish.clock}})
        if (const auto found = object.find(key); found != object.end()) {
            if (!found->is_string() && !found->is_null())
                return {{}, std::string(key) + ": expected a text, or null"};
            *to = found->is_string() ? found->get<std::string>() : std::string();
        }
    RunOptions ignored;
    if (wish.clock && !wish.clock->empty())
        if (const std::string error = launcher::read_clock(*wish.clock, ignored); !error.empty())
            return {{}, "clock: " + error};
    if (value_of(object, "brightness")) {
        const auto brightness = read_brightness(object);
        if (!brightness.error.empty())
            return {{}, brightness.error};
        wish.brightness = brightness.value;
    }
    return {wish, {}};
}

Read<std::vector<PlaylistEntry>> read_entries(const json &object) {
    const auto found = object.find("entries");
    if (found == object.end() || !found->is_array() || found->size() > most_entries)
        return {{}, "entries: expected a list of at most " + std::to_string(most_entries)};
    std::vector<PlaylistEntry> entries;
    for (const json &one : *found) {
        const auto entry = read_entry(one);
        if (!entry.error.empty())
            return {{}, "entries[" + std::to_string(entries.size()) + "]." + entry.error};
        entries.push_back(entry.value);
    }
    return {std::move(entries), {}};
}

json to_json(const Preset &preset) {
    const auto or_null = [](const std::string &text) { return text.empty() ? json(nullptr) : json(text); };
    return {{"name", preset.name},
            {"program", or_null(preset.program)},
            {"clock", or_null(preset.clock)},
            {"brightness", preset.brightness}};
}

json to_json(const PlaylistEntry &entry) {
    std::array<char, 16> at{};
    std::snprintf(at.data(), at.size(), "%02d:%02d", entry.at / 60 % 24, entry.at % 60);
    return {{"preset", entry.preset},
            {"seconds", entry.seconds ? json(entry.seconds) : json(nullptr)},
            {"at", entry.at < 0 ? json(nullptr) : json(at.data())}};
}

std::string Presets::load() {
    const std::string text = read_kept_file(file_, longest_file, unreadable_);
    if (!text.empty())
        if (const std::string error = parse(text); !error.empty())
            unreadable_ = "'" + file_ + "': " + error + "; no preset is changed until that is mended";
    return unreadable_;
}

std::string Presets::parse(const std::string &text) {
    const json kept = json::parse(text, nullptr, false);
    if (!kept.is_object() || !kept.value("presets", json()).is_array() || kept["presets"].size() > most_presets)
        return "expected a JSON object with presets";
    std::vector<Preset> presets;
    for (const json &one : kept["presets"]) {
        const json *name = one.is_object() ? value_of(one, "name") : nullptr;
        const auto wish = one.is_object() ? read_preset(one) : Read<PresetWish>{{}, "expected an object"};
        const std::string error =
            !wish.error.empty() ? wish.error : wrong_name(name && name->is_string() ? name->get<std::string>() : "");
        if (!error.empty())
            return "presets[" + std::to_string(presets.size()) + "]: " + error;
        presets.push_back({name->get<std::string>(), wish.value.program.value_or(""), wish.value.clock.value_or(""),
                           wish.value.brightness.value_or(1)});
    }
    auto entries = read_entries(kept);
    if (!entries.error.empty())
        return entries.error;
    presets_ = std::move(presets);
    std::ranges::sort(presets_, {}, &Preset::name);
    entries_ = std::move(entries.value);
    plays_ = kept.value("plays", json(false)) == true;
    return {};
}

const Preset *Presets::find(const std::string &name) const {
    const auto found = std::ranges::find(presets_, name, &Preset::name);
    return found == presets_.end() ? nullptr : &*found;
}

std::string Presets::write(std::vector<Preset> presets, std::vector<PlaylistEntry> entries, bool plays) {
    if (!unreadable_.empty())
        return unreadable_;
    json kept{{"presets", json::array()}, {"entries", json::array()}, {"plays", plays}};
    for (const Preset &one : presets)
        kept["presets"].push_back(to_json(one));
    for (const PlaylistEntry &one : entries)
        kept["entries"].push_back(to_json(one));
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
    const std::string error = replace_file(file_, kept.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
    if (error.empty()) {
        presets_ = std::move(presets);
        entries_ = std::move(entries);
        plays_ = plays;
    }
    return error;
}

std::string Presets::put(const Preset &preset) {
    if (const std::string error = wrong_name(preset.name); !error.empty())
        return error;
    std::vector<Preset> presets = presets_;
    std::erase_if(presets, [&](const Preset &one) { return one.name == preset.name; });
    if (presets.size() >= most_presets)
        return "there are " + std::to_string(most_presets) + " presets: delete some";
    presets.insert(std::ranges::upper_bound(presets, preset.name, {}, &Preset::name), preset);
    return write(std::move(presets), entries_, plays_);
}

std::string Presets::remove(const std::string &name) {
    if (std::ranges::find(entries_, name, &PlaylistEntry::preset) != entries_.end())
        return "the playlist has '" + name + "': take it out there first";
    std::vector<Preset> presets = presets_;
    std::erase_if(presets, [&](const Preset &one) { return one.name == name; });
    return write(std::move(presets), entries_, plays_);
}

std::string Presets::set_entries(const std::vector<PlaylistEntry> &entries) {
    for (const PlaylistEntry &entry : entries)
        if (!find(entry.preset))
            return "'" + entry.preset + "' is no preset";
    return write(presets_, entries, plays_ && !entries.empty());
}

std::string Presets::set_plays(bool plays) { return plays == plays_ ? std::string() : write(presets_, entries_, plays); }

std::string presets_file(const std::string &wall, const std::string &folder) {
    const std::filesystem::path path(wall);
    if (path.extension() == ".toml") {
        const std::filesystem::path place = std::filesystem::absolute(path).parent_path();
        const std::string file = (place / path.stem()).string() + ".presets.json";
        if (::access(place.c_str(), W_OK) == 0 || ::access(file.c_str(), F_OK) == 0)
            return file;
    }
    return (std::filesystem::path(folder.empty() ? "." : folder) / "wall.presets.json").string();
}

} // namespace mpiglut::walld
