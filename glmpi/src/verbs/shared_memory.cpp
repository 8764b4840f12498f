// glMPI_Shared_create: memory that the CPU and OpenGL share.
#include "glmpi_memory.h"

#include "base/environment.h"
#include "device/gl_contexts.h"
#include "surface/gl_surface.h"

namespace glmpi {
namespace {

using pixmpi::core;
using pixmpi::fail;

/// Whether what the CPU touches is fetched in the library's own context. NVIDIA's driver holds a lock of all
/// contexts that share objects while it reads a program's memory: a call of OpenGL's that touched a shadow would wait
/// for itself. So GPUs fetch in pixMPI_Shared_to_host, unless the program's user knows that no call does.
Status fetches_at_touch(const GlDevice &device, bool &yes) {
    yes = device.software;
    return pixmpi::read_word("PIXMPI_GL_FETCH", yes);
}

/// A buffer object. A shadow's bytes go by glBufferSubData and glGetBufferSubData: in the context's own thread, and
/// what other threads fetch in a context that shares the buffer, where there is one.
class Backing final : public pixmpi::SharedBacking {
  public:
    explicit Backing(std::shared_ptr<GlDevice> device) : device_(std::move(device)) {}
    ~Backing() override {
        if (buffer_)
            device_->delete_buffer(buffer_); // which ends its mapping
    }

    Status open(std::size_t bytes, const pixmpi::SharingChoice &choice) {
        bool at_touch = false;
        if (const Status status = fetches_at_touch(*device_, at_touch))
            return status;
        if (!choice.shadow && !device_->features.buffer_storage)
            return fail(PIXMPI_ERR_DEVICE, "OpenGL: no persistent mappings (4.4 or ARB_buffer_storage), expected them "
                                           "for this kind of shared memory");
        const Gl &gl = device_->gl;
        GlAttempt errors(gl);
        SavedState state(*device_);
        gl.GenBuffers(1, &buffer_);
        state.bind_buffer(GL_COPY_WRITE_BUFFER, buffer_);
        const auto size = static_cast<GLsizeiptr>((bytes + 3) / 4 * 4); // shaders read and write whole words
        if (choice.shadow) {
            gl.BufferData(GL_COPY_WRITE_BUFFER, size, nullptr, GL_DYNAMIC_COPY);
            if (at_touch)
                sharing_ = device_->context.system->share_current();
        } else {
            constexpr GLbitfield access =
                GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
            const GLbitfield client = choice.kind == PIXMPI_SHARED_MAPPED ? 0 : GL_CLIENT_STORAGE_BIT;
            gl.BufferStorage(GL_COPY_WRITE_BUFFER, size, nullptr, access | client);
            mapped_ = static_cast<std::byte *>(gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access));
        }
        if (errors.any() || (!choice.shadow && !mapped_))
            return fail(PIXMPI_ERR_MEMORY, "bytes: %zu, expected that OpenGL has memory for them", bytes);
        return PIXMPI_SUCCESS;
    }
    GLuint name() const { return buffer_; }

    std::byte *mapped() const override { return mapped_; }
    bool near_host() const override { return device_->software; }
    bool usable() const override { return device_->usable(); }
    bool usable_for(pid_t) const override { return sharing_ != nullptr; }
    bool copies_later() const override { return sharing_ != nullptr; }

    Status attach(std::byte *host, std::size_t) override {
        host_ = host;
        return PIXMPI_SUCCESS;
    }
    void detach() override { host_ = nullptr; }

    Status copy(Way way, const std::vector<Range> &ranges) override {
        const GLenum target = way == Way::fetch ? GL_COPY_READ_BUFFER : GL_COPY_WRITE_BUFFER;
        if (device_->usable()) {
            SavedState state(*device_);
            state.bind_buffer(target, buffer_);
            return copy_bound(way, target, ranges);
        }
        if (!sharing_ || !sharing_->enter())
            return fail(PIXMPI_ERR_CONTEXT, "OpenGL: the library's own context does not become current");
        device_->gl.BindBuffer(target, buffer_);
        const Status status = copy_bound(way, target, ranges);
        sharing_->leave();
        return status;
    }
    Status finish() override {
        device_->sees_what_others_wrote();
        device_->gl.Finish();
        return PIXMPI_SUCCESS;
    }
    Status settle() override { return sharing_ ? finish() : PIXMPI_SUCCESS; }

    Status make_surface(const pixMPI_Surface &named, std::size_t offset, const pixmpi::Use &,
                        std::shared_ptr<pixmpi::Surface> &surface) override {
        if (!device_->usable())
            return fail(PIXMPI_ERR_CONTEXT, "surface.data: shared memory of a context that is not current in this "
                                            "thread, expected that it is");
        pixMPI_Surface mine = glMPI_Buffer(buffer_, named.format, named.width, named.height);
        mine.row_bytes = named.row_bytes;
        mine.offset = static_cast<std::int64_t>(offset);
        std::shared_ptr<GlSurface> found;
        if (const Status status = resolve(*device_, mine, found))
            return status;
        surface = std::move(found);
        return PIXMPI_SUCCESS;
    }

  private:
    Status copy_bound(Way way, GLenum target, const std::vector<Range> &ranges) {
        const Gl &gl = device_->gl;
        GlErrors errors(gl);
        for (const Range &range : ranges) {
            const auto offset = static_cast<GLintptr>(range.offset);
            const auto bytes = static_cast<GLsizeiptr>(range.bytes);
            if (way == Way::fetch)
                gl.GetBufferSubData(target, offset, bytes, host_ + range.offset);
            else
                gl.BufferSubData(target, offset, bytes, host_ + range.offset);
        }
        return errors.any() ? fail(PIXMPI_ERR_DEVICE, "OpenGL: does not copy bytes of buffer %u", buffer_)
                            : PIXMPI_SUCCESS;
    }

    const std::shared_ptr<GlDevice> device_;
    std::unique_ptr<SharingContext> sharing_; ///< null where the window system has none
    GLuint buffer_ = 0;
    std::byte *mapped_ = nullptr, *host_ = nullptr; ///< the buffer's memory; the shadow's
};

Status allocate(std::size_t bytes, pixMPI_Sharing kind, void **pointer, GLuint *buffer) {
    if (!pointer)
        return fail(PIXMPI_ERR_ARGUMENT, "pointer: null, expected the address of a pointer");
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return fail(PIXMPI_ERR_ARGUMENT, "bytes: %zu, expected 1 to %zu", bytes, SIZE_MAX / 2);
    std::shared_ptr<GlDevice> device;
    if (const Status status = current_device(device))
        return status;
    pixmpi::SharingChoice choice;
    if (const Status status = core().choose_sharing(kind, device->software, true, choice))
        return status;
    auto backing = std::make_unique<Backing>(std::move(device));
    if (const Status status = backing->open(bytes, choice))
        return status;
    const GLuint name = backing->name();
    if (const Status status = core().share(std::move(backing), bytes, choice, pointer))
        return status;
    if (buffer)
        *buffer = name;
    return PIXMPI_SUCCESS;
}

} // namespace
} // namespace glmpi

int glMPI_Shared_create(size_t bytes, pixMPI_Sharing kind, void **pointer, glMPI_uint *buffer) {
    return pixmpi::public_call("glMPI_Shared_create", [&] { return glmpi::allocate(bytes, kind, pointer, buffer); });
}
