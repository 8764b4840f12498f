// Packing into streams and unpacking from them, for every device, surface and region: bands lie as pixels in memory of
// the device's own that the CPU sees, and a library thread encodes them into the slots, or decodes them from
// there (coding_thread.h). JPEG of pixels on a GPU is computed there (jpeg_coder.h), the streams' entropy decoding
// aside.
#pragma once

#include "base/wait.h"
#include "codec/coding_thread.h"
#include "codec/streams.h"
#include "coding/jpeg_coder.h"

#include <deque>

namespace pixmpi {

class CodedTransfer final : public Transfer, BandLengths {
  public:
    /// Moves what `pixels`, the transfer of the same message, moves. `rows`: those of the region. `choice`: of a
    /// transfer that packs. `shaders`: the device's compute JPEG, if it has some.
    CodedTransfer(Direction direction, Transfer &pixels, const Surface &surface, const PackedRows &rows,
                  const CodecChoice &choice, bool shaders, CodingThread &thread)
        : direction_(direction), pixels_(pixels), device_(surface.device), format_(surface.format), rows_(rows),
          choice_(choice), shaders_(shaders), thread_(thread) {
        band_lengths_ = this;
    }
    ~CodedTransfer() override;
    bool has(const CodecChoice &choice) const { return choice_ == choice; }

    /// Unpacking: where streams are kept from now on, or null.
    void keep(Streams *streams) { kept_ = streams; }
    /// The transfer of the pixels has been started.
    void start() override;
    Status begin(std::uint64_t pixels) override { return pixels_.begin(pixels); }
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    void expect(std::size_t bytes) override { expected_ = bytes; }
    std::size_t pop_length() override;
    Status poll(Ticket ticket, bool &over) override;
    Status end() override { return pixels_.end(); }
    void give_up() override;
    bool settled() override;

    /// Of the bands that are over.
    std::uint64_t stream_bytes() const override { return stream_bytes_; }
    double seconds() const { return seconds_; }

  private:
    enum class Step {
        waiting,
        packing,  ///< pixels to memory that the CPU sees
        encoding, ///< by the thread
        decoding, ///< the same; to coefficients, where the device does the rest
        shading,  ///< the device encodes, or decodes
        unpacking,
        over
    };
    struct PendingBand {
        Ticket ticket;
        std::uint64_t first, count;
        std::span<std::byte> slot;
        Step step = Step::waiting;
        Ticket part = done; ///< of packing, shading and unpacking
        std::unique_ptr<Stage> own{};
        std::unique_ptr<CodingJob> job{};
        std::unique_ptr<JpegCoder> coder{};
        std::vector<std::byte> kept{}; ///< stream, while others may write to the slot
        std::size_t bytes = 0;         ///< of the stream
        Wait shading{};
        double seconds = 0; ///< of encoding and decoding
    };

    Status advance(PendingBand &band);
    Status advance_all();
    bool finish_first();
    Status begin_band(PendingBand &band);
    Status need_stage(PendingBand &band);
    Status order(PendingBand &band);
    Status order(PendingBand &band, std::unique_ptr<CodingJob> job, Step step);
    Status order_coefficients(PendingBand &band, bool &accepted);
    Status job_over(PendingBand &band);
    Status shade(PendingBand &band);
    Status shading_over(PendingBand &band);
    Status need_coder(PendingBand &band);
    bool jobs_over() const;
    std::size_t bytes_of(const PendingBand &band) const;

    const Direction direction_;
    Transfer &pixels_;
    const std::shared_ptr<Device> device_;
    const pixMPI_Format format_;
    const PackedRows rows_;
    const CodecChoice choice_;
    bool shaders_;
    CodingThread &thread_;
    std::deque<PendingBand> bands_;
    std::deque<std::size_t> lengths_; ///< of streams that were not asked for
    std::vector<std::unique_ptr<JpegCoder>> unused_coders_;
    std::vector<std::unique_ptr<Stage>> unused_; ///< kept for bands to come
    Streams *kept_ = nullptr;
    std::size_t expected_ = 0;
    std::uint64_t stream_bytes_ = 0;
    double seconds_ = 0;
    Ticket last_ = done;
    bool given_up_ = false;
};

/// Packing: the bands are streams that have come from somewhere else.
class ForwardingTransfer final : public Transfer, BandLengths {
  public:
    /// `pixels`: the transfer of the same message, which copies nothing. `streams` stay as they are.
    ForwardingTransfer(Transfer &pixels, const Streams &streams) : pixels_(pixels), streams_(streams) {
        band_lengths_ = this;
    }
    Status begin(std::uint64_t pixels) override { return pixels_.begin(pixels); }
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    Status poll(Ticket, bool &over) override {
        over = true;
        return PIXMPI_SUCCESS;
    }
    std::size_t pop_length() override { return streams_.bands[popped_++].size(); }
    std::uint64_t stream_bytes() const override { return stream_bytes_; }
    Status end() override { return pixels_.end(); }
    void give_up() override { pixels_.give_up(); }
    bool settled() override { return pixels_.settled(); }

  private:
    Transfer &pixels_;
    const Streams &streams_;
    std::size_t copied_ = 0, popped_ = 0; ///< bands
    std::uint64_t stream_bytes_ = 0;
};

} // namespace pixmpi
