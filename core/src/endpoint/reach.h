// Windows of other processes that this one's GPU copies to and from by itself, without a message: where both are in
// memory that CUDA has made (CardMemory), on one host. Each process maps those of the others when the endpoint is made.
#pragma once

#include "endpoint/backend.h"
#include "gpu/cuda.h"
#include "request/channel.h"

#include <map>

namespace pixmpi {

/// CUDA's memory that a graphics API imports, for windows; null where there is none.
std::shared_ptr<CardMemory> make_card_memory(const Gpu &gpu, std::size_t bytes);

class Reach {
  public:
    using Windows = std::vector<std::unique_ptr<Window>>;
    /// What a process tells the others of a window, so that they find its bytes; 0: they do not.
    static std::uint64_t place_of(const Window &window);

    /// Collective over `plain`, the processes. Maps what others have announced, by process and window.
    Status open(Runtime &runtime, Lock &lock, MPI_Comm plain, const Windows &own,
                const std::vector<std::vector<std::uint64_t>> &announced);

    /// The windows of this process go: what is being copied ends, and nothing more is.
    void leave();
    /// Whether bytes get from one window to the other by a copy.
    bool reaches(std::uint32_t own_window, int process, std::uint32_t their_window) const {
        return own_ && find(process, their_window) && (*own_)[own_window]->card;
    }
    struct Part {
        std::uint32_t window;
        std::uint64_t offset;
    };
    /// Copies to one process, and from it, happen in the order of the calls. `number`: counts them, from 1.
    Status copy(bool put, Part own, int process, Part theirs, std::uint64_t bytes, std::uint64_t &number);
    /// Whether all that lies in our window may be copied by slots of a process, wherever they receive it.
    bool is_copied_by(int process, std::uint32_t own_window) const {
        return own_ && !copied_by_.empty() && copied_by_[static_cast<std::size_t>(process)] &&
               (*own_)[own_window]->card;
    }
    bool lies_within(int process, std::uint32_t window, std::uint64_t offset, std::uint64_t bytes) const;
    /// How many of them are over. They are behind all that the process' GPU did before in its own memory.
    Status look(int process, std::uint64_t &number);

  private:
    struct Mapped {
        std::unique_ptr<CudaMemory> memory;
        std::uint64_t offset = 0;
    };
    struct Shown { ///< to another process, or by it
        int process;
        std::uint32_t window;
        std::uint64_t place;
        std::uint32_t number() const { return static_cast<std::uint32_t>(place); }
        std::uint64_t offset() const { return place >> 32; }
    };
    Status map(Runtime &runtime, Lock &lock, const Channel &channel,
               const std::vector<std::vector<std::uint64_t>> &announced);
    bool copies_from(std::size_t process, const std::vector<std::uint64_t> &announced) const;
    const Mapped *find(int process, std::uint32_t window) const;
    bool show_next(const Channel &channel, std::vector<Shown> &to_show) const;
    void receive_shown(const Channel &channel, std::vector<Shown> &expected);

    const Windows *own_ = nullptr;
    CudaGpu *gpu_ = nullptr;
    std::map<std::pair<int, std::uint32_t>, Mapped> mapped_;
    std::vector<char> copied_by_;                        ///< by process
    std::map<int, std::unique_ptr<CudaStream>> streams_; ///< by process; they end before what they copy to goes
};

} // namespace pixmpi
