// JPEG by a device's shaders, for packed pixels that lie in memory of the device. Encoding is all theirs, entropy
// coding included, so that only the stream travels to the host; of decoding, the CPU does the entropy part.
//
// One coder has one picture under way. Who wants more at once makes more coders. Called as the device's transfers are:
// in the device's thread, with the core's lock held; what stream() and coefficients point to is any thread's between
// the calls.
#pragma once

#include "codec/jpeg.h"
#include "device/device.h"

namespace pixmpi {

struct JpegTask {
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    std::uint64_t pixels = 0, width = 0; ///< as PackedPixels has them
    int quality = 90;                    ///< as CodecChoice has them
    Subsampling subsampling = Subsampling::s420;
    bool apart = false; ///< as PackedPixels has it
};

class JpegCoder {
  public:
    /// `coder` stays null where the device has no shaders for it. Whether they are worth it: Device::gains_by_passes().
    static Status make(std::shared_ptr<Device> device, std::unique_ptr<JpegCoder> &coder);

    /// Begins to encode the pixels at `offset`, a multiple of 4, into `pixels`, a stage of StageKind::local or mapped.
    /// Its memory is the coder's until the ticket is done; the copy of the pixels to the stage is over before, or the
    /// device's copies are made in order (Device::copies_in_order). `most`: bytes that the stream may have. `accepted`
    /// is false where the shaders cannot do that, and nothing has happened then: another format, too many pixels for
    /// the device, a state of OpenGL. PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE.
    Status encode(const JpegTask &task, Stage &pixels, std::size_t offset, std::size_t most, Ticket &ticket,
                  bool &accepted);
    /// After encode(), when its ticket is done: the stream, up to the next call of this coder. Empty: it would have had
    /// more than `most` bytes, or a part of the picture more than there is room for.
    std::span<const std::byte> stream() const;

    /// Room for the coefficients of a picture to be decoded, for jpeg_decode_coefficients(). `accepted`: as above.
    Status make_room(const JpegGrid &grid, pixMPI_Format format, std::int16_t *&coefficients, bool &accepted);
    /// Begins to make the first `pixels` pixels of the coefficients that have been written there. They come to
    /// `offset`, a multiple of 4, in `stage`, of StageKind::local or mapped, which has whole words; alpha is one.
    Status decode(const JpegSteps &steps, std::uint64_t pixels, Stage &stage, std::size_t offset, Ticket &ticket,
                  bool &accepted);

    Status poll(Ticket ticket, bool &over) { return passes_->poll(ticket, over); }

  private:
    JpegCoder(std::shared_ptr<Device> device, std::unique_ptr<Passes> passes)
        : device_(std::move(device)), passes_(std::move(passes)) {}
    struct Intervals;
    bool fit(std::initializer_list<std::size_t> bytes) const;
    Status need(std::unique_ptr<Stage> &stage, StageKind kind, std::size_t bytes);
    std::array<std::uint32_t, 12> sizes(std::uint64_t pixels, std::size_t offset) const;
    Pass pass(PassKind kind, std::array<Stage *, 3> stages) const;

    const std::shared_ptr<Device> device_;
    JpegGrid grid_;
    pixMPI_Format format_ = PIXMPI_FORMAT_NONE;
    int quality_ = 0; ///< of the two that follow; 0: there are none
    std::vector<std::byte> table_words_, header_;
    std::size_t stream_at_ = 0; ///< in seen_; 0: there is none
    std::unique_ptr<Stage> seen_, tables_, coefficients_, work_;
    std::unique_ptr<Passes> passes_; ///< goes first: until then its work may be under way
};

} // namespace pixmpi
