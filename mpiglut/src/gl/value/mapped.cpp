// Data of buffers: what programs hand over is noted, and so is what they write to mapped memory. That memory is slow to
// read, and a program may leave some of it as it was. So a few places are noted, and only those with bytes that are the
// same on every rank whether the program writes them or not: in a buffer that was once filled, or where bytes that have
// no meaning any more were zeroed before the program gets the memory.
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/buffer_memory.h"
#include "gl/value/values.h"
#include "gl/value/written.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mpiglut::gl {

namespace {

using content::Call;
using content::Type;
using Places = std::vector<std::size_t>;

/// A buffer that the program has filled, or has mapped, in the thread of the ticks. Names are those of a share group.
using Name = std::pair<GLuint, const Lists *>;
struct Buffer {
    std::shared_ptr<Lists> group;  ///< kept, so that no other has its address
    bool filled = false;           ///< as a whole
    Places zeroed;                 ///< places in it that are known in any case
    unsigned char *data = nullptr; ///< while it is mapped for writing
    std::size_t at = 0, bytes = 0;
    GLbitfield access = 0;
    Places noted; ///< when it is unmapped: places from `data` on
};
std::recursive_mutex mutex;                  ///< other threads may unmap
auto &buffers = *new std::map<Name, Buffer>; // threads may still draw while static objects are destroyed
int mapped = 0;                              ///< for good
Name fresh{};                                ///< made a moment ago, without data
std::atomic<bool> any_fresh{false};

/// 0: none.
GLuint bound(GLenum target) { return active() ? bound_buffer(target) : 0; }
Name name_of(GLuint buffer) { return {buffer, current()->lists.get()}; }
Buffer &known(GLuint buffer) {
    Buffer &one = buffers[name_of(buffer)];
    one.group = current()->lists;
    return one;
}
/// In the thread of the ticks; null for what is not known.
Buffer *find(GLuint buffer) {
    const auto found = buffers.find(name_of(buffer));
    return found == buffers.end() ? nullptr : &found->second;
}

Type type_of(GLenum target) {
    return target == GL_ARRAY_BUFFER || target == GL_UNIFORM_BUFFER ? Type::buffer : Type::bytes;
}

void let_go(Buffer &buffer) {
    mapped -= buffer.data && buffer.access & GL_MAP_PERSISTENT_BIT ? 1 : 0;
    buffer.data = nullptr;
    buffer.noted.clear();
}

/// Of any share group: nothing is known of it any more.
void forget(GLuint name) {
    const std::lock_guard lock(mutex);
    for (auto at = buffers.lower_bound({name, nullptr}); at != buffers.end() && at->first.first == name;) {
        let_go(at->second);
        at = buffers.erase(at);
    }
}

void filled(GLuint name, const Call &call, GLenum target, GLsizeiptr size, const void *data) {
    note(call, type_of(target), static_cast<const char *>(data), size);
    if (name == 0)
        return;
    drop_buffer(name);
    const std::lock_guard lock(mutex);
    forget(name);
    if (!noted())
        return;
    fresh = data ? Name{} : name_of(name);
    any_fresh = !data;
    known(name).filled = data != nullptr;
}

/// In part.
template <class F>
void changed(const Call &call, GLenum target, F which, GLintptr at, GLsizeiptr size, const void *data) {
    if (fragments_write())
        change_buffer(which(), at, size);
    note(call, type_of(target), static_cast<const char *>(data), size);
    buffers_used();
}

void forget(GLsizei count, const GLuint *names) {
    for (GLsizei i = 0; names && i < count; ++i) {
        drop_buffer(names[i]);
        forget(names[i]);
    }
}

void zero(const Buffer &buffer, std::size_t place) {
    std::memset(buffer.data + place, 0, std::min(content::sample_bytes, buffer.bytes - place));
}

/// Which places are noted when it is unmapped; unknown ones are zeroed if that is allowed.
void choose_places(Buffer &buffer, bool is_fresh) {
    constexpr GLbitfield lost = GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_INVALIDATE_RANGE_BIT;
    const bool may_zero = !(buffer.access & GL_MAP_READ_BIT) && (is_fresh || buffer.access & lost);
    if (!may_zero && !buffer.filled) {
        for (const std::size_t place : buffer.zeroed)
            if (place >= buffer.at && place + content::sample_bytes <= buffer.at + buffer.bytes)
                buffer.noted.push_back(place - buffer.at);
        return;
    }
    buffer.noted = content::places(buffer.bytes);
    if (!may_zero)
        return;
    buffer.filled = false; // the rest of what is mapped may be anything
    std::erase_if(buffer.zeroed, [&](std::size_t place) {
        const bool mapped_now = place + content::sample_bytes > buffer.at && place < buffer.at + buffer.bytes;
        return mapped_now || buffer.access & GL_MAP_INVALIDATE_BUFFER_BIT;
    });
    for (const std::size_t place : buffer.noted) {
        zero(buffer, place);
        buffer.zeroed.push_back(buffer.at + place);
    }
}

void map(GLuint name, void *data, GLintptr at, GLsizeiptr bytes, GLbitfield access) {
    const std::lock_guard lock(mutex);
    const bool is_fresh = std::exchange(fresh, {}) == name_of(name);
    if (!data || !(access & GL_MAP_WRITE_BIT) || name == 0)
        return;
    Buffer &buffer = known(name);
    buffer.data = static_cast<unsigned char *>(data);
    buffer.at = static_cast<std::size_t>(at);
    buffer.bytes = static_cast<std::size_t>(bytes);
    buffer.access = access;
    buffer.noted.clear();
    if (access & GL_MAP_PERSISTENT_BIT)
        ++mapped;
    else if (!(access & GL_MAP_FLUSH_EXPLICIT_BIT))
        choose_places(buffer, is_fresh);
}

GLbitfield access_of(GLenum access) {
    return (access != GL_READ_ONLY ? GL_MAP_WRITE_BIT : 0u) | (access != GL_WRITE_ONLY ? GL_MAP_READ_BIT : 0u);
}

GLsizeiptr size_of(GLenum target) {
    GLint size = 0;
    REAL(glGetBufferParameteriv)(target, GL_BUFFER_SIZE, &size);
    return size;
}
GLsizeiptr size_of_named(GLuint buffer) {
    GLint size = 0;
    REAL(glGetNamedBufferParameteriv)(buffer, GL_BUFFER_SIZE, &size);
    return size;
}

void unmap(const Call &call, GLenum target, GLuint name) {
    if (name == 0)
        return;
    const std::lock_guard lock(mutex);
    if (!noted())
        return forget(name);
    Buffer *buffer = find(name);
    if (!buffer || !buffer->data)
        return;
    content::note_at(call, type_of(target), buffer->data, buffer->bytes, buffer->noted);
    let_go(*buffer);
}

/// The program says that it has written there.
void flush(const Call &call, GLenum target, GLuint name, GLintptr at, GLsizeiptr bytes) {
    if (!noted() || name == 0 || at < 0 || bytes <= 0)
        return;
    const std::lock_guard lock(mutex);
    const Buffer *buffer = find(name);
    const auto from = static_cast<std::size_t>(at), size = static_cast<std::size_t>(bytes);
    if (buffer && buffer->data && from <= buffer->bytes && size <= buffer->bytes - from)
        content::note_at(call, type_of(target), buffer->data + from, size, content::places(size));
}

} // namespace

