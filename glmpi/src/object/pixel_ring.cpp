#include "object/pixel_ring.h"

#include "device/gl_device.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

GLenum target_of(Direction direction) {
    return direction == Direction::pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER;
}

GLbitfield access_of(Direction direction) { return direction == Direction::pack ? GL_MAP_READ_BIT : GL_MAP_WRITE_BIT; }

} // namespace

GLsync PixelRing::fence() const {
    const GLsync sync = device_.gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (sync)
        device_.gl.Flush();
    else
        device_.gl.Finish();
    return sync;
}

Fence PixelRing::ask(GLsync fence, double seconds) const {
    if (!fence)
        return Fence::passed;
    switch (device_.gl.ClientWaitSync(fence, 0, static_cast<GLuint64>(seconds * 1e9))) {
    case GL_ALREADY_SIGNALED:
    case GL_CONDITION_SATISFIED:
        return Fence::passed;
    case GL_TIMEOUT_EXPIRED:
        return Fence::ahead;
    default:
        return Fence::failed;
    }
}

bool PixelRing::idle(PixelBuffer &buffer, double seconds) {
    if (buffer.in_use)
        return false;
    if (buffer.busy) {
        if (ask(buffer.busy, seconds) != Fence::passed)
            return false;
        device_.gl.DeleteSync(buffer.busy);
        buffer.busy = nullptr;
    }
    return true;
}

PixelBuffer *PixelRing::acquire(SavedState &state, Direction direction, std::size_t bytes) {
    std::size_t count = 0;
    for (const auto &buffer : buffers_) {
        count += buffer->direction == direction;
        if (buffer->direction == direction && buffer->bytes >= bytes && idle(*buffer, 0)) {
            buffer->in_use = true;
            return buffer.get();
        }
    }
    // Too small for what is asked for now: they make room for larger ones.
    for (std::size_t i = buffers_.size(); i-- > 0;)
        if (buffers_[i]->direction == direction && buffers_[i]->bytes < bytes && idle(*buffers_[i], 0)) {
            drop(i);
            --count;
        }
    if (count < most)
        if (PixelBuffer *made = make(state, direction, bytes)) {
            made->in_use = true;
            return made;
        }
    // What the GPU is at ends without our help.
    for (const auto &buffer : buffers_)
        if (buffer->direction == direction && buffer->bytes >= bytes && idle(*buffer, 1)) {
            buffer->in_use = true;
            return buffer.get();
        }
    drop_idle();
    if (!buffers_.empty())
        return nullptr;
    PixelBuffer *const first = make(state, direction, bytes, true);
    if (first)
        first->in_use = true;
    return first;
}

PixelBuffer *PixelRing::make(SavedState &state, Direction direction, std::size_t bytes, bool least) {
    bytes = (bytes + 3) / 4 * 4; // shaders write words
    if (!core().reserve_stage(bytes, least))
        return nullptr;
    const Gl &gl = device_.gl;
    const GLenum target = target_of(direction);
    auto buffer = std::make_unique<PixelBuffer>();
    buffer->bytes = bytes;
    buffer->direction = direction;
    GlAttempt errors(gl);
    gl.GenBuffers(1, &buffer->name);
    state.bind_buffer(target, buffer->name);
    const auto size = static_cast<GLsizeiptr>(bytes);
    bool good = true;
    if (device_.features.buffer_storage) {
        const GLbitfield access = access_of(direction) | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        gl.BufferStorage(target, size, nullptr, access | GL_CLIENT_STORAGE_BIT);
        buffer->mapped = static_cast<std::byte *>(gl.MapBufferRange(target, 0, size, access));
        good = buffer->mapped != nullptr;
    } else {
        gl.BufferData(target, size, nullptr, direction == Direction::pack ? GL_STREAM_READ : GL_STREAM_DRAW);
    }
    if (errors.any() || !good) {
        gl.DeleteBuffers(1, &buffer->name);
        core().release_stage(bytes);
        return nullptr;
    }
    buffers_.push_back(std::move(buffer));
    return buffers_.back().get();
}

std::byte *PixelRing::map(SavedState &state, PixelBuffer &buffer) {
    if (buffer.mapped)
        return buffer.mapped;
    const GLenum target = target_of(buffer.direction);
    state.bind_buffer(target, buffer.name);
    const GLbitfield whole = buffer.direction == Direction::unpack ? GL_MAP_INVALIDATE_BUFFER_BIT : 0;
    return static_cast<std::byte *>(device_.gl.MapBufferRange(target, 0, static_cast<GLsizeiptr>(buffer.bytes),
                                                              access_of(buffer.direction) | whole));
}

bool PixelRing::unmap(SavedState &state, PixelBuffer &buffer) {
    if (buffer.mapped)
        return true;
    state.bind_buffer(target_of(buffer.direction), buffer.name);
    return device_.gl.UnmapBuffer(target_of(buffer.direction)) == GL_TRUE;
}

void PixelRing::release(PixelBuffer *buffer, GLsync busy) {
    buffer->in_use = false;
    buffer->busy = busy;
}

void PixelRing::drop(std::size_t index) {
    PixelBuffer &buffer = *buffers_[index];
    if (buffer.busy)
        device_.gl.DeleteSync(buffer.busy);
    device_.gl.DeleteBuffers(1, &buffer.name);
    core().release_stage(buffer.bytes);
    buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(index));
}

void PixelRing::drop_idle() {
    for (std::size_t i = buffers_.size(); i-- > 0;)
        if (idle(*buffers_[i], 0))
            drop(i);
}

void PixelRing::destroy() {
    while (!buffers_.empty())
        drop(buffers_.size() - 1);
}

void PixelRing::forget() {
    for (const auto &buffer : buffers_)
        core().release_stage(buffer->bytes);
    buffers_.clear();
}

} // namespace glmpi
