// The agent's end of its rank's board: looks at it from time to time and tells what is there.
#pragma once

#include "loop.h"
#include "messages.h"
#include "run/board.h"

#include <deque>
#include <functional>
#include <sys/types.h>

namespace mpiglut::launcher {

class BoardWatch {
  public:
    struct Listener {
        std::function<void(const Figures &)> figures;
        std::function<void(const PictureOfTile &)> picture;
        /// So much is on its way that pictures should wait on the board, where newer ones take their places.
        std::function<bool()> busy;
        std::function<void(const std::string &lines)> recorded;
        std::function<void(const std::string &json)> menu;
    };
    BoardWatch(Loop &loop, std::size_t still_bytes, Listener listener);
    ~BoardWatch();
    BoardWatch(const BoardWatch &) = delete;
    BoardWatch &operator=(const BoardWatch &) = delete;

    bool good() const { return board_ != nullptr; }
    /// What the program inherits.
    int fd() const { return fd_.get(); }
    void program(pid_t pid) { pid_ = pid; }
    void attend(std::chrono::milliseconds interval);
    void operate(const std::vector<Event> &events);

  private:
    void tell_figures();
    void look_for_pictures();
    void look_at_rings();
    void send(const PictureFacts &facts, std::string bytes);

    Loop &loop_;
    std::size_t still_bytes_; ///< the board's own number is the program's to write
    Listener listener_;
    Descriptor fd_;
    Board *board_ = nullptr;
    std::deque<Event> waiting_; ///< for room on the board
    bool in_replay_ = false;    ///< the events of a replay are on their way
    pid_t pid_ = 0;
    int figures_timer_ = 0, picture_timer_ = 0;
};

} // namespace mpiglut::launcher
