/*
 * The part of IceT's interface that draws by OpenGL (icet_pixmpi.h has the rest): also link with -licet_pixmpi_gl.
 * <IceTGL.h> includes this header and OpenGL's.
 *
 * The callback draws into the framebuffer that is bound: the window, or a framebuffer object with colours in its
 * attachment 0. The context is of the compatibility profile, since the matrices are OpenGL's.
 */
#ifndef ICET_PIXMPI_GL_H
#define ICET_PIXMPI_GL_H

#include "icet_pixmpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Once for each context of IceT's, before the other calls. */
ICET_EXPORT void icetGLInitialize(void);
ICET_EXPORT IceTBoolean icetGLIsInitialized(void);

/** GL_BACK, unless told otherwise. Counts for the window. */
ICET_EXPORT void icetGLSetReadBuffer(unsigned int mode);

typedef void (*IceTGLDrawCallbackType)(void);
ICET_EXPORT void icetGLDrawCallback(IceTGLDrawCallbackType callback);

/** A frame by OpenGL's matrices, viewport and clear colour. The viewport is as large as the largest tile at least.
 *  Where a rank draws into one tile, and its framebuffer is as large as that, pixels stay on the device until they are
 *  packed; else they are copied to host memory. */
ICET_EXPORT IceTImage icetGLDrawFrame(void);

#ifdef __cplusplus
}
#endif

#endif
