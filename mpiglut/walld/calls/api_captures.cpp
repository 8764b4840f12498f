// The calls about captures: what there is, thumbnails, deleting.
#include "calls/answers.h"
#include "calls/api.h"

#include <algorithm>
#include <charconv>
#include <memory>

namespace mpiglut::walld {

namespace {

using nlohmann::json;

constexpr std::size_t most_details = 500;

/// Who only looks gets no recordings.
bool may_see(const Request &request, const std::string &name) {
    return request.visitor.role == Role::operate || !is_recording(name);
}

/// "/api/v1/captures/NAME", and what may follow.
std::string name_of(const Request &request) {
    constexpr std::string_view before = "/api/v1/captures/";
    const std::string rest = request.path.substr(std::min(before.size(), request.path.size()));
    return rest.substr(0, rest.find('/'));
}

} // namespace

void Api::captures(const Request &request, const Web::Answer &answer) {
    const std::string most = query_value(request.query, "details");
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(most.data(), most.data() + most.size(), count);
    if (!most.empty() && (error != std::errc() || end != most.data() + most.size() || count > most_details))
        return answer(json_error(400, "details: expected of how many, from 0 to 500"));
    std::vector<std::string> names = captures_.names();
    std::erase_if(names, [&](const std::string &name) { return !may_see(request, name); });
    json found{{"captures", names}};
    if (!most.empty()) {
        found["bytes"] = captures_.bytes();
        found["limit"] = captures_.limit();
        found["files"] = json::array();
        for (std::size_t i = 0; i < std::min(count, names.size()); ++i)
            found["files"].push_back({{"name", names[i]},
                                      {"type", type_of(names[i])},
                                      {"bytes", captures_.open(names[i]).size()},
                                      {"written", is_being_written(names[i])}});
    }
    answer(json_response(found));
}

void Api::capture(const Request &request, const Web::Answer &answer) {
    const std::string name = name_of(request);
    if (!may_see(request, name))
        return answer(json_error(403, only_for_looking));
    auto file = std::make_shared<OwnFile>(captures_.open(name));
    answer(file->size() == 0 ? json_error(404, "capture: there is none of this name")
                             : file_response(type_of(name), std::move(file), request.range));
}

void Api::thumbnail(const Request &request, const Web::Answer &answer) {
    const bool waits = thumbnails_.get(name_of(request), [answer](const Thumbnails::Jpeg &jpeg) {
        answer(jpeg ? Response{.type = "image/jpeg", .body = *jpeg, .headers = {}}
                    : json_error(404, "thumbnail: there is none of this capture"));
    });
    if (!waits)
        answer(json_error(429, "too many thumbnails at once"));
}

bool Api::is_being_written(const std::string &name) const {
    return run_ && ((run_->film() && run_->film()->runs() && run_->film()->file() == name) ||
                    (run_->recording() && run_->recording()->runs() && run_->recording()->file() == name));
}

void Api::delete_capture(const Request &request, const Web::Answer &answer) {
    const std::string name = name_of(request);
    if (!captures_.open(name))
        return answer(json_error(404, "capture: there is none of this name"));
    if (is_being_written(name))
        return answer(json_error(409, "'" + name + "' is being written: end it first"));
    const std::string error = captures_.remove(name);
    thumbnails_.forget(name);
    if (error.empty())
        desk_.changed();
    answer(done_or(error));
}

} // namespace mpiglut::walld
