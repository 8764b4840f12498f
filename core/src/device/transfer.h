// One message's pixels on their way between a surface and a stage. A device makes a transfer for each message: one way,
// one region, one surface. The pipeline then has it copy band after band. Copies may be asynchronous; their tickets are
// polled.
#pragma once

#include "combine/operation.h"
#include "device/passes.h"
#include "device/surface.h"

#include <atomic>
#include <memory>

namespace pixmpi {

class Peer;
struct ShownPixels;

/// Where a stage's memory comes from.
enum class StageKind {
    shared, ///< memory that is given, also seen by other processes; the device reads and writes it, or copies through
    mapped, ///< memory of the device that the CPU sees: what MPI is handed
    local   ///< memory of the device, for both ends of a message within one device
};

/// Memory that a device and a route can both touch.
class Stage {
  public:
    virtual ~Stage() = default;
    std::byte *host = nullptr; ///< where this process sees it; StageKind::local may have none
    std::size_t bytes = 0;
    bool same_gpu = false; ///< unpacking: another process on the transfer's GPU writes to it
    /// Packing: where the other end reads how many bands lie ready, or null. A device that counts bands writes it
    /// itself, so that no thread has to be woken for it.
    std::atomic<std::uint64_t> *packed = nullptr;
};

/// An asynchronous copy is a Ticket; `done` is one that is over already.
constexpr Ticket done = 0;

/// A transfer that copies strips of its region (strips.h) one by one. They are what travels when the other end's region
/// is alike, and one of the ends gains by it.
class StripCopies {
  public:
    virtual std::shared_ptr<const Strips> strips() = 0; ///< null: it has none
    virtual bool gains_by_strips() { return false; }
    /// Strip `k`, at `offset` bytes into the stage; in order.
    virtual Status copy_strip(std::size_t k, Stage &stage, std::size_t offset, Ticket &ticket) = 0;

  protected:
    ~StripCopies() = default;
};

/// A transfer with bands that are streams of any length.
class BandLengths {
  public:
    /// Unpacking: the next copy()'s band has so many bytes.
    virtual void expect(std::size_t) {}
    /// Packing: the bytes of the first band that is over and has not been asked for.
    virtual std::size_t pop_length() = 0;
    /// Of all bands that are over.
    virtual std::uint64_t stream_bytes() const = 0;

  protected:
    ~BandLengths() = default;
};

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
    /// A call of the program waits for the message, and does not return before. So copy() and poll() may also wait,
    /// if that is faster. Until the next start().
    virtual void await() {}
    /// How much it will be is known: `pixels` of the region's, the first ones in packed order, will be copied.
    virtual Status begin(std::uint64_t pixels) = 0;
    /// The packed pixels [first, first + count), at `offset` bytes into the stage. Bands come in order and without
    /// gaps. The stage's memory is the transfer's until the ticket is done.
    virtual Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) = 0;
    /// As copy(), of this plane and of the one that `other` is the transfer of, whose band lies at `others` bytes into
    /// the stage; the ticket is this one's. `accepted` is false where each has to copy its own: nothing has happened.
    virtual Status copy_both(Transfer & /*other*/, std::uint64_t /*first*/, std::uint64_t /*count*/, Stage &,
                             std::size_t /*offset*/, std::size_t /*others*/, Ticket &, bool &accepted) {
        accepted = false;
        return PIXMPI_SUCCESS;
    }
    /// Most likely the next copy(), which may not be made yet: what can be done without the pixels may be done now.
    virtual void prepare(std::uint64_t, std::uint64_t, Stage &, std::size_t) {}
    /// The same of copy_both(); false where that would not be accepted.
    virtual bool prepare_both(Transfer &, std::uint64_t, std::uint64_t, Stage &, std::size_t, std::size_t) {
        return false;
    }
    /// The same of combine(), without depths.
    virtual void prepare_combining(const Combination &, std::uint64_t, std::uint64_t, Stage &, std::size_t) {}
    /// Unpacking: as copy(), but the band is combined with the pixels that are there. `depths`: null, or the second
    /// plane of pixels; this surface is their first (NEAREST): both are combined, and lie in the band as
    /// PlanesInBand says. `accepted` is false where the transfer cannot do that with this band, and nothing has
    /// happened then. Callers use make_transfer() of combining_transfer.h, which always can.
    virtual Status combine(const Combination &, Surface * /*depths*/, std::uint64_t /*first*/, std::uint64_t /*count*/,
                           Stage &, std::size_t /*offset*/, Ticket &, bool &accepted) {
        accepted = false;
        return PIXMPI_SUCCESS;
    }
    /// Whether combine() accepts bands of any size.
    virtual bool combines(const Combination &) { return false; }
    virtual Status poll(Ticket ticket, bool &over) = 0;
    /// Whether each copy() takes this thread some microseconds: those before are better asked after in between.
    bool submits_each() const { return submits_each_; }
    /// Copies follow each other at once, until it is switched off: what they change of the API's state may stay so.
    virtual void burst(bool) {}
    /// All bands' tickets are done. After an unpack: the pixels are in the surface, in the order of the API's commands.
    virtual Status end() { return PIXMPI_SUCCESS; }
    /// The message ends before all bands have been copied. Pixels that were unpacked stay. Copies under way may go on
    /// until settled().
    virtual void give_up() {}
    /// After end() or give_up(): whether nothing is under way any more, so that stages may go. Called in any thread.
    virtual bool settled() { return true; }

    // Pixels that the other end unpacks where they are, in memory of this GPU.
    /// Packing, after start(): describes them; false where they cannot be shown. `may_pack`: also a packed copy of them,
    /// which is made now.
    virtual bool show(ShownPixels &, bool /*may_pack*/) { return false; }
    /// Of what is shown: whether it is all there, as all work on the pixels is over that was submitted before.
    virtual Status look_at_order(bool & /*over*/) { return PIXMPI_SUCCESS; }
    /// Unpacking: a stage that is the `bytes` of a message's pixels, which `from` shows; null where that cannot be.
    virtual Status see(const std::shared_ptr<Peer> & /*from*/, const ShownPixels &, std::uint64_t /*bytes*/,
                       std::unique_ptr<Stage> &) {
        return PIXMPI_SUCCESS;
    }

    // What some transfers do as well: StripCopies, BandLengths.
    std::shared_ptr<const Strips> strips() { return strip_copies_ ? strip_copies_->strips() : nullptr; }
    bool gains_by_strips() { return strip_copies_ && strip_copies_->gains_by_strips(); }
    Status copy_strip(std::size_t k, Stage &stage, std::size_t offset, Ticket &ticket) {
        return strip_copies_ ? strip_copies_->copy_strip(k, stage, offset, ticket) : PIXMPI_ERR_DEVICE;
    }
    void expect(std::size_t bytes) { band_lengths_->expect(bytes); }
    std::size_t pop_length() { return band_lengths_->pop_length(); }
    std::uint64_t stream_bytes() const { return band_lengths_ ? band_lengths_->stream_bytes() : 0; }

  protected:
    bool submits_each_ = false;
    StripCopies *strip_copies_ = nullptr;
    BandLengths *band_lengths_ = nullptr;
};

} // namespace pixmpi
