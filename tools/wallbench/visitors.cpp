#include "visitors.h"

#include <cerrno>
#include <chrono>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::chrono::milliseconds turn(5);
constexpr int messages_a_turn = 10;

} // namespace

Visitors::Visitors(Link link) : link_(std::move(link)), actor_([this] { act(); }) {}

Visitors::~Visitors() {
    over_ = true;
    actor_.join();
    for (int fd : {slow_, half_, garbage_, clicking_})
        close(fd);
}

void Visitors::act() {
    for (auto next = std::chrono::steady_clock::now(); !over_; std::this_thread::sleep_until(next += turn)) {
        read_slowly();
        open_half();
        talk_garbage();
        ask_often();
        click_often();
    }
}

/// A new connection where the server has hung up on the old one.
int Visitors::again(int fd, const std::string &first) {
    char byte;
    if (fd >= 0 && (recv(fd, &byte, 1, MSG_PEEK) > 0 || errno == EAGAIN))
        return fd;
    close(fd);
    fd = connect_to(link_);
    send(fd, first);
    return fd;
}

bool Visitors::send(int fd, const std::string &bytes) {
    sent_ += !bytes.empty();
    return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

/// Looks at the live picture, and reads none of it.
void Visitors::read_slowly() { slow_ = again(slow_, upgrade_head(link_)); }

void Visitors::open_half() { half_ = again(half_, "GET /api/v1/sta"); }

void Visitors::talk_garbage() {
    static std::minstd_rand random(1);
    std::string bytes(512, '\0');
    for (char &byte : bytes)
        byte = static_cast<char>(random());
    garbage_ = again(garbage_);
    send(garbage_, bytes);
}

/// 200 requests a second without the token, a connection for each, and no look at the answer.
void Visitors::ask_often() {
    const int fd = connect_to(link_);
    send(fd, request_head({link_.port, "guess"}, "GET", "/api/v1/status"));
    close(fd);
}

/// 2000 messages a second on a WebSocket, and no look at the wall.
void Visitors::click_often() {
    clicking_ = again(clicking_, upgrade_head(link_) + text_message("{\"live\": false}"));
    for (int i = 0; i < messages_a_turn; ++i)
        send(clicking_, text_message("{\"events\": [{\"type\": \"move\", \"x\": 1, \"y\": 1}]}"));
}
