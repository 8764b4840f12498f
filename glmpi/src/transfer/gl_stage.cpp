#include "transfer/gl_stage.h"

#include <cstdlib>
#include <unistd.h>

namespace glmpi {

using namespace pixmpi;

Status GlStage::open(std::byte *given, std::size_t size) {
    bytes = size;
    if (kind_ == StageKind::shared) {
        host = memory = given;
        return PIXMPI_SUCCESS;
    }
    const bool needs_mapping = kind_ == StageKind::mapped;
    if (!device_->direct() && (!needs_mapping || device_->features.buffer_storage))
        return open_buffer();
    memory = static_cast<std::byte *>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096));
    if (!memory)
        return fail(PIXMPI_ERR_MEMORY, "out of memory for a stage of %zu bytes", size);
    own_ = true;
    if (needs_mapping)
        host = memory;
    return PIXMPI_SUCCESS;
}

Status GlStage::open_buffer() {
    const Gl &gl = device_->gl;
    GlAttempt errors(gl);
    SavedState state(*device_);
    if (kind_ == StageKind::local) {
        kept_ = device_->acquire_buffer(state, bytes);
        buffer = kept_.name;
    } else {
        state.bind_buffer(GL_PIXEL_PACK_BUFFER, 0);
        gl.GenBuffers(1, &buffer);
        gl.BindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
        const auto size = static_cast<GLsizeiptr>((bytes + 3) / 4 * 4); // shaders read and write whole words
        constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        gl.BufferStorage(GL_PIXEL_PACK_BUFFER, size, nullptr, access | GL_CLIENT_STORAGE_BIT);
        host = memory = static_cast<std::byte *>(gl.MapBufferRange(GL_PIXEL_PACK_BUFFER, 0, size, access));
        gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    }
    if (errors.any() || (kind_ == StageKind::mapped && !host)) {
        kept_ = {}; // not given back: it may have no memory
        return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for a stage of %zu bytes", bytes);
    }
    return PIXMPI_SUCCESS;
}

GlStage::~GlStage() {
    if (own_)
        std::free(memory);
    if (kept_.name)
        device_->give_back(kept_);
    else if (buffer && !lent_)
        device_->delete_buffer(buffer);
}

Status GlMemory::open(int descriptor, std::size_t bytes) {
    const Gl &gl = device_.gl;
    GlAttempt errors(gl);
    SavedState state(device_);
    state.bind_buffer(GL_PIXEL_PACK_BUFFER, 0);
    gl.CreateMemoryObjectsEXT(1, &memory_);
    // Else NVIDIA's driver lets the GPU compress what the buffer holds, and others, copy engines among them, read it
    // compressed.
    const GLint dedicated = GL_TRUE;
    gl.MemoryObjectParameterivEXT(memory_, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
    const int own = dup(descriptor); // OpenGL's, once it has taken it
    gl.ImportMemoryFdEXT(memory_, bytes, GL_HANDLE_TYPE_OPAQUE_FD_EXT, own);
    if (errors.any()) {
        close(own);
        return fail(PIXMPI_ERR_DEVICE, "OpenGL: does not import memory");
    }
    gl.GenBuffers(1, &buffer_);
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, buffer_);
    gl.BufferStorageMemEXT(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(bytes), memory_, 0);
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return errors.any() ? fail(PIXMPI_ERR_DEVICE, "OpenGL: has no buffers in imported memory") : PIXMPI_SUCCESS;
}

GlMemory::~GlMemory() {
    if (!device_.usable()) // a context that is gone has taken them along
        return;
    if (buffer_)
        device_.gl.DeleteBuffers(1, &buffer_);
    if (memory_)
        device_.gl.DeleteMemoryObjectsEXT(1, &memory_);
}

Status GlMemory::make_stage(std::size_t offset, std::size_t size, std::unique_ptr<Stage> &stage) {
    auto made = std::make_unique<GlStage>(device_.shared_from_this(), StageKind::local);
    made->bytes = size;
    made->buffer = buffer_;
    made->base = offset;
    made->lent_ = true;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
