// A program that lists its active uniforms does not see the ones that translation added: the indices that it knows
// leave them out.
#include "base/export.h"
#include "base/real.h"
#include "gl/shader/programs.h"
#include "gl/value/agreed.h"

#include <GL/glext.h>

#include <algorithm>
#include <vector>

namespace mpiglut::gl {

namespace {

const std::vector<GLuint> &hidden(GLuint program) {
    static const std::vector<GLuint> nothing;
    Context *c = any_translated() ? current() : nullptr;
    return c ? program_of(*c, program).hidden : nothing;
}

GLuint to_real(GLuint program, GLuint index) {
    for (const GLuint one : hidden(program))
        index += index >= one ? 1 : 0;
    return index;
}

GLuint from_real(GLuint program, GLuint index) {
    if (index == GL_INVALID_INDEX)
        return index;
    const std::vector<GLuint> &ours = hidden(program);
    return index - static_cast<GLuint>(std::lower_bound(ours.begin(), ours.end(), index) - ours.begin());
}

template <class Int> void leave_out(GLuint program, Int *count) {
    if (count)
        *count -= std::min<Int>(*count, static_cast<Int>(hidden(program).size()));
}

/// The longest name of a uniform that the program sees, with its end.
GLint longest_name(GLuint program, GLint real) {
    GLint count = 0, longest = 0;
    REAL(glGetProgramiv)(program, GL_ACTIVE_UNIFORMS, &count);
    std::vector<GLchar> name(std::max(real, 1));
    for (GLuint i = 0; i + hidden(program).size() < static_cast<GLuint>(count); ++i) {
        GLsizei length = 0;
        GLint size = 0;
        GLenum type = 0;
        REAL(glGetActiveUniform)(program, to_real(program, i), real, &length, &size, &type, name.data());
        longest = std::max(longest, length + 1);
    }
    return longest;
}

void shorten(GLuint program, GLint *length) {
    if (length && !hidden(program).empty())
        *length = longest_name(program, *length);
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glGetProgramiv(GLuint program, GLenum name, GLint *value) {
    REAL(glGetProgramiv)(program, name, value);
    if (name == GL_ACTIVE_UNIFORMS)
        leave_out(program, value);
    else if (name == GL_ACTIVE_UNIFORM_MAX_LENGTH)
        shorten(program, value);
    else if (name == GL_PROGRAM_BINARY_LENGTH && value)
        *value = marked_length(*value);
    else
        agree_on_completion(name, value);
}

MPIGLUT_EXPORT void glGetObjectParameterivARB(GLhandleARB object, GLenum name, GLint *value) {
    if (name == GL_OBJECT_SHADER_SOURCE_LENGTH_ARB && any_translated())
        return glGetShaderiv(object, GL_SHADER_SOURCE_LENGTH, value);
    REAL(glGetObjectParameterivARB)(object, name, value);
    if (name == GL_OBJECT_ACTIVE_UNIFORMS_ARB)
        leave_out(object, value);
    else if (name == GL_OBJECT_ACTIVE_UNIFORM_MAX_LENGTH_ARB)
        shorten(object, value);
}

MPIGLUT_EXPORT void glGetActiveUniform(GLuint program, GLuint index, GLsizei room, GLsizei *length, GLint *size,
                                       GLenum *type, GLchar *name) {
    REAL(glGetActiveUniform)(program, to_real(program, index), room, length, size, type, name);
}

MPIGLUT_EXPORT void glGetActiveUniformARB(GLhandleARB program, GLuint index, GLsizei room, GLsizei *length, GLint *size,
                                          GLenum *type, GLcharARB *name) {
    REAL(glGetActiveUniformARB)(program, to_real(program, index), room, length, size, type, name);
}

MPIGLUT_EXPORT void glGetActiveUniformName(GLuint program, GLuint index, GLsizei room, GLsizei *length, GLchar *name) {
    REAL(glGetActiveUniformName)(program, to_real(program, index), room, length, name);
}

MPIGLUT_EXPORT void glGetActiveUniformsiv(GLuint program, GLsizei count, const GLuint *indices, GLenum name,
                                          GLint *values) {
    if (count <= 0 || !indices || hidden(program).empty())
        return REAL(glGetActiveUniformsiv)(program, count, indices, name, values);
    std::vector<GLuint> real(indices, indices + count);
    for (GLuint &index : real)
        index = to_real(program, index);
    REAL(glGetActiveUniformsiv)(program, count, real.data(), name, values);
}

MPIGLUT_EXPORT void glGetUniformIndices(GLuint program, GLsizei count, const GLchar *const *names, GLuint *indices) {
    REAL(glGetUniformIndices)(program, count, names, indices);
    if (!hidden(program).empty())
        for (GLsizei i = 0; i < count; ++i)
            indices[i] = from_real(program, indices[i]);
}

MPIGLUT_EXPORT void glGetActiveUniformBlockiv(GLuint program, GLuint block, GLenum name, GLint *values) {
    REAL(glGetActiveUniformBlockiv)(program, block, name, values);
    if (name != GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES || hidden(program).empty())
        return;
    GLint count = 0;
    REAL(glGetActiveUniformBlockiv)(program, block, GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; ++i)
        values[i] = static_cast<GLint>(from_real(program, static_cast<GLuint>(values[i])));
}

// The same by way of the program interface query.
MPIGLUT_EXPORT void glGetProgramInterfaceiv(GLuint program, GLenum kind, GLenum name, GLint *value) {
    REAL(glGetProgramInterfaceiv)(program, kind, name, value);
    if (kind == GL_UNIFORM && name == GL_ACTIVE_RESOURCES)
        leave_out(program, value);
    else if (kind == GL_UNIFORM && name == GL_MAX_NAME_LENGTH)
        shorten(program, value);
}

MPIGLUT_EXPORT GLuint glGetProgramResourceIndex(GLuint program, GLenum kind, const GLchar *name) {
    const GLuint index = REAL(glGetProgramResourceIndex)(program, kind, name);
    return kind == GL_UNIFORM ? from_real(program, index) : index;
}

MPIGLUT_EXPORT void glGetProgramResourceName(GLuint program, GLenum kind, GLuint index, GLsizei room, GLsizei *length,
                                             GLchar *name) {
    REAL(glGetProgramResourceName)
    (program, kind, kind == GL_UNIFORM ? to_real(program, index) : index, room, length, name);
}

MPIGLUT_EXPORT void glGetProgramResourceiv(GLuint program, GLenum kind, GLuint index, GLsizei count,
                                           const GLenum *names, GLsizei room, GLsizei *length, GLint *values) {
    REAL(glGetProgramResourceiv)
    (program, kind, kind == GL_UNIFORM ? to_real(program, index) : index, count, names, room, length, values);
}
