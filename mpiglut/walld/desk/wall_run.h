// One run of a program on the wall, as its mpiglutrun tells of it.
#pragma once

#include "capture/film.h"
#include "desk/adjusted.h"
#include "desk/input.h"
#include "desk/log.h"
#include "desk/recording.h"
#include "desk/tiles.h"
#include "desk/wall_link.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace mpiglut::walld {

class WallRun {
  public:
    using Picture = std::shared_ptr<const std::string>; ///< 4 bytes, little-endian: length of a JSON head; it; a JPEG
    struct Listener {
        std::function<void()> changed;
        std::function<void(const std::vector<LogLine> &)> printed;
        std::function<void(std::uint64_t key, Picture)> picture;
        std::function<void()> over;
    };
    /// `name`: of the program of apps.toml; empty: the program's own. `log`: outlives this, and has earlier runs.
    WallRun(Web &web, int fd, Stills &stills, Log &log, std::string name, Listener listener);
    ~WallRun() { end_film(); }

    nlohmann::json status() const;
    bool is_over() const { return over_; }
    const Tiles &tiles() const { return tiles_; }
    std::int64_t divergences() const;
    /// The last of each tile and window.
    const std::map<std::uint64_t, Picture> &pictures() const { return pictures_; }

    /// An operator looks, or none any more.
    void attend(bool somebody);
    void input(std::span<const Event> events);
    void input(std::initializer_list<Event> events) { input(std::span(events.begin(), events.size())); }
    void show(int what);
    void quit(bool at_once);
    /// Of the next frame; the number of the request.
    int screenshot(Stills::Done done);
    /// Empty, or why there is none now. The film gets its name and place from `captures`.
    std::string begin_film(Captures &captures, int every, const FilmTool &tool);
    /// The one that was taken last; null when there was none.
    const Film *film() const { return film_.get(); }
    void end_film(Film::Done then = {});
    const Adjusted &adjusted() const { return *adjusted_; }
    /// Calls change(), which says why not, and lets the wall follow.
    std::string adjust(const std::function<std::string(Adjusted &)> &change);
    /// The brightness of all tiles, from when the program shows something.
    void dim(double brightness) { brightness_ = brightness; }
    /// Empty, or why nothing is recorded now.
    std::string begin_recording(Captures &captures);
    /// The one that was made last; null when there was none.
    const Recording *recording() const { return recording_.get(); }
    /// The program is told; what has happened by then still comes.
    void stop_recording();
    void end_recording();
    /// Plays one of the captures instead of all devices; empty, or why not.
    std::string replay(const Captures &captures, const std::string &name);
    bool end_replay();
    void send_address(const launcher::Address &address) { link_.send(address); }
    /// A line for the log.
    void note(const std::string &text) { print({.text = text + "\n"}); }
    /// What mpiglutrun writes to its standard error: it says there why it cannot start, before it is connected.
    void complained(const std::string &bytes);
    /// mpiglutrun's own exit status, which counts where it has not told that of the run.
    void ended_with(int status);
    /// About four times a second, and once a second.
    void look();
    const Sample &sample() { return tiles_.sample(); }

  private:
    void received(launcher::Frame &&frame);
    void begin(launcher::Run &&facts);
    void mark(const std::string &what);
    void mark_end();
    void lose(int rank);
    void print(const launcher::Line &line);
    void from_rank(const launcher::OfRank &message);
    void receive_picture(int rank, const launcher::PictureOfTile &piece);
    /// The next frame, or the one of this number.
    int ask_for_still(std::int64_t frame, Stills::Coding coding, Stills::Done done);
    void film_frame(std::int64_t frame);
    void end();
    void place_tiles(const pixmpi::Wall &before);
    bool replays() const;

    Stills &stills_;
    Listener listener_;
    launcher::Run facts_;
    pixmpi::Wall wall_;
    Tiles tiles_;
    Log &log_;
    std::string name_;
    std::map<std::uint64_t, Picture> pictures_;
    std::map<int, std::string> pieces_; ///< by rank: of a picture that has not come as a whole
    Clock::time_point began_ = Clock::now(), ended_{};
    std::unique_ptr<Film> film_;
    std::unique_ptr<Adjusted> adjusted_ = std::make_unique<Adjusted>(launcher::Run{});
    std::unique_ptr<Recording> recording_;
    std::string replayed_; ///< the recording that was played last
    int replay_ = 0;       ///< its number, from 1
    nlohmann::json menu_;  ///< the one that is open, or null
    double brightness_ = 1;
    int shown_ = 0, film_request_ = 0;
    std::optional<int> exit_status_; ///< none: mpiglutrun has gone without a word
    bool over_ = false, attended_ = false, end_marked_ = false;
    WallLink link_; // last: it is the first that goes
};

} // namespace mpiglut::walld
