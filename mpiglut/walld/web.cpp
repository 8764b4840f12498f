#include "web.h"
#include "heads.h"
#include "outgoing.h"
#include "seats.h"

#include <charconv>
#include <map>
#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t longest_body = 64u << 10, longest_message = 64u << 10;
constexpr std::size_t piece = 32u << 10;
/// libwebsockets closes a connection that sends more, without a word. A head that is only too long gets an answer.
constexpr unsigned short room_for_head = 65535;
constexpr unsigned short most_heads = 1024; ///< half-open connections hold one each, for a moment more than may stay
/// So many new connections, and then the others' turn: otherwise libwebsockets takes connections as long as some come,
/// and does nothing else. The pause leaves time for a TLS handshake before other new ones take the seat.
constexpr unsigned most_arrivals = 64;
constexpr std::chrono::milliseconds pause_of_crowd(20);
constexpr int request_seconds = 10, answer_seconds = 40;
constexpr std::chrono::milliseconds pause_of_loud(100);

} // namespace

struct Web::Implementation {
    /// Half-open, or an HTTP request that is being read or answered, or a WebSocket.
    struct Connection {
        lws *wsi = nullptr;
        Client number = 0;
        bool socket = false, over = false;
        Request request;
        // HTTP
        bool asked = false, body_over = false, answered = false, head_sent = false;
        Response response;
        std::uint64_t sent = 0;
        // WebSocket
        std::string message;
        Bucket pieces{400, 200}, bytes{512 << 10, 128 << 10}; ///< that it may send; a message has at least one piece
        Outgoing outgoing;
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
    unsigned arrivals = 0; ///< since the last turn of the others
    Client arriving = 0;   ///< has a seat, and libwebsockets makes its connection now
    Seats seats;
    std::map<lws *, std::unique_ptr<Connection>> connections;
    std::map<Client, Connection *> by_number;
    std::map<int, Watch> watches;
    std::map<Timer *, std::unique_ptr<Timer>> timers;

    static int called(lws *wsi, lws_callback_reasons reason, void *, void *in, std::size_t length) {
        lws_context *const context = wsi ? lws_get_context(wsi) : nullptr;
        auto *const self = context ? static_cast<Implementation *>(lws_context_user(context)) : nullptr;
        return self ? self->happens(wsi, reason, static_cast<char *>(in), length) : 0;
    }

    Connection *find(lws *wsi) {
        const auto found = connections.find(wsi);
        return found == connections.end() ? nullptr : found->second.get();
    }

    Connection *find(Client number) {
        const auto found = by_number.find(number);
        return found == by_number.end() ? nullptr : found->second;
    }

    /// At the very start: a connection of TLS counts before its handshake, since that may never come.
    int arrive(lws *listener, int socket) {
        if (++arrivals == most_arrivals) {
            lws_rx_flow_control(listener, 0);
            after(pause_of_crowd, [listener] { lws_rx_flow_control(listener, 1); });
        }
        if (arrivals >
            most_arrivals) // libwebsockets listens again as soon as one has gone, and leaves off at a refusal
            return -1;
        seats.leave(arriving); // of one that libwebsockets could not make
        arriving = next++;
        if (seats.come(arriving, address_of(socket)))
            return 0;
        arriving = 0;
        return -1;
    }

    void open(lws *wsi) {
        if (arriving == 0) // no browser's
            return;
        close(wsi); // should libwebsockets ever have let go of one without a word
        Connection &made = *(connections[wsi] = std::make_unique<Connection>());
        made.wsi = wsi;
        made.number = std::exchange(arriving, 0);
        by_number[made.number] = &made;
    }

    int open_socket(Connection &connection) {
        connection.socket = true;
        handler.opened(connection.number, connection.request.visitor);
        return 0;
    }

    /// Nothing of it counts any more. libwebsockets may wait until the other end closes.
    void finish(Connection &connection) {
        if (std::exchange(connection.over, true))
            return;
        seats.release(connection.number);
        by_number.erase(connection.number);
        if (connection.socket)
            handler.closed(connection.number);
    }

    void close(lws *wsi) {
        if (Connection *const connection = find(wsi)) {
            finish(*connection);
            seats.leave(connection->number);
            connections.erase(wsi);
        }
    }

