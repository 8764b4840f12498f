// What the demos have in common that compute on parts of one problem and exchange what lies between the parts: two ways
// to do so, and a table that compares them, as in HPE's paper (Cabezas et al. 2015).
#pragma once

#include "demo.h"
#include "vk.h"
#include "vk_world.h"

#include <cstring>
#include <functional>
#include <mpi.h>
#include <optional>
#include <pixmpi_collectives.h>

namespace demo {

/// Their options, in addition to those of all demos.
struct ExchangeOptions {
    std::string exchange = "library";
    bool table = false;

    Text text() { return {"--exchange", "naive: by the host's memory and MPI, by hand; or library", &exchange}; }
    Flag flag() {
        return {"--table", "measures one rank, then all of them by either exchange, without a window", &table};
    }
    /// Throws UsageError.
    bool naive() const;
};

/// What a number of steps took.
struct StepTimes {
    double seconds = 0, computing = 0; ///< of all of them; of this rank's shaders
    int steps = 0;
};

/// Lines of the table: one rank, all ranks by hand, all ranks by the library; or the two that `options` ask for.
/// `measure` runs steps on a communicator that is attached; all its ranks call it. `size`: of the problem, for people.
void say_table(const World &world, const std::string &size,
               const std::function<StepTimes(MPI_Comm comm, bool naive)> &measure);
/// One line. Collective over `comm`; rank 0 says it. `naive`, `alone`: seconds of a step so, if they are known.
void say_times(const World &world, MPI_Comm comm, const char *exchange, const std::string &size, const StepTimes &times,
               std::optional<double> naive, std::optional<double> alone);
void say_heading(const World &world);

/// All of a demo that draws nothing: its work is measured, as a table or by one exchange, and the result checked.
/// `Work(gpu, problem, comm, naive)` is made by all ranks of a communicator. A step is fill() and run(); times() tells
/// of runs since forget_times(), and collect() gives rank 0 the result. `size`: of the problem, for people.
template <class Work, class Compare>
void measure_work(const Start &start, const ExchangeOptions &exchange, int problem, int steps, const std::string &size,
                  Compare compare) {
    Options options = start.options;
    options.headless = true; // there is nothing to see
    VkWorld world({start.about, options, start.rank, start.ranks});
    const bool naive = exchange.naive();
    const auto measure = [steps](Work &work) {
        work.fill();
        work.run(); // compiles
        work.forget_times();
        for (int i = 0; i < steps; ++i) {
            work.fill();
            work.run();
        }
        return work.times();
    };
    if (exchange.table)
        return say_table(world, size, [&](MPI_Comm comm, bool by_hand) {
            Work work(world.gpu(), problem, comm, by_hand);
            return measure(work);
        });
    Work work(world.gpu(), problem, MPI_COMM_WORLD, naive);
    const StepTimes times = measure(work);
    say_heading(world);
    say_times(world, MPI_COMM_WORLD, exchange.exchange.c_str(), size, times, {}, {});
    if (!world.options.check)
        return;
    const auto all = work.collect();
    if (world.rank == 0)
        compare(world, problem, all);
}

/// Bytes of buffers in the host's memory and back, as programs do it: a copy command, and a wait for it.
class ByHand {
  public:
    ByHand(const Gpu &gpu, std::size_t bytes) : gpu_(gpu), staging_(gpu, bytes, true) {}
    /// Where they are until the next call.
    std::byte *read(const Buffer &from, std::size_t offset, std::size_t bytes) {
        copy(from.buffer(), staging_.buffer(), offset, 0, bytes);
        return data();
    }
    /// What data() has.
    void write(const Buffer &to, std::size_t offset, std::size_t bytes) {
        copy(staging_.buffer(), to.buffer(), 0, offset, bytes);
    }
    std::byte *data() const { return static_cast<std::byte *>(staging_.data()); }

  private:
    void copy(VkBuffer from, VkBuffer to, std::size_t from_offset, std::size_t to_offset, std::size_t bytes) const {
        if (bytes == 0)
            return;
        gpu_.run([&](VkCommandBuffer commands) {
            barrier(commands);
            const VkBufferCopy part{from_offset, to_offset, bytes};
            vkCmdCopyBuffer(commands, from, to, 1, &part);
            barrier(commands);
        });
    }
    const Gpu &gpu_;
    Buffer staging_;
};

/// A committed rectangle.
class Rectangle {
  public:
    Rectangle(int x, int y, int width, int height) {
        pixMPI_Region_rect(x, y, width, height, &region_);
        pixMPI_Region_commit(&region_);
    }
    ~Rectangle() { pixMPI_Region_free(&region_); }
    Rectangle(const Rectangle &) = delete;
    Rectangle &operator=(const Rectangle &) = delete;
    operator pixMPI_Region() const { return region_; }

  private:
    pixMPI_Region region_ = PIXMPI_REGION_NULL;
};

/// Of `all` things that ranks share evenly, one rank's.
struct Part {
    Part(int all, int rank, int ranks)
        : first(static_cast<int>(std::int64_t{all} * rank / ranks)),
          count(static_cast<int>(std::int64_t{all} * (rank + 1) / ranks) - first) {}
    int first, count;
};

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
inline int ranks_of(MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

} // namespace demo
