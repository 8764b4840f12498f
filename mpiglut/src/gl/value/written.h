// Buffers that fragments of the window write: shader storage and atomic counters. A tile has what its own fragments have
// written. Where the program reads such a buffer, or changes a part of it, every rank gets what all tiles have written,
// by the way in which the shader's text changes words (glsl.h, Change). What goes into a framebuffer object is the same
// on every rank, and is not put together.
//
// All ranks have to come here together, as for the result of a query. With one rank all of this stands aside.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <atomic>

namespace mpiglut::gl {

struct SideEffects;

/// Set when a program was linked whose fragments write to buffers: the current program is about to draw. Until then
/// nothing here costs anything.
inline std::atomic<void (*)()> note_writes{nullptr};
inline bool fragments_write() { return note_writes.load(std::memory_order_relaxed) != nullptr; }
inline void before_draw() {
    if (const auto note = note_writes.load(std::memory_order_relaxed))
        note();
}

/// A fragment shader with such a text has come in: programs are looked at when they are linked.
void note_written_buffers();
/// A program was linked, or loaded as a binary.
void note_linked(GLuint program);
/// A program was made of one fragment shader's text.
void note_made_of(GLuint program, const SideEffects &effects);

/// The program is about to read this buffer.
void settle_buffer(GLuint buffer);
/// It is about to change these bytes.
void change_buffer(GLuint buffer, GLintptr at, GLsizeiptr bytes);
/// It is about to give the buffer other contents as a whole.
void drop_buffer(GLuint buffer);
inline void map_buffer(GLuint buffer, GLbitfield access) {
    access & GL_MAP_INVALIDATE_BUFFER_BIT ? drop_buffer(buffer) : settle_buffer(buffer);
}

} // namespace mpiglut::gl
