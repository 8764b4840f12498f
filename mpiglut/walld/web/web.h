// HTTP, WebSocket and TLS by libwebsockets, and the one event loop of the server. Nothing here waits for a browser:
// what a slow one does not take is dropped, newest kept, and one that is too slow for texts is let go. One that
// sends too much is listened to by and by.
#pragma once

#include "web/http.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mpiglut::walld {

struct WebOptions {
    std::string address = "127.0.0.1";
    int port = 8080; ///< 0: any
    std::string certificate, key;
};

class Web {
  public:
    using Client = std::uint64_t;
    using Answer = std::function<void(Response)>; ///< may be called later, once; does nothing when the asker has gone
    struct Handler {
        /// The answer to who may do nothing here. Asked of each head, before any of its body is read.
        std::function<std::optional<Response>(Request &)> refuse;
        std::function<void(const Request &, Answer)> request;
        /// A WebSocket wants to open: the status to refuse it with, or 0.
        std::function<int(const Request &)> admit;
        std::function<void(Client, const Visitor &)> opened;
        std::function<void(Client)> closed;
        std::function<void(Client, const std::string &)> message;
    };
    explicit Web(Handler handler);
    ~Web();
    Web(const Web &) = delete;
    Web &operator=(const Web &) = delete;

    /// Empty, or why no browser can connect.
    std::string listen(const WebOptions &options);
    int port() const;

    void send(Client client, std::shared_ptr<const std::string> text);
    /// Takes the place of an older one with the same key that has not gone yet.
    void send_picture(Client client, std::uint64_t key, std::shared_ptr<const std::string> bytes);
    void close(Client client);
    /// Pictures have waited for seconds, and the client has taken none.
    bool is_stuck(Client client) const;

    /// Calls `readable` whenever there is something to read; -1 from it: let go of the descriptor, which is then
    /// closed.
    void watch(int fd, std::function<int()> readable, std::function<void()> writable = {});
    void want_to_write(int fd);
    void after(std::chrono::milliseconds delay, std::function<void()> then);
    void run();
    void stop();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace mpiglut::walld
