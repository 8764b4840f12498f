// What frames of a compositor took on this rank: figures of the last one, and a trace of all.
#pragma once

#include "composite/compose.h"
#include "pixmpi_compositor.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace pixmpi {

class FrameLog {
  public:
    using Clock = std::chrono::steady_clock;

    /// A frame's call has returned.
    void returned() { returned_ = Clock::now(); }
    /// How long the program has drawn, up to now.
    double drawn_until(Clock::time_point now) const;

    struct Frame {
        Clock::time_point called{};
        double draw = 0;
        std::uint64_t active_pixels = 0;
        std::span<const Plan::Report> steps;
    };
    /// A frame is complete, without error.
    void add(const Frame &frame, int ranks);
    /// Of the last frame. PIXMPI_ERR_REQUEST when there is none.
    Status figures(pixMPI_Frame_stats &stats) const;
    const std::vector<std::uint64_t> &sent() const { return sent_; }         ///< in the last frame, to each rank
    const std::vector<std::uint64_t> &received() const { return received_; } ///< likewise, from each rank

    /// Frames from now on are written to a file; null: no more. `rank`: this one.
    Status trace(const char *path, int rank);

  private:
    struct Close {
        void operator()(std::FILE *file) const;
    };
    void write(const Frame &frame);
    void write_event(const std::string &name, int track, Clock::time_point begun, Clock::time_point over,
                     const std::string &arguments);

    std::uint64_t frames_ = 0;
    Clock::time_point returned_{};
    pixMPI_Frame_stats last_ = PIXMPI_FRAME_STATS_INIT;
    std::vector<std::uint64_t> sent_, received_;
    std::unique_ptr<std::FILE, Close> file_;
    int rank_ = 0;
    bool first_event_ = true;
};

} // namespace pixmpi
