// Messages on drivers that have their own memory: pixels go through pixel buffers, asynchronously, band after band,
// each with a fence behind it. A stage that is a pixel buffer itself is used as it is.
#pragma once

#include "surface/gl_surface.h"

#include <deque>

namespace glmpi {

class GlStage;

class BufferedTransfer final : public pixmpi::Transfer {
  public:
    BufferedTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                     std::shared_ptr<const pixmpi::Region> region);
    ~BufferedTransfer() override;
    void start() override { awaited_ = false; }
    void await() override { awaited_ = true; }
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status combine(const pixmpi::Combination &how, pixmpi::Surface *depths, std::uint64_t first, std::uint64_t count,
                   pixmpi::Stage &stage, std::size_t offset, pixmpi::Ticket &ticket, bool &accepted) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;
    Status end() override;
    void give_up() override;
    bool settled() override;

  private:
    struct Pending {
        pixmpi::Ticket ticket = pixmpi::done;
        GLsync fence = nullptr;
        PixelBuffer *buffer = nullptr;      ///< to be copied to `to` and given back
        std::byte *to = nullptr;            ///< null: nothing is left to do
        std::uint64_t first = 0, count = 0; ///< without a buffer: what is read back to `to` then
        std::size_t bytes = 0;
        bool asked = false; ///< without a buffer: whether it is over
        std::uint32_t flag = 0; ///< instead of a fence
        std::chrono::steady_clock::time_point since{}; ///< with a flag
    };

    /// `buffer` 0: `base` is an address, else an offset into it.
    Status move(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer, std::byte *base);
    /// `near`: the buffer is the GPU's own memory. False: nothing has been done.
    bool move_by_shader(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer, std::size_t offset,
                        bool near, std::uint32_t *flag = nullptr);
    /// What tells that all so far is over: the flag, if there is one, or a fence.
    pixmpi::Ticket add_end(std::uint32_t flag);
    /// Of one that has a flag: it may still come.
    bool awaits_flag(const Pending &pending) const;
    Fence ask_behind_flag(Pending &pending);
    Status move_by_calls(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer, std::byte *base);
    Status combine_with_depth(pixmpi::Order order, pixmpi::Surface &depths, std::uint64_t first, std::uint64_t count,
                              pixmpi::Stage &stage, std::size_t offset, pixmpi::Ticket &ticket, bool &accepted);
    bool needs_own_buffer(const GlStage &stage) const;
    Status move_by_own_buffer(SavedState &state, std::uint64_t first, std::uint64_t count, const GlStage &stage,
                              std::size_t offset);
    bool by_pointer(std::size_t bytes) const;
    Status pack_through(SavedState &state, std::uint64_t first, std::uint64_t count, std::byte *to,
                        pixmpi::Ticket &ticket);
    Status unpack_through(SavedState &state, std::uint64_t first, std::uint64_t count, const std::byte *from,
                          pixmpi::Ticket &ticket);
    /// The band in a buffer, which `combine(buffer, offset)` combines with the surface, if it can: `accepted`.
    template <class Combine>
    Status combine_from(pixmpi::Stage &stage, std::size_t offset, std::size_t bytes, pixmpi::Ticket &ticket,
                        bool &accepted, Combine combine);
    Status combine_in_buffer(BufferShaders::BandWork band, pixmpi::Stage &stage, std::size_t offset,
                             pixmpi::Ticket &ticket, bool &accepted);
    /// The band's bytes in a pixel buffer; null when OpenGL has none for it.
    PixelBuffer *uploaded(SavedState &state, const std::byte *from, std::size_t bytes);
    Fence ask(Pending &pending);
    Status finish(Pending &pending);
    pixmpi::Ticket add(const Pending &pending);

    const Direction direction_;
    const std::shared_ptr<GlSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
    GlDevice &device_;
    std::deque<Pending> pending_;
    /// Of a band that was given up, while the GPU may be in its stage.
    struct Late {
        GLsync fence = nullptr;
        std::uint32_t flag = 0; ///< without a fence
    };
    bool is_over(Late &late);
    std::deque<Late> late_;
    pixmpi::Ticket last_ = pixmpi::done;
    bool awaited_ = false;
};

} // namespace glmpi
