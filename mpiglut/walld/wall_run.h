// One run of a program on the wall, as its mpiglutrun tells of it.
#pragma once

#include "film.h"
#include "input.h"
#include "log.h"
#include "tiles.h"
#include "wall_link.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <memory>
#include <optional>

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
    WallRun(Web &web, int fd, Stills &stills, Listener listener);
    ~WallRun() { end_film(); }

    nlohmann::json status() const;
    bool is_over() const { return over_; }
    const Tiles &tiles() const { return tiles_; }
    const Log &log() const { return log_; }
    std::int64_t divergences() const;
    /// The last of each tile and window.
    const std::map<std::uint64_t, Picture> &pictures() const { return pictures_; }

    /// Somebody looks, or nobody any more.
    void attend(bool somebody);
    void input(const std::vector<Event> &events);
    void show(int what);
    void quit(bool at_once);
    /// Of the next frame; the number of the request.
    int screenshot(Stills::Done done) { return ask_for_still(0, std::move(done)); }
    /// Empty, or why there is none now. The film gets its name and place from `captures`.
    std::string begin_film(Captures &captures, int every);
    /// The one that was taken last; null when there was none.
    const Film *film() const { return film_.get(); }
    void end_film();
    void tell_address(const launcher::Address &address) { link_.send(address); }
    /// A line for the log.
    void note(const std::string &text) { print({.text = text + "\n"}); }
    /// About four times a second, and once a second.
    void look();
    const Sample &sample() { return tiles_.sample(); }

  private:
    void received(launcher::Frame &&frame);
    void begin(launcher::Run &&facts);
    void lose(int rank);
    void print(const launcher::Line &line);
    void from_rank(const launcher::OfRank &message);
    void take_picture(int rank, const launcher::PictureOfTile &piece);
    /// The next frame, or the one of this number.
    int ask_for_still(std::int64_t frame, Stills::Done done);
    void film_frame(std::int64_t frame);
    void end();

    Stills &stills_;
    Listener listener_;
    launcher::Run facts_;
    pixmpi::Wall wall_;
    Tiles tiles_;
    Log log_;
    std::map<std::uint64_t, Picture> pictures_;
    std::map<int, std::string> pieces_; ///< by rank: of a picture that has not come as a whole
    Clock::time_point began_ = Clock::now(), ended_{};
    std::unique_ptr<Film> film_;
    int shown_ = 0, exit_status_ = 0, film_request_ = 0;
    bool over_ = false, attended_ = false;
    WallLink link_; // last: it is the first that goes
};

} // namespace mpiglut::walld
