#include "endpoint/gl_endpoint.h"

#include "api/endpoints.h"
#include "device/gl_contexts.h"
#include "shader/compute.h"
#include "surface/gl_surface.h"

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr double patience = 10; // with a dispatch that does not end

Status check_mappings(const GlDevice &device) {
    return device.features.buffer_storage ? PIXMPI_SUCCESS
                                          : fail(PIXMPI_ERR_CONTEXT,
                                                 "context: OpenGL %d.%d, expected 4.4 or GL_ARB_buffer_storage, for "
                                                 "memory that shaders and the CPU "
                                                 "see",
                                                 device.features.version / 10, device.features.version % 10);
}

} // namespace

Status check_compute(const GlDevice &device) {
    if (!device.features.compute)
        return fail(PIXMPI_ERR_CONTEXT, "context: OpenGL %d.%d, expected 4.3, for compute shaders",
                    device.features.version / 10, device.features.version % 10);
    return check_mappings(device);
}

Status SharedBuffer::make(GlDevice &device, std::size_t bytes, std::unique_ptr<SharedBuffer> &buffer) {
    if (const Status status = check_mappings(device))
        return status;
    const Gl &gl = device.gl;
    GlAttempt errors(gl);
    GLuint name = 0;
    void *memory = nullptr;
    {
        SavedState state(device);
        // Reads are asked for, too: writes to a buffer that is mapped for writing only need not reach a shader soon.
        constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        const auto size = static_cast<GLsizeiptr>((bytes + 3) / 4 * 4); // shaders read and write whole words
        gl.GenBuffers(1, &name);
        state.bind_buffer(GL_COPY_WRITE_BUFFER, name);
        gl.BufferStorage(GL_COPY_WRITE_BUFFER, size, nullptr, access | GL_CLIENT_STORAGE_BIT);
        memory = gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access);
    }
    if (errors.any() || !memory) {
        gl.DeleteBuffers(1, &name);
        return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for %zu bytes that shaders and the CPU see", bytes);
    }
    buffer.reset(new SharedBuffer(device, name, static_cast<std::byte *>(memory)));
    return PIXMPI_SUCCESS;
}

GlEndpoint::GlEndpoint(std::shared_ptr<GlDevice> of) : device(std::move(of)) {
    ++device->endpoints;
    on_host_cores = device->software;
    if (!device->software)
        card = device->gpu();
}

GlEndpoint::~GlEndpoint() {
    --device->endpoints;
    if (kept_.name)
        device->give_back(kept_);
}

Status GlEndpoint::open(std::size_t in_words, std::size_t out_words, std::size_t kept_words) {
    constexpr std::size_t word = sizeof(std::uint32_t);
    const struct {
        const char *name;
        std::size_t words;
    } blocks[count] = {{"results (calls, data_words)", in_words},
                       {"rings (ring_entries, data_words)", out_words},
                       {"states (state_words)", kept_words}};
    for (const auto &block : blocks)
        if (block.words * word > static_cast<std::size_t>(device->most_storage))
            return fail(PIXMPI_ERR_ARGUMENT, "info: %s of %lld bytes at most fit into a storage buffer, not %zu",
                        block.name, static_cast<long long>(device->most_storage), block.words * word);
    if (const Status status = SharedBuffer::make(*device, in_words * word, in_))
        return status;
    if (const Status status = SharedBuffer::make(*device, out_words * word, out_))
        return status;
    GlAttempt errors(device->gl);
    {
        SavedState state(*device);
        kept_ = device->acquire_buffer(state, kept_words * word);
    }
    if (errors.any()) {
        device->delete_buffer(std::exchange(kept_, {}).name);
        return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for %zu bytes of states", kept_words * word);
    }
    const auto words_of = [](const SharedBuffer &buffer, std::size_t words) {
        return std::span(reinterpret_cast<std::uint32_t *>(buffer.memory), words);
    };
    in = words_of(*in_, in_words);
    out = words_of(*out_, out_words);
    return PIXMPI_SUCCESS;
}

GlKernel::GlKernel(std::shared_ptr<GlEndpoint> endpoint, const glMPI_Kernel &kernel)
    : endpoint_(std::move(endpoint)), device_(endpoint_->device), program_(kernel.program),
      binding_(static_cast<GLuint>(kernel.binding)) {
    const auto names = endpoint_->names();
    buffers_.assign(names.begin(), names.end());
    buffers_.insert(buffers_.end(), kernel.buffers, kernel.buffers + kernel.buffer_count);
}

GlKernel::~GlKernel() {
    if (flying_ && gl_device().usable())
        gl_device().ring.ask(fence_, patience);
    drop_fence();
}

void GlKernel::drop_fence() {
    if (fence_)
        gl_device().delete_fence(std::exchange(fence_, nullptr));
}

