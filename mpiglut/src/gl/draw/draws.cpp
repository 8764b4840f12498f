// The draw calls themselves: what they draw is noted (values.h), and whether one covers the window (habits.h).
#include "gl/draw/habits.h"
#include "gl/value/values.h"

namespace mpiglut::gl {

namespace {

/// One of several draws.
template <class F> void note_one_of(const content::Call &call, GLsizei draws, F &&draw) {
    if (draws > 0 && noted())
        note_draw(call, draw(static_cast<GLsizei>(content::turn() % static_cast<std::uint64_t>(draws))));
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

// A draw call of so many vertices: the function, its parameters and arguments, what is noted.
#define DRAW(name, vertices, parameters, arguments, ...)                                                               \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        static constexpr mpiglut::content::Call call(#name);                                                           \
        __VA_ARGS__;                                                                                                   \
        const Covering covering(vertices);                                                                             \
        REAL(name) arguments;                                                                                          \
    }
#define DRAW_ARRAYS(name, parameters, arguments, instances, base)                                                      \
    DRAW(name, n, parameters, arguments, note_draw(call, {first, n, instances, base}))
#define DRAW_ELEMENTS(name, parameters, arguments, instances, base, vertex)                                            \
    DRAW(name, n, parameters, arguments, note_draw(call, {0, n, instances, base, type, indices, vertex}))

DRAW_ARRAYS(glDrawArrays, (GLenum mode, GLint first, GLsizei n), (mode, first, n), 1, 0)
DRAW_ARRAYS(glDrawArraysEXT, (GLenum mode, GLint first, GLsizei n), (mode, first, n), 1, 0)
DRAW_ARRAYS(glDrawArraysInstancedBaseInstance, (GLenum mode, GLint first, GLsizei n, GLsizei times, GLuint base),
            (mode, first, n, times, base), times, base)
DRAW_ELEMENTS(glDrawElements, (GLenum mode, GLsizei n, GLenum type, const void *indices), (mode, n, type, indices), 1,
              0, 0)
DRAW_ELEMENTS(glDrawElementsBaseVertex, (GLenum mode, GLsizei n, GLenum type, const void *indices, GLint vertex),
              (mode, n, type, indices, vertex), 1, 0, vertex)
DRAW_ELEMENTS(glDrawRangeElements, (GLenum mode, GLuint from, GLuint to, GLsizei n, GLenum type, const void *indices),
              (mode, from, to, n, type, indices), 1, 0, 0)
DRAW_ELEMENTS(glDrawRangeElementsEXT,
              (GLenum mode, GLuint from, GLuint to, GLsizei n, GLenum type, const void *indices),
              (mode, from, to, n, type, indices), 1, 0, 0)
DRAW_ELEMENTS(glDrawRangeElementsBaseVertex,
              (GLenum mode, GLuint from, GLuint to, GLsizei n, GLenum type, const void *indices, GLint vertex),
              (mode, from, to, n, type, indices, vertex), 1, 0, vertex)
DRAW_ELEMENTS(glDrawElementsInstancedBaseVertex,
              (GLenum mode, GLsizei n, GLenum type, const void *indices, GLsizei times, GLint vertex),
              (mode, n, type, indices, times, vertex), times, 0, vertex)
DRAW_ELEMENTS(glDrawElementsInstancedBaseInstance,
              (GLenum mode, GLsizei n, GLenum type, const void *indices, GLsizei times, GLuint base),
              (mode, n, type, indices, times, base), times, base, 0)
DRAW_ELEMENTS(glDrawElementsInstancedBaseVertexBaseInstance,
              (GLenum mode, GLsizei n, GLenum type, const void *indices, GLsizei times, GLint vertex, GLuint base),
              (mode, n, type, indices, times, vertex, base), times, base, vertex)
#define DRAW_INSTANCED(vendor)                                                                                         \
    DRAW_ARRAYS(glDrawArraysInstanced##vendor, (GLenum mode, GLint first, GLsizei n, GLsizei times),                   \
                (mode, first, n, times), times, 0)                                                                     \
    DRAW_ELEMENTS(glDrawElementsInstanced##vendor,                                                                     \
                  (GLenum mode, GLsizei n, GLenum type, const void *indices, GLsizei times),                           \
                  (mode, n, type, indices, times), times, 0, 0)
DRAW_INSTANCED()
DRAW_INSTANCED(ARB)
DRAW_INSTANCED(EXT)

#define DRAW_MANY(vendor)                                                                                              \
    DRAW(glMultiDrawArrays##vendor, covering_vertices + 1,                                                             \
         (GLenum mode, const GLint *firsts, const GLsizei *counts, GLsizei draws), (mode, firsts, counts, draws),      \
         note(call, mpiglut::content::Type::ints, counts, draws);                                                      \
         note_one_of(call, draws, [=](GLsizei i) {                                                                     \
             return Draw{firsts[i], counts[i]};                                                                        \
         }))                                                                                                           \
    DRAW(glMultiDrawElements##vendor, covering_vertices + 1,                                                           \
         (GLenum mode, const GLsizei *counts, GLenum type, const void *const *indices, GLsizei draws),                 \
         (mode, counts, type, indices, draws), note(call, mpiglut::content::Type::ints, counts, draws);                \
         note_one_of(call, draws, [=](GLsizei i) { return Draw{0, counts[i], 1, 0, type, indices[i]}; }))
DRAW_MANY()
DRAW_MANY(EXT)
DRAW(glMultiDrawElementsBaseVertex, covering_vertices + 1,
     (GLenum mode, const GLsizei *counts, GLenum type, const void *const *indices, GLsizei draws,
      const GLint *vertices),
     (mode, counts, type, indices, draws, vertices), note(call, mpiglut::content::Type::ints, counts, draws);
     note_one_of(call, draws, [=](GLsizei i) { return Draw{0, counts[i], 1, 0, type, indices[i], vertices[i]}; }))

DRAW(glDrawArraysIndirect, covering_vertices, (GLenum mode, const void *commands), (mode, commands),
     note_indirect(call, {GL_NONE, commands}))
DRAW(glDrawElementsIndirect, covering_vertices, (GLenum mode, GLenum type, const void *commands),
     (mode, type, commands), note_indirect(call, {type, commands}))
DRAW(glMultiDrawArraysIndirect, covering_vertices + 1,
     (GLenum mode, const void *commands, GLsizei draws, GLsizei stride), (mode, commands, draws, stride),
     note_indirect(call, {GL_NONE, commands, draws, stride}))
DRAW(glMultiDrawElementsIndirect, covering_vertices + 1,
     (GLenum mode, GLenum type, const void *commands, GLsizei draws, GLsizei stride),
     (mode, type, commands, draws, stride), note_indirect(call, {type, commands, draws, stride}))

// Draws without arrays of the program may also cover the window.
#define COVERS(name, parameters, arguments)                                                                            \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        const Covering covering(4);                                                                                    \
        REAL(name) arguments;                                                                                          \
    }
#define RECTANGLE(letter, T)                                                                                           \
    COVERS(glRect##letter, (T x0, T y0, T x1, T y1), (x0, y0, x1, y1))                                                 \
    COVERS(glRect##letter##v, (const T *corner, const T *other), (corner, other))
RECTANGLE(d, GLdouble)
RECTANGLE(f, GLfloat)
RECTANGLE(i, GLint)
RECTANGLE(s, GLshort)

COVERS(glDrawTransformFeedback, (GLenum mode, GLuint id), (mode, id))
COVERS(glDrawTransformFeedbackStream, (GLenum mode, GLuint id, GLuint stream), (mode, id, stream))
COVERS(glDrawTransformFeedbackInstanced, (GLenum mode, GLuint id, GLsizei times), (mode, id, times))
COVERS(glDrawTransformFeedbackStreamInstanced, (GLenum mode, GLuint id, GLuint stream, GLsizei times),
       (mode, id, stream, times))
COVERS(glEvalMesh1, (GLenum mode, GLint from, GLint to), (mode, from, to))
COVERS(glEvalMesh2, (GLenum mode, GLint i0, GLint i1, GLint j0, GLint j1), (mode, i0, i1, j0, j1))

MPIGLUT_EXPORT void glBegin(GLenum mode) {
    before_draw();
    if (watched)
        begin_covering(mode >= GL_TRIANGLES ? covering_vertices : covering_vertices + 1);
    REAL(glBegin)(mode);
}

MPIGLUT_EXPORT void glEnd() {
    REAL(glEnd)();
    if (watched)
        end_covering();
}
