// Binaries of programs, which a program keeps in its own file. One that was made without a wall counts
// gl_FragCoord from the corner of the tile, and nothing in it can be changed. So each binary that the program gets on a
// wall has a mark at its end, and one without is refused, as drivers refuse those of other drivers: the program then
// compiles its shaders.
#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/coordinates/projection.h"
#include "gl/shader/programs.h"
#include "gl/value/written.h"
#include "run/report.h"

#include <GL/glext.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace mpiglut::gl {

namespace {

/// At the end of a binary. The number counts this library's versions of the translation of shaders.
struct Mark {
    char name[10] = "mpiglut 1";
    char cropped = 0; ///< positions can be moved, too
    char reserved[5] = {};
};
static_assert(sizeof(Mark) == 16);

/// Whether shaders that are compiled now are like those of the binary.
bool fits(const Context &c, const void *binary, GLsizei length) {
    Mark mark;
    if (!binary || length < static_cast<GLsizei>(sizeof mark))
        return false;
    std::memcpy(&mark, static_cast<const char *>(binary) + length - sizeof mark, sizeof mark);
    return std::memcmp(mark.name, Mark{}.name, sizeof mark.name) == 0 && (mark.cropped || !crop_possible(c));
}

} // namespace

GLint marked_length(GLint length) {
    return length > 0 && current() ? length + static_cast<GLint>(sizeof(Mark)) : length;
}

} // namespace mpiglut::gl

using namespace mpiglut;
using namespace mpiglut::gl;

MPIGLUT_EXPORT void glGetProgramBinary(GLuint program, GLsizei room, GLsizei *length, GLenum *format, void *binary) {
    const Context *c = current();
    if (!c || room < 0)
        return REAL(glGetProgramBinary)(program, room, length, format, binary);
    const Mark mark{.cropped = crop_possible(*c)};
    GLsizei got = 0;
    REAL(glGetProgramBinary)
    (program, std::max<GLsizei>(room - static_cast<GLsizei>(sizeof mark), 0), &got, format, binary);
    if (got > 0) {
        std::memcpy(static_cast<char *>(binary) + got, &mark, sizeof mark);
        got += static_cast<GLsizei>(sizeof mark);
    }
    if (length)
        *length = got;
}

MPIGLUT_EXPORT void glProgramBinary(GLuint program, GLenum format, const void *binary, GLsizei length) {
    Context *c = current();
    if (!c || length < 0)
        return REAL(glProgramBinary)(program, format, binary, length);
    if (fits(*c, binary, length)) {
        REAL(glProgramBinary)(program, format, binary, length - static_cast<GLsizei>(sizeof(Mark)));
    } else {
        report_once(Report::note, "a program's binary that was made without a wall is refused: the program has to "
                                  "compile its shaders");
        const std::vector<char> nothing(static_cast<std::size_t>(length));
        REAL(glProgramBinary)(program, format, nothing.data(), length);
    }
    note_linked(program);
    linked(*c, program);
}
