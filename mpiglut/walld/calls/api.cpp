#include "calls/api.h"
#include "calls/answers.h"
#include "calls/metrics.h"

#include <algorithm>
#include <charconv>
#include <memory>

namespace mpiglut::walld {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto longest_screenshot = 15s;
constexpr std::size_t most_lines = 1000;

std::optional<Response> answer_to(Verdict verdict) {
    switch (verdict) {
    case Verdict::good:
        return std::nullopt;
    case Verdict::unknown:
        return json_error(401, "token: expected that of the link that was printed when the server started");
    case Verdict::foreign:
        return json_error(403, "Origin: expected this server's own page");
    case Verdict::too_often:
        break;
    }
    return json_error(429, "too many requests");
}

/// What `*` stands for in a route's path; nothing when the path is another.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
    const auto star = pattern.find('*');
    if (star == pattern.npos)
        return pattern == path ? std::optional(std::string()) : std::nullopt;
    const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
    if (path.size() <= before.size() + behind.size() || !path.starts_with(before) || !path.ends_with(behind))
        return std::nullopt;
    const std::string_view middle = path.substr(before.size(), path.size() - before.size() - behind.size());
    return middle.find('/') == middle.npos ? std::optional(std::string(middle)) : std::nullopt;
}

} // namespace

const Api::Route Api::routes[] = {
    {"POST", "/api/v1/logout", &Api::log_out, false},
    {"POST", "/api/v1/sessions/revoke", &Api::revoke, false},
    {"GET", "/api/v1/status", &Api::status, false},
    {"GET", "/api/v1/figures", &Api::figures, true},
    {"GET", "/api/v1/log", &Api::log, false},
    {"POST", "/api/v1/input", &Api::input, true},
    {"POST", "/api/v1/show", &Api::show, true},
    {"POST", "/api/v1/quit", &Api::quit, true},
    {"POST", "/api/v1/screenshot", &Api::screenshot, true},
    {"POST", "/api/v1/film", &Api::begin_film, true},
    {"POST", "/api/v1/film/end", &Api::end_film, true},
    {"GET", "/api/v1/wall", &Api::wall, true},
    {"POST", "/api/v1/wall/nudge", &Api::nudge, true},
    {"POST", "/api/v1/wall/colour", &Api::recolour, true},
    {"POST", "/api/v1/wall/reset", &Api::reset_wall, true},
    {"POST", "/api/v1/wall/save", &Api::save_wall, true},
    {"POST", "/api/v1/wall/brightness", &Api::set_brightness, false},
    {"POST", "/api/v1/record", &Api::begin_recording, true},
    {"POST", "/api/v1/record/end", &Api::end_recording, true},
    {"POST", "/api/v1/replay", &Api::replay, true},
    {"POST", "/api/v1/replay/end", &Api::end_replay, true},
    {"GET", "/api/v1/captures", &Api::captures, false},
    {"GET", "/api/v1/captures/*", &Api::capture, false},
    {"GET", "/api/v1/captures/*/thumbnail", &Api::thumbnail, false},
    {"POST", "/api/v1/captures/*/delete", &Api::delete_capture, false},
    {"GET", "/metrics", &Api::metrics, false},
    {"GET", "/api/v1/programs", &Api::list_programs, false},
    {"GET", "/api/v1/programs/*/picture", &Api::picture_of_program, false},
    {"POST", "/api/v1/programs/*/start", &Api::start_program, false},
    {"POST", "/api/v1/programs/*/stop", &Api::stop_program, false},
    {"POST", "/api/v1/programs/*/restart", &Api::restart_program, false},
    {"GET", "/api/v1/presets", &Api::presets, false},
    {"POST", "/api/v1/presets/*/save", &Api::save_preset, false},
    {"POST", "/api/v1/presets/*/apply", &Api::apply_preset, false},
    {"POST", "/api/v1/presets/*/delete", &Api::delete_preset, false},
    {"POST", "/api/v1/playlist", &Api::set_playlist, false},
    {"POST", "/api/v1/playlist/start", &Api::start_playlist, false},
    {"POST", "/api/v1/playlist/stop", &Api::stop_playlist, false},
    {"POST", "/api/v1/playlist/next", &Api::next_in_playlist, false},
};

