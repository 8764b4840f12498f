#include "web/http.h"

#include <algorithm>
#include <charconv>

namespace mpiglut::walld {

Response json_error(int status, const std::string &error) {
    std::string quoted;
    for (char c : error)
        quoted += c == '"' || c == '\\'                 ? std::string("\\") + c
                  : static_cast<unsigned char>(c) < ' ' ? std::string(" ")
                                                        : std::string(1, c);
    return {.status = status, .body = "{\"error\":\"" + quoted + "\"}\n", .headers = {}};
}

Response file_response(const char *type, std::shared_ptr<const OwnFile> file, const std::string &range) {
    const std::uint64_t size = file->size();
    Response response{.type = type, .body = {}, .headers = {{"accept-ranges", "bytes"}}, .file = std::move(file)};
    constexpr std::string_view unit = "bytes=";
    const auto dash = range.find('-');
    if (!range.starts_with(unit) || dash == range.npos || range.find(',') != range.npos)
        return response;
    const auto number = [](std::string_view digits, std::uint64_t otherwise) {
        std::uint64_t value = otherwise;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() ? value : otherwise;
    };
    const std::string_view from = std::string_view(range).substr(unit.size(), dash - unit.size()),
                           to = std::string_view(range).substr(dash + 1);
    const bool of_end = from.empty(); // so many bytes at the end
    const std::uint64_t first = of_end ? size - std::min(size, number(to, 0)) : number(from, size);
    const std::uint64_t last = of_end ? size - 1 : std::min(number(to, size - 1), size - 1);
    if (first > last || first >= size) {
        Response wrong = json_error(416, "Range: expected bytes of the file, which has " + std::to_string(size));
        wrong.headers.emplace_back("content-range", "bytes */" + std::to_string(size));
        return wrong;
    }
    response.status = 206;
    response.first = first;
    response.last = last;
    response.headers.emplace_back("content-range", "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                                       std::to_string(size));
    return response;
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
