// Presets: what the wall shows, under a name; and the playlist's entries. Both are kept in one file.
#pragma once

#include "desk/input.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::walld {

struct Preset {
    std::string name;
    std::string program; ///< of apps.toml; empty: whatever runs goes on
    std::string clock;   ///< as --clock has it; empty: the program's own
    double brightness = 1;
};

/// What a request to save a preset says; what is absent is taken from the wall as it is.
struct PresetWish {
    std::optional<std::string> program, clock;
    std::optional<double> brightness;
};

struct PlaylistEntry {
    std::string preset;
    int seconds = 0; ///< so long; 0: until the next time of day
    int at = -1;     ///< minutes after midnight; -1: when it is its turn
    bool operator==(const PlaylistEntry &) const = default;
};

Read<PresetWish> read_preset(const nlohmann::json &object);
/// {"entries": [...]}
Read<std::vector<PlaylistEntry>> read_entries(const nlohmann::json &object);
Read<double> read_brightness(const nlohmann::json &object);
nlohmann::json to_json(const Preset &preset);
nlohmann::json to_json(const PlaylistEntry &entry);

class Presets {
  public:
    explicit Presets(std::string file) : file_(std::move(file)) {}
    /// Empty, or what is wrong with the file, which then is never written.
    std::string load();

    const std::vector<Preset> &all() const { return presets_; }
    const Preset *find(const std::string &name) const;
    const std::vector<PlaylistEntry> &entries() const { return entries_; }
    bool plays() const { return plays_; }

    // Each: empty, or why nothing has changed.
    std::string put(const Preset &preset);
    std::string remove(const std::string &name);
    std::string set_entries(const std::vector<PlaylistEntry> &entries);
    /// The playlist plays, also after the next start of the server.
    std::string set_plays(bool plays);

  private:
    std::string parse(const std::string &text);
    /// The file first, and then what is known.
    std::string write(std::vector<Preset> presets, std::vector<PlaylistEntry> entries, bool plays);

    std::string file_, unreadable_;
    std::vector<Preset> presets_; ///< by name
    std::vector<PlaylistEntry> entries_;
    bool plays_ = false;
};

/// Where the presets of a wall are: next to its file, else in this folder.
std::string presets_file(const std::string &wall, const std::string &folder);

} // namespace mpiglut::walld
