// What the files of web.h share: the connections of libwebsockets, and what each of them is at.
#pragma once

#include "web/heads.h"
#include "web/outgoing.h"
#include "web/seats.h"
#include "web/web.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace mpiglut::walld {

/// Seconds that a client has for the next piece of what it sends or takes.
inline constexpr int request_seconds = 10;
inline constexpr std::size_t longest_body = 64u << 10;

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

    // web.cpp
    static int called(lws *wsi, lws_callback_reasons reason, void *, void *in, std::size_t length);
    Connection *find(lws *wsi) {
        const auto found = connections.find(wsi);
        return found == connections.end() ? nullptr : found->second.get();
    }
    Connection *find(Client number) {
        const auto found = by_number.find(number);
        return found == by_number.end() ? nullptr : found->second;
    }
    /// At the very start: a connection of TLS counts before its handshake, since that may never come.
    int arrive(lws *listener, int socket);
    void open(lws *wsi);
    /// Nothing of it counts any more. libwebsockets may wait until the other end closes.
    void finish(Connection &connection);
    void close(lws *wsi);
    void after(std::chrono::milliseconds delay, std::function<void()> then);
    /// Closed from outside of any call of libwebsockets' for it, by a time-out.
    static void kill(lws *wsi) { lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC); }
    /// Whoever has come since the last time has not been listened to yet, and stays.
    void make_room(Client newest_before);
    int happens(lws *wsi, lws_callback_reasons reason, char *in, std::size_t length);
    int happens_to(Connection &connection, lws_callback_reasons reason, const char *in, std::size_t length);
    /// The library closes a descriptor as soon as its other end has gone, also where there is something to read, or
    /// nothing has been said of the end yet.
    int let_go(lws *wsi);
    int on_file(lws *wsi, bool readable);

    // Requests: web_http.cpp
    void answer(Client number, Response response);
    /// Once: libwebsockets also reports the end of a body without bytes.
    void ask(Connection &connection);
    std::optional<Response> refuse(Request &request) const;
    int begin_request(Connection &connection);
    /// Below zero: the connection is closed. libwebsockets takes a number above for success, and would look forever at
    /// the connection of a client that has gone.
    int write_response(Connection &connection);
    /// If libwebsockets 4.1 reports a body's end again and again, it has found more bytes behind the body. Nothing
    /// reads them: it would go on forever, and not write the answer.
    int end_body(Connection &connection);

    // WebSockets: web_socket.cpp
    int admit(Connection &connection);
    int open_socket(Connection &connection);
    int receive_message(Connection &connection, const char *in, std::size_t length);
    /// It sends too much: for a while nothing is read from it.
    void pause(const Connection &connection);
    int write_message(Connection &connection);
};

} // namespace mpiglut::walld
