// The agent's end of its rank's dashboard: looks at it from time to time and tells what is there.
#pragma once

#include "child/loop.h"
#include "link/messages.h"
#include "run/dashboard.h"

#include <deque>
#include <functional>
#include <sys/types.h>

namespace mpiglut::launcher {

class DashboardReader {
  public:
    struct Listener {
        std::function<void(const Figures &)> figures;
        std::function<void(const PictureOfTile &)> picture;
        /// So much is on its way that pictures should wait on the dashboard, where newer ones take their places.
        std::function<bool()> busy;
        std::function<void(const std::string &lines)> recorded;
        std::function<void(const std::string &json)> menu;
    };
    DashboardReader(Loop &loop, std::size_t still_bytes, Listener listener);
    ~DashboardReader();
    DashboardReader(const DashboardReader &) = delete;
    DashboardReader &operator=(const DashboardReader &) = delete;

    bool good() const { return dashboard_ != nullptr; }
    /// What the program inherits.
    int fd() const { return fd_.get(); }
    void program(pid_t pid) { pid_ = pid; }
    void attend(std::chrono::milliseconds interval);
    void operate(const std::vector<Event> &events);

  private:
    void send_figures();
    void look_for_pictures();
    void look_at_rings();
    void send(const PictureFacts &facts, std::string bytes);

    Loop &loop_;
    std::size_t still_bytes_; ///< the dashboard's own number is the program's to write
    Listener listener_;
    Descriptor fd_;
    Dashboard *dashboard_ = nullptr;
    std::deque<Event> waiting_; ///< for room on the dashboard
    bool in_replay_ = false;    ///< the events of a replay are on their way
    pid_t pid_ = 0;
    int figures_timer_ = 0, picture_timer_ = 0;
};

} // namespace mpiglut::launcher
