// Memory that the library makes: of the GPU, or pinned memory of the host that the GPU reaches at the same address.
#pragma once

#include "context/driver.h"

#include <memory>

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

} // namespace cudampi
