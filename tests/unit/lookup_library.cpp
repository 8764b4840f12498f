// Stands in for libmpiglut: the look-up functions and one wrapper.
#include "base/export.h"
#include "base/real.h"

#include <GL/gl.h>

MPIGLUT_EXPORT void glViewport(GLint x, GLint y, GLsizei width, GLsizei height) {
    REAL(glViewport)(x, y, width, height);
}

/// What real_symbol finds, for the program to look at.
MPIGLUT_EXPORT void *lookup_test_real(const char *name) { return mpiglut::real_symbol(name); }
