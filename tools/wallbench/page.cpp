#include "page.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

Link link_in(const std::string &line) {
    const auto port = line.find("://localhost:"), token = line.find("/?token=");
    if (port == line.npos || token == line.npos)
        return {};
    return {std::atoi(line.c_str() + port + 13), line.substr(token + 8)};
}

int connect_to(const Link &link) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(link.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

std::string request_head(const Link &link, const std::string &method, const std::string &path) {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost:" + std::to_string(link.port) +
           "\r\nAuthorization: Bearer " + link.token + "\r\n\r\n";
}

std::string upgrade_head(const Link &link) {
    std::string head = request_head(link, "GET", "/api/v1/events");
    head.resize(head.size() - 2);
    return head + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Protocol: wall\r\nSec-WebSocket-Key: d2FsbGJlbmNoIGlzIGhlcmU=\r\n\r\n";
}

static std::string message(unsigned char kind, const std::string &payload) {
    std::string frame{static_cast<char>(0x80 | kind)};
    if (payload.size() < 126)
        frame += static_cast<char>(0x80 | payload.size());
    else
        frame +=
            {static_cast<char>(0x80 | 126), static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
    return frame + std::string(4, '\0') + payload; // a mask of zeros changes nothing
}

std::string text_message(const std::string &text) { return message(1, text); }

Pages::Pages(const Link &link, int count, bool look) : pages_(static_cast<std::size_t>(count)) {
    for (Page &page : pages_) {
        page.fd = connect_to(link);
        const std::string first = upgrade_head(link) + (look ? "" : text_message("{\"live\": false}"));
        if (page.fd < 0 || ::send(page.fd, first.data(), first.size(), MSG_NOSIGNAL) < 0)
            throw std::runtime_error("the operator's page does not answer");
    }
    reader_ = std::thread([this] { read_all(); });
}

Pages::~Pages() {
    over_ = true;
    reader_.join();
    for (const Page &page : pages_)
        close(page.fd);
}

void Pages::send(const std::string &text) {
    const std::string frame = text_message(text);
    (void)!::send(pages_.front().fd, frame.data(), frame.size(), MSG_NOSIGNAL);
}

void Pages::read_all() {
    std::vector<pollfd> fds;
    for (const Page &page : pages_)
        fds.push_back({page.fd, POLLIN, 0});
    while (!over_) {
        poll(fds.data(), fds.size(), 100);
        for (std::size_t i = 0; i < fds.size(); ++i)
            if (fds[i].revents && !read_some(pages_[i])) {
                fds[i].fd = -1;
                ++lost_;
            }
    }
}

bool Pages::read_some(Page &page) {
    char bytes[65536];
    const ssize_t count = recv(page.fd, bytes, sizeof bytes, 0);
    if (count <= 0)
        return count < 0 && errno == EAGAIN;
    page.bytes.append(bytes, static_cast<std::size_t>(count));
    if (!page.upgraded) {
        const auto end = page.bytes.find("\r\n\r\n");
        page.upgraded = end != std::string::npos;
        page.bytes.erase(0, page.upgraded ? end + 4 : 0);
    }
    if (page.upgraded)
        receive_messages(page);
    return true;
}

void Pages::receive_messages(Page &page) {
    constexpr int binary = 2, ping = 9, pong = 10;
    std::size_t at = 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(page.bytes[at + i]); };
    while (page.bytes.size() >= at + 2) {
        const int bytes_of_length = byte(1) < 126 ? 0 : byte(1) == 126 ? 2 : 8;
        std::size_t head = 2 + static_cast<std::size_t>(bytes_of_length), length = byte(1);
        if (page.bytes.size() < at + head)
            break;
        if (bytes_of_length)
            length = 0;
        for (int i = 0; i < bytes_of_length; ++i)
            length = length << 8 | byte(2 + static_cast<std::size_t>(i));
        if (page.bytes.size() < at + head + length)
            break;
        const int kind = byte(0) & 15;
        if (kind == binary)
            ++pictures_;
        if (kind == ping) {
            const std::string answer = message(pong, page.bytes.substr(at + head, length));
            (void)!::send(page.fd, answer.data(), answer.size(), MSG_NOSIGNAL);
        }
        at += head + length;
    }
    page.bytes.erase(0, at);
}
