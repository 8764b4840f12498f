#include "web/heads.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <linux/tcp.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace mpiglut::walld {

namespace {

/// What holds for every answer: nothing is loaded from elsewhere, nothing is kept, no site puts the page in a frame.
constexpr std::pair<const char *, const char *> standing_headers[] = {
    {"connection:", "close"},
    {"cache-control:", "no-store"},
    {"content-security-policy:", "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; base-uri 'none'; "
                                 "form-action 'none'; frame-ancestors 'none'"},
    {"referrer-policy:", "no-referrer"},
    {"x-content-type-options:", "nosniff"},
    {"cross-origin-resource-policy:", "same-origin"}};

/// libwebsockets reads so much at a time; then TLS has its own messages.
constexpr std::int64_t longest_reading = 4096, most_of_handshake = 4096;

/// At least so many bytes has the head, as far as the socket knows: libwebsockets does not tell the lengths of headers
/// that it has no number for.
std::int64_t least_bytes_of_head(lws *wsi) {
    tcp_info facts{};
    socklen_t size = sizeof facts;
    const int socket = lws_get_socket_fd(wsi);
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &facts, &size) != 0 ||
        size < offsetof(tcp_info, tcpi_bytes_received) + sizeof facts.tcpi_bytes_received)
        return 0;
    int unread = 0;
    ::ioctl(socket, FIONREAD, &unread);
    SSL *const tls = lws_is_ssl(wsi) ? lws_get_ssl(wsi) : nullptr;
    return static_cast<std::int64_t>(facts.tcpi_bytes_received) - unread - longest_reading -
           (tls ? SSL_pending(tls) + most_of_handshake : 0);
}

} // namespace

std::string header(lws *wsi, lws_token_indexes token) {
    const int length = lws_hdr_total_length(wsi, token);
    if (length <= 0)
        return {};
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    const int copied = lws_hdr_copy(wsi, value.data(), length + 1, token);
    value.resize(copied > 0 ? static_cast<std::size_t>(copied) : 0);
    return value;
}

std::string address_of(int socket) {
    std::array<char, 64> text{};
    lws_get_peer_simple_fd(socket, text.data(), text.size());
    return text.data();
}

Request read_head(lws *wsi) {
    Request request;
    static constexpr std::pair<lws_token_indexes, const char *> methods[] = {
        {WSI_TOKEN_GET_URI, "GET"},    {WSI_TOKEN_POST_URI, "POST"},     {WSI_TOKEN_PUT_URI, "PUT"},
        {WSI_TOKEN_HEAD_URI, "HEAD"},  {WSI_TOKEN_DELETE_URI, "DELETE"}, {WSI_TOKEN_OPTIONS_URI, "OPTIONS"},
        {WSI_TOKEN_PATCH_URI, "PATCH"}};
    for (const auto &[token, name] : methods)
        if (lws_hdr_total_length(wsi, token) > 0) {
            request.method = name;
            request.path = header(wsi, token);
        }
    int bytes = 0;
    for (int token = 0; token < WSI_TOKEN_COUNT; ++token)
        bytes += std::max(0, lws_hdr_total_length(wsi, static_cast<lws_token_indexes>(token)));
    request.long_head =
        std::max<std::int64_t>(bytes, least_bytes_of_head(wsi)) > static_cast<std::int64_t>(longest_head);
    // The library splits a query at each '&'.
    std::array<char, longest_head + 1> part;
    for (int at = 0;
         lws_hdr_copy_fragment(wsi, part.data(), static_cast<int>(part.size()), WSI_TOKEN_HTTP_URI_ARGS, at) > 0; ++at)
        request.query += (at ? "&" : "") + std::string(part.data());
    Caller &caller = request.caller;
    caller.address = address_of(lws_get_socket_fd(wsi));
    caller.host = header(wsi, WSI_TOKEN_HOST);
    caller.origin = header(wsi, WSI_TOKEN_ORIGIN);
    caller.authorization = header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    caller.cookie = header(wsi, WSI_TOKEN_HTTP_COOKIE);
    caller.changes = request.method != "GET" && request.method != "HEAD";
    request.range = header(wsi, WSI_TOKEN_HTTP_RANGE);
    if (request.path == "/")
        caller.token = query_value(request.query, "token");
    return request;
}

std::vector<unsigned char> framed(std::string_view bytes) {
    std::vector<unsigned char> buffer(LWS_PRE + bytes.size());
    std::ranges::copy(bytes, buffer.begin() + LWS_PRE);
    return buffer;
}

bool write_head(lws *wsi, const Response &response) {
    std::array<unsigned char, LWS_PRE + 4096> buffer;
    unsigned char *const start = buffer.data() + LWS_PRE, *at = start, *const end = buffer.data() + buffer.size() - 1;
    if (lws_add_http_common_headers(wsi, static_cast<unsigned>(response.status), response.type.c_str(),
                                    response.length(), &at, end))
        return false;
    const auto add = [&](const char *name, const std::string &value) {
        return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char *>(name),
                                           reinterpret_cast<const unsigned char *>(value.c_str()),
                                           static_cast<int>(value.size()), &at, end);
    };
    for (const auto &[name, value] : standing_headers)
        if (add(name, value))
            return false;
    for (const auto &[name, value] : response.headers)
        if (add((name + ":").c_str(), value))
            return false;
    return lws_finalize_write_http_header(wsi, start, &at, end) == 0;
}

} // namespace mpiglut::walld
