#include "web.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <deque>
#include <libwebsockets.h>
#include <map>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_connections = 256, longest_body = 64u << 10, longest_message = 64u << 10;
constexpr std::size_t most_texts = 400, piece = 32u << 10;
constexpr int request_seconds = 10, answer_seconds = 40;

/// Room for libwebsockets' own header in front.
std::vector<unsigned char> framed(std::string_view bytes) {
    std::vector<unsigned char> buffer(LWS_PRE + bytes.size());
    std::ranges::copy(bytes, buffer.begin() + LWS_PRE);
    return buffer;
}

std::string header(lws *wsi, lws_token_indexes token) {
    const int length = lws_hdr_total_length(wsi, token);
    if (length <= 0)
        return {};
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    const int copied = lws_hdr_copy(wsi, value.data(), length + 1, token);
    value.resize(copied > 0 ? static_cast<std::size_t>(copied) : 0);
    return value;
}

std::string address_of(lws *wsi) {
    std::array<char, 64> text{};
    lws_get_peer_simple(wsi, text.data(), text.size());
    return text.data();
}

/// What holds for every answer: nothing is loaded from elsewhere, nothing is kept, nobody puts the page in a frame.
constexpr std::pair<const char *, const char *> standing_headers[] = {
    {"connection:", "close"},
    {"cache-control:", "no-store"},
    {"content-security-policy:", "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; base-uri 'none'; "
                                 "form-action 'none'; frame-ancestors 'none'"},
    {"referrer-policy:", "no-referrer"},
    {"x-content-type-options:", "nosniff"},
    {"cross-origin-resource-policy:", "same-origin"}};

} // namespace

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

struct Web::Implementation {
    /// An HTTP request that is being read or answered, or a WebSocket.
    struct Connection {
        lws *wsi = nullptr;
        Client number = 0;
        bool socket = false, dropped = false;
        Request request;
        // HTTP
        bool asked = false, body_over = false, answered = false, head_sent = false;
        Response response;
        std::size_t sent = 0;
        // WebSocket
        std::string message;
        std::deque<std::shared_ptr<const std::string>> texts;
        std::map<std::uint64_t, std::shared_ptr<const std::string>> pictures;
        std::uint64_t last_picture = 0; ///< its key: who was served last waits for the others
    };
    struct Watch {
        lws *wsi = nullptr;
        std::function<int()> readable;
        std::function<void()> writable;
    };
    struct Timer {
        lws_sorted_usec_list_t entry{}; // first: libwebsockets hands out its address
        Implementation *owner = nullptr;
        std::function<void()> then;
    };

    Handler handler;
    lws_context *context = nullptr;
    lws_vhost *host = nullptr;
    bool tls = false, stopping = false;
    Client next = 1;
    std::map<lws *, std::unique_ptr<Connection>> connections;
    std::map<Client, Connection *> by_number;
    std::map<int, Watch> watches;
    std::set<std::unique_ptr<Timer>> timers;

    static int called(lws *wsi, lws_callback_reasons reason, void *, void *in, std::size_t length) {
        lws_context *const context = wsi ? lws_get_context(wsi) : nullptr;
        auto *const self = context ? static_cast<Implementation *>(lws_context_user(context)) : nullptr;
        return self ? self->happens(wsi, reason, static_cast<char *>(in), length) : 0;
    }

    Connection *find(lws *wsi) {
        const auto found = connections.find(wsi);
        return found == connections.end() ? nullptr : found->second.get();
    }

    void read_head(lws *wsi, Request &request) {
        static constexpr std::pair<lws_token_indexes, const char *> methods[] = {
            {WSI_TOKEN_GET_URI, "GET"},    {WSI_TOKEN_POST_URI, "POST"},     {WSI_TOKEN_PUT_URI, "PUT"},
            {WSI_TOKEN_HEAD_URI, "HEAD"},  {WSI_TOKEN_DELETE_URI, "DELETE"}, {WSI_TOKEN_OPTIONS_URI, "OPTIONS"},
            {WSI_TOKEN_PATCH_URI, "PATCH"}};
        for (const auto &[token, name] : methods)
            if (lws_hdr_total_length(wsi, token) > 0) {
                request.method = name;
                request.path = header(wsi, token);
            }
        // The library splits a query at each '&'.
        char part[2048];
        for (int at = 0; lws_hdr_copy_fragment(wsi, part, sizeof part, WSI_TOKEN_HTTP_URI_ARGS, at) > 0; ++at)
            request.query += (at ? "&" : "") + std::string(part);
        Caller &caller = request.caller;
        caller.address = address_of(wsi);
        caller.host = header(wsi, WSI_TOKEN_HOST);
        caller.origin = header(wsi, WSI_TOKEN_ORIGIN);
        caller.authorization = header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
        caller.cookie = header(wsi, WSI_TOKEN_HTTP_COOKIE);
        caller.token = query_value(request.query, "token");
    }

