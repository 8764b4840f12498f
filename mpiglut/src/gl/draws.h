// Draw calls: what they draw from is noted, and whether one covers the window.
#pragma once

#include "sync/content.h"

#include <GL/gl.h>

namespace mpiglut::gl {

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

/// What glDrawArraysIndirect and its kin read.
struct Indirect {
    GLenum index_type = GL_NONE;
    const void *commands = nullptr; ///< in memory, or a place in the bound buffer
    GLsizei count = 1, stride = 0;
};
void note_indirect(const content::Call &call, const Indirect &draws);

} // namespace mpiglut::gl
