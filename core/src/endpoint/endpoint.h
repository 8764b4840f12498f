// What lets the shaders of this process take part in the messages of a communicator: slots, windows, signals, the
// memory that is shared with shaders, and the service that does what other slots ask for.
#pragma once

#include "endpoint/backend.h"
#include "endpoint/layout.h"
#include "endpoint/slot_matcher.h"
#include "pixmpi_device.h"

namespace pixmpi {

class Service;
class Run;

class Endpoint {
  public:
    /// Collective. If this rank fails, others also fail; `failed` is an error that it has found before.
    static Status make(Runtime &runtime, Lock &lock, MPI_Comm comm, EndpointParts &parts, Status failed,
                       std::shared_ptr<Endpoint> &endpoint);
    ~Endpoint();

    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    EndpointShape shape;
    EndpointLayout layout;
    std::shared_ptr<EndpointMemory> memory;
    std::vector<std::unique_ptr<Window>> windows;
    std::shared_ptr<Reach> reach; ///< of windows of other processes
    MPI_Comm space = MPI_COMM_NULL, plain = MPI_COMM_NULL;
    std::shared_ptr<Channel> channel; ///< of `space`
    std::shared_ptr<Service> service;
    std::weak_ptr<Run> running; ///< the run under way
    bool dispatched = false;    ///< a dispatch of its is under way
    pixMPI_Endpoint_stats stats = PIXMPI_ENDPOINT_STATS_INIT;

    const SlotSpace &slots() const { return space_of(*channel); }
    int process_of(int rank) const { return channel->program->process_of(rank); }
    bool is_own(int process) const { return process == process_of(slots().own); }
    /// Another process, if its Presence can be seen from here; else null.
    const Peer *seen(int process) const;
    /// Of windows of all processes.
    std::uint64_t window_bytes(int process, std::uint32_t window) const {
        return window < PIXMPI_MAX_WINDOWS ? announced_[static_cast<std::size_t>(process)][window] : 0;
    }
    Status check_window(const char *name, int process, std::uint32_t window, std::uint64_t offset,
                        std::uint64_t bytes) const;
    /// Part of a window of this process, as one end of a message.
    Status find_part(Direction direction, std::uint32_t window, std::uint64_t offset, std::uint64_t bytes,
                     std::shared_ptr<Surface> &surface) const;
    /// A message of a slot's, or of the service's; not started.
    Status make_message(Direction direction, std::shared_ptr<Surface> surface, int own, int rank, int tag,
                        std::shared_ptr<Message> &message) const;
    /// A tag for what follows an operation, twice as many for answers.
    int next_tag();

    /// Shaders see it behind the next order_stores(), or from the next dispatch on.
    void change_signal(std::uint32_t slot, std::uint32_t signal, std::uint32_t what, std::uint32_t value);
    std::uint32_t signal(std::uint32_t slot, std::uint32_t number) const {
        return signals_[std::size_t{slot} * shape.signals + number];
    }
    void write_signals();
    /// Ends what goes on behind runs.
    void close();

  private:
    Status read_info(const pixMPI_Endpoint_info &given);
    Status open(EndpointParts &parts);
    void settle(const pixMPI_Endpoint_info &given);
    void suspend_for(const char *reason);
    Status open_reach(Runtime &runtime, Lock &lock);

    std::vector<Words> announced_; ///< by process
    std::vector<std::uint32_t> signals_;
    int tag_ = 0;
};

/// A window in memory that the CPU reads and writes as it does its own; `owner` lives as long as a message on it.
std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes, std::shared_ptr<const void> owner);

/// Host memory of the library for a message. `memory` stays until the message is over.
Status surface_of_words(std::span<std::uint32_t> memory, std::shared_ptr<Surface> &surface);

} // namespace pixmpi
