// What packs a surface's pixels into a stage and unpacks them: host memory, GL, Vulkan. The only door through which the
// core reaches pixels. A device makes a Surface of what the user named, and a Transfer for each message. All of it is
// called with the core's lock held.
#pragma once

#include "device/passes.h"
#include "device/surface.h"
#include "device/transfer.h"

#include <array>
#include <string>

namespace pixmpi {

class PeerMemory;

/// A GPU and its driver, by UUID (VkPhysicalDeviceIDProperties, GL_DEVICE_UUID_EXT, cuDeviceGetUuid). Where both agree,
/// one process imports what the other exports. All zero: none.
struct Gpu {
    std::array<std::uint8_t, 16> device{}, driver{};
    explicit operator bool() const { return *this != Gpu(); }
    std::uint64_t hash() const; ///< 0 for none only
    bool operator==(const Gpu &) const = default;
};

/// Memory of a GPU that several processes reach, as one device sees it.
class DeviceMemory {
  public:
    virtual ~DeviceMemory() = default;
    virtual Status make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<Stage> &stage) = 0;
};

class Device {
  public:
    /// What it is like. A device says so when it is made; nothing of it changes later.
    struct Traits {
        const char *api = "";       ///< "host", "gl", "vk"
        std::string name;           ///< the GPU or driver, for people
        std::size_t band_bytes = 0; ///< that suit it
        /// Its transfers read and write any host memory by pointer, at once: host memory itself, software drivers.
        bool direct = false;
        /// It copies to and from StageKind::shared without the CPU.
        bool reaches_shared = false;
        /// The driver works in its own threads, on the host's cores.
        bool has_threads = false;
        /// Its transfers write Stage::packed: many bands then cost little more than few.
        bool counts_bands = false;
        /// Its surfaces are pictures in files.
        bool keeps_files = false;
        /// Transfers make their copies in the order of the calls, on stages of StageKind::local: what one has been told
        /// to pack there, another one may be asked to unpack at once.
        bool copies_in_order = false;
        /// All that its transfers do happens in the order of the calls, whatever surfaces and stages it concerns.
        bool has_one_queue = false;
        /// Its passes take less time than the CPU would.
        bool gains_by_passes = false;
        /// MPI may be handed memory that it imports.
        bool shares_with_mpi = false;
        /// Its transfers pack into other GPUs' memory by themselves (make_far_stage).
        bool packs_to_other_gpus = false;
        /// Whose memory it imports; none when it cannot.
        Gpu gpu{};
    };

    virtual ~Device() = default;
    const char *api() const { return traits_.api; }
    const char *name() const { return traits_.name.c_str(); }
    std::size_t band_bytes() const { return traits_.band_bytes; }
    bool direct() const { return traits_.direct; }
    bool reaches_shared() const { return traits_.direct || traits_.reaches_shared; }
    bool has_threads() const { return traits_.has_threads; }
    bool counts_bands() const { return traits_.counts_bands; }
    bool keeps_files() const { return traits_.keeps_files; }
    bool copies_in_order() const { return traits_.copies_in_order; }
    bool has_one_queue() const { return traits_.has_one_queue; }
    bool gains_by_passes() const { return traits_.gains_by_passes; }
    bool shares_with_mpi() const { return traits_.shares_with_mpi; }
    bool packs_to_other_gpus() const { return traits_.packs_to_other_gpus; }
    const Gpu &gpu() const { return traits_.gpu; }
    /// Its memory is the host's: others reach it as fast by StageKind::shared.
    bool near_host() const { return direct() || has_threads(); }

    /// Whether this thread may use it now: its context is current. Cheap; asked before each piece of work.
    virtual bool usable() const = 0;
    /// `memory` is given for StageKind::shared, else null. PIXMPI_ERR_MEMORY when there is not that much.
    virtual Status make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) = 0;
    virtual Status make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                                 std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) = 0;
    /// Memory of the device for packed pixels, in rows without gaps, that lives as long as the surface. Its first
    /// content is anything.
    virtual Status make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) = 0;

    /// The pixels of `room`, for transfers that combine: what arrives is combined with pixels of `base` instead, whose
    /// pixel (x, y) stands for the first one of `room`: two operands from two places, and the result in a third. Both
    /// are the device's. Null where it needs a copy before.
    virtual std::shared_ptr<Surface> combine_onto(const std::shared_ptr<Surface> & /*room*/,
                                                  const std::shared_ptr<Surface> & /*base*/, int /*x*/, int /*y*/) {
        return nullptr;
    }

    /// For drivers with threads: sleeps until more of what is under way is over, `seconds` at most; false, at once,
    /// when nothing is. Called without the lock, in the device's thread.
    virtual bool doze(double) { return false; }
    // Called where it is usable(), between other calls.
    /// Gives back what it has of the stage memory and keeps for later only.
    virtual void give_idle_memory() {}
    /// What was submitted for pixels that have not come goes on without them. Until the next call that waits, nothing
    /// is submitted so.
    virtual void end_vain_waits() {}
    /// What its shaders do with pixels in its own stages. Null where it has no such shaders.
    virtual Status make_passes(std::unique_ptr<Passes> &) { return PIXMPI_SUCCESS; }

    // Memory that several processes reach (the peer route). Called in the device's thread.
    /// Makes memory and `descriptor`, the caller's, that other processes import it by. PIXMPI_ERR_DEVICE where the API
    /// cannot.
    virtual Status export_memory(std::size_t, std::unique_ptr<DeviceMemory> &, int &) {
        return fail(PIXMPI_ERR_DEVICE, "%s: exports no memory", name());
    }
    /// Memory of the same GPU that export_memory() or CUDA made; `descriptor` stays the caller's.
    virtual Status import_memory(int, std::size_t, std::unique_ptr<DeviceMemory> &) {
        return fail(PIXMPI_ERR_DEVICE, "%s: imports no memory", name());
    }
    /// Memory of another GPU, where CUDA has mapped it for this one; whose it is keeps it mapped.
    virtual Status make_far_stage(std::uint64_t, std::size_t, std::unique_ptr<Stage> &) {
        return fail(PIXMPI_ERR_DEVICE, "%s: packs into its own memory only", name());
    }
    /// What the peer route keeps for it. Devices drop it before what their DeviceMemory needs goes away.
    std::shared_ptr<PeerMemory> peer_memory;

  protected:
    Traits traits_;
};

} // namespace pixmpi
