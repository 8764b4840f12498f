// The server's end of the connection to mpiglutrun: frames of launcher/link/wire.h.
#pragma once

#include "link/messages.h"
#include "web/web.h"

#include <functional>
#include <string>

namespace mpiglut::walld {

class WallLink {
  public:
    /// `fd` is a connected socket, and belongs to `web` from now on.
    WallLink(Web &web, int fd, std::function<void(launcher::Frame &&)> received, std::function<void()> closed);
    ~WallLink() { close(); }
    WallLink(const WallLink &) = delete;
    WallLink &operator=(const WallLink &) = delete;

    void send(launcher::Type type, std::string_view payload);
    template <class Message> void send(const Message &message) { send(Message::type, pack(message)); }
    void close();

  private:
    struct State {
        Web &web;
        int fd;
        launcher::Unframer unframer;
        ByteQueue queue;
        std::function<void(launcher::Frame &&)> received;
        std::function<void()> closed;
        bool open = true;
    };
    static int read_some(const std::shared_ptr<State> &state);
    static void write_some(State &state);
    std::shared_ptr<State> state_;
};

} // namespace mpiglut::walld
