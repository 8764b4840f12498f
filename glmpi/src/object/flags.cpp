#include "object/flags.h"

#include "device/gl_device.h"

#include <atomic>

namespace glmpi {

namespace {

constexpr GLuint words_binding = 4, counts_binding = 5; // of shaders/pack_image.comp

} // namespace

Flags::Use Flags::take(SavedState &state) {
    if (broken_ || !device_.features.buffer_storage || (!words_ && !open(state)))
        return {};
    if (++last_ == 0)
        ++last_;
    state.storage_buffer(words_binding, words_);
    state.storage_buffer(counts_binding, counts_);
    return {last_, last_ % slots};
}

bool Flags::open(SavedState &state) {
    const Gl &gl = device_.gl;
    GlAttempt errors(gl);
    constexpr GLsizeiptr size = slots * sizeof(std::uint32_t);
    constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    constexpr std::uint32_t zeros[slots] = {};
    gl.GenBuffers(1, &words_);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, words_);
    gl.BufferStorage(GL_COPY_WRITE_BUFFER, size, zeros, access | GL_CLIENT_STORAGE_BIT);
    mapped_ = static_cast<std::uint32_t *>(gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access));
    gl.GenBuffers(1, &counts_);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, counts_);
    gl.BufferStorage(GL_COPY_WRITE_BUFFER, size, zeros, 0);
    broken_ = errors.any() || !mapped_;
    if (broken_)
        destroy();
    return !broken_;
}

// A later dispatch may have written its number already.
bool Flags::seen(std::uint32_t number) const {
    if (!mapped_)
        return false;
    const std::uint32_t there = std::atomic_ref(mapped_[number % slots]).load(std::memory_order_acquire);
    return there != 0 && static_cast<std::int32_t>(there - number) >= 0;
}

void Flags::came_late(std::uint32_t number) {
    constexpr int most = 3;
    broken_ = broken_ || !seen(number) || ++late_ >= most;
}

void Flags::destroy() {
    for (GLuint *buffer : {&words_, &counts_})
        if (*buffer)
            device_.gl.DeleteBuffers(1, buffer);
    forget();
}

void Flags::forget() {
    words_ = counts_ = 0;
    mapped_ = nullptr;
}

} // namespace glmpi
