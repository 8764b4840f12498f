#include "access.h"
#include "secret.h"

#include <algorithm>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_peers = 4096, most_sessions = 256; // of each role
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

Role Access::role_of(const std::string &token) const {
    // Both are compared, so that the time says nothing.
    const bool operates = launcher::same_text(token, token_), looks = launcher::same_text(token, token_to_look_);
    return operates ? Role::operate : looks ? Role::look : Role::none;
}

/// A link beats the session that a browser has from before.
Visitor Access::visitor_of(const Caller &caller, Clock::time_point now) {
    while (!sessions_.empty() && now - sessions_.front().began > longest_session)
        sessions_.pop_front();
    const std::string bearer =
        caller.authorization.starts_with(scheme) ? caller.authorization.substr(scheme.size()) : std::string();
    for (const Role role : {role_of(caller.token), role_of(bearer)})
        if (role != Role::none)
            return {role, {}};
    const std::string cookie(cookie_value(caller.cookie, cookie_name_));
    Visitor found;
    for (const Session &session : sessions_)
        if (launcher::same_text(cookie, session.id))
            found = {session.role, session.id};
    return found;
}

std::string Access::open_session(Role role, const std::string &cookies, bool tls, Clock::time_point now) {
    close_session(std::string(cookie_value(cookies, cookie_name_)), tls);
    const auto alike = [role](const Session &one) { return one.role == role; };
    if (static_cast<std::size_t>(std::ranges::count_if(sessions_, alike)) == most_sessions)
        sessions_.erase(std::ranges::find_if(sessions_, alike));
    sessions_.push_back({launcher::random_token(), role, now});
    return cookie(sessions_.back().id, longest_session, tls);
}

std::string Access::close_session(const std::string &session, bool tls) {
    std::erase_if(sessions_, [&](const Session &one) { return one.id == session; });
    return cookie("", std::chrono::seconds(0), tls);
}

bool Access::is_open(const std::string &session, Clock::time_point now) {
    return std::ranges::any_of(
        sessions_, [&](const Session &one) { return one.id == session && now - one.began <= longest_session; });
}

Verdict Access::judge(const Caller &caller, Visitor &visitor, Clock::time_point now) {
    if (peers_.size() >= most_peers)
        std::erase_if(peers_, [now](const auto &peer) {
            return peer.second.requests.full(now) && peer.second.looks.full(now) && peer.second.failures.full(now);
        });
    if (peers_.size() >= most_peers && !peers_.contains(caller.address))
        return Verdict::too_often;
    Peer &peer = peers_[caller.address];
    visitor = visitor_of(caller, now);
    if (visitor.role != Role::none)
        return !same_origin(caller.origin, caller.host)                                    ? Verdict::foreign
               : (visitor.role == Role::operate ? peer.requests : peer.looks).take(1, now) ? Verdict::good
                                                                                           : Verdict::too_often;
    return peer.failures.take(1, now) ? Verdict::unknown : Verdict::too_often;
}

std::string Access::cookie(const std::string &value, std::chrono::seconds age, bool tls) const {
    return cookie_name_ + "=" + value + "; Path=/; Max-Age=" + std::to_string(age.count()) +
           "; HttpOnly; SameSite=Strict" + (tls ? "; Secure" : "");
}

} // namespace mpiglut::walld
