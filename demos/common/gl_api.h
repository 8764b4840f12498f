// The functions of OpenGL. libOpenGL exports them all, whatever makes the context, so that no loader is needed; which
// of them may be called is a matter of the context's version.
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
