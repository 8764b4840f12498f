// What wrappers of other files do with values that programs hand to GL; see sync/content.h.
#pragma once

#include "sync/content.h"

#include <GL/gl.h>

namespace mpiglut::gl {

void note_matrix(const content::Call &call, const GLfloat *values);
void note_matrix(const content::Call &call, const GLdouble *values);

} // namespace mpiglut::gl
