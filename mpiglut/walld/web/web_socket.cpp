// WebSockets: who may open one, what they say, and what they are sent.
#include "web/web_parts.h"

#include <utility>

namespace mpiglut::walld {

namespace {

constexpr std::size_t longest_message = 64u << 10;
constexpr std::chrono::milliseconds pause_of_loud(100);

} // namespace

int Web::Implementation::admit(Connection &connection) {
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

int Web::Implementation::open_socket(Connection &connection) {
    connection.socket = true;
    handler.opened(connection.number, connection.request.visitor);
    return 0;
}

int Web::Implementation::receive_message(Connection &connection, const char *in, std::size_t length) {
    if (connection.message.size() + length > longest_message || lws_frame_is_binary(connection.wsi)) {
        lws_close_reason(connection.wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, nullptr, 0);
        finish(connection);
        return -1;
    }
    if (!connection.pieces.spend() || !connection.bytes.spend(static_cast<double>(length)))
        pause(connection);
    connection.message.append(in, length);
    if (!lws_is_final_fragment(connection.wsi) || lws_remaining_packet_payload(connection.wsi))
        return 0;
    handler.message(connection.number, std::exchange(connection.message, {}));
    return 0;
}

void Web::Implementation::pause(const Connection &connection) {
    lws_rx_flow_control(connection.wsi, 0);
    after(pause_of_loud, [this, number = connection.number] {
        if (Connection *const found = find(number))
            lws_rx_flow_control(found->wsi, 1);
    });
}

int Web::Implementation::write_message(Connection &connection) {
    const Outgoing::Message message = connection.outgoing.pop(Outgoing::Clock::now());
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

void Web::send(Client client, std::shared_ptr<const std::string> text) {
    if (Implementation::Connection *const connection = implementation_->find(client)) {
        if (connection->outgoing.put_text(std::move(text)))
            lws_callback_on_writable(connection->wsi);
        else
            Implementation::kill(connection->wsi);
    }
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

} // namespace mpiglut::walld
