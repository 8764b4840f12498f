// The values that programs hand to GL: noted, and passed on as they are. Vertices between glBegin and glEnd are left
// out, because there a wrapper costs as much as the call.
#include "gl/value/values.h"

#include "clock/role.h"
#include "clock/virtual.h"
#include "gl/coordinates/mirror.h"

namespace mpiglut::gl {
namespace {

using content::Call;
using content::Type;

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

} // namespace

bool noted() { return current() && clock::on_main_thread() && !ticks_move; }

void note_matrix(const Call &call, const GLfloat *values) { note(call, Type::floats, values, 16); }
void note_matrix(const Call &call, const GLdouble *values) { note(call, Type::doubles, values, 16); }

} // namespace mpiglut::gl

using namespace mpiglut::gl;
using mpiglut::content::Type;

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
#define PROGRAM_ARRAY(T, type, name, n)                                                                                \
    NOTED(name, (GLuint program, GLint at, GLsizei count, const T *values), (program, at, count, values),              \
          note(call, Type::type, values, std::int64_t{n} * count))
#define PROGRAM_ARRAYS(T, type, letter)                                                                                \
    PROGRAM_UNIFORM(T, type, letter)                                                                                   \
    PROGRAM_ARRAY(T, type, glProgramUniform1##letter##v, 1)                                                            \
    PROGRAM_ARRAY(T, type, glProgramUniform2##letter##v, 2)                                                            \
    PROGRAM_ARRAY(T, type, glProgramUniform3##letter##v, 3)                                                            \
    PROGRAM_ARRAY(T, type, glProgramUniform4##letter##v, 4)
#define PROGRAM_MATRIX(name, n)                                                                                        \
    NOTED(name, (GLuint program, GLint at, GLsizei count, GLboolean transpose, const GLfloat *values),                 \
          (program, at, count, transpose, values), note(call, Type::floats, values, std::int64_t{n} * count))
PROGRAM_ARRAYS(GLfloat, floats, f)
PROGRAM_ARRAYS(GLint, ints, i)
PROGRAM_ARRAYS(GLuint, ints, ui)
PROGRAM_MATRIX(glProgramUniformMatrix2fv, 4)
PROGRAM_MATRIX(glProgramUniformMatrix3fv, 9)
PROGRAM_MATRIX(glProgramUniformMatrix4fv, 16)

// What a vertex attribute has without an array. Index 0 may be a vertex between glBegin and glEnd.
#define ATTRIBUTE(T, type, name, n)                                                                                    \
    NOTED(name, (GLuint index, const T *values), (index, values), if (index > 0) note(call, Type::type, values, n))
#define ATTRIBUTES(T, type, letter, vendor)                                                                            \
    NOTED(glVertexAttrib1##letter##vendor, (GLuint index, T x), (index, x),                                            \
          if (index > 0) note(call, Type::type, &x, 1))                                                                \
    NOTED(glVertexAttrib2##letter##vendor, (GLuint index, T x, T y), (index, x, y), const T values[] = {x, y};         \
          if (index > 0) note(call, Type::type, values))                                                               \
    NOTED(glVertexAttrib3##letter##vendor, (GLuint index, T x, T y, T z), (index, x, y, z),                            \
          const T values[] = {x, y, z};                                                                                \
          if (index > 0) note(call, Type::type, values))                                                               \
    NOTED(glVertexAttrib4##letter##vendor, (GLuint index, T x, T y, T z, T w), (index, x, y, z, w),                    \
          const T values[] = {x, y, z, w};                                                                             \
          if (index > 0) note(call, Type::type, values))                                                               \
    ATTRIBUTE(T, type, glVertexAttrib1##letter##v##vendor, 1)                                                          \
    ATTRIBUTE(T, type, glVertexAttrib2##letter##v##vendor, 2)                                                          \
    ATTRIBUTE(T, type, glVertexAttrib3##letter##v##vendor, 3)                                                          \
    ATTRIBUTE(T, type, glVertexAttrib4##letter##v##vendor, 4)
ATTRIBUTES(GLfloat, floats, f, )
ATTRIBUTES(GLdouble, doubles, d, )
ATTRIBUTES(GLfloat, floats, f, ARB)
ATTRIBUTES(GLdouble, doubles, d, ARB)
ATTRIBUTE(GLubyte, bytes, glVertexAttrib4ubv, 4)
ATTRIBUTE(GLubyte, bytes, glVertexAttrib4Nubv, 4)
ATTRIBUTE(GLint, ints, glVertexAttribI4iv, 4)
ATTRIBUTE(GLuint, ints, glVertexAttribI4uiv, 4)

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
