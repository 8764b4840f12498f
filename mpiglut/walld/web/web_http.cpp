// Requests: they are read, asked about, and answered.
#include "web/web_parts.h"

#include <charconv>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t piece = 32u << 10;
constexpr int answer_seconds = 40;

} // namespace

void Web::Implementation::answer(Client number, Response response) {
    Connection *const connection = find(number);
    if (!connection || std::exchange(connection->answered, true))
        return;
    connection->response = std::move(response);
    lws_rx_flow_control(connection->wsi, 1);
    lws_callback_on_writable(connection->wsi);
}

void Web::Implementation::ask(Connection &connection) {
    if (std::exchange(connection.asked, true))
        return;
    lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT, answer_seconds);
    handler.request(connection.request,
                    [this, number = connection.number](Response response) { answer(number, std::move(response)); });
    if (!connection.answered) // a client that goes meanwhile would be looked at all the time
        lws_rx_flow_control(connection.wsi, 0);
}

std::optional<Response> Web::Implementation::refuse(Request &request) const {
    if (request.long_head)
        return json_error(431, "headers: expected at most " + std::to_string(longest_head) + " bytes");
    return handler.refuse(request);
}

int Web::Implementation::begin_request(Connection &connection) {
    lws *const wsi = connection.wsi;
    connection.request = read_head(wsi);
    if (auto refusal = refuse(connection.request)) {
        answer(connection.number, std::move(*refusal));
        return 0;
    }
    seats.prove(connection.number, connection.request.visitor.role == Role::operate);
    const std::string length = header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH);
    const bool has_body = length.find_first_not_of('0') != std::string::npos;
    std::size_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (has_body && (error != std::errc() || end != length.data() + length.size() || bytes > longest_body))
        answer(connection.number, json_error(413, "body: expected at most 65536 bytes"));
    else if (!has_body)
        ask(connection);
    else
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, request_seconds);
    return 0;
}

int Web::Implementation::write_response(Connection &connection) {
    if (!connection.answered)
        return 0;
    const Response &response = connection.response;
    const bool no_body = connection.request.method == "HEAD" || response.length() == 0;
    lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT, request_seconds);
    if (!connection.head_sent) {
        connection.head_sent = true;
        if (!write_head(connection.wsi, response))
            return -1;
        if (!no_body) {
            lws_callback_on_writable(connection.wsi);
            return 0;
        }
    }
    if (!no_body) {
        const std::string part = response.part(connection.sent, piece);
        if (part.empty())
            return -1; // the file has become shorter
        connection.sent += part.size();
        const bool last = connection.sent == response.length();
        auto buffer = framed(part);
        if (lws_write(connection.wsi, buffer.data() + LWS_PRE, part.size(),
                      last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < static_cast<int>(part.size()))
            return -1;
        if (!last) {
            lws_callback_on_writable(connection.wsi);
            return 0;
        }
    }
    finish(connection);
    return -1; // one request for each connection: bytes behind it are not read
}

int Web::Implementation::end_body(Connection &connection) {
    if (!std::exchange(connection.body_over, true)) {
        if (!connection.answered)
            ask(connection);
        return 0;
    }
    finish(connection);
    kill(connection.wsi);
    return 0;
}

} // namespace mpiglut::walld
