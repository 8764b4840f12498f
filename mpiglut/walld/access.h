// Who may do anything: those that know the token, from this page, and not too often.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace mpiglut::walld {

/// So many at once, and so many a second on average.
class Bucket {
  public:
    using Clock = std::chrono::steady_clock;
    Bucket(double burst, double per_second) : left_(burst), burst_(burst), per_second_(per_second) {}
    bool take(double amount = 1, Clock::time_point now = Clock::now());
    bool full(Clock::time_point now) const;

  private:
    double left_, burst_, per_second_;
    Clock::time_point last_{};
};

/// What a request says of where it comes from.
struct Caller {
    std::string address;      ///< of its socket
    std::string host, origin; ///< headers, empty where there is none
    std::string authorization, cookie;
    std::string token; ///< of the link
};

enum class Verdict { good, unknown, foreign, too_often };

class Access {
  public:
    Access(std::string token, std::string cookie_name)
        : token_(std::move(token)), cookie_name_(std::move(cookie_name)) {}
    Verdict judge(const Caller &caller);
    const std::string &token() const { return token_; }
    /// The value of a Set-Cookie header.
    std::string cookie(bool tls) const;

  private:
    bool knows_token(const Caller &caller) const;
    struct Peer {
        Bucket requests{400, 200}, failures{20, 5};
    };
    std::string token_, cookie_name_;
    std::map<std::string, Peer> peers_; ///< by address
};

/// The value of one cookie of a Cookie header; empty without it.
std::string_view cookie_value(std::string_view header, std::string_view name);
/// `Origin: http://host:port` is that of `Host: host:port`. A request without Origin comes from no page.
bool same_origin(std::string_view origin, std::string_view host);

} // namespace mpiglut::walld
