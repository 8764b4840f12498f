#include "web/web.h"
#include "web/web_parts.h"

#include <utility>

namespace mpiglut::walld {

namespace {

/// libwebsockets closes a connection that sends more, without a word. A head that is only too long gets an answer.
constexpr unsigned short room_for_head = 65535;
constexpr unsigned short most_heads = 1024; ///< half-open connections hold one each, for a moment more than may stay
/// So many new connections, and then the others' turn: otherwise libwebsockets takes connections as long as some come,
/// and does nothing else. The pause leaves time for a TLS handshake before other new ones take the seat.
constexpr unsigned most_arrivals = 64;
constexpr std::chrono::milliseconds pause_of_crowd(20);

} // namespace

int Web::Implementation::called(lws *wsi, lws_callback_reasons reason, void *, void *in, std::size_t length) {
    lws_context *const context = wsi ? lws_get_context(wsi) : nullptr;
    auto *const self = context ? static_cast<Implementation *>(lws_context_user(context)) : nullptr;
    return self ? self->happens(wsi, reason, static_cast<char *>(in), length) : 0;
}

int Web::Implementation::arrive(lws *listener, int socket) {
    if (++arrivals == most_arrivals) {
        lws_rx_flow_control(listener, 0);
        after(pause_of_crowd, [listener] { lws_rx_flow_control(listener, 1); });
    }
    if (arrivals > most_arrivals) // libwebsockets listens again as soon as one has gone, and leaves off at a refusal
        return -1;
    seats.leave(arriving); // of one that libwebsockets could not make
    arriving = next++;
    if (seats.come(arriving, address_of(socket)))
        return 0;
    arriving = 0;
    return -1;
}

void Web::Implementation::open(lws *wsi) {
    if (arriving == 0) // no browser's
        return;
    close(wsi); // should libwebsockets ever have let go of one without a word
    Connection &made = *(connections[wsi] = std::make_unique<Connection>());
    made.wsi = wsi;
    made.number = std::exchange(arriving, 0);
    by_number[made.number] = &made;
}

void Web::Implementation::finish(Connection &connection) {
    if (std::exchange(connection.over, true))
        return;
    seats.release(connection.number);
    by_number.erase(connection.number);
    if (connection.socket)
        handler.closed(connection.number);
}

void Web::Implementation::close(lws *wsi) {
    if (Connection *const connection = find(wsi)) {
        finish(*connection);
        seats.leave(connection->number);
        connections.erase(wsi);
    }
}

void Web::Implementation::after(std::chrono::milliseconds delay, std::function<void()> then) {
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

void Web::Implementation::make_room(Client newest_before) {
    for (const Client gone : seats.give_way(newest_before))
        if (const auto found = by_number.find(gone); found != by_number.end())
            kill(found->second->wsi);
}

int Web::Implementation::happens(lws *wsi, lws_callback_reasons reason, char *in, std::size_t length) {
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

int Web::Implementation::happens_to(Connection &connection, lws_callback_reasons reason, const char *in,
                                    std::size_t length) {
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
        return receive_message(connection, in, length);
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

int Web::Implementation::let_go(lws *wsi) {
    constexpr int most_reads = 1000;
    for (int i = 0; i < most_reads && on_file(wsi, true) == 0; ++i) {
    }
    std::erase_if(watches, [&](const auto &one) { return one.second.wsi == wsi; });
    return 0;
}

int Web::Implementation::on_file(lws *wsi, bool readable) {
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

void Web::close(Client client) {
    if (Implementation::Connection *const connection = implementation_->find(client))
        Implementation::kill(connection->wsi);
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
