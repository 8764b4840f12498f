#include "desk/wall_run.h"
#include "link/picture_coding.h"
#include "sync/operator_events.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace mpiglut::walld {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto live_interval = 100ms;
constexpr std::size_t longest_picture = 256u << 20;
constexpr int most_windows = 64; ///< of a rank, with pictures that are kept

json rounded(double value) { return static_cast<double>(static_cast<std::int64_t>(value * 100)) / 100; }

WallRun::Picture message_of(int rank, const PictureFacts &facts, const std::string &jpeg) {
    const std::string head = json{
        {"rank", rank},
        {"window", facts.window},
        {"top", facts.top},
        {"layer", facts.layer},
        {"rect", {facts.x, facts.y, facts.width, facts.height}},
        {"wall", {facts.wall_width, facts.wall_height}},
        {"frame", facts.frame}}.dump();
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>(head.size() >> shift);
    return std::make_shared<const std::string>(bytes + head + jpeg);
}

} // namespace

WallRun::WallRun(Web &web, int fd, Stills &stills, Log &log, std::string name, Listener listener)
    : stills_(stills), listener_(std::move(listener)), log_(log), name_(std::move(name)),
      link_(
          web, fd, [this](launcher::Frame &&frame) { received(std::move(frame)); }, [this] { end(); }) {
    log_.begin_run();
    if (!name_.empty())
        mark("'" + name_ + "' begins");
}

void WallRun::mark(const std::string &what) { print({.rank = -1, .stream = Log::mark, .text = what + "\n"}); }

void WallRun::mark_end() {
    if (!std::exchange(end_marked_, true))
        mark("'" + name_ + "' ends" + (exit_status_ ? " with status " + std::to_string(*exit_status_) : ""));
}

void WallRun::complained(const std::string &bytes) {
    if (facts_.program.empty())
        print({.rank = -1, .stream = 2, .text = bytes});
}

void WallRun::ended_with(int status) {
    if (!exit_status_)
        exit_status_ = status;
    if (over_)
        mark_end();
}

void WallRun::received(launcher::Frame &&frame) {
    using launcher::Type;
    switch (frame.type) {
    case Type::run:
        if (auto facts = launcher::unpack<launcher::Run>(frame.payload))
            begin(std::move(*facts));
        break;
    case Type::of_rank:
        if (auto message = launcher::unpack<launcher::OfRank>(frame.payload))
            from_rank(*message);
        break;
    case Type::tile:
        if (auto state = launcher::unpack<launcher::TileState>(frame.payload)) {
            tiles_.tell(*state);
            if (state->state == "dead")
                lose(static_cast<int>(state->rank));
            look();
        }
        break;
    case Type::line:
        if (auto line = launcher::unpack<launcher::Line>(frame.payload))
            print(*line);
        break;
    case Type::over:
        if (auto status = launcher::unpack<launcher::Over>(frame.payload))
            exit_status_ = static_cast<int>(status->value);
        break;
    default:
        break;
    }
}

/// Its last picture is none of the wall's any more.
void WallRun::lose(int rank) {
    std::erase_if(pictures_, [&](const auto &one) { return static_cast<int>(one.first >> 32) == rank; });
    pieces_.erase(rank);
    stills_.lose(rank);
}

void WallRun::begin(launcher::Run &&facts) {
    facts_ = std::move(facts);
    if (auto result = pixmpi::parse_wall(facts_.wall, "wall"); result.wall)
        wall_ = std::move(*result.wall);
    tiles_.reset(wall_);
    adjusted_ = std::make_unique<Adjusted>(facts_);
    if (name_.empty() && !facts_.program.empty()) {
        name_ = facts_.program.front().substr(facts_.program.front().rfind('/') + 1);
        mark("'" + name_ + "' begins");
    }
    if (attended_)
        link_.send(launcher::Attend{live_interval.count()});
    listener_.changed();
}

void WallRun::print(const launcher::Line &line) {
    if (const auto lines = log_.add(static_cast<int>(line.rank), static_cast<int>(line.stream), line.text);
        !lines.empty())
        listener_.printed(lines);
}

void WallRun::from_rank(const launcher::OfRank &message) {
    const auto rank = static_cast<int>(message.rank);
    if (rank < 0 || static_cast<std::size_t>(rank) >= tiles_.all().size())
        return;
    if (message.inner == static_cast<std::int64_t>(launcher::Type::figures)) {
        if (auto figures = launcher::unpack<launcher::Figures>(message.payload))
            tiles_.tell(rank, std::move(*figures));
    } else if (message.inner == static_cast<std::int64_t>(launcher::Type::picture)) {
        if (auto piece = launcher::unpack<launcher::PictureOfTile>(message.payload))
            receive_picture(rank, *piece);
    } else if (message.inner == static_cast<std::int64_t>(launcher::Type::recorded) && recording_) {
        recording_->add(message.payload);
        if (!recording_->error().empty())
            stop_recording();
    } else if (message.inner == static_cast<std::int64_t>(launcher::Type::menu) && rank == 0) {
        menu_ = read_menu(message.payload);
        listener_.changed();
    }
}