/// A browser with a link of an earlier start is told what to do; scripts get the error as everywhere.
std::optional<Response> Api::refuse(Request &request) {
    const Verdict verdict = access_.judge(request.caller, request.visitor);
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const char *const file = request.path == "/"               ? "/stranger.html"
                             : request.path == "/stranger.css" ? "/stranger.css"
                                                               : nullptr;
    if (verdict == Verdict::unknown && reads && file)
        if (const Asset *const asset = find_asset(file))
            return Response{.status = request.path == "/" ? 401 : 200,
                            .type = asset->type,
                            .body = std::string(asset->bytes),
                            .headers = {}};
    return answer_to(verdict);
}

bool Api::changes(const Route &route) {
    return std::string_view(route.method) == "POST" && route.call != &Api::log_out && route.call != &Api::revoke &&
           route.call != &Api::screenshot;
}

int Api::admit(const Request &request) {
    if (request.path != "/api/v1/events")
        return 404;
    return request.caller.origin.empty() && request.caller.authorization.empty() ? 403 : 0;
}

void Api::handle(const Request &request, const Web::Answer &answer) {
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    if (const Asset *asset = find_asset(request.path); asset && method == "GET") {
        Response page{.type = asset->type, .body = std::string(asset->bytes), .headers = {}};
        if (!request.caller.token.empty())
            page.headers.emplace_back("set-cookie",
                                      access_.open_session(request.visitor.role, request.caller.cookie, tls_));
        close_ended_sessions();
        return answer(std::move(page));
    }
    bool known = find_asset(request.path) != nullptr;
    for (const Route &route : routes) {
        if (!match(route.path, request.path))
            continue;
        known = true;
        if (method != route.method)
            continue;
        if (method == "POST" && route.call != &Api::log_out && request.visitor.role != Role::operate)
            return answer(json_error(403, only_for_looking));
        if (route.needs_run && !run_)
            return answer(json_error(409, "no program is running"));
        if (changes(route))
            if (const std::string why = desk_.refuse_change(request); !why.empty())
                return answer(json_error(423, why));
        return (this->*route.call)(request, answer);
    }
    answer(known ? json_error(405, "method: not one that this path takes")
                 : json_error(404, "path: there is no such thing"));
}

void Api::log_out(const Request &request, const Web::Answer &answer) {
    if (request.visitor.session.empty())
        return answer(json_error(409, "there is no session: a token was sent"));
    Response gone = done_or({});
    gone.headers.emplace_back("set-cookie", access_.close_session(request.visitor.session, tls_));
    close_ended_sessions();
    answer(std::move(gone));
}

void Api::revoke(const Request &, const Web::Answer &answer) {
    access_.sessions().close_all();
    close_ended_sessions();
    answer(done_or(access_.sessions().trouble()));
}

void Api::close_ended_sessions() {
    desk_.keep([this](const std::string &session) { return access_.is_open(session); });
}

void Api::status(const Request &, const Web::Answer &answer) {
    answer(json_response(
        {{"version", MPIGLUT_VERSION}, {"clients", desk_.clients()}, {"run", run_ ? run_->status() : json(nullptr)}}));
}

void Api::figures(const Request &, const Web::Answer &answer) {
    json samples = json::array();
    for (const Sample &sample : run_->tiles().history())
        samples.push_back(to_json(sample));
    answer(json_response({{"samples", std::move(samples)}}));
}

void Api::log(const Request &request, const Web::Answer &answer) {
    const std::string after = query_value(request.query, "after"), filter = query_value(request.query, "filter");
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), number);
    if (!after.empty() && (error != std::errc() || end != after.data() + after.size()))
        return answer(json_error(400, "after: expected the number of a line"));
    json lines = json::array();
    for (const LogLine &line : log_.after(number))
        if (lines.size() < most_lines && line.text.find(filter) != std::string::npos)
            lines.push_back(to_json(line));
    answer(json_response({{"lines", std::move(lines)}}));
}

void Api::input(const Request &request, const Web::Answer &answer) {
    with_body<std::vector<Event>>(request, answer, read_input, [&](const std::vector<Event> &events) {
        run_->input(events);
        answer(done_or({}));
    });
}

