#include "http.h"

#include <algorithm>

namespace mpiglut::walld {

Response json_error(int status, const std::string &error) {
    std::string quoted;
    for (char c : error)
        quoted += c == '"' || c == '\\'                 ? std::string("\\") + c
                  : static_cast<unsigned char>(c) < ' ' ? std::string(" ")
                                                        : std::string(1, c);
    return {.status = status, .body = "{\"error\":\"" + quoted + "\"}\n", .headers = {}};
}

std::string query_value(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (pair.size() <= name.size() || !pair.starts_with(name) || pair[name.size()] != '=')
            continue;
        std::string value;
        const std::string_view coded = pair.substr(name.size() + 1);
        for (std::size_t i = 0; i < coded.size(); ++i) {
            const auto hex = [&](std::size_t at) {
                const char c = at < coded.size() ? coded[at] : ' ';
                return c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : -1;
            };
            if (coded[i] == '%' && hex(i + 1) >= 0 && hex(i + 2) >= 0) {
                value += static_cast<char>(hex(i + 1) * 16 + hex(i + 2));
                i += 2;
            } else {
                value += coded[i] == '+' ? ' ' : coded[i];
            }
        }
        return value;
    }
    return {};
}

} // namespace mpiglut::walld
