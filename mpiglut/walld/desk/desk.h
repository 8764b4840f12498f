// The browsers at the wall: what they see of it, and which of them has its hands on it.
#pragma once

#include "desk/wall_run.h"

#include <map>
#include <memory>

namespace mpiglut::walld {

/// What is answered to those who may only look, and want more.
inline constexpr const char *only_for_looking =
    "token: expected that of the link for operators, this one is for looking";

class Desk {
  public:
    Desk(Web &web, const Log &log) : web_(web), log_(log) {}

    /// Null between two runs.
    void run(WallRun *run);
    /// Further news for a page when it comes, in addition to the run.
    void also(std::function<nlohmann::json()> more) { more_ = std::move(more); }

    void opened(Web::Client client, const Visitor &visitor);
    /// Those of sessions that are over are sent away.
    void keep(const std::function<bool(const std::string &session)> &is_open);
    void closed(Web::Client client);
    /// Why this request may not change the wall: another browser has control. Empty when it may. A browser's request
    /// names the browser (`client`); it takes control if no browser has it, as a press on the picture does. With
    /// `control=take` it takes control away from another one.
    std::string refuse_change(const Request &request);
    void message(Web::Client client, const std::string &text);

    void changed();
    void printed(const std::vector<LogLine> &lines);
    void picture(std::uint64_t key, const WallRun::Picture &picture);
    void sampled(const Sample &sample);
    std::size_t clients() const { return clients_.size(); }

  private:
    struct Browser {
        Visitor visitor;
        bool looks = true, pointer_moved = false;
        int x = 0, y = 0; ///< of its pointer
    };
    void receive_input(Web::Client client, const nlohmann::json &object);
    void ask_for_control(Web::Client client);
    void give_control(Web::Client to);
    /// {"client": number, "address": where it is}, or null.
    nlohmann::json holder() const;
    /// The browser that sends this request, or 0.
    Web::Client browser_of(const Request &request) const;
    void tell(Web::Client client, const nlohmann::json &event);
    void send_to_all(const nlohmann::json &event);
    void attend();
    void send_pointers();

    Web &web_;
    const Log &log_;
    WallRun *run_ = nullptr;
    std::function<nlohmann::json()> more_;
    std::map<Web::Client, Browser> clients_;
    Web::Client holder_ = 0; ///< the browser with control; 0: none
    bool pointers_due_ = false;
};

} // namespace mpiglut::walld