    Connection &open(lws *wsi, bool socket) {
        auto made = std::make_unique<Connection>();
        made->wsi = wsi;
        made->socket = socket;
        made->number = next++;
        by_number[made->number] = made.get();
        if (const auto old = connections.find(wsi); old != connections.end())
            by_number.erase(old->second->number);
        return *(connections[wsi] = std::move(made));
    }

    void close(lws *wsi) {
        const auto found = connections.find(wsi);
        if (found == connections.end())
            return;
        const bool socket = found->second->socket;
        const Client number = found->second->number;
        by_number.erase(number);
        connections.erase(found);
        if (socket)
            handler.closed(number);
    }

    void answer(Client number, Response response) {
        const auto found = by_number.find(number);
        if (found == by_number.end() || found->second->answered)
            return;
        Connection &connection = *found->second;
        connection.answered = true;
        connection.response = std::move(response);
        lws_callback_on_writable(connection.wsi);
    }

    /// Once: libwebsockets tells of the end of a body that has no bytes, too.
    void ask(Connection &connection) {
        if (std::exchange(connection.asked, true))
            return;
        lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT, answer_seconds);
        handler.request(connection.request,
                        [this, number = connection.number](Response response) { answer(number, std::move(response)); });
    }

    int begin_request(lws *wsi) {
        Connection &connection = open(wsi, false);
        read_head(wsi, connection.request);
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

    int write_head(Connection &connection) {
        std::array<unsigned char, LWS_PRE + 4096> buffer;
        unsigned char *const start = buffer.data() + LWS_PRE,
                             *at = start, *const end = buffer.data() + buffer.size() - 1;
        const Response &response = connection.response;
        lws *const wsi = connection.wsi;
        if (lws_add_http_common_headers(wsi, static_cast<unsigned>(response.status), response.type.c_str(),
                                        response.body.size(), &at, end))
            return 1;
        const auto add = [&](const char *name, const std::string &value) {
            return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char *>(name),
                                               reinterpret_cast<const unsigned char *>(value.c_str()),
                                               static_cast<int>(value.size()), &at, end);
        };
        for (const auto &[name, value] : standing_headers)
            if (add(name, value))
                return 1;
        for (const auto &[name, value] : response.headers)
            if (add((name + ":").c_str(), value))
                return 1;
        connection.head_sent = true;
        return lws_finalize_write_http_header(wsi, start, &at, end);
    }

    int write_response(Connection &connection) {
        if (!connection.answered)
            return 0;
        const std::string &body = connection.response.body;
        const bool no_body = connection.request.method == "HEAD" || body.empty();
        lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT, request_seconds);
        if (!connection.head_sent) {
            if (write_head(connection))
                return 1;
            if (!no_body) {
                lws_callback_on_writable(connection.wsi);
                return 0;
            }
        }
        if (!no_body) {
            const std::string_view part = std::string_view(body).substr(connection.sent, piece);
            connection.sent += part.size();
            const bool last = connection.sent == body.size();
            auto buffer = framed(part);
            if (lws_write(connection.wsi, buffer.data() + LWS_PRE, part.size(),
                          last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < static_cast<int>(part.size()))
                return 1;
            if (!last) {
                lws_callback_on_writable(connection.wsi);
                return 0;
            }
        }
        close(connection.wsi);
        return -1; // one request for each connection: what comes behind it unasked is nobody's
    }

    /// Told again and again of a body's end, libwebsockets 4.1 has found more behind the body, which nobody will take:
    /// it would go on for ever, and not write the answer either. Closed from outside of this call, by a time-out.
    int end_body(lws *wsi, Connection *connection) {
        if (connection && !std::exchange(connection->body_over, true)) {
            if (!connection->answered)
                ask(*connection);
            return 0;
        }
        close(wsi);
        lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC);
        return 0;
    }

    int write_message(Connection &connection) {
        if (connection.dropped)
            return -1;
        std::shared_ptr<const std::string> next_one;
        bool text = !connection.texts.empty();
        if (text) {
            next_one = connection.texts.front();
            connection.texts.pop_front();
        } else if (!connection.pictures.empty()) {
            auto picture = connection.pictures.upper_bound(connection.last_picture);
            if (picture == connection.pictures.end())
                picture = connection.pictures.begin();
            connection.last_picture = picture->first;
            next_one = picture->second;
            connection.pictures.erase(picture);
        } else {
            return 0;
        }
        auto buffer = framed(*next_one);
        if (lws_write(connection.wsi, buffer.data() + LWS_PRE, next_one->size(),
                      text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < 0)
            return -1;
        if (!connection.texts.empty() || !connection.pictures.empty())
            lws_callback_on_writable(connection.wsi);
        return 0;
    }

    int take_message(Connection &connection, const char *in, std::size_t length) {
        if (connection.message.size() + length > longest_message || lws_frame_is_binary(connection.wsi))
            return -1;
        connection.message.append(in, length);
        if (!lws_is_final_fragment(connection.wsi) || lws_remaining_packet_payload(connection.wsi))
            return 0;
        const std::string message = std::exchange(connection.message, {});
        handler.message(connection.number, message);
        return 0;
    }

    int admit(lws *wsi) {
        Request request;
        read_head(wsi, request);
        const int status = connections.size() >= most_connections ? 503 : handler.admit(request);
        if (!status)
            return 0;
        lws_return_http_status(wsi, static_cast<unsigned>(status), nullptr);
        return -1;
    }

    int happens(lws *wsi, lws_callback_reasons reason, char *in, std::size_t length) {
        Connection *const connection = find(wsi);
        switch (reason) {
        case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
            return connections.size() >= most_connections;
        case LWS_CALLBACK_HTTP:
            return begin_request(wsi);
        case LWS_CALLBACK_HTTP_BODY:
            if (connection && connection->request.body.size() + length <= longest_body)
                connection->request.body.append(in, length);
            return 0;
        case LWS_CALLBACK_HTTP_BODY_COMPLETION:
            return end_body(wsi, connection);
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return connection ? write_response(*connection) : 0;
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return admit(wsi);
        case LWS_CALLBACK_ESTABLISHED:
            handler.opened(open(wsi, true).number);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            return connection ? take_message(*connection, in, length) : -1;
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return connection ? write_message(*connection) : -1;
        case LWS_CALLBACK_WSI_DESTROY: // the only word of some that end in the middle of a request
        case LWS_CALLBACK_CLOSED_HTTP:
        case LWS_CALLBACK_CLOSED:
            close(wsi);
            return 0;
        case LWS_CALLBACK_RAW_RX_FILE:
            return on_file(wsi, true);
        case LWS_CALLBACK_RAW_WRITEABLE_FILE:
            return on_file(wsi, false);
        default:
            return 0;
        }
    }

    int on_file(lws *wsi, bool readable) {
        for (auto &[fd, watch] : watches)
            if (watch.wsi == wsi) {
                const auto keep = watch; // it may be replaced on the way
                const int result = readable ? keep.readable() : keep.writable ? (keep.writable(), 0) : 0;
                if (result < 0)
                    watches.erase(fd);
                return result;
            }
        return -1;
    }
};

