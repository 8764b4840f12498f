// The uniforms that translated shaders have, and their values.
#pragma once

#include "gl/coordinates/mirror.h"

#include <GL/gl.h>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mpiglut::gl {

/// A linked program, as far as translation put something into it.
struct Program {
    GLint lower = -1, upper = -1;                ///< locations of the fragment origins
    std::array<GLint, 3> crop{-1, -1, -1};       ///< by Stage
    std::vector<GLuint> hidden;                  ///< indices of all these among the active uniforms, ascending
    bool translated() const { return !hidden.empty(); }
};

/// What a context knows of its programs. Programs are shared among contexts in ways that need not be followed: what is
/// known is asked of the GL, and forgotten whenever any program is linked.
struct Programs {
    std::uint64_t links = 0; ///< when all this was found out
    std::unordered_map<GLuint, Program> known;
};

/// Some shader or assembly program of this process was translated; until then nothing here costs anything.
bool any_translated();
void note_translated();

/// A program was linked, or loaded as a binary.
void linked(Context &c, GLuint program);
/// How long a binary is that the program gets, of one that the driver makes of so many bytes.
GLint marked_length(GLint length);
/// What is known of it; the program is linked.
const Program &program_of(Context &c, GLuint program);
/// Gives the current program, or the current pipeline's, the values that hold now.
void place_programs(Context &c);
/// The same when this program is known to be the current one.
void place_program(Context &c, GLuint program);

/// The current program, or the one that the current pipeline has for fragments; 0: none.
GLuint fragment_program(const Context &c);

/// A shader's text, as the driver has it.
std::string source_of(GLuint shader);

/// The parameters of ARB fragment programs (program.env is the context's, not a program's).
int assembly_parameters();
void place_assembly(Context &c);
void note_assembly();

} // namespace mpiglut::gl