    void after(std::chrono::milliseconds delay, std::function<void()> then) {
        auto timer = std::make_unique<Timer>();
        timer->owner = this;
        timer->then = std::move(then);
        const auto due = [](lws_sorted_usec_list_t *entry) {
            auto *const raw = reinterpret_cast<Timer *>(entry);
            const auto due_one = raw->owner->timers.extract(raw);
            due_one.mapped()->then();
        };
        lws_sul_schedule(context, 0, &timer->entry, due, std::chrono::microseconds(delay).count());
        timers.emplace(timer.get(), std::move(timer));
    }

    /// Closed from outside of any call of libwebsockets' for it, by a time-out.
    static void kill(lws *wsi) { lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC); }

    /// Whoever has come since the last time has not been listened to yet, and stays.
    void make_room(Client newest_before) {
        for (const Client gone : seats.give_way(newest_before))
            if (const auto found = by_number.find(gone); found != by_number.end())
                kill(found->second->wsi);
    }

    void answer(Client number, Response response) {
        Connection *const connection = find(number);
        if (!connection || std::exchange(connection->answered, true))
            return;
        connection->response = std::move(response);
        lws_rx_flow_control(connection->wsi, 1);
        lws_callback_on_writable(connection->wsi);
    }

    /// Once: libwebsockets also reports the end of a body without bytes.
    void ask(Connection &connection) {
        if (std::exchange(connection.asked, true))
            return;
        lws_set_timeout(connection.wsi, PENDING_TIMEOUT_HTTP_CONTENT, answer_seconds);
        handler.request(connection.request,
                        [this, number = connection.number](Response response) { answer(number, std::move(response)); });
        if (!connection.answered) // a client that goes meanwhile would be looked at all the time
            lws_rx_flow_control(connection.wsi, 0);
    }

    std::optional<Response> refuse(Request &request) const {
        if (request.long_head)
            return json_error(431, "headers: expected at most " + std::to_string(longest_head) + " bytes");
        return handler.refuse(request);
    }

