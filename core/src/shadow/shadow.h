// Device memory that the CPU sees by a shadow in host memory: page protection tells which blocks the CPU touches; a
// block is fetched when it is first touched, and what was changed is written back when the device is given the memory.
//
// The shadow is a file without a name that is mapped twice: the program's view is protected, the library's own is not,
// so no thread sees a block before it is whole. Devices copy from and to the library's view.
#pragma once

#include "shadow/faults.h"

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace pixmpi {

/// The device's side of shared memory, which device libraries implement.
class DeviceBytes {
  public:
    struct Range {
        std::size_t offset, bytes;
    };
    enum class Way { fetch, write };
    virtual ~DeviceBytes() = default;
    /// Where the device finds host memory that is there as long as this object, whole pages. A copy with it is made by
    /// the device.
    virtual Status attach(std::byte *host, std::size_t bytes) = 0;
    /// That memory goes.
    virtual void detach() = 0;
    /// Between the device's bytes and the host's, behind all that the device has been given to do. Over when it
    /// returns.
    virtual Status copy(Way way, const std::vector<Range> &ranges) = 0;
    /// Whether copies may be made now: in this thread, or in another one while thread `id` waits for them.
    virtual bool usable() const = 0;
    virtual bool usable_for(pid_t id) const = 0;
    /// Whether they may be made in another thread.
    virtual bool copies_later() const = 0;
    /// What the device has been given to do is over, and the CPU sees it.
    virtual Status finish() = 0;
    /// Copies in other threads from now on come behind what the device has been given to do. In a thread that may use
    /// it.
    virtual Status settle() { return PIXMPI_SUCCESS; }
};

class Shadow {
  public:
    /// What the CPU reads is zero at first. `wish`: see find_guard(). `device` outlives it.
    static Status make(DeviceBytes &device, std::size_t bytes, GuardWish wish, std::unique_ptr<Shadow> &shadow);
    ~Shadow();
    Shadow(const Shadow &) = delete;
    Shadow &operator=(const Shadow &) = delete;

    std::byte *memory() const { return program_; }
    std::size_t mapped_bytes() const { return mapped_; }
    std::size_t block_bytes() const { return block_; }
    const FaultGuard &guard() const { return guard_; }

    /// What the CPU has changed of these bytes is the device's.
    Status write_back(std::size_t offset, std::size_t bytes);
    /// The device has changed these bytes. A device that copies in its own thread alone is asked for them now.
    Status device_wrote(std::size_t offset, std::size_t bytes);
    /// As if the CPU had touched each of them.
    Status touch(std::size_t offset, std::size_t bytes, bool write);

    struct Counts {
        std::uint64_t faults = 0, fetched = 0, written = 0;
    };
    Counts counts();
    /// An error of a fault that no call has returned.
    Status pop_failure();

    /// In the library's thread: answers the fault, or leaves it to serve().
    void handle(const Fault &fault);
    /// Answers faults of threads that may not use the device, in a thread that may.
    void serve();

  private:
    enum class State : std::uint8_t { stale, clean, dirty }; ///< stale: the device's is newer
    /// To protect a block that the CPU changes each time costs more than to copy it: after the second time in a row it
    /// stays unprotected, and dirty, for 4, 8, then 16 times.
    struct Habit {
        std::uint8_t in_a_row = 0, left = 0;
    };
    Shadow(DeviceBytes &device, FaultGuard &guard, std::size_t bytes);
    Status open();
    std::size_t blocks() const { return states_.size(); }
    static Pages pages_of(State state) {
        return state == State::stale ? Pages::none : state == State::clean ? Pages::read : Pages::write;
    }
    /// The blocks in [first, end) that are in `from` become `to`.
    Status change(std::size_t first, std::size_t end, State from, State to);
    bool stays_dirty(std::size_t block);
    Status protect(std::size_t first, std::size_t end);
    Status fetch(std::size_t first, std::size_t end);
    Status ready(std::size_t first, std::size_t end, bool write);
    std::vector<DeviceBytes::Range> ranges_in(std::size_t first, std::size_t end, State state) const;
    void answer(const Fault &fault);
    /// The first block of so many bytes, and the one behind the last.
    std::pair<std::size_t, std::size_t> blocks_of(std::size_t offset, std::size_t bytes) const {
        return {offset / block_, (offset + bytes + block_ - 1) / block_};
    }
    void remember(Status failed);
    std::size_t block_of(const std::byte *address) const {
        return static_cast<std::size_t>(address - program_) / block_;
    }

    DeviceBytes &device_;
    FaultGuard &guard_;
    const std::size_t bytes_;
    std::size_t block_, mapped_;
    std::byte *program_ = nullptr, *library_ = nullptr;
    std::mutex mutex_; ///< for all below. Who holds it touches no program's memory
    std::vector<State> states_;
    std::vector<Habit> habits_;
    std::vector<Fault> waiting_;
    /// Of touches that read, and of those that write: where one would follow the last one, and how much that one took.
    struct Run {
        std::size_t next = 0, blocks = 0;
    } runs_[2];
    Counts counts_;
    Error failure_;
    bool watched_ = false;
};

/// A fault of whichever shadow. False when there is none any more: the program touches memory that it has freed.
bool handle_fault(const Fault &fault);
/// Answers what waits for this thread: called whenever the library moves along what is under way.
void serve_shadows();

} // namespace pixmpi
