// What the wall shows beyond a single program: presets are saved and applied, and the playlist plays.
#pragma once

#include "show/playlist.h"
#include "show/programs.h"

#include <functional>
#include <string>

namespace mpiglut::walld {

class Shows {
  public:
    struct Listener {
        std::function<void(double)> dim; ///< the brightness of all tiles
        std::function<void()> changed;
        std::function<void(const std::string &)> says; ///< a line for people
    };
    /// `programs`: null for the server of a single run.
    Shows(Programs *programs, std::string file, Listener listener);

    /// A playlist that played when the server ended plays on. Says whether it does.
    bool resume();
    /// Once a second.
    void look();
    /// No program runs any more.
    void program_ended(int status);
    /// Somebody has started or stopped a program: the playlist would work against that.
    void by_hand();

    double brightness() const { return brightness_; }
    void set_brightness(double brightness);

    // Each: empty, or why not.
    std::string save(const std::string &name, const PresetWish &wish);
    std::string apply_by_hand(const std::string &name);
    std::string remove(const std::string &name) { return changed_or(presets_.remove(name)); }
    std::string set_entries(const std::vector<PlaylistEntry> &entries);
    std::string start();
    std::string stop();
    std::string next();

    bool knows(const std::string &name) const { return presets_.find(name); }
    /// {"presets": [...], "playlist": {...}, "brightness": 1}
    nlohmann::json to_json() const;

  private:
    std::string apply(const std::string &name);
    std::string changed_or(const std::string &error);

    Programs *programs_;
    Listener listener_;
    Presets presets_;
    Playlist playlist_;
    double brightness_ = 1;
};

} // namespace mpiglut::walld
