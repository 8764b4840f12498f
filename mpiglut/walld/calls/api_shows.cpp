// The calls of presets, of the playlist and of the brightness of the whole wall.
#include "calls/answers.h"
#include "calls/api.h"

namespace mpiglut::walld {

namespace {

/// "/api/v1/presets/NAME/VERB"
std::string name_of(const Request &request) {
    constexpr std::string_view before = "/api/v1/presets/";
    const std::string rest = request.path.substr(std::min(before.size(), request.path.size()));
    return rest.substr(0, rest.find('/'));
}

} // namespace

void Api::presets(const Request &, const Web::Answer &answer) { answer(json_response(shows_.to_json())); }

void Api::save_preset(const Request &request, const Web::Answer &answer) {
    with_body<PresetWish>(request, answer, read_preset, [&](const PresetWish &wish) {
        const std::string error = shows_.save(name_of(request), wish);
        answer(done_or(error, error.starts_with("name: ") ? 400 : 409));
    });
}

void Api::apply_preset(const Request &request, const Web::Answer &answer) {
    const std::string name = name_of(request);
    answer(shows_.knows(name) ? done_or(shows_.apply_by_hand(name)) : json_error(404, "preset: there is none of this name"));
}

void Api::delete_preset(const Request &request, const Web::Answer &answer) {
    const std::string name = name_of(request);
    answer(shows_.knows(name) ? done_or(shows_.remove(name)) : json_error(404, "preset: there is none of this name"));
}

void Api::set_playlist(const Request &request, const Web::Answer &answer) {
    with_body<std::vector<PlaylistEntry>>(
        request, answer, read_entries,
        [&](const std::vector<PlaylistEntry> &entries) { answer(done_or(shows_.set_entries(entries))); });
}

void Api::start_playlist(const Request &, const Web::Answer &answer) { answer(done_or(shows_.start())); }

void Api::stop_playlist(const Request &, const Web::Answer &answer) { answer(done_or(shows_.stop())); }

void Api::next_in_playlist(const Request &, const Web::Answer &answer) { answer(done_or(shows_.next())); }

void Api::set_brightness(const Request &request, const Web::Answer &answer) {
    with_body<double>(request, answer, read_brightness, [&](double brightness) {
        shows_.set_brightness(brightness);
        desk_.changed();
        answer(done_or({}));
    });
}

} // namespace mpiglut::walld
