// What a graphics API does for an endpoint: memory that shaders and host share, dispatches, windows.
#pragma once

#include "device/device.h"
#include "pixmpi_device.h"

#include <span>
#include <vector>

namespace pixmpi {

/// Memory of a GPU that GPUs of other processes of this host reach. The core makes it, a device imports it.
class CardMemory {
  public:
    virtual ~CardMemory() = default;
    std::size_t bytes = 0;
    /// A new one to import it by, the caller's; -1 on failure.
    virtual int descriptor() const = 0;
};

/// What messages of shaders are about: bytes of a buffer, or a surface as a whole.
class Window {
  public:
    virtual ~Window() = default;
    std::uint64_t bytes = 0;
    int pixel_bytes = 1;  ///< offsets and sizes are multiples of it
    bool whole = false;   ///< its pixels are no row of bytes: offsets are 0
    bool of_host = false; ///< the CPU writes it in host memory, where a GPU's running dispatch may see old data
    std::shared_ptr<CardMemory> card; ///< where its bytes lie from card_offset on, or null
    std::uint64_t card_offset = 0;
    /// These bytes, as one end of a message.
    virtual Status surface(Direction direction, std::uint64_t offset, std::uint64_t count,
                           std::shared_ptr<Surface> &surface) = 0;
};

inline std::uint64_t bytes_of(const Surface &all) {
    return static_cast<std::uint64_t>(all.extent.width) * static_cast<std::uint64_t>(all.extent.height) *
           static_cast<std::uint64_t>(all.pixel_bytes);
}

/// The three blocks of an endpoint. The CPU writes `in`, and reads `out`. They are memory of the host, or memory of the
/// GPU that the CPU may write; the CPU never reads from a GPU.
class EndpointMemory {
  public:
    virtual ~EndpointMemory() = default;
    std::span<std::uint32_t> in, out;
    bool on_host_cores = false; ///< a dispatch that waits takes the cores of those who would answer it
    Gpu card;                   ///< processes that have the same one take turns on it
    /// Whether a running dispatch sees what comes into windows and blocks meanwhile.
    virtual bool shows_writes() { return false; }
    /// Copies bytes between windows of this process, during a dispatch, in the order of the calls. `accepted`:
    /// false where it cannot, and nothing has happened.
    virtual Status copy(const Window &, std::uint64_t /*offset*/, const Window &, std::uint64_t /*offset*/,
                        std::uint64_t /*bytes*/, Ticket &, bool &accepted) {
        accepted = false;
        return PIXMPI_SUCCESS;
    }
    /// Such copies may begin to happen now; `over`: the last one that has happened.
    virtual Status look_at_copies(Ticket &) { return PIXMPI_SUCCESS; }
};

/// A run's shader, with all that it is bound to.
class Kernel {
  public:
    virtual ~Kernel() = default;
    virtual const std::shared_ptr<Device> &device() const = 0;
    /// So many workgroups, after all that the host has written to windows and blocks. One dispatch at a time.
    virtual Status dispatch(std::uint32_t groups) = 0;
    /// Whether the dispatch is over; the host sees what it has written then.
    virtual Status poll(bool &over) = 0;
};

/// A buffer's or an image's pixels, moved by the device. `Named` is a surface as the API's header has it; `Find` makes
/// a Surface of one, in one direction.
template <class Named, class Find> class SurfaceWindow final : public Window {
  public:
    SurfaceWindow(const Named &named, const Surface &all, bool buffer, Find find)
        : named_(named), find_(std::move(find)) {
        pixel_bytes = all.pixel_bytes;
        bytes = bytes_of(all);
        const bool gaps = named.height > 1 && named.row_bytes != std::int64_t{named.width} * pixel_bytes;
        whole = !buffer || gaps;
    }
    Status surface(Direction direction, std::uint64_t offset, std::uint64_t count,
                   std::shared_ptr<Surface> &surface) override {
        Named part = named_;
        if (!whole) {
            part.offset += static_cast<decltype(part.offset)>(offset);
            part.width = static_cast<int>(count / static_cast<std::uint64_t>(pixel_bytes));
            part.height = 1;
            part.row_bytes = static_cast<std::int64_t>(count);
        }
        return find_(part, direction, surface);
    }

  private:
    const Named named_;
    const Find find_;
};

/// All that a graphics API's library brings to an endpoint.
class EndpointParts {
  public:
    pixMPI_Endpoint_info info = PIXMPI_ENDPOINT_INFO_INIT;
    std::vector<std::unique_ptr<Window>> windows;
    /// Makes the memory, of so many words each.
    virtual Status make_memory(std::size_t in, std::size_t out, std::size_t kept,
                               std::shared_ptr<EndpointMemory> &memory) = 0;

  protected:
    ~EndpointParts() = default;
};

} // namespace pixmpi
