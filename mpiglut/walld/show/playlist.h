// The playlist: which preset is shown when. It reads no clock, so that its decisions can be tested.
#pragma once

#include "show/presets.h"

#include <chrono>
#include <functional>
#include <optional>

namespace mpiglut::walld {

class Playlist {
  public:
    using Time = std::chrono::system_clock::time_point;
    struct Listener {
        std::function<std::string(const std::string &preset)> apply; ///< empty, or why it cannot be
        std::function<void(const std::string &)> says;               ///< a line for people
    };
    explicit Playlist(Listener listener) : listener_(std::move(listener)) {}

    /// The current entry goes on if it is also in the new list.
    void entries(std::vector<PlaylistEntry> entries, Time now);
    // Each: empty, or why not.
    std::string start(Time now);
    std::string next(Time now);
    void stop();
    /// Once a second or so.
    void look(Time now);
    /// The program of the entry has ended by itself: the next one is shown soon.
    void ended(const std::string &how, Time now);

    bool plays() const { return plays_; }
    nlohmann::json to_json() const;

  private:
    void show(std::size_t entry, Time now);
    void fail(const std::string &how, Time now);
    std::size_t first(Time now) const;
    /// The next one that comes without a time of day; nothing if there is none.
    std::optional<std::size_t> next_in_turn() const;
    std::optional<std::size_t> called_by_clock(Time now);

    Listener listener_;
    std::vector<PlaylistEntry> entries_;
    bool plays_ = false;
    std::size_t current_ = 0, failures_ = 0; ///< in a row
    Time since_{};
    std::optional<Time> due_; ///< of the next one
    bool failed_ = false;     ///< what is current could not be shown, or has ended
    std::int64_t minute_ = 0; ///< since 1970; times of day until then have been heeded
};

} // namespace mpiglut::walld
