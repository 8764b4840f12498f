// The values that programs hand to GL: noted, and passed on as they are. Vertices between glBegin and glEnd are left
// out, because there a wrapper costs as much as the call.
#include "gl/values.h"

#include "base/export.h"
#include "base/real.h"
#include "clock/virtual.h"
#include "gl/mirror.h"
#include "gl/pixel_store.h"

#include <GL/glext.h>

#include <cstddef>
#include <cstdint>

namespace mpiglut::gl {
namespace {

using content::Call;
using content::Type;

/// Something that a tick does, which is what ranks are compared by.
bool noted() { return current() && clock::on_main_thread(); }

template <class T, std::size_t n> void note(const Call &call, Type type, const T (&values)[n]) {
    if (noted())
        content::note(call, type, values, sizeof values);
}

template <class T> void note(const Call &call, Type type, const T *values, std::int64_t count) {
    if (count > 0 && noted())
        content::note(call, type, values, static_cast<std::size_t>(count) * sizeof(T));
}

int light_values(GLenum name) {
    switch (name) {
    case GL_AMBIENT:
    case GL_DIFFUSE:
    case GL_SPECULAR:
    case GL_POSITION:
        return 4;
    case GL_SPOT_DIRECTION:
        return 3;
    default:
        return 1;
    }
}

int material_values(GLenum name) { return name == GL_SHININESS ? 1 : name == GL_COLOR_INDEXES ? 3 : 4; }

Type buffer_type(GLenum target) {
    return target == GL_ARRAY_BUFFER || target == GL_UNIFORM_BUFFER ? Type::floats : Type::bytes;
}

/// An image in the program's memory; of one with something between its rows, the first row.
void note_image(const Call &call, GLsizei width, GLsizei height, GLenum format, GLenum type, const void *pixels) {
    if (!pixels || width <= 0 || height <= 0 || !noted() || get(GL_PIXEL_UNPACK_BUFFER_BINDING) != 0 ||
        get(GL_UNPACK_SKIP_ROWS) != 0 || get(GL_UNPACK_SKIP_PIXELS) != 0)
        return;
    const std::size_t row = static_cast<std::size_t>(pixel_bits(format, type)) * width / 8;
    const bool dense =
        get(GL_UNPACK_ROW_LENGTH) == 0 && row % static_cast<std::size_t>(get(GL_UNPACK_ALIGNMENT, 4)) == 0;
    content::note(call, Type::bytes, pixels, dense ? row * static_cast<std::size_t>(height) : row);
}

// --- vertex arrays in the program's memory --------------------------------------------------------------------------

struct Array {
    const unsigned char *data = nullptr;
    std::size_t size = 0, stride = 0;
    Type type = Type::floats;
};

/// Of positions, if that is where they are.
Array vertex_array() {
    Array array;
    if (REAL(glIsEnabled)(GL_VERTEX_ARRAY) && get(GL_VERTEX_ARRAY_BUFFER_BINDING) == 0) {
        void *data = nullptr;
        REAL(glGetPointerv)(GL_VERTEX_ARRAY_POINTER, &data);
        const GLint kind = get(GL_VERTEX_ARRAY_TYPE);
        const std::size_t number = kind == GL_DOUBLE ? 8 : kind == GL_SHORT ? 2 : 4;
        array = {static_cast<unsigned char *>(data), number * static_cast<std::size_t>(get(GL_VERTEX_ARRAY_SIZE)),
                 static_cast<std::size_t>(get(GL_VERTEX_ARRAY_STRIDE)),
                 kind == GL_DOUBLE  ? Type::doubles
                 : kind == GL_FLOAT ? Type::floats
                 : kind == GL_INT   ? Type::ints
                                    : Type::bytes};
        array.stride = array.stride ? array.stride : array.size;
    }
    return array;
}

/// Some of the vertices that a call draws; `index(i)` says which the i-th is, from memory where there are `elements`.
template <class F> void note_vertices(const Call &call, GLsizei count, F &&index, bool elements = false) {
    const Context *c = current();
    if (!c || !c->limits.fixed_function || count <= 0 || !clock::on_main_thread() || !content::draw_counts() ||
        (elements && get(GL_ELEMENT_ARRAY_BUFFER_BINDING) != 0))
        return;
    const Array array = vertex_array();
    for (std::uint64_t i = 0; array.data && i < 4; ++i) {
        const auto which = static_cast<GLsizei>((content::turn() + i * static_cast<std::uint64_t>(count) / 4) %
                                                static_cast<std::uint64_t>(count));
        content::note(call, array.type, array.data + array.stride * index(which), array.size);
    }
}

std::size_t element(GLenum type, const void *indices, GLsizei i) {
    switch (type) {
    case GL_UNSIGNED_BYTE:
        return static_cast<const GLubyte *>(indices)[i];
    case GL_UNSIGNED_SHORT:
        return static_cast<const GLushort *>(indices)[i];
    default:
        return static_cast<const GLuint *>(indices)[i];
    }
}

} // namespace

void note_matrix(const Call &call, const GLfloat *values) { note(call, Type::floats, values, 16); }
void note_matrix(const Call &call, const GLdouble *values) { note(call, Type::doubles, values, 16); }

} // namespace mpiglut::gl