Status GlKernel::dispatch(std::uint32_t groups) {
    GlDevice &device = gl_device();
    const Gl &gl = device.gl;
    GlErrors errors(gl);
    {
        SavedState state(device);
        if (!shaders_run(device))
            return fail(PIXMPI_ERR_CONTEXT,
                        "context: transform feedback or conditional rendering is on, or the current "
                        "program has been deleted; expected none of it while shaders run");
        device.finish_drawing();
        gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            state.storage_buffer(binding_ + static_cast<GLuint>(i), buffers_[i]);
        state.use_program(program_);
        gl.DispatchCompute(groups, 1, 1);
        gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
        fence_ = device.ring.fence();
    }
    flying_ = true;
    return errors.check("dispatching a shader");
}

Status GlKernel::poll(bool &over) {
    over = !flying_;
    if (over)
        return PIXMPI_SUCCESS;
    GlErrors errors(gl_device().gl);
    const Fence state = gl_device().ring.ask(fence_, 0);
    if (state == Fence::ahead)
        return PIXMPI_SUCCESS;
    flying_ = false;
    drop_fence();
    over = true;
    if (state == Fence::passed)
        return PIXMPI_SUCCESS;
    const Status status = errors.check("waiting for a dispatch");
    return status ? status : fail(PIXMPI_ERR_DEVICE, "OpenGL: a fence cannot be waited for, expected that it can");
}

Status check_kernel(const GlDevice &device, const glMPI_Kernel &kernel) {
    const Gl &gl = device.gl;
    GlAttempt errors(gl);
    GLint linked = GL_FALSE, size[3] = {}, bindings = 0;
    gl.GetProgramiv(kernel.program, GL_LINK_STATUS, &linked);
    if (linked)
        gl.GetProgramiv(kernel.program, GL_COMPUTE_WORK_GROUP_SIZE, size);
    if (errors.any() || !linked)
        return fail(PIXMPI_ERR_ARGUMENT, "kernel.program: %u, expected a linked program of a compute shader",
                    kernel.program);
    if (kernel.buffer_count < 0 || kernel.buffer_count > GLMPI_MAX_BUFFERS)
        return fail(PIXMPI_ERR_ARGUMENT, "kernel.buffer_count: %d, expected 0 to %d", kernel.buffer_count,
                    GLMPI_MAX_BUFFERS);
    if (kernel.buffer_count && !kernel.buffers)
        return fail(PIXMPI_ERR_ARGUMENT, "kernel.buffers: null");
    gl.GetIntegerv(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, &bindings);
    const int most = bindings - static_cast<int>(GlEndpoint::count) - kernel.buffer_count;
    if (kernel.binding < 0 || kernel.binding > most)
        return fail(PIXMPI_ERR_ARGUMENT, "kernel.binding: %d, expected 0 to %d, as the context has %d bindings",
                    kernel.binding, most, bindings);
    for (int i = 0; i < kernel.buffer_count; ++i)
        if (!gl.IsBuffer(kernel.buffers[i]))
            return fail(PIXMPI_ERR_ARGUMENT, "kernel.buffers[%d]: %u, expected a buffer object", i, kernel.buffers[i]);
    return PIXMPI_SUCCESS;
}

Status make_window(const std::shared_ptr<GlDevice> &device, const pixMPI_Surface &given,
                   std::unique_ptr<Window> &window) {
    pixMPI_Surface named = given;
    if (const Status status = cut_out_of_buffer(named))
        return status;
    const auto find = [device](const pixMPI_Surface &part, Direction, std::shared_ptr<Surface> &surface) -> Status {
        std::shared_ptr<GlSurface> found;
        if (!device->usable())
            return fail(PIXMPI_ERR_CONTEXT, "window: of a context that is not current in this thread");
        if (const Status status = resolve(*device, part, found))
            return status;
        surface = std::move(found);
        return PIXMPI_SUCCESS;
    };
    if (named.api != PIXMPI_API_GL)
        return fail(PIXMPI_ERR_SURFACE, "window: of another API, expected a surface of OpenGL");
    std::shared_ptr<Surface> all;
    if (const Status status = find(named, Direction::pack, all))
        return status;
    const auto own = device->windows().find(named.name);
    const bool buffer = named_of(named).kind == Kind::buffer;
    if (!buffer || own == device->windows().end()) {
        window = std::make_unique<SurfaceWindow<pixMPI_Surface, decltype(find)>>(named, *all, buffer, find);
        return PIXMPI_SUCCESS;
    }
    struct Owner {
        std::shared_ptr<GlDevice> device; // goes after its buffer
        std::shared_ptr<SharedBuffer> buffer;
    };
    const auto owner = std::make_shared<const Owner>(Owner{device, own->second});
    window = pixmpi::endpoint_core().memory_window(own->second->memory + named.offset, bytes_of(*all), owner);
    window->of_host = !device->shows_writes();
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