void buffers_used() {
    if (!any_fresh.load(std::memory_order_relaxed) || !noted())
        return;
    const std::lock_guard lock(mutex);
    fresh = {};
    any_fresh = false;
}

Memory mapped_for_good(GLuint buffer, std::size_t at) {
    const std::lock_guard lock(mutex);
    const Buffer *one = mapped > 0 && buffer ? find(buffer) : nullptr;
    if (!one || !one->data || !(one->access & GL_MAP_PERSISTENT_BIT) || at < one->at || at - one->at >= one->bytes)
        return {};
    return {one->data + (at - one->at), one->bytes - (at - one->at)};
}

bool any_mapped_for_good() {
    const std::lock_guard lock(mutex);
    return mapped > 0;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define FILLED(name, parameters, arguments, which, target)                                                             \
    NOTED(name, parameters, arguments, filled(which, call, target, size, data))
FILLED(glBufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage), (target, size, data, usage),
       bound(target), target)
FILLED(glBufferDataARB, (GLenum target, GLsizeiptrARB size, const void *data, GLenum usage),
       (target, size, data, usage), bound(target), target)
FILLED(glBufferStorage, (GLenum target, GLsizeiptr size, const void *data, GLbitfield flags),
       (target, size, data, flags), bound(target), target)
FILLED(glNamedBufferData, (GLuint buffer, GLsizeiptr size, const void *data, GLenum usage), (buffer, size, data, usage),
       buffer, GL_ARRAY_BUFFER)
FILLED(glNamedBufferStorage, (GLuint buffer, GLsizeiptr size, const void *data, GLbitfield flags),
       (buffer, size, data, flags), buffer, GL_ARRAY_BUFFER)
NOTED(glBufferSubData, (GLenum target, GLintptr at, GLsizeiptr size, const void *data), (target, at, size, data),
      changed(call, target, [=] { return bound(target); }, at, size, data))
NOTED(glBufferSubDataARB, (GLenum target, GLintptrARB at, GLsizeiptrARB size, const void *data),
      (target, at, size, data), changed(call, target, [=] { return bound(target); }, at, size, data))
