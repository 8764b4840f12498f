// Who may do what: those that know a token, or have a session that began with one, from this page, and not too often.
#pragma once

#include "access/sessions.h"

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
    bool spend(double amount = 1, Clock::time_point now = Clock::now());
    bool full(Clock::time_point now) const;

  private:
    double left_, burst_, per_second_;
    Clock::time_point last_{};
};

/// What a request says of where it comes from.
struct Caller {
    std::string address;      ///< of its socket
    std::string host, origin; ///< headers, empty where there is none
    bool changes = false;     ///< its method may change something
    std::string authorization, cookie;
    std::string token; ///< of the link, which opens the page and nothing else
};

struct Visitor {
    Role role = Role::none;
    std::string session; ///< its hash; empty: known by a token
    std::string address; ///< where it connects from
};

enum class Verdict { good, unknown, foreign, too_often };

class Access {
  public:
    using Clock = Bucket::Clock;
    static constexpr std::chrono::hours longest_session = Sessions::longest;

    Access(std::string token, std::string token_to_look, Sessions sessions)
        : token_(std::move(token)), token_to_look_(std::move(token_to_look)), sessions_(std::move(sessions)) {}
    /// `visitor` receives who it is, where the verdict is good.
    Verdict judge(const Caller &caller, Visitor &visitor, Clock::time_point now = Clock::now());
    const std::string &token() const { return token_; }
    const std::string &token_to_look() const { return token_to_look_; }

    // Each returns the value of a Set-Cookie header.
    /// The cookie says nothing of the token, and is worth nothing once the session is over. `cookies`: the request's;
    /// its session ends: a browser has one.
    std::string open_session(Role role, const std::string &cookies, bool tls, Clock::time_point now = Clock::now());
    std::string close_session(const std::string &session, bool tls);
    bool is_open(const std::string &session, Clock::time_point now = Clock::now()) const {
        return sessions_.is_open(session, now);
    }
    Sessions &sessions() { return sessions_; }

  private:
    Visitor visitor_of(const Caller &caller, Clock::time_point now);
    Role role_of(const std::string &token) const;
    std::string cookie(const std::string &value, std::chrono::seconds age, bool tls) const;
    struct Peer { ///< those who only look leave operators theirs
        Bucket requests{400, 200}, looks{400, 200}, failures{20, 5};
    };
    std::string token_, token_to_look_;
    Sessions sessions_;
    std::map<std::string, Peer> peers_; ///< by address
};

/// The value of one cookie of a Cookie header; empty without it.
std::string_view cookie_value(std::string_view header, std::string_view name);
/// `Origin: http://host:port` is that of `Host: host:port`. A request without Origin comes from no page.
bool same_origin(std::string_view origin, std::string_view host);
/// Not from this server's own page. A browser sends a session's cookie to any port of the host, whatever page makes it
/// do so: with that alone nothing is changed. Scripts send a token, which no other page knows.
bool is_foreign(const Caller &caller, const Visitor &visitor);

} // namespace mpiglut::walld
