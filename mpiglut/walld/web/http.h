// What a request and an answer of HTTP are, apart from any connection.
#pragma once

#include "access/access.h"
#include "access/own_file.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpiglut::walld {

/// A browser sends the cookies of all servers on a host, since cookies know no ports.
inline constexpr std::size_t longest_head = 16u << 10;

struct Request {
    std::string method, path, query, body;
    std::string range; ///< of the file that it wants, the header's value
    bool long_head = false; ///< its headers are longer than `longest_head`
    Caller caller;
    Visitor visitor; ///< who that is, once it has been judged
};

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;
    std::shared_ptr<const OwnFile> file = {}; ///< instead of a body: it is read as it is sent
    std::uint64_t first = 0, last = UINT64_MAX; ///< bytes of the file that are sent

    std::uint64_t length() const {
        return file ? std::min(last, file->size() - 1) - first + 1 : body.size();
    }
    /// What is sent from there on, at most so many bytes.
    std::string part(std::uint64_t from, std::size_t most) const {
        return file ? file->read_at(first + from, std::min<std::uint64_t>(most, length() - from))
                    : body.substr(from, most);
    }
};
Response json_error(int status, const std::string &error);

/// All of the file, or the part of it that a header Range asks for, as video players do.
Response file_response(const char *type, std::shared_ptr<const OwnFile> file, const std::string &range);

/// The value of one parameter of a query, decoded; empty without it.
std::string query_value(std::string_view query, std::string_view name);

} // namespace mpiglut::walld
