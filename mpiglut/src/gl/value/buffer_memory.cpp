#include "gl/value/buffer_memory.h"

#include "base/real.h"
#include "gl/pixel/pixel_store.h"

#include <GL/glext.h>

namespace mpiglut::gl {

namespace {

GLenum binding_of(GLenum target) {
    switch (target) {
    case GL_ARRAY_BUFFER:
        return GL_ARRAY_BUFFER_BINDING;
    case GL_ELEMENT_ARRAY_BUFFER:
        return GL_ELEMENT_ARRAY_BUFFER_BINDING;
    case GL_PIXEL_UNPACK_BUFFER:
        return GL_PIXEL_UNPACK_BUFFER_BINDING;
    case GL_UNIFORM_BUFFER:
        return GL_UNIFORM_BUFFER_BINDING;
    case GL_PIXEL_PACK_BUFFER:
        return GL_PIXEL_PACK_BUFFER_BINDING;
    case GL_TRANSFORM_FEEDBACK_BUFFER:
        return GL_TRANSFORM_FEEDBACK_BUFFER_BINDING;
    case GL_QUERY_BUFFER:
        return GL_QUERY_BUFFER_BINDING;
    case GL_DISPATCH_INDIRECT_BUFFER:
        return GL_DISPATCH_INDIRECT_BUFFER_BINDING;
    case GL_PARAMETER_BUFFER:
        return GL_PARAMETER_BUFFER_BINDING;
    case GL_ATOMIC_COUNTER_BUFFER:
        return GL_ATOMIC_COUNTER_BUFFER_BINDING;
    case GL_SHADER_STORAGE_BUFFER:
        return GL_SHADER_STORAGE_BUFFER_BINDING;
    case GL_TEXTURE_BUFFER:
        return GL_TEXTURE_BUFFER; // GL_TEXTURE_BUFFER_BINDING has the same number
    case GL_DRAW_INDIRECT_BUFFER:
        return GL_DRAW_INDIRECT_BUFFER_BINDING;
    case GL_COPY_READ_BUFFER:
        return GL_COPY_READ_BUFFER_BINDING;
    case GL_COPY_WRITE_BUFFER:
        return GL_COPY_WRITE_BUFFER_BINDING;
    default:
        return GL_NONE;
    }
}

} // namespace

GLuint bound_buffer(GLenum target) {
    const GLenum binding = binding_of(target);
    return binding ? static_cast<GLuint>(get(binding)) : 0;
}

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
