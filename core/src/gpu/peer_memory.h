// What the peer route keeps for one device: memory of its GPU, through which its messages pass, and that of other
// processes, as far as it reaches them.
#pragma once

#include "gpu/cuda.h"
#include "process/descriptors.h"
#include "process/process.h"
#include "region/units.h"

#include <chrono>
#include <map>

namespace pixmpi {

/// Another process' memory, or another device's of this process.
struct RemoteMemory {
    std::shared_ptr<const Peer> owner; ///< which takes it for granted from now on that this process reaches the memory;
                                       ///< null in this process
    std::uint32_t number = 0;
    std::size_t bytes = 0;
    DeviceMemory *memory = nullptr;     ///< on the same GPU: where its stages come from
    std::unique_ptr<DeviceMemory> own;  ///< `memory`, unless it is the device's own
    std::unique_ptr<CudaMemory> mapped; ///< on another GPU: what is copied to
    std::unique_ptr<CudaStream> stream; ///< by these copies
};

/// Pixels to send are in one half of a GPU's memory, pixels from another GPU in the other half, so that neither can
/// block the other. Pixels that MPI brings get half of the landing half: they wait for memory elsewhere, which messages
/// between GPUs may have.
enum class GpuHalf { sending, landing, landing_of_mpi };

/// Memory for the slots of one message, cut from a GPU's (PeerMemory), given back at the end.
class GpuAllocation {
  public:
    GpuAllocation() = default;
    GpuAllocation(GpuAllocation &&other) noexcept = default;
    GpuAllocation &operator=(GpuAllocation &&other) noexcept {
        std::swap(units_, other.units_);
        std::swap(cuda_, other.cuda_);
        std::swap(offset_, other.offset_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~GpuAllocation() { free(); }
    void free();
    bool allocate(PeerMemory &memory, GpuHalf half, std::size_t bytes);
    explicit operator bool() const { return units_ != nullptr; }
    std::size_t offset() const { return offset_; }
    /// Where CUDA has it, and on which GPU; for memory that reaches others.
    std::uint64_t address() const { return cuda_->address() + offset_; }
    const CudaGpu *gpu() const { return cuda_ ? &cuda_->gpu() : nullptr; }

  private:
    // Both outlive the device: others may still read what it has left.
    std::shared_ptr<Units> units_;
    std::shared_ptr<const CudaMemory> cuda_;
    std::size_t offset_ = 0, bytes_ = 0;
};

class PeerMemory {
  public:
    /// That of the device, made when it is asked for; null when it shares no memory, or too many do.
    static std::shared_ptr<PeerMemory> of(const std::shared_ptr<Device> &device);
    PeerMemory(Device &device, std::uint32_t number_);
    ~PeerMemory();

    const std::uint32_t number; ///< within this process, from 1
    const Device &device() const { return device_; }

    /// Makes the memory, `bytes` or, for 0, what suits. False when none is available; the log says so once.
    bool open(std::size_t bytes);
    /// How large an allocation for another GPU's copies may be; before open(bytes), at least, if there is any. 0: none.
    std::size_t certain_landing_room(std::size_t bytes) const;
    std::size_t half() const { return units_->bytes() / 2; }
    DeviceMemory &memory() const { return *memory_; }
    std::uint64_t address() const { return cuda_->address(); }
    /// Whether other GPUs can copy to it, and it to theirs.
    bool reaches_others() const { return cuda_ != nullptr; }

    /// Whether messages of so many bytes are copied between the device's memory and the host's: where the device cannot
    /// reach shared memory itself, and for much, since copy engines are faster than other ways there.
    static bool needs_copies(const Device &device, std::uint64_t bytes);
    /// The address at which the GPU sees stage memory: this process' own, or, with `owner`, another's. 0: it does not.
    std::uint64_t address_of(const StageMap &map, const std::shared_ptr<const Peer> &owner);
    /// For copies from or to the host.
    CudaStream *host_stream(Direction direction);

    /// Lets a device of another process have the memory.
    Descriptors::Sent offer(Descriptors &descriptors, std::uint64_t owner, const Peer &to, std::uint32_t device) const;
    /// A process' memory; null when it cannot be reached.
    std::shared_ptr<RemoteMemory> reach(Process &process, const std::shared_ptr<const Peer> &peer,
                                        std::uint32_t memory);
    std::shared_ptr<RemoteMemory> find(const Peer &peer, std::uint32_t memory);
    /// What another device of this process keeps, on the same GPU or on another one, as this device reaches it; null
    /// when it cannot.
    std::shared_ptr<RemoteMemory> see(const PeerMemory &other);

    /// Whether another process' device has said that it reaches this memory, or lets it be reached from here.
    enum class Reached { unknown, yes, no };
    Reached &reached(const Peer &peer, std::uint32_t device);

    /// A message that is copied to another GPU, as long as it lives.
    class Push {
      public:
        Push() = default;
        Push(const Push &) = delete;
        Push &operator=(const Push &) = delete;
        ~Push() { end(); }
        void begin(const std::shared_ptr<PeerMemory> &memory) {
            memory_ = memory;
            ++memory_->pushes_;
        }
        void end() {
            if (memory_)
                --memory_->pushes_;
            memory_.reset();
        }

      private:
        std::shared_ptr<PeerMemory> memory_;
    };
    /// How many there are.
    int pushes() const { return pushes_; }

    /// How much a message may have of a half.
    std::size_t room(GpuHalf of) const { return of == GpuHalf::landing_of_mpi ? half() / 2 : half(); }
    /// An allocation that an ended process has copied to: it is not used before these copies have ended for certain.
    void rest(GpuAllocation allocation) {
        resting_.push_back({std::chrono::steady_clock::now(), std::move(allocation)});
    }

  private:
    friend class GpuAllocation;
    void make_by_cuda(std::size_t bytes);
    void make_by_driver(std::size_t bytes);
    void let_go();
    void wake_rested();
    DescriptorLabel label() const;
    bool import(RemoteMemory &remote, int descriptor, const DescriptorLabel &label);

    Device &device_;
    bool tried_ = false;
    int pushes_ = 0;
    int descriptor_ = -1; ///< other processes import the memory by it
    CudaGpu *gpu_ = nullptr;
    std::shared_ptr<CudaMemory> cuda_; ///< of `gpu_`
    std::unique_ptr<DeviceMemory> memory_;
    const std::shared_ptr<Units> units_; ///< when its last user goes, others learn that the memory has gone
    struct HostMemory {
        const std::byte *base;
        std::shared_ptr<const Peer> owner;      ///< keeps it mapped; null: our own
        std::unique_ptr<CudaHostMemory> memory; ///< null: CUDA refused
    };
    std::vector<std::shared_ptr<RemoteMemory>> remotes_;
    struct Seen {
        std::weak_ptr<Units> of;
        std::shared_ptr<RemoteMemory> memory; ///< null: it was tried, and cannot be
    };
    std::vector<Seen> seen_;
    std::vector<HostMemory> host_memories_;
    std::array<std::unique_ptr<CudaStream>, 2> host_streams_; ///< pack, unpack
    std::map<std::pair<std::uint64_t, std::uint32_t>, Reached> answers_;
    struct Resting {
        std::chrono::steady_clock::time_point since;
        GpuAllocation allocation;
    };
    std::vector<Resting> resting_;
};

} // namespace pixmpi
