// The sessions of browsers. One that has opened the link is known by a cookie from then on, also by the next server of
// the same port: sessions are kept in a file of this user's, as hashes only. Who reads that file can open nothing.
#pragma once

#include <chrono>
#include <deque>
#include <string>

namespace mpiglut::walld {

enum class Role { none, look, operate };

class Sessions {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours longest{24 * 30};

    /// `path`: of the file; empty: sessions end with this server.
    explicit Sessions(std::string path = {});
    /// Of the cookie, which is the same as long as the file is there: cookies of a host know no ports.
    const std::string &cookie_name() const { return cookie_name_; }
    /// Why sessions end with this server, although there is a path; empty when they do not.
    const std::string &trouble() const { return trouble_; }

    struct Session {
        std::string hash; ///< names it
        Role role = Role::none;
        Clock::time_point until;
    };
    /// The secret of a new one, for the cookie. Of too many the oldest of the same role ends.
    std::string open(Role role, Clock::time_point now);
    /// The one with this secret; null when there is none.
    const Session *find(const std::string &secret, Clock::time_point now);
    bool is_open(const std::string &hash, Clock::time_point now) const;
    void close(const std::string &hash);
    void close_all();

    static std::string hash_of(const std::string &secret);
    /// Where the server of this port keeps its sessions; empty where this user has no folder for such things.
    static std::string usual_path(int port);

  private:
    void load(Clock::time_point now);
    void save(Clock::time_point now);

    std::string path_, cookie_name_, trouble_;
    std::deque<Session> all_; ///< the oldest first
};

} // namespace mpiglut::walld
