// What endpoints need of OpenGL: the blocks that shaders and host share, windows, dispatches.
#pragma once

#include "device/gl_device.h"
#include "endpoint/backend.h"
#include "glmpi_device.h"

namespace glmpi {

/// A buffer object that shaders and the CPU see all the time.
class SharedBuffer {
  public:
    /// PIXMPI_ERR_CONTEXT where OpenGL has no persistent mappings. The device outlives the buffer.
    static Status make(GlDevice &device, std::size_t bytes, std::unique_ptr<SharedBuffer> &buffer);
    ~SharedBuffer() { device_.delete_buffer(name); }
    SharedBuffer(const SharedBuffer &) = delete;

    const GLuint name;
    std::byte *const memory;

  private:
    SharedBuffer(GlDevice &device, GLuint name_, std::byte *memory_) : name(name_), memory(memory_), device_(device) {}
    GlDevice &device_;
};

/// Three storage buffers.
class GlEndpoint final : public pixmpi::EndpointMemory {
  public:
    explicit GlEndpoint(std::shared_ptr<GlDevice> of);
    ~GlEndpoint() override;
    bool shows_writes() override { return device->shows_writes(); }
    /// Of so many words.
    Status open(std::size_t in_words, std::size_t out_words, std::size_t kept_words);
    static constexpr std::size_t count = 3;
    std::array<GLuint, count> names() const { return {in_->name, out_->name, kept_.name}; }

    const std::shared_ptr<GlDevice> device;

  private:
    std::unique_ptr<SharedBuffer> in_, out_;
    OwnBuffer kept_;
};

class GlKernel final : public pixmpi::Kernel {
  public:
    GlKernel(std::shared_ptr<GlEndpoint> endpoint, const glMPI_Kernel &kernel);
    ~GlKernel() override;
    const std::shared_ptr<pixmpi::Device> &device() const override { return device_; }
    Status dispatch(std::uint32_t groups) override;
    Status poll(bool &over) override;

  private:
    GlDevice &gl_device() const { return *endpoint_->device; }
    void drop_fence();

    const std::shared_ptr<GlEndpoint> endpoint_;
    const std::shared_ptr<pixmpi::Device> device_;
    const GLuint program_, binding_;
    std::vector<GLuint> buffers_; ///< from `binding_` on: the endpoint's, the program's
    bool flying_ = false;
    GLsync fence_ = nullptr; ///< behind what flies; null when it is over
};

/// PIXMPI_ERR_CONTEXT where the context has not what endpoints take.
Status check_compute(const GlDevice &device);
/// A kernel as the program named it, in its endpoint's context.
Status check_kernel(const GlDevice &device, const glMPI_Kernel &kernel);
/// A window of what the program named.
Status make_window(const std::shared_ptr<GlDevice> &device, const pixMPI_Surface &named,
                   std::unique_ptr<pixmpi::Window> &window);

} // namespace glmpi