    int begin_request(Connection &connection) {
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

    /// Below zero: the connection is closed. libwebsockets takes a number above for success, and would look forever at
    /// the connection of a client that has gone.
    int write_response(Connection &connection) {
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

    /// If libwebsockets 4.1 reports a body's end again and again, it has found more bytes behind the body. Nothing
    /// reads them: it would go on forever, and not write the answer.
    int end_body(Connection &connection) {
        if (!std::exchange(connection.body_over, true)) {
            if (!connection.answered)
                ask(connection);
            return 0;
        }
        finish(connection);
        kill(connection.wsi);
        return 0;
    }

    int write_message(Connection &connection) {
        const Outgoing::Message message = connection.outgoing.take(Outgoing::Clock::now());
        if (!message.bytes)
            return 0;
        auto buffer = framed(*message.bytes);
        if (lws_write(connection.wsi, buffer.data() + LWS_PRE, message.bytes->size(),
                      message.text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < 0)
            return -1;
        if (!connection.outgoing.empty())
            lws_callback_on_writable(connection.wsi);
        return 0;
    }

    /// It sends too much: for a while nothing is read from it.
    void pause(const Connection &connection) {
        lws_rx_flow_control(connection.wsi, 0);
        after(pause_of_loud, [this, number = connection.number] {
            if (Connection *const found = find(number))
                lws_rx_flow_control(found->wsi, 1);
        });
    }

    int take_message(Connection &connection, const char *in, std::size_t length) {
        if (connection.message.size() + length > longest_message || lws_frame_is_binary(connection.wsi)) {
            lws_close_reason(connection.wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, nullptr, 0);
            finish(connection);
            return -1;
        }
        if (!connection.pieces.take() || !connection.bytes.take(static_cast<double>(length)))
            pause(connection);
        connection.message.append(in, length);
        if (!lws_is_final_fragment(connection.wsi) || lws_remaining_packet_payload(connection.wsi))
            return 0;
        handler.message(connection.number, std::exchange(connection.message, {}));
        return 0;
    }

    int admit(Connection &connection) {
        lws *const wsi = connection.wsi;
        Request &request = connection.request = read_head(wsi);
        const auto refusal = refuse(request);
        int status = refusal ? refusal->status : handler.admit(request);
        if (!status && !seats.become_socket(connection.number, request.visitor.role == Role::operate))
            status = 503;
        if (!status)
            return 0;
        lws_return_http_status(wsi, static_cast<unsigned>(status), nullptr);
        return -1;
    }

    int happens(lws *wsi, lws_callback_reasons reason, char *in, std::size_t length) {
        switch (reason) {
        case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
            return arrive(wsi, static_cast<int>(reinterpret_cast<std::intptr_t>(in)));
        case LWS_CALLBACK_WSI_CREATE:
            open(wsi);
            return 0;
        case LWS_CALLBACK_WSI_DESTROY: // the only word of some that end in the middle of a request
            close(wsi);
            return 0;
        case LWS_CALLBACK_RAW_RX_FILE:
            return on_file(wsi, true);
        case LWS_CALLBACK_RAW_CLOSE_FILE:
            return let_go(wsi);
        case LWS_CALLBACK_RAW_WRITEABLE_FILE:
            return on_file(wsi, false);
        default:
            Connection *const connection = find(wsi);
            return connection && !connection->over ? happens_to(*connection, reason, in, length) : 0;
        }
    }

    int happens_to(Connection &connection, lws_callback_reasons reason, const char *in, std::size_t length) {
        switch (reason) {
        case LWS_CALLBACK_HTTP:
            return begin_request(connection);
        case LWS_CALLBACK_HTTP_BODY:
            if (connection.request.body.size() + length <= longest_body)
                connection.request.body.append(in, length);
            return 0;
        case LWS_CALLBACK_HTTP_BODY_COMPLETION:
            return end_body(connection);
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return write_response(connection);
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return admit(connection);
        case LWS_CALLBACK_ESTABLISHED:
            return open_socket(connection);
        case LWS_CALLBACK_RECEIVE:
            return take_message(connection, in, length);
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return write_message(connection);
        case LWS_CALLBACK_CLOSED_HTTP:
        case LWS_CALLBACK_CLOSED:
            finish(connection);
            return 0;
        default:
            return 0;
        }
    }

    /// The library closes a descriptor as soon as its other end has gone, also where there is something to read, or
    /// nothing has been said of the end yet.
    int let_go(lws *wsi) {
        constexpr int most_reads = 1000;
        for (int i = 0; i < most_reads && on_file(wsi, true) == 0; ++i) {
        }
        std::erase_if(watches, [&](const auto &one) { return one.second.wsi == wsi; });
        return 0;
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
    implementation_->handler.closed = [](Client) {};
    implementation_->watches.clear(); // their owners may be gone
    if (implementation_->context)
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
    info.max_http_header_data = room_for_head;
    info.max_http_header_pool = most_heads;
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
    if (self.tls) { // versions 1.2 and 1.3, whatever the system's own settings are
        info.ssl_options_set = static_cast<long>(SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1);
        info.ssl_options_clear = static_cast<long>(SSL_OP_NO_TLSv1_2 | SSL_OP_NO_TLSv1_3);
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
    if (Implementation::Connection *const connection = implementation_->find(client)) {
        if (connection->outgoing.put_text(std::move(text)))
            lws_callback_on_writable(connection->wsi);
        else
            Implementation::kill(connection->wsi);
    }
}

void Web::close(Client client) {
    if (Implementation::Connection *const connection = implementation_->find(client))
        Implementation::kill(connection->wsi);
}

void Web::send_picture(Client client, std::uint64_t key, std::shared_ptr<const std::string> bytes) {
    if (Implementation::Connection *const connection = implementation_->find(client)) {
        connection->outgoing.put_picture(key, std::move(bytes), Outgoing::Clock::now());
        lws_callback_on_writable(connection->wsi);
    }
}

bool Web::is_stuck(Client client) const {
    const Implementation::Connection *const connection = implementation_->find(client);
    return connection && connection->outgoing.is_stuck(Outgoing::Clock::now());
}

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
    implementation_->after(delay, std::move(then));
}

void Web::run() {
    Implementation &self = *implementation_;
    self.stopping = false; // it may run again
    for (Client newest = self.next; !self.stopping && lws_service(self.context, 0) >= 0; newest = self.next) {
        self.make_room(newest);
        self.arrivals = 0;
    }
}

void Web::stop() {
    implementation_->stopping = true;
    lws_cancel_service(implementation_->context);
}

} // namespace mpiglut::walld
