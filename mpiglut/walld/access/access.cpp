#include "access/access.h"
#include "link/secret.h"

#include <algorithm>

namespace mpiglut::walld {

namespace {

constexpr std::size_t most_peers = 4096;
constexpr std::string_view scheme = "Bearer ";

} // namespace

bool Bucket::spend(double amount, Clock::time_point now) {
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

bool is_foreign(const Caller &caller, const Visitor &visitor) {
    const bool cookie_alone = !visitor.session.empty() && caller.origin.empty();
    return !same_origin(caller.origin, caller.host) || (cookie_alone && caller.changes);
}

Role Access::role_of(const std::string &token) const {
    // Both are compared, so that the time says nothing.
    const bool operates = launcher::same_text(token, token_), looks = launcher::same_text(token, token_to_look_);
    return operates ? Role::operate : looks ? Role::look : Role::none;
}

/// A link beats the session that a browser has from before.
Visitor Access::visitor_of(const Caller &caller, Clock::time_point now) {
    const std::string bearer =
        caller.authorization.starts_with(scheme) ? caller.authorization.substr(scheme.size()) : std::string();
    for (const Role role : {role_of(caller.token), role_of(bearer)})
        if (role != Role::none)
            return {role, {}, {}};
    const Sessions::Session *const found =
        sessions_.find(std::string(cookie_value(caller.cookie, sessions_.cookie_name())), now);
    return found ? Visitor{found->role, found->hash, {}} : Visitor{};
}

std::string Access::open_session(Role role, const std::string &cookies, bool tls, Clock::time_point now) {
    const std::string before(cookie_value(cookies, sessions_.cookie_name()));
    if (!before.empty())
        sessions_.close(Sessions::hash_of(before));
    return cookie(sessions_.open(role, now), longest_session, tls);
}

std::string Access::close_session(const std::string &session, bool tls) {
    sessions_.close(session);
    return cookie("", std::chrono::seconds(0), tls);
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
    visitor.address = caller.address;
    if (visitor.role != Role::none)
        return is_foreign(caller, visitor)                                                  ? Verdict::foreign
               : (visitor.role == Role::operate ? peer.requests : peer.looks).spend(1, now) ? Verdict::good
                                                                                            : Verdict::too_often;
    return peer.failures.spend(1, now) ? Verdict::unknown : Verdict::too_often;
}

std::string Access::cookie(const std::string &value, std::chrono::seconds age, bool tls) const {
    return sessions_.cookie_name() + "=" + value + "; Path=/; Max-Age=" + std::to_string(age.count()) +
           "; HttpOnly; SameSite=Strict" + (tls ? "; Secure" : "");
}

} // namespace mpiglut::walld
