// What packs a surface's pixels into a stage and unpacks them: host memory, GL, Vulkan. The only door through which the
// core reaches pixels.
//
// A device makes a Surface of what the user named, and a Transfer for each message: one way, one region, one surface.
// The pipeline then has the transfer copy band after band between the surface and a Stage. Copies may be asynchronous;
// their tickets are polled. All of it is called with the core's lock held.
#pragma once

#include "base/format.h"
#include "combine/operation.h"
#include "device/passes.h"
#include "region/strips.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace pixmpi {

class Surface;
class PeerMemory;

/// Where a stage's memory comes from.
enum class StageKind {
    shared, ///< memory that is given, which other processes see, too; the device reads and writes it, or copies through
    mapped, ///< memory of the device's own that the CPU sees: what MPI is handed
    local   ///< memory of the device's own, for both ends of a message within one device
};

/// Memory that a device and a route can both touch.
class Stage {
  public:
    virtual ~Stage() = default;
    std::byte *host = nullptr; ///< where this process sees it; StageKind::local may have none
    std::size_t bytes = 0;
    /// Packing: where the other end reads how many bands lie ready, or null. A device that counts bands writes it
    /// itself, so that nobody has to be woken for it.
    std::atomic<std::uint64_t> *packed = nullptr;
};

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

/// An asynchronous copy is a Ticket; `done` is one that is over already.
constexpr Ticket done = 0;

/// One message's pixels on their way, one way. Serves one message at a time; persistent requests keep it for the next.
class Transfer {
  public:
    virtual ~Transfer() = default;
    /// How many pixels one band should have for this surface and region: an answer of 0 leaves it to the core.
    virtual std::uint64_t band_pixels() const { return 0; }
    /// A message starts. It ends by end() or give_up(), one of them, once; what comes between may be nothing at all. A
    /// transfer that is not started copies as a part of another transfer's message, on the same surface; neither leaves
    /// work that has not been submitted when the other one copies.
    virtual void start() {}
    /// A call of the program's waits for the message, and does not return before: copy() and poll() may wait, too,
    /// where that is faster. Until the next start().
    virtual void await() {}
    /// How much it will be is known: `pixels` of the region's, the first ones in packed order, will be copied.
    virtual Status begin(std::uint64_t pixels) = 0;
    /// The packed pixels [first, first + count), at `offset` bytes into the stage. Bands come in order and without
    /// gaps. The stage's memory is the transfer's until the ticket is done.
    virtual Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) = 0;
    /// Most likely the next copy(), which may not be made yet: what can be done without the pixels may be done now.
    virtual void prepare(std::uint64_t, std::uint64_t, Stage &, std::size_t) {}
    /// Unpacking: as copy(), but the band is combined with the pixels that are there. `taken` is false where the
    /// transfer cannot do that with this band, and nothing has happened then. Callers use make_transfer() of
    /// combining_transfer.h, which always can.
    virtual Status combine(const Combination &, std::uint64_t, std::uint64_t, Stage &, std::size_t, Ticket &,
                           bool &taken) {
        taken = false;
        return PIXMPI_SUCCESS;
    }
    /// The same for the colours of a SurfaceWithDepth, whose depths are in another surface of the device, by NEAREST.
    /// Where both lie in the band: PlanesInBand. Both surfaces are combined.
    virtual Status combine_with_depth(Order, Surface & /*depths*/, std::uint64_t, std::uint64_t, Stage &, std::size_t,
                                      Ticket &, bool &taken) {
        taken = false;
        return PIXMPI_SUCCESS;
    }
    virtual Status poll(Ticket ticket, bool &over) = 0;
    /// Whether each copy() takes this thread some microseconds: those before are better asked after in between.
    virtual bool submits_each() const { return false; }
    /// Copies follow each other at once, until it is switched off: what they change of the API's state may stay so.
    virtual void burst(bool) {}
    /// The region's strips (strips.h), if it can copy them one by one; else null. They are what travels when the other
    /// end's region is alike, and one of the ends gains by it.
    virtual std::shared_ptr<const Strips> strips() { return nullptr; }
    virtual bool gains_by_strips() { return false; }
    /// Strip `k`, at `offset` bytes into the stage; in order.
    virtual Status copy_strip(std::size_t, Stage &, std::size_t, Ticket &) { return PIXMPI_ERR_DEVICE; }
    /// Unpacking, where lengths vary: the next copy()'s band has so many bytes.
    virtual void expect(std::size_t) {}
    /// Packing, where lengths vary: the bytes of the first band that is over and that nobody has asked after.
    virtual std::size_t take_length() { return 0; }
    /// Where lengths vary: of all bands that are over.
    virtual std::uint64_t stream_bytes() const { return 0; }
    /// All bands' tickets are done. After an unpack: the pixels are in the surface, in the order of the API's commands.
    virtual Status end() { return PIXMPI_SUCCESS; }
    /// The message ends before all bands have been copied. Pixels that were unpacked stay. What is under way may go on
    /// until settled().
    virtual void give_up() {}
    /// After end() or give_up(): whether nothing is under way any more, so that stages may go. Called in any thread.
    virtual bool settled() { return true; }
};