void WallRun::receive_picture(int rank, const launcher::PictureOfTile &piece) {
    std::string &bytes = pieces_[rank];
    if (bytes.size() + piece.bytes.size() > longest_picture)
        bytes.clear();
    bytes += piece.bytes;
    if (piece.more)
        return;
    const std::string whole = std::exchange(bytes, {});
    if (!tiles_.all()[static_cast<std::size_t>(rank)].shows())
        return; // it was on its way
    const PictureFacts &facts = piece.facts;
    if (!is_sound(facts))
        return;
    if (facts.request)
        return stills_.add(rank, facts, whole);
    const std::uint64_t key = (static_cast<std::uint64_t>(rank) << 32) | static_cast<std::uint32_t>(facts.window);
    const auto of_rank = [rank](const auto &one) { return static_cast<int>(one.first >> 32) == rank; };
    if (!pictures_.contains(key) && std::ranges::count_if(pictures_, of_rank) >= most_windows)
        return; // the windows are the program's to name
    listener_.picture(key, pictures_[key] = message_of(rank, facts, whole));
}

void WallRun::end() {
    over_ = true;
    ended_ = Clock::now();
    if (recording_ && recording_->runs())
        recording_->end("the program ended");
    stills_.give_up_all("the run is over");
    if (exit_status_)
        mark_end();
    listener_.over();
}

void WallRun::look() {
    if (adjusted_->brightness() != brightness_ && !tiles_.all().empty() && tiles_.all().front().now.frames > 0)
        adjust([this](Adjusted &wall) { return wall.dim(brightness_), std::string(); });
    if (tiles_.judge())
        listener_.changed();
}

std::int64_t WallRun::divergences() const { return tiles_.all().empty() ? 0 : tiles_.all().front().now.divergences; }

void WallRun::attend(bool somebody) {
    if (somebody == attended_ || over_)
        return;
    attended_ = somebody;
    link_.send(launcher::Attend{somebody ? live_interval.count() : 0});
    Event again;
    again.kind = Event::Kind::damage; // a program that has nothing to do would show nothing
    if (somebody)
        input({again});
}

