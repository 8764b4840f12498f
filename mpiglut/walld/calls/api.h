// What each request of HTTP does. The page is a user of this like any script; docs/openapi.yaml describes it.
#pragma once

#include "access/access.h"
#include "capture/thumbnails.h"
#include "desk/desk.h"
#include "show/shows.h"
#include "web/web.h"

namespace mpiglut::walld {

/// A file of the page, embedded in the program.
struct Asset {
    const char *path, *type;
    std::string_view bytes;
};
const Asset *find_asset(std::string_view path);

class Api {
  public:
    /// `programs`: null for the server of a single run.
    Api(Web &web, Access &access, Desk &desk, Captures &captures, Thumbnails &thumbnails, Stills &stills,
        const Log &log, Programs *programs, Shows &shows, bool tls)
        : web_(web), access_(access), desk_(desk), captures_(captures), thumbnails_(thumbnails), stills_(stills),
          log_(log), programs_(programs), shows_(shows), tls_(tls) {}

    void run(WallRun *run) { run_ = run; }
    /// What films are coded with.
    void film_tool(FilmTool tool) { film_tool_ = std::move(tool); }
    /// The answer to who may do nothing here.
    std::optional<Response> refuse(Request &request);
    void handle(const Request &request, const Web::Answer &answer);
    /// The status to refuse a WebSocket with; 0: welcome.
    int admit(const Request &request);

  private:
    using Call = void (Api::*)(const Request &, const Web::Answer &);
    struct Route {
        const char *method, *path;
        Call call;
        bool needs_run;
    };
    static const Route routes[];
    /// Does it change the wall? Every POST does, except those that only concern sessions, and screenshots.
    static bool changes(const Route &route);

    void revoke(const Request &request, const Web::Answer &answer);
    void log_out(const Request &request, const Web::Answer &answer);
    void close_ended_sessions();
    void status(const Request &request, const Web::Answer &answer);
    void figures(const Request &request, const Web::Answer &answer);
    void log(const Request &request, const Web::Answer &answer);
    void input(const Request &request, const Web::Answer &answer);
    void show(const Request &request, const Web::Answer &answer);
    void quit(const Request &request, const Web::Answer &answer);
    void screenshot(const Request &request, const Web::Answer &answer);
    void begin_film(const Request &request, const Web::Answer &answer);
    void end_film(const Request &request, const Web::Answer &answer);
    void wall(const Request &request, const Web::Answer &answer);
    void nudge(const Request &request, const Web::Answer &answer);
    void recolour(const Request &request, const Web::Answer &answer);
    void reset_wall(const Request &request, const Web::Answer &answer);
    void save_wall(const Request &request, const Web::Answer &answer);
    void begin_recording(const Request &request, const Web::Answer &answer);
    void end_recording(const Request &request, const Web::Answer &answer);
    void replay(const Request &request, const Web::Answer &answer);
    void end_replay(const Request &request, const Web::Answer &answer);
    void captures(const Request &request, const Web::Answer &answer);
    void capture(const Request &request, const Web::Answer &answer);
    void thumbnail(const Request &request, const Web::Answer &answer);
    void delete_capture(const Request &request, const Web::Answer &answer);
    void metrics(const Request &request, const Web::Answer &answer);
    void list_programs(const Request &request, const Web::Answer &answer);
    void picture_of_program(const Request &request, const Web::Answer &answer);
    void start_program(const Request &request, const Web::Answer &answer);
    void stop_program(const Request &request, const Web::Answer &answer);
    void restart_program(const Request &request, const Web::Answer &answer);

    void presets(const Request &request, const Web::Answer &answer);
    void save_preset(const Request &request, const Web::Answer &answer);
    void apply_preset(const Request &request, const Web::Answer &answer);
    void delete_preset(const Request &request, const Web::Answer &answer);
    void set_playlist(const Request &request, const Web::Answer &answer);
    void start_playlist(const Request &request, const Web::Answer &answer);
    void stop_playlist(const Request &request, const Web::Answer &answer);
    void next_in_playlist(const Request &request, const Web::Answer &answer);
    void set_brightness(const Request &request, const Web::Answer &answer);

    bool is_being_written(const std::string &capture) const;
    Response by_hand(const std::string &error);
    /// Else the answer has been given.
    bool knows(const std::string &program, const Web::Answer &answer);

    Web &web_;
    Access &access_;
    Desk &desk_;
    Captures &captures_;
    Thumbnails &thumbnails_;
    Stills &stills_;
    const Log &log_;
    Programs *programs_;
    Shows &shows_;
    bool tls_;
    WallRun *run_ = nullptr;
    FilmTool film_tool_;
};

} // namespace mpiglut::walld