Web::Web(Handler handler) : implementation_(std::make_unique<Implementation>()) {
    implementation_->handler = std::move(handler);
}

Web::~Web() {
    if (!implementation_->context)
        return;
    implementation_->handler.closed = [](Client) {};
    lws_context_destroy(implementation_->context);
}

std::string Web::listen(const WebOptions &options) {
    static const lws_protocols protocols[] = {{.name = "wall",
                                               .callback = Implementation::called,
                                               .per_session_data_size = 0,
                                               .rx_buffer_size = 16384,
                                               .id = 0,
                                               .user = nullptr,
                                               .tx_packet_size = 0},
                                              {}};
    static const lws_retry_bo_t patience{.retry_ms_table = nullptr,
                                         .retry_ms_table_count = 0,
                                         .conceal_count = 0,
                                         .secs_since_valid_ping = 15,
                                         .secs_since_valid_hangup = 30,
                                         .jitter_percent = 0};
    lws_set_log_level(0, nullptr);
    Implementation &self = *implementation_;
    self.tls = !options.certificate.empty();
    lws_context_creation_info info{};
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.user = &self;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | (self.tls ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0);
    info.timeout_secs = request_seconds;
    info.keepalive_timeout = request_seconds;
    info.timeout_secs_ah_idle = request_seconds;
    info.max_http_header_data = 4096;
    info.max_http_header_pool = 64;
    info.retry_and_idle_policy = &patience;
    info.server_string = "walld";
    info.gid = static_cast<gid_t>(-1);
    info.uid = static_cast<uid_t>(-1);
    if (!(self.context = lws_create_context(&info)))
        return "libwebsockets cannot be set up";
    info.protocols = protocols;
    info.port = options.port;
    info.iface = options.address.c_str();
    info.vhost_name = "wall";
    info.alpn = "http/1.1";
    info.options |= LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    if (self.tls) {
        info.ssl_cert_filepath = options.certificate.c_str();
        info.ssl_private_key_filepath = options.key.c_str();
    }
    self.host = lws_create_vhost(self.context, &info);
    if (!self.host || port() <= 0)
        return "cannot listen on " + options.address + ", port " + std::to_string(options.port) +
               (self.tls ? "; is it free, and are certificate and key readable?" : "; is it free?");
    return {};
}