void WallRun::input(std::span<const Event> events) {
    const auto bytes = pack(events);
    link_.send(launcher::Type::operate, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

void WallRun::show(int what) {
    shown_ = what;
    input({ShownOver{what}.event()});
    listener_.changed();
}

void WallRun::quit(bool at_once) {
    Event event;
    event.kind = Event::Kind::quit;
    if (at_once)
        link_.send(launcher::Stop{1});
    else
        input({event});
}

int WallRun::screenshot(Stills::Done done) { return ask_for_still(0, launcher::encode_png, std::move(done)); }

int WallRun::ask_for_still(std::int64_t frame, Stills::Coding coding, Stills::Done done) {
    std::set<int> ranks;
    for (const Tile &tile : tiles_.all())
        if (tile.shows())
            ranks.insert(tile.place.rank);
    const int request = stills_.begin(std::move(ranks), coding, std::move(done));
    input({WantedStill{request, frame}.event()});
    return request;
}

std::string WallRun::begin_film(Captures &captures, int every, const FilmTool &tool) {
    if (film_ && film_->runs())
        return "a film is being taken";
    if (!stills_.idle())
        return "a screenshot is being taken";
    if (tiles_.all().empty() || over_)
        return "no program is running";
    film_ = std::make_unique<Film>(
        captures, every,
        Film::Making{tool, [this](Stills::Work work) { stills_.elsewhere(std::move(work)); },
                     [this](const Film &) { listener_.changed(); }});
    if (!film_->runs())
        return film_->error();
    if (!tool.note.empty())
        note("walld: film: " + tool.note);
    film_frame(0);
    listener_.changed();
    return {};
}

void WallRun::film_frame(std::int64_t frame) {
    film_request_ = ask_for_still(frame, film_->coding(), [this](const Still &still) {
        if (const auto next = film_->add(still))
            film_frame(*next);
        else
            listener_.changed();
    });
}

void WallRun::end_film(Film::Done then) {
    if (!film_ || !film_->takes_frames())
        return;
    film_->end({}, std::move(then));
    stills_.give_up(film_request_, "the film has ended"); // which tells the pages
}

std::string WallRun::adjust(const std::function<std::string(Adjusted &)> &change) {
    const std::string error = change(*adjusted_);
    if (error.empty()) {
        place_tiles(std::exchange(wall_, adjusted_->wall()));
        tiles_.move(wall_);
        listener_.changed();
    }
    return error;
}

/// All in one change, so that no frame is shown halfway.
void WallRun::place_tiles(const pixmpi::Wall &before) {
    std::vector<Event> events;
    MovedTile moved{.wall_width = wall_.width, .wall_height = wall_.height};
    const bool resized = before.width != wall_.width || before.height != wall_.height;
    for (std::size_t i = 0; i < std::min(before.tiles.size(), wall_.tiles.size()); ++i) {
        const pixmpi::Tile &tile = wall_.tiles[i];
        if (tile.rect == before.tiles[i].rect && !(resized && i == 0))
            continue;
        moved.rank = tile.rank;
        moved.x = tile.rect.x;
        moved.y = tile.rect.y;
        events.push_back(moved.event());
    }
    moved.last = true;
    if (!events.empty())
        events.back() = moved.event();
    for (std::size_t i = 0; i < std::min(before.tiles.size(), wall_.tiles.size()); ++i) {
        const pixmpi::Correction &own = wall_.tiles[i].correction;
        if (own == before.tiles[i].correction)
            continue;
        events.push_back(CorrectedTile{wall_.tiles[i].rank, own}.event());
    }
    if (!events.empty())
        input(events);
}

std::string WallRun::begin_recording(Captures &captures) {
    if (recording_ && recording_->runs())
        return "input is being recorded";
    if (over_)
        return "no program is running";
    recording_ = std::make_unique<Recording>(captures, wall_.width, wall_.height);
    if (!recording_->runs())
        return recording_->error();
    input({WantedRecording{true}.event()});
    listener_.changed();
    return {};
}

void WallRun::stop_recording() {
    input({WantedRecording{false}.event()});
}

void WallRun::end_recording() {
    if (recording_ && recording_->runs())
        recording_->end();
    listener_.changed();
}

bool WallRun::replays() const {
    return replay_ && !over_ && !tiles_.all().empty() && tiles_.all().front().now.replayed < replay_;
}

std::string WallRun::replay(const Captures &captures, const std::string &name) {
    if (replays())
        return "'" + replayed_ + "' is being replayed";
    if (over_)
        return "no program is running";
    const auto events = events_of_replay(captures, name, replay_ + 1);
    if (!events.error.empty())
        return events.error;
    ++replay_;
    replayed_ = name;
    constexpr std::size_t in_one = 10'000;
    const std::span<const Event> all = events.value;
    for (std::size_t at = 0; at < all.size(); at += in_one)
        input(all.subspan(at, std::min(in_one, all.size() - at)));
    listener_.changed();
    return {};
}

bool WallRun::end_replay() {
    if (replays())
        input({end_of_replay()});
    return replays();
}

json WallRun::status() const {
    json tiles = json::array();
    for (const Tile &tile : tiles_.all())
        tiles.push_back(to_json(tile));
    const Sample last = tiles_.history().empty() ? Sample{} : tiles_.history().back();
    const bool running = !tiles_.all().empty() && tiles_.all().front().started;
    return {{"name", name_},
            {"program", facts_.program},
            {"clock", facts_.clock},
            {"state", over_     ? "ended"
                      : running ? "running"
                                : "starting"},
            {"began", milliseconds(began_)},
            {"ended", over_ ? json(milliseconds(ended_)) : json(nullptr)},
            {"exit_status", over_ && exit_status_ ? json(*exit_status_) : json(nullptr)},
            {"last_words", over_ && exit_status_ != 0 ? json(log_.last_words()) : json::array()},
            {"shows", name_of_show(shown_)},
            {"film", film_ ? json{{"file", film_->file()},
                                  {"every", film_->every()},
                                  {"frames", film_->frames()},
                                  {"runs", film_->runs()},
                                  {"error", film_->error()}}
                           : json(nullptr)},
            {"recording", recording_ ? json{{"file", recording_->file()},
                                            {"events", recording_->events()},
                                            {"runs", recording_->runs()},
                                            {"error", recording_->error()}}
                                     : json(nullptr)},
            {"replay", replay_ ? json{{"file", replayed_}, {"runs", replays()}} : json(nullptr)},
            {"menu", over_ ? json(nullptr) : menu_},
            {"frames", tiles_.all().empty() ? 0 : tiles_.all().front().now.frames},
            {"fps", rounded(last.fps)},
            {"skew_us", {{"p50", last.skew_p50_us}, {"p99", last.skew_p99_us}}},
            {"divergences", divergences()},
            {"wall",
             {{"name", facts_.wall_name},
              {"width", wall_.width},
              {"height", wall_.height},
              {"columns", wall_.columns},
              {"rows", wall_.rows},
              {"from_window", wall_.from_window},
              {"changed", adjusted_ && adjusted_->changed()}}},
            {"tiles", std::move(tiles)}};
}

} // namespace mpiglut::walld
