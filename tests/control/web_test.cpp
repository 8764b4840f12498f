// The server's connections, by the real library over real sockets.
#include "web/web.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace mpiglut::walld;

namespace {

int connect_to(int port) {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr *>(&to), sizeof to), 0);
    return client;
}

int open_ones() {
    int count = 0;
    for (int i = 0; i < 4096; ++i)
        count += ::fcntl(i, F_GETFD) >= 0;
    return count;
}

/// As long as connections came, the server did nothing but take them: who connected again and again kept everybody out.
TEST(Web, NewConnectionsTakeTurnsWithRequests) {
    int before = 0, taken = -1;
    Web *server = nullptr;
    const auto asked = [&](const Request &, const Web::Answer &answer) {
        taken = open_ones() - before;
        answer({.body = "here", .headers = {}});
        server->stop();
    };
    Web web({[](Request &) { return std::optional<Response>(); }, asked, [](const Request &) { return 0; },
             [](Web::Client, const Visitor &) {}, [](Web::Client) {}, [](Web::Client, const std::string &) {}});
    server = &web;
    ASSERT_EQ(web.listen({.address = "127.0.0.1", .port = 0, .certificate = {}, .key = {}}), "");
    constexpr int crowd = 300;
    std::vector<int> clients;
    for (int i = 0; i < crowd; ++i)
        clients.push_back(connect_to(web.port()));
    const std::string text = "GET /any HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ASSERT_EQ(::send(clients.front(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    before = open_ones();
    web.run();
    EXPECT_GT(taken, 0);
    EXPECT_LT(taken, crowd) << "the first one's request has waited for all others";
    for (const int client : clients)
        ::close(client);
}

} // namespace
