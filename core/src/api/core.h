// What glmpi, vkmpi and cudampi call, and what the verbs of all APIs have in common.
#pragma once

#include "device/device.h"
#include "pixmpi_memory.h"
#include "shadow/shadow.h"
#include "stage/stage.h"

namespace pixmpi {

enum class Life { once, persistent };

/// What a call does with a surface.
struct Use {
    bool sends = false, receives = false; ///< neither: it is only looked at
    int messages = 1;      ///< how many have it at once, when they share what it was promised (Sendrecv_replace: 2)
    bool anywhere = false; ///< its context may be current in another thread, which then does the work
};

/// Makes the surfaces of one API of what a program names.
class SurfaceMaker {
  public:
    virtual Status make(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) = 0;

  protected:
    ~SurfaceMaker() = default;
};

/// How an object of shared memory is made.
struct SharingChoice {
    pixMPI_Sharing kind;
    bool shadow; ///< the device's memory is not the CPU's
};

/// An object's memory of a device, which the device library has made.
class SharedBacking : public DeviceBytes {
  public:
    /// Without a shadow: where the CPU finds it.
    virtual std::byte *mapped() const = 0;
    /// Whether the CPU moves its pixels as fast as the device would.
    virtual bool near_host() const = 0;
    /// Pixels `offset` bytes into it, laid out as `named` says.
    virtual Status make_surface(const pixMPI_Surface &named, std::size_t offset, const Use &use,
                                std::shared_ptr<Surface> &surface) = 0;
};

class EndpointCore;
struct CudaDriver;

/// Of any API. The texts call it "surface".
Status find_surface(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface);

/// The one object behind libpixmpi. An interface, so that no C++ symbol has to be exported. It is called with the lock
/// held, except for serve(), log(), call_number() and choose_sharing().
class Core {
  public:
    /// Start (`single`) and Startall.
    virtual Status start_all(int count, pixMPI_Request requests[], bool single, Starter &starter) = 0;

    /// Who makes surfaces of PIXMPI_API_*; lives as long as the process.
    virtual void serve(std::uint32_t api, SurfaceMaker &maker) = 0;

    /// What endpoints take; null in a build without them.
    virtual EndpointCore *endpoints() = 0;

    /// The stage memory that has the address, of this process or another that it has mapped; null when there is none.
    /// It stays mapped as long as the pointer is held.
    virtual std::shared_ptr<const StageMap> shared_memory(const std::byte *address) = 0;
    /// See call_number().
    virtual std::uint64_t call_number() const = 0;
    /// See strips_of().
    virtual std::shared_ptr<const Strips> strips(const Region &region, int pixel_bytes) = 0;
    /// Memory for a device's own buffers, counted against the process' stage memory (StageMemory::reserve()); false
    /// when it is used up.
    virtual bool reserve_stage(std::size_t bytes, bool least = false) = 0;
    virtual void release_stage(std::size_t bytes) = 0;
    /// Devices that reserve stage memory are asked to give back what is idle of it, as long as they live. Drivers with
    /// threads use the host's cores, which are then not for spinning.
    virtual void add_device(const std::shared_ptr<Device> &device) = 0;
    /// Whether devices should give back what they keep for later: others may need it.
    virtual bool stage_is_short() = 0;
    /// Counts bytes that a device moved by CPU between its own buffers and a stage (pixMPI_Stats::bytes_copied).
    virtual void count_copied(std::size_t bytes) = 0;
    /// A line for the log at PIXMPI_LOG_*.
    virtual void log(int level, const char *text) = 0;
    /// Before a device's context goes away: true when no request that has not completed uses it.
    virtual bool idle(const Device &device) = 0;
    /// What a program that asks for that kind gets. `one_memory`: the device's memory is the host's. `imports`: the
    /// device copies to and from any host memory.
    virtual Status choose_sharing(pixMPI_Sharing kind, bool one_memory, bool imports, SharingChoice &choice) = 0;
    /// Makes an object of it, and sets `pointer` to it.
    virtual Status share(std::unique_ptr<SharedBacking> backing, std::size_t bytes, const SharingChoice &choice,
                         void **pointer) = 0;
    /// NVIDIA's driver library, which is opened now.
    virtual CudaDriver &cuda() = 0;
    /// Memory that CUDA on that GPU has exported, at `address` as long as the result lives; null when it cannot be
    /// reached. `descriptor` stays the caller's.
    virtual std::shared_ptr<const void> import_cuda(const Gpu &gpu, int descriptor, std::size_t bytes,
                                                    std::uint64_t &address) = 0;
    /// The same for stage memory of this host. It is registered with CUDA for all contexts.
    virtual std::shared_ptr<const void> show_cuda(const Gpu &gpu, const StageMap &map, std::uint64_t &address) = 0;

  protected:
    ~Core() = default;
};

extern "C" PIXMPI_API Core *pixMPI_Internal_core();

inline Core &core() { return *pixMPI_Internal_core(); }

} // namespace pixmpi
