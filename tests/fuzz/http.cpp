// What strangers may send to the port of the operator's page: to the real server, over a real connection.
#include "entries.h"

#include "access/access.h"
#include "web/web.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <fcntl.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace mpiglut::walld;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_body = 64u << 10;

/// A client with the token may come in, and gets the length of its body.
class Page {
  public:
    Page()
        : web_({[this](Request &request) { return refuse(request); },
                [this](const Request &request, const Web::Answer &answer) { asked(request, answer); },
                [this](const Request &) { return 0; }, [this](Web::Client, const Visitor &visitor) { in(visitor); },
                [](Web::Client) {}, [this](Web::Client client, const std::string &text) { said(client, text); }}),
          access_(std::string(32, 't'), std::string(32, 'l'), Sessions()) {
        fuzz::require(web_.listen({.address = "127.0.0.1", .port = 0, .certificate = {}, .key = {}}).empty(), "a port");
    }

    /// What comes back.
    std::string say(std::string_view text) {
        answer_.clear();
        requests_ = looks_ = 0;
        client_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(web_.port()));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        fuzz::require(::connect(client_, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0, "a connection");
        ::fcntl(client_, F_SETFL, O_NONBLOCK);
        rest_ = text;
        look();
        web_.run();
        ::close(client_);
        return answer_;
    }
    int requests() const { return requests_; }

  private:
    std::optional<Response> refuse(Request &request) {
        request.caller.address = "fuzz"; // a new one would be another peer
        Visitor &visitor = request.visitor;
        const bool good = access_.judge(request.caller, visitor) == Verdict::good;
        fuzz::require(!request.long_head, "long heads have been refused");
        return good ? std::nullopt : std::optional(json_error(401, "token"));
    }
    void asked(const Request &request, const Web::Answer &answer) {
        ++requests_;
        fuzz::require(request.visitor.role != Role::none, "nobody asks who has not been admitted");
        fuzz::require(request.body.size() <= longest_body, "a body has its limit");
        fuzz::require(request.path.starts_with('/') && (request.path + "/").find("/../") == std::string::npos,
                      "a path goes down");
        answer({.body = std::to_string(request.body.size()), .headers = {}});
    }
    static void in(const Visitor &visitor) { fuzz::require(visitor.role != Role::none, "no socket of a stranger"); }
    void said(Web::Client client, const std::string &text) {
        fuzz::require(text.size() <= longest_body, "a message has its limit");
        web_.send(client, std::make_shared<const std::string>(text));
    }
    /// Sends what can be sent, reads what has come, and goes on until the server closes, or for some looks more.
    void look() {
        const ssize_t sent = rest_.empty() ? 0 : ::send(client_, rest_.data(), rest_.size(), MSG_NOSIGNAL);
        rest_.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        char bytes[4096];
        ssize_t n;
        while ((n = ::recv(client_, bytes, sizeof bytes, 0)) > 0)
            answer_.append(bytes, static_cast<std::size_t>(n));
        const bool closed = n == 0 || (n < 0 && errno != EAGAIN);
        if (closed || ++looks_ == most_looks)
            return web_.stop();
        web_.after(1ms, [this] { look(); });
    }

    static constexpr int most_looks = 40;
    Web web_;
    Access access_;
    int client_ = -1, requests_ = 0, looks_ = 0;
    std::string_view rest_;
    std::string answer_;
};

} // namespace

void fuzz::http(Input input) {
    static Page page;
    const std::string answer = page.say({reinterpret_cast<const char *>(input.data()), input.size()});
    require(answer.empty() || answer.starts_with("HTTP/1."), "an answer is one of HTTP");
    require(page.requests() <= 1, "one request for each connection");
    require(answer.find(std::string(32, 't')) == answer.npos, "nobody is told the token");
}