void Api::show(const Request &request, const Web::Answer &answer) {
    with_body<int>(request, answer, read_show, [&](int what) {
        run_->show(what);
        answer(done_or({}));
    });
}

void Api::quit(const Request &request, const Web::Answer &answer) {
    with_body<bool>(request, answer, read_quit, [&](bool now) {
        shows_.by_hand();
        run_->quit(now);
        answer(done_or({}));
    });
}

void Api::screenshot(const Request &, const Web::Answer &answer) {
    if (run_->is_over())
        return answer(json_error(409, "no program is running"));
    if (run_->film() && run_->film()->runs())
        return answer(json_error(409, "a film is being taken"));
    const int number = run_->screenshot([this, answer](const Still &still) {
        if (!still.error.empty())
            return answer(json_error(504, "screenshot: " + still.error));
        std::string name, why;
        OwnFile file = captures_.create(".png", name, why);
        Response response{.type = "image/png", .body = still.coded, .headers = {}};
        if (file && file.append(still.coded))
            response.headers.emplace_back("x-capture", name);
        else if (run_)
            run_->note("walld: the screenshot is not kept: " + (file ? "'" + name + "' cannot be written" : why));
        answer(std::move(response));
    });
    web_.after(longest_screenshot, [this, number] { stills_.give_up(number, "no frame came within 15 seconds"); });
}

void Api::begin_film(const Request &request, const Web::Answer &answer) {
    with_body<int>(request, answer, read_film, [&](int every) {
        const std::string error = run_->begin_film(captures_, every, film_tool_);
        answer(error.empty() ? json_response({{"film", run_->film()->file()}}) : json_error(409, error));
    });
}

void Api::end_film(const Request &, const Web::Answer &answer) {
    if (!run_->film() || !run_->film()->takes_frames())
        return answer(json_error(409, "no film is being taken"));
    run_->end_film([answer](const Film &film) {
        answer(film.frames() ? json_response({{"film", film.file()}, {"frames", film.frames()}})
                             : json_error(409, "there is no film: " +
                                                   (film.error().empty() ? "no frame came" : film.error())));
    });
}

void Api::metrics(const Request &, const Web::Answer &answer) {
    answer({.type = "text/plain; version=0.0.4", .body = prometheus(run_, desk_.clients()), .headers = {}});
}

void Api::list_programs(const Request &, const Web::Answer &answer) {
    answer(json_response(programs_ ? programs_->to_json()
                                   : json{{"programs", json::array()}, {"history", json::array()}}));
}

void Api::picture_of_program(const Request &request, const Web::Answer &answer) {
    const std::string name = match("/api/v1/programs/*/picture", request.path).value_or("");
    const std::string bytes = programs_ ? programs_->picture(name) : std::string();
    const char *const type = bytes.starts_with("\x89PNG") ? "image/png" : "image/jpeg";
    answer(bytes.empty() ? json_error(404, "picture: this program has none")
                         : Response{.type = type, .body = bytes, .headers = {}});
}

bool Api::knows(const std::string &program, const Web::Answer &answer) {
    if (programs_ && programs_->knows(program))
        return true;
    answer(json_error(404, "program: there is none of this name"));
    return false;
}

/// The playlist would work against it.
Response Api::by_hand(const std::string &error) {
    if (error.empty())
        shows_.by_hand();
    return done_or(error);
}

void Api::start_program(const Request &request, const Web::Answer &answer) {
    const std::string name = match("/api/v1/programs/*/start", request.path).value_or("");
    if (knows(name, answer))
        with_body<std::string>(request, answer, read_clock_choice,
                               [&](const std::string &clock) { answer(by_hand(programs_->start(name, clock))); });
}

void Api::stop_program(const Request &request, const Web::Answer &answer) {
    const std::string name = match("/api/v1/programs/*/stop", request.path).value_or("");
    if (knows(name, answer))
        answer(by_hand(programs_->stop(name)));
}

void Api::restart_program(const Request &request, const Web::Answer &answer) {
    const std::string name = match("/api/v1/programs/*/restart", request.path).value_or("");
    if (knows(name, answer))
        with_body<std::string>(request, answer, read_clock_choice,
                               [&](const std::string &clock) { answer(by_hand(programs_->restart(name, clock))); });
}

} // namespace mpiglut::walld