NOTED(glNamedBufferSubData, (GLuint buffer, GLintptr at, GLsizeiptr size, const void *data), (buffer, at, size, data),
      changed(call, GL_ARRAY_BUFFER, [=] { return buffer; }, at, size, data))

// What the GL writes to a buffer; what becomes of what fragments have written.
#define USES(name, parameters, arguments, ...)                                                                         \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        if (fragments_write()) {                                                                                       \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        buffers_used();                                                                                                \
        REAL(name) arguments;                                                                                          \
    }
USES(glCopyBufferSubData, (GLenum from, GLenum to, GLintptr from_at, GLintptr to_at, GLsizeiptr size),
     (from, to, from_at, to_at, size), settle_buffer(bound(from)), change_buffer(bound(to), to_at, size))
USES(glCopyNamedBufferSubData, (GLuint from, GLuint to, GLintptr from_at, GLintptr to_at, GLsizeiptr size),
     (from, to, from_at, to_at, size), settle_buffer(from), change_buffer(to, to_at, size))
USES(glClearBufferData, (GLenum target, GLenum internal, GLenum format, GLenum type, const void *data),
     (target, internal, format, type, data), drop_buffer(bound(target)))
USES(glClearNamedBufferData, (GLuint buffer, GLenum internal, GLenum format, GLenum type, const void *data),
     (buffer, internal, format, type, data), drop_buffer(buffer))
USES(glClearBufferSubData,
     (GLenum target, GLenum internal, GLintptr at, GLsizeiptr size, GLenum format, GLenum type, const void *data),
     (target, internal, at, size, format, type, data), change_buffer(bound(target), at, size))
USES(glClearNamedBufferSubData,
     (GLuint buffer, GLenum internal, GLintptr at, GLsizeiptr size, GLenum format, GLenum type, const void *data),
     (buffer, internal, at, size, format, type, data), change_buffer(buffer, at, size))
USES(glDispatchCompute, (GLuint x, GLuint y, GLuint z), (x, y, z))
USES(glDispatchComputeIndirect, (GLintptr at), (at))

// A function that maps a buffer or part of one; what is mapped.
#define MAPPED(name, parameters, arguments, which, at, bytes, access)                                                  \
    MPIGLUT_EXPORT void *name parameters {                                                                             \
        if (fragments_write())                                                                                         \
            map_buffer(which, access);                                                                                 \
        void *const data = REAL(name) arguments;                                                                       \
        if (noted())                                                                                                   \
            map(which, data, at, bytes, access);                                                                       \
        return data;                                                                                                   \
    }
MAPPED(glMapBuffer, (GLenum target, GLenum access), (target, access), bound(target), 0, size_of(target),
       access_of(access))
MAPPED(glMapBufferARB, (GLenum target, GLenum access), (target, access), bound(target), 0, size_of(target),
       access_of(access))
MAPPED(glMapBufferRange, (GLenum target, GLintptr at, GLsizeiptr bytes, GLbitfield access), (target, at, bytes, access),
       bound(target), at, bytes, access)
MAPPED(glMapNamedBuffer, (GLuint buffer, GLenum access), (buffer, access), buffer, 0, size_of_named(buffer),
       access_of(access))
MAPPED(glMapNamedBufferRange, (GLuint buffer, GLintptr at, GLsizeiptr bytes, GLbitfield access),
       (buffer, at, bytes, access), buffer, at, bytes, access)

#define UNMAPPED(name, parameters, arguments, which, target)                                                           \
    MPIGLUT_EXPORT GLboolean name parameters {                                                                         \
        static constexpr mpiglut::content::Call call(#name);                                                           \
        unmap(call, target, which);                                                                                    \
        return REAL(name) arguments;                                                                                   \
    }
UNMAPPED(glUnmapBuffer, (GLenum target), (target), bound(target), target)
UNMAPPED(glUnmapBufferARB, (GLenum target), (target), bound(target), target)
UNMAPPED(glUnmapNamedBuffer, (GLuint buffer), (buffer), buffer, GL_ARRAY_BUFFER)
NOTED(glFlushMappedBufferRange, (GLenum target, GLintptr at, GLsizeiptr bytes), (target, at, bytes),
      flush(call, target, noted() ? bound(target) : 0, at, bytes))
NOTED(glFlushMappedNamedBufferRange, (GLuint buffer, GLintptr at, GLsizeiptr bytes), (buffer, at, bytes),
      flush(call, GL_ARRAY_BUFFER, buffer, at, bytes))
NOTED(glDeleteBuffers, (GLsizei count, const GLuint *names), (count, names), forget(count, names))
NOTED(glDeleteBuffersARB, (GLsizei count, const GLuint *names), (count, names), forget(count, names))