using namespace mpiglut::gl;
using mpiglut::content::Call;
using mpiglut::content::Type;

// A function, its parameters, how it is called, and what of it is noted.
#define NOTED(name, parameters, arguments, ...)                                                                        \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        static constexpr Call call(#name);                                                                             \
        __VA_ARGS__;                                                                                                   \
        REAL(name) arguments;                                                                                          \
    }
#define VALUES(T, type, name, parameters, arguments, ...)                                                              \
    NOTED(name, parameters, arguments, const T values[] = {__VA_ARGS__}; note(call, Type::type, values))

// Uniforms of one type, with a vendor's suffix.
#define UNIFORMS(T, type, letter, vendor)                                                                              \
    VALUES(T, type, glUniform1##letter##vendor, (GLint at, T x), (at, x), x)                                           \
    VALUES(T, type, glUniform2##letter##vendor, (GLint at, T x, T y), (at, x, y), x, y)                                \
    VALUES(T, type, glUniform3##letter##vendor, (GLint at, T x, T y, T z), (at, x, y, z), x, y, z)                     \
    VALUES(T, type, glUniform4##letter##vendor, (GLint at, T x, T y, T z, T w), (at, x, y, z, w), x, y, z, w)          \
    UNIFORM_ARRAY(T, type, glUniform1##letter##v##vendor, 1)                                                           \
    UNIFORM_ARRAY(T, type, glUniform2##letter##v##vendor, 2)                                                           \
    UNIFORM_ARRAY(T, type, glUniform3##letter##v##vendor, 3)                                                           \
    UNIFORM_ARRAY(T, type, glUniform4##letter##v##vendor, 4)
#define UNIFORM_ARRAY(T, type, name, n)                                                                                \
    NOTED(name, (GLint at, GLsizei count, const T *values), (at, count, values),                                       \
          note(call, Type::type, values, std::int64_t{n} * count))
#define UNIFORM_MATRIX(name, n)                                                                                        \
    NOTED(name, (GLint at, GLsizei count, GLboolean transpose, const GLfloat *values), (at, count, transpose, values), \
          note(call, Type::floats, values, std::int64_t{n} * count))
UNIFORMS(GLfloat, floats, f, )
UNIFORMS(GLint, ints, i, )
UNIFORMS(GLuint, ints, ui, )
UNIFORMS(GLfloat, floats, f, ARB)
UNIFORMS(GLint, ints, i, ARB)
UNIFORM_MATRIX(glUniformMatrix2fv, 4)
UNIFORM_MATRIX(glUniformMatrix3fv, 9)
UNIFORM_MATRIX(glUniformMatrix4fv, 16)
UNIFORM_MATRIX(glUniformMatrix2x3fv, 6)
UNIFORM_MATRIX(glUniformMatrix3x2fv, 6)
UNIFORM_MATRIX(glUniformMatrix2x4fv, 8)
UNIFORM_MATRIX(glUniformMatrix4x2fv, 8)
UNIFORM_MATRIX(glUniformMatrix3x4fv, 12)
UNIFORM_MATRIX(glUniformMatrix4x3fv, 12)
UNIFORM_MATRIX(glUniformMatrix2fvARB, 4)
UNIFORM_MATRIX(glUniformMatrix3fvARB, 9)
UNIFORM_MATRIX(glUniformMatrix4fvARB, 16)
#define PROGRAM_UNIFORM(T, type, letter)                                                                               \
    VALUES(T, type, glProgramUniform1##letter, (GLuint program, GLint at, T x), (program, at, x), x)                   \
    VALUES(T, type, glProgramUniform2##letter, (GLuint program, GLint at, T x, T y), (program, at, x, y), x, y)        \
    VALUES(T, type, glProgramUniform3##letter, (GLuint program, GLint at, T x, T y, T z), (program, at, x, y, z), x,   \
           y, z)                                                                                                       \
    VALUES(T, type, glProgramUniform4##letter, (GLuint program, GLint at, T x, T y, T z, T w),                         \
           (program, at, x, y, z, w), x, y, z, w)
PROGRAM_UNIFORM(GLfloat, floats, f)
PROGRAM_UNIFORM(GLint, ints, i)
NOTED(glProgramUniform4fv, (GLuint program, GLint at, GLsizei count, const GLfloat *values),
      (program, at, count, values), note(call, Type::floats, values, std::int64_t{4} * count))
NOTED(glProgramUniformMatrix4fv, (GLuint program, GLint at, GLsizei count, GLboolean transpose, const GLfloat *values),
      (program, at, count, transpose, values), note(call, Type::floats, values, std::int64_t{16} * count))

#define MATRICES(T, type, letter)                                                                                      \
    NOTED(glMultMatrix##letter, (const T *m), (m), note(call, Type::type, m, 16))                                      \
    VALUES(T, type, glRotate##letter, (T angle, T x, T y, T z), (angle, x, y, z), angle, x, y, z)                      \
    VALUES(T, type, glTranslate##letter, (T x, T y, T z), (x, y, z), x, y, z)                                          \
    VALUES(T, type, glScale##letter, (T x, T y, T z), (x, y, z), x, y, z)
MATRICES(GLfloat, floats, f)
MATRICES(GLdouble, doubles, d)
#define VOLUME(name)                                                                                                   \
    VALUES(GLdouble, doubles, name, (GLdouble l, GLdouble r, GLdouble b, GLdouble t, GLdouble n, GLdouble f),          \
           (l, r, b, t, n, f), l, r, b, t, n, f)
VOLUME(glOrtho)
VOLUME(glFrustum)

VALUES(GLfloat, floats, glClearColor, (GLfloat r, GLfloat g, GLfloat b, GLfloat a), (r, g, b, a), r, g, b, a)
NOTED(glLightfv, (GLenum light, GLenum name, const GLfloat *values), (light, name, values),
      note(call, Type::floats, values, light_values(name)))
NOTED(glMaterialfv, (GLenum face, GLenum name, const GLfloat *values), (face, name, values),
      note(call, Type::floats, values, material_values(name)))

#define NOTE_BYTES(target, data, size) note(call, buffer_type(target), static_cast<const char *>(data), size)
NOTED(glBufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage), (target, size, data, usage),
      NOTE_BYTES(target, data, size))
NOTED(glBufferDataARB, (GLenum target, GLsizeiptrARB size, const void *data, GLenum usage), (target, size, data, usage),
      NOTE_BYTES(target, data, size))
NOTED(glBufferSubData, (GLenum target, GLintptr at, GLsizeiptr size, const void *data), (target, at, size, data),
      NOTE_BYTES(target, data, size))
NOTED(glBufferSubDataARB, (GLenum target, GLintptrARB at, GLsizeiptrARB size, const void *data),
      (target, at, size, data), NOTE_BYTES(target, data, size))
NOTED(glBufferStorage, (GLenum target, GLsizeiptr size, const void *data, GLbitfield flags),
      (target, size, data, flags), NOTE_BYTES(target, data, size))
NOTED(glNamedBufferData, (GLuint buffer, GLsizeiptr size, const void *data, GLenum usage), (buffer, size, data, usage),
      NOTE_BYTES(GL_ARRAY_BUFFER, data, size))
NOTED(glNamedBufferSubData, (GLuint buffer, GLintptr at, GLsizeiptr size, const void *data), (buffer, at, size, data),
      NOTE_BYTES(GL_ARRAY_BUFFER, data, size))
NOTED(glNamedBufferStorage, (GLuint buffer, GLsizeiptr size, const void *data, GLbitfield flags),
      (buffer, size, data, flags), NOTE_BYTES(GL_ARRAY_BUFFER, data, size))
NOTED(glTexImage2D,
      (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border, GLenum format,
       GLenum type, const void *pixels),
      (target, level, internal, width, height, border, format, type, pixels),
      note_image(call, width, height, format, type, pixels))
NOTED(glTexSubImage2D,
      (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
       const void *pixels),
      (target, level, x, y, width, height, format, type, pixels), note_image(call, width, height, format, type, pixels))

NOTED(glDrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count),
      note_vertices(call, count, [first](GLsizei i) { return static_cast<std::size_t>(first + i); }))
NOTED(glDrawElements, (GLenum mode, GLsizei count, GLenum type, const void *indices), (mode, count, type, indices),
      note_vertices(
          call, count, [=](GLsizei i) { return element(type, indices, i); }, true))
