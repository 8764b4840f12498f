// How late frames come, how many, and how many bytes travel for them.
#pragma once

#include "demo.h"

#include <algorithm>

/// Rank 0's clock on another rank: of some questions, the one that was answered soonest tells best.
class Clock {
  public:
    /// Collective.
    explicit Clock(const demo::World &world) {
        constexpr int questions = 9;
        for (int rank = 1; rank < world.ranks; ++rank)
            for (int i = 0; i < questions; ++i) {
                if (world.rank == 0)
                    answer(rank);
                else if (world.rank == rank)
                    ask();
            }
    }
    double now() const { return demo::now() + ahead_; }

  private:
    static constexpr int tag = 1;
    static void answer(int rank) {
        MPI_Recv(nullptr, 0, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double time = demo::now();
        MPI_Send(&time, 1, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD);
    }
    void ask() {
        double time = 0;
        const double asked = demo::now();
        MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        MPI_Recv(&time, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double answered = demo::now();
        if (answered - asked < soonest_) {
            soonest_ = answered - asked;
            ahead_ = time - (asked + answered) / 2;
        }
    }
    double soonest_ = 1e9, ahead_ = 0;
};

/// What this rank has sent since.
class Traffic {
  public:
    Traffic() { pixMPI_Get_stats(&before_); }
    /// Bytes that travelled for one of a pixel.
    double share() const {
        pixMPI_Stats now = PIXMPI_STATS_INIT;
        pixMPI_Get_stats(&now);
        const auto sent = static_cast<double>(now.bytes_sent - before_.bytes_sent);
        const auto encoded = static_cast<double>(now.bytes_encoded - before_.bytes_encoded);
        const auto streams = static_cast<double>(now.bytes_of_streams - before_.bytes_of_streams);
        return sent > 0 ? (sent - encoded + streams) / sent : 1;
    }

  private:
    pixMPI_Stats before_ = PIXMPI_STATS_INIT;
};

/// Frames as a viewer has seen them.
class Meter {
  public:
    void count(double latency) {
        if (frames_++ == 0)
            begin_ = demo::now();
        end_ = demo::now();
        sum_ += latency;
        most_ = std::max(most_, latency);
    }
    int frames() const { return frames_; }
    double seconds() const { return end_ - begin_; } ///< from the first one to the last one
    double rate() const { return frames_ > 1 ? (frames_ - 1) / seconds() : 0; }
    double latency() const { return frames_ > 0 ? sum_ / frames_ : 0; }
    double most_latency() const { return most_; }

  private:
    int frames_ = 0;
    double begin_ = 0, end_ = 0, sum_ = 0, most_ = 0;
};