class Device {
  public:
    virtual ~Device() = default;
    /// "host", "gl", "vk".
    virtual const char *api() const = 0;
    /// The card or driver, for people.
    virtual const char *name() const = 0;
    /// Whether this thread may use it now: its context is current. Cheap; asked before each piece of work.
    virtual bool usable() const = 0;
    /// Whether its transfers read and write any host memory by pointer, at once: host memory itself, software drivers.
    virtual bool direct() const = 0;
    /// Whether it copies to and from StageKind::shared without the CPU.
    virtual bool reaches_shared() const { return direct(); }
    /// Whether the driver works in threads of its own, on the host's cores.
    virtual bool has_threads() const { return false; }
    /// Whether its transfers write Stage::packed: many bands then cost little more than few.
    virtual bool counts_bands() const { return false; }
    /// For such drivers: sleeps until more of what is under way is over, `seconds` at most; false, at once, when
    /// nothing is. Called without the lock, in the device's thread.
    virtual bool doze(double) { return false; }
    /// Whether its surfaces are pictures in files.
    virtual bool keeps_files() const { return false; }
    /// Whether transfers make their copies in the order of the calls, on stages of StageKind::local: what one has been
    /// told to pack there, another one may be told to unpack at once.
    virtual bool copies_in_order() const { return false; }
    /// Bytes of a band that suit it.
    virtual std::size_t band_bytes() const = 0;
    /// `memory` is given for StageKind::shared, else null. PIXMPI_ERR_MEMORY when there is not that much.
    virtual Status make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) = 0;
    virtual Status make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                                 std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) = 0;
    /// Gives back what it has of the stage memory and keeps for later only. Called where it is usable(), between other
    /// calls.
    virtual void give_idle_memory() {}
    /// Memory of the device for packed pixels, in rows without gaps, that lives as long as the surface. Its first
    /// content is anything.
    virtual Status make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) = 0;

    /// What its shaders do with pixels in stages of its own, asked for by jpeg_coder.h. Null where it has no such
    /// shaders.
    virtual Status make_passes(std::unique_ptr<Passes> &) { return PIXMPI_SUCCESS; }
    /// Whether they take less time than the CPU would.
    virtual bool gains_by_passes() const { return false; }

    // Memory that several processes reach (the peer route). Called in the device's thread.
    /// The GPU whose memory it imports; none when it cannot.
    virtual Gpu gpu() const { return {}; }
    /// Its memory is the host's: others reach it as fast by StageKind::shared.
    bool near_host() const { return direct() || has_threads(); }
    /// Whether MPI may be handed memory that it imports.
    virtual bool shares_with_mpi() const { return false; }
    /// Makes memory and `descriptor`, the caller's, by which others import it. PIXMPI_ERR_DEVICE where the API cannot.
    virtual Status export_memory(std::size_t, std::unique_ptr<DeviceMemory> &, int &) {
        return fail(PIXMPI_ERR_DEVICE, "%s: exports no memory", name());
    }
    /// Memory of the same GPU that export_memory() or CUDA made; `descriptor` stays the caller's.
    virtual Status import_memory(int, std::size_t, std::unique_ptr<DeviceMemory> &) {
        return fail(PIXMPI_ERR_DEVICE, "%s: imports no memory", name());
    }
    /// What the peer route keeps for it. Devices drop it before what their DeviceMemory needs goes away.
    std::shared_ptr<PeerMemory> peer_memory;
};

/// For surfaces in memory that the CPU sees as well, by a shadow of it: told of each message.
class SurfaceWatch {
  public:
    virtual ~SurfaceWatch() = default;
    /// Called by the device's transfers, in its thread: before the first pixel moves, and after the last one.
    virtual Status begins() = 0;
    virtual Status ends(Direction direction) = 0;
};

