#include "access.h"
#include "proof.h"

#include <algorithm>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_peers = 4096;
constexpr std::string_view scheme = "Bearer ";

} // namespace

bool Bucket::take(double amount, Clock::time_point now) {
    if (last_ != Clock::time_point{})
        left_ = std::min(burst_, left_ + per_second_ * std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (left_ < amount)
        return false;
    left_ -= amount;
    return true;
}

bool Bucket::full(Clock::time_point now) const {
    return left_ + per_second_ * std::chrono::duration<double>(now - last_).count() >= burst_;
}

std::string_view cookie_value(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        const auto end = std::min(header.find(';'), header.size());
        std::string_view pair = header.substr(0, end);
        header.remove_prefix(std::min(end + 1, header.size()));
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
            return pair.substr(name.size() + 1);
    }
    return {};
}

bool same_origin(std::string_view origin, std::string_view host) {
    if (origin.empty())
        return true;
    for (const std::string_view prefix : {"http://", "https://"})
        if (origin.starts_with(prefix))
            return !host.empty() && origin.substr(prefix.size()) == host;
    return false;
}

bool Access::knows_token(const Caller &caller) const {
    const std::string bearer =
        caller.authorization.starts_with(scheme) ? caller.authorization.substr(scheme.size()) : std::string();
    const std::string cookie(cookie_value(caller.cookie, cookie_name_));
    // All are compared, so that the time says nothing.
    const bool by_header = launcher::same_text(bearer, token_), by_cookie = launcher::same_text(cookie, token_),
               by_link = launcher::same_text(caller.token, token_);
    return by_header || by_cookie || by_link;
}

Verdict Access::judge(const Caller &caller) {
    const auto now = Bucket::Clock::now();
    if (peers_.size() >= most_peers)
        std::erase_if(peers_, [now](const auto &peer) {
            return peer.second.requests.full(now) && peer.second.failures.full(now);
        });
    if (peers_.size() >= most_peers && !peers_.contains(caller.address))
        return Verdict::too_often;
    Peer &peer = peers_[caller.address];
    if (knows_token(caller))
        return !same_origin(caller.origin, caller.host) ? Verdict::foreign
               : peer.requests.take(1, now)             ? Verdict::good
                                                        : Verdict::too_often;
    return peer.failures.take(1, now) ? Verdict::unknown : Verdict::too_often;
}

std::string Access::cookie(bool tls) const {
    return cookie_name_ + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict" + (tls ? "; Secure" : "");
}

} // namespace mpiglut::walld
