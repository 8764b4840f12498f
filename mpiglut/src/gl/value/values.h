// What wrappers do with values that programs hand to GL: they are noted, see sync/content.h, and passed on as they are.
#pragma once

#include "base/export.h"
#include "base/real.h"
#include "sync/content.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstddef>
#include <cstdint>

namespace mpiglut::gl {

/// Something that a tick does in a window's context, which is what ranks are compared by.
bool noted();

template <class T, std::size_t n> void note(const content::Call &call, content::Type type, const T (&values)[n]) {
    if (noted())
        content::note(call, type, values, sizeof values);
}

template <class T> void note(const content::Call &call, content::Type type, const T *values, std::int64_t count) {
    if (count > 0 && noted())
        content::note(call, type, values, static_cast<std::size_t>(count) * sizeof(T));
}

void note_matrix(const content::Call &call, const GLfloat *values);
void note_matrix(const content::Call &call, const GLdouble *values);

/// An image where the bound pixel unpack buffer, or its absence, says that it is (images.cpp).
void note_image(const content::Call &call, GLsizei width, GLsizei height, GLsizei depth, GLenum format, GLenum type,
                const void *pixels);

/// The program has a texture with several levels, or a shader that asks for derivatives: it draws blocks of 2x2 pixels
/// (model/window/behind.h).
void note_derivatives();

/// Memory of a buffer that is mapped for good, at this place and as long as there is; null where it is not
/// (mapped.cpp).
struct Memory {
    const unsigned char *data = nullptr;
    std::size_t bytes = 0;
};
Memory mapped_for_good(GLuint buffer, std::size_t at);
bool any_mapped_for_good();
/// The program uses its buffers: none is new any more.
void buffers_used();

/// One draw call, or one of several that a call makes.
struct Draw {
    GLint first = 0;
    GLsizei count = 0;
    GLsizei instances = 1;
    GLuint base_instance = 0;
    GLenum index_type = GL_NONE; ///< none: no indices
    const void *indices = nullptr;
    GLint base_vertex = 0;
};

/// Notes its numbers, and some of the vertices that it draws: those in the program's memory, and those in buffers that
/// are mapped for good. A few draw calls in a tick are chosen for that, since each asks the GL for some state.
void note_draw(const content::Call &call, const Draw &draw);

/// What indirect draw calls read.
struct Indirect {
    GLenum index_type = GL_NONE;
    const void *commands = nullptr; ///< in memory, or a place in the bound buffer
    GLsizei count = 1, stride = 0;
};
void note_indirect(const content::Call &call, const Indirect &draws);

// A function, its parameters, how it is called, and what of it is noted.
#define NOTED(name, parameters, arguments, ...)                                                                        \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        static constexpr mpiglut::content::Call call(#name);                                                           \
        __VA_ARGS__;                                                                                                   \
        REAL(name) arguments;                                                                                          \
    }
#define VALUES(T, type, name, parameters, arguments, ...)                                                              \
    NOTED(name, parameters, arguments, const T values[] = {__VA_ARGS__};                                               \
          note(call, mpiglut::content::Type::type, values))

} // namespace mpiglut::gl
