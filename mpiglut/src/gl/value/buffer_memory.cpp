#include "gl/value/buffer_memory.h"

#include "base/real.h"
#include "gl/pixel/pixel_store.h"

namespace mpiglut::gl {

bool buffer_writable(GLenum target, std::uintptr_t offset, std::size_t size) {
    GLint mapped = 0, access = 0;
    GLint64 has = 0;
    REAL(glGetBufferParameteriv)(target, GL_BUFFER_MAPPED, &mapped);
    if (mapped)
        REAL(glGetBufferParameteriv)(target, GL_BUFFER_ACCESS_FLAGS, &access);
    REAL(glGetBufferParameteri64v)(target, GL_BUFFER_SIZE, &has);
    const auto room = static_cast<std::uintptr_t>(has);
    return (!mapped || (access & GL_MAP_PERSISTENT_BIT)) && offset <= room && size <= room - offset;
}

void write_buffer(GLenum target, std::uintptr_t offset, std::span<const std::byte> bytes) {
    const GLint before = get(GL_COPY_READ_BUFFER_BINDING);
    GLuint staging = 0;
    REAL(glGenBuffers)(1, &staging);
    REAL(glBindBuffer)(GL_COPY_READ_BUFFER, staging);
    REAL(glBufferData)(GL_COPY_READ_BUFFER, bytes.size(), bytes.data(), GL_STREAM_COPY);
    REAL(glCopyBufferSubData)(GL_COPY_READ_BUFFER, target, 0, offset, bytes.size());
    REAL(glBindBuffer)(GL_COPY_READ_BUFFER, before);
    REAL(glDeleteBuffers)(1, &staging);
}

} // namespace mpiglut::gl
