// CUDA's objects of the library's own: memory of the GPU, or pinned memory of the host that the GPU reaches, too;
// streams, each for one message at a time, and events. Streams and events are kept for the next message.
#pragma once

#include "context/driver.h"
#include "device/idle_buffers.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cudampi {

enum class Place { device, host };
constexpr int places = 2;

class Buffer {
  public:
    /// In the context that is current. Memory of the host counts as stage memory.
    static Status make(const Context &context, Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer);
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    CudaAddress address() const { return address_; }
    std::byte *host() const { return static_cast<std::byte *>(host_); } ///< null: the CPU does not see it
    std::size_t bytes() const { return bytes_; }
    friend std::size_t bytes_of(const std::unique_ptr<Buffer> &buffer) { return buffer->bytes_; }

  private:
    Buffer(const Context &context, std::size_t bytes) : context_(context), bytes_(bytes) {}
    const Context context_;
    const std::size_t bytes_;
    CudaAddress address_ = 0;
    void *host_ = nullptr;
    bool counted_ = false;
};

/// The buffers of a context. To free one may wait for all that the GPU does, a kernel of the program's included that
/// waits for a message: so none is freed before it must be.
class Buffers {
  public:
    explicit Buffers(const Context &context) : context_(context) {}
    /// A buffer that was given back, or a new one.
    Status acquire(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer);
    void give_back(Place place, std::unique_ptr<Buffer> buffer);
    void free_idle(Place place) { idle_[static_cast<std::size_t>(place)].pop_all(); }

  private:
    using Idle = pixmpi::IdleBuffers<std::unique_ptr<Buffer>>;
    static Idle unlimited() { return Idle(SIZE_MAX, SIZE_MAX, SIZE_MAX); }
    const Context context_;
    std::array<Idle, places> idle_{unlimited(), unlimited()}; ///< by Place
};

class Streams {
  public:
    explicit Streams(const Context &context) : context_(context) {}
    ~Streams();
    Streams(const Streams &) = delete;
    Streams &operator=(const Streams &) = delete;

    /// A stream on which nothing is under way, that does not wait for the program's legacy stream.
    Status acquire(void *&stream);
    void release(void *stream) { streams_.push_back(stream); }
    bool any_idle() const { return !streams_.empty(); }
    Status acquire_event(void *&event);
    /// An event behind what the program has submitted to `before` (0: its legacy stream); null: all of it is over.
    Status mark(void *before, void *&event, bool asks = true);
    /// `stream` goes on when what the program has submitted to `before` is over. 0: its legacy stream. `asks`: CUDA is
    /// asked first whether it is, which takes the CPU 1.5 us, and the GPU less than to wait for an event.
    Status order(void *stream, void *before, bool asks);
    Status query(void *event, bool &over);
    void give_event(void *event) { events_.push_back(event); }

  private:
    const Context context_;
    std::vector<void *> streams_, events_;
};

} // namespace cudampi
