// Writing to the memory of a buffer object whatever kind it is of.
#pragma once

#include <GL/gl.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace mpiglut::gl {

/// What is bound there; 0 also for what is no target of buffers.
GLuint bound_buffer(GLenum target);

/// GL lets commands write there: the buffer is large enough, and not mapped other than for good.
bool buffer_writable(GLenum target, std::uintptr_t offset, std::size_t size);

/// Copied there by the GL: that is allowed for buffers of every kind, mapped for good ones included.
void write_buffer(GLenum target, std::uintptr_t offset, std::span<const std::byte> bytes);

} // namespace mpiglut::gl
