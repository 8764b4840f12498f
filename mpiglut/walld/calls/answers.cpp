#include "calls/answers.h"

namespace mpiglut::walld {

using nlohmann::json;

Response json_response(const json &object, int status) {
    return {
        .status = status, .body = object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", .headers = {}};
}

Response done_or(const std::string &error, int status) {
    return error.empty() ? json_response({{"ok", true}}) : json_error(status, error);
}

} // namespace mpiglut::walld
