// The calls that adjust the wall, and those that record and replay input.
#include "calls/answers.h"
#include "calls/api.h"

namespace mpiglut::walld {

namespace {

/// From a rank's program by its agent and mpiglutrun to here.
constexpr std::chrono::milliseconds time_for_last_events{150};

} // namespace

void Api::wall(const Request &, const Web::Answer &answer) { answer(json_response(run_->adjusted().to_json())); }

void Api::nudge(const Request &request, const Web::Answer &answer) {
    with_body<Nudge>(request, answer, read_nudge, [&](const Nudge &nudge) {
        const std::string error = run_->adjust([&](Adjusted &wall) { return wall.nudge(nudge); });
        answer(error.empty() ? json_response(run_->adjusted().to_json()) : json_error(409, error));
    });
}

void Api::recolour(const Request &request, const Web::Answer &answer) {
    with_body<Recolouring>(request, answer, read_recolouring, [&](const Recolouring &wish) {
        const std::string error = run_->adjust([&](Adjusted &wall) { return wall.recolour(wish); });
        answer(error.empty() ? json_response(run_->adjusted().to_json()) : json_error(409, error));
    });
}

void Api::reset_wall(const Request &, const Web::Answer &answer) {
    run_->adjust([](Adjusted &wall) { return wall.reset(), std::string(); });
    answer(json_response(run_->adjusted().to_json()));
}

void Api::save_wall(const Request &, const Web::Answer &answer) {
    std::string file;
    const std::string error = run_->adjust([&](Adjusted &wall) { return wall.save(captures_, file); });
    answer(error.empty() ? json_response({{"file", file}}) : json_error(409, error));
}

void Api::begin_recording(const Request &, const Web::Answer &answer) {
    const std::string error = run_->begin_recording(captures_);
    answer(error.empty() ? json_response({{"recording", run_->recording()->file()}}) : json_error(409, error));
}

void Api::end_recording(const Request &, const Web::Answer &answer) {
    if (!run_->recording() || !run_->recording()->runs())
        return answer(json_error(409, "nothing is being recorded"));
    // What the program has done by now is on its way still.
    run_->stop_recording();
    web_.after(time_for_last_events, [this, answer, which = run_] {
        if (run_ != which)
            return answer(json_error(409, "the run is over"));
        run_->end_recording();
        answer(json_response({{"recording", run_->recording()->file()}, {"events", run_->recording()->events()}}));
    });
}

void Api::replay(const Request &request, const Web::Answer &answer) {
    with_body<std::string>(request, answer, read_recording_name, [&](const std::string &name) {
        const std::string error = run_->replay(captures_, name);
        answer(done_or(error, error.starts_with("recording: there is none") ? 404 : 409));
    });
}

void Api::end_replay(const Request &, const Web::Answer &answer) {
    answer(done_or(run_->end_replay() ? std::string() : "nothing is being replayed"));
}

} // namespace mpiglut::walld
