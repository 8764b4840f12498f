// What the calls of the interface have in common.
#pragma once

#include "desk/input.h"
#include "web/web.h"

#include <nlohmann/json.hpp>

namespace mpiglut::walld {

Response json_response(const nlohmann::json &object, int status = 200);
/// {"ok": true}, or the error with this status.
Response done_or(const std::string &error, int status = 409);

/// Calls then(value) with what `read` makes of the body; a wrong body is answered.
template <class T, class F>
void with_body(const Request &request, const Web::Answer &answer, Read<T> (*read)(const nlohmann::json &), F then) {
    const Read<nlohmann::json> body = read_json(request.body.empty() ? "{}" : request.body);
    const Read<T> wish = body.error.empty() ? read(body.value) : Read<T>{{}, body.error};
    wish.error.empty() ? then(wish.value) : answer(json_error(400, wish.error));
}

} // namespace mpiglut::walld