/// Of pixMPI_Sub().
inline Status check_part(const pixMPI_Rect &part, Extent extent) {
    const bool within = part.x >= 0 && part.y >= 0 && part.width >= 0 && part.height >= 0 &&
                        part.x <= extent.width - part.width && part.y <= extent.height - part.height;
    return within ? PIXMPI_SUCCESS
                  : fail(PIXMPI_ERR_REGION,
                         "surface.part: %dx%d pixels at (%d, %d), expected to lie within the surface, which has %dx%d "
                         "pixels",
                         part.width, part.height, part.x, part.y, extent.width, extent.height);
}

/// A surface in a buffer or in host memory, whose `part` becomes all of it.
template <class Named> Status cut_out(Named &named, const pixMPI_Rect &part, int pixel_bytes) {
    if (const Status error = check_part(part, {named.width, named.height}))
        return error;
    const std::int64_t bytes = part.y * std::int64_t{named.row_bytes} + std::int64_t{part.x} * pixel_bytes;
    if (part.width > 0 && part.height > 0) // else it may begin behind the last pixel
        named.offset += static_cast<decltype(named.offset)>(bytes);
    named.width = part.width;
    named.height = part.height;
    return PIXMPI_SUCCESS;
}

/// One thing that holds pixels, checked and ready. Devices derive from it.
class Surface {
  public:
    Surface(std::shared_ptr<Device> device_, Extent extent_, pixMPI_Format format_,
            pixMPI_Format depth_format_ = PIXMPI_FORMAT_NONE)
        : device(std::move(device_)), extent(extent_), format(format_), depth_format(depth_format_),
          pixel_bytes(format_info(format_).bytes + format_info(depth_format_).bytes) {}
    virtual ~Surface() = default;
    const std::shared_ptr<Device> device;
    /// What it is to the core: all of it, or the rectangle that narrow() has chosen. Regions are within that rectangle;
    /// transfers of the device get them moved to its corner (make_plain_transfer()).
    Extent extent;
    int corner_x = 0, corner_y = 0;
    const pixMPI_Format format;       ///< in which its pixels travel
    const pixMPI_Format depth_format; ///< of a SurfaceWithDepth; else none
    const int pixel_bytes;            ///< of one pixel in packed order, as it travels
    pixMPI_Codec codec{};             ///< for what is sent of it
    std::shared_ptr<SurfaceWatch> watch; ///< null for most
    /// PIXMPI_ERR_REGION where it is not within the surface.
    Status narrow(const pixMPI_Rect &part) {
        if (const Status error = check_part(part, extent))
            return error;
        corner_x += part.x;
        corner_y += part.y;
        extent = {part.width, part.height};
        return PIXMPI_SUCCESS;
    }
    /// again(), of the same rectangle.
    std::shared_ptr<Surface> once_more() const {
        const std::shared_ptr<Surface> made = again();
        if (made) {
            made->extent = extent;
            made->corner_x = corner_x;
            made->corner_y = corner_y;
        }
        return made;
    }
    /// Whether a disk has to bring its pixels, or take them.
    virtual bool on_disk() const { return false; }
    bool has_depth() const { return depth_format != PIXMPI_FORMAT_NONE; }
    /// Of a SurfaceWithDepth: its colours, its depths; else this surface, and null.
    virtual std::array<Surface *, 2> planes() { return {this, nullptr}; }

    // For a request whose messages use the surface at once, several of them.
    /// The same pixels for one of these messages, as long as this surface lives; null: this one serves all of them.
    virtual std::shared_ptr<Surface> again() const { return nullptr; }
    /// Surfaces for an empty message before the others, and for one after them, which do for the request what this
    /// surface does for a message: waits, layouts, signals. Null where there is nothing to do.
    virtual void make_frame(std::shared_ptr<Surface> & /*opening*/, std::shared_ptr<Surface> & /*closing*/) const {}
    /// The request starts: both take over what this surface was promised.
    virtual void hand_over(Surface & /*opening*/, Surface & /*closing*/) {}
    /// Of opening and closing: whether an empty message does anything this time.
    virtual bool has_promises() const { return false; }
    /// What was promised and could not be done is not for the next start.
    virtual void drop_promises() {}
};

/// Told of each request's surfaces: before any of them is started, whether it may be, and again when it is its turn.
class Starter {
  public:
    using Surfaces = std::span<const std::shared_ptr<Surface>>;
    virtual Status check(int index, Surfaces surfaces) = 0;
    virtual void prepare(int index, Surfaces surfaces) = 0;
    /// The request that was prepared last has not been started: its next start is not to find what this one was given.
    virtual void take_back(Surfaces surfaces) = 0;

  protected:
    ~Starter() = default;
};

} // namespace pixmpi