int Web::port() const { return lws_get_vhost_listen_port(implementation_->host); }

void Web::send(Client client, std::shared_ptr<const std::string> text) {
    const auto found = implementation_->by_number.find(client);
    if (found == implementation_->by_number.end())
        return;
    Implementation::Connection &connection = *found->second;
    connection.texts.push_back(std::move(text));
    connection.dropped = connection.dropped || connection.texts.size() > most_texts;
    lws_callback_on_writable(connection.wsi);
}

void Web::send_picture(Client client, std::uint64_t key, std::shared_ptr<const std::string> bytes) {
    const auto found = implementation_->by_number.find(client);
    if (found == implementation_->by_number.end())
        return;
    found->second->pictures[key] = std::move(bytes);
    lws_callback_on_writable(found->second->wsi);
}

void Web::drop(Client client) {
    if (const auto found = implementation_->by_number.find(client); found != implementation_->by_number.end()) {
        found->second->dropped = true;
        lws_callback_on_writable(found->second->wsi);
    }
}

std::size_t Web::connections() const { return implementation_->connections.size(); }

void Web::watch(int fd, std::function<int()> readable, std::function<void()> writable) {
    lws_sock_file_fd_type descriptor{};
    descriptor.filefd = fd;
    Implementation &self = *implementation_;
    lws *const wsi = lws_adopt_descriptor_vhost(self.host, LWS_ADOPT_RAW_FILE_DESC, descriptor, "wall", nullptr);
    self.watches[fd] = {wsi, std::move(readable), std::move(writable)};
}

void Web::want_to_write(int fd) {
    if (const auto found = implementation_->watches.find(fd); found != implementation_->watches.end())
        lws_callback_on_writable(found->second.wsi);
}

void Web::after(std::chrono::milliseconds delay, std::function<void()> then) {
    auto timer = std::make_unique<Implementation::Timer>();
    timer->owner = implementation_.get();
    timer->then = std::move(then);
    const auto due = [](lws_sorted_usec_list_t *entry) {
        auto *const raw = reinterpret_cast<Implementation::Timer *>(entry);
        auto &all = raw->owner->timers;
        const auto found = std::ranges::find_if(all, [raw](const auto &one) { return one.get() == raw; });
        const auto keep = all.extract(found);
        keep.value()->then();
    };
    lws_sul_schedule(implementation_->context, 0, &timer->entry, due,
                     std::chrono::duration_cast<std::chrono::microseconds>(delay).count());
    implementation_->timers.insert(std::move(timer));
}

void Web::run() {
    while (!implementation_->stopping && lws_service(implementation_->context, 0) >= 0) {
    }
}

void Web::stop() {
    implementation_->stopping = true;
    lws_cancel_service(implementation_->context);
}

} // namespace mpiglut::walld
