/*
 * The part of IceT's interface that draws by OpenGL 3.2 and later, core profiles included: link with -licet_pixmpi_gl
 * as well. <IceTGL3.h> includes this header.
 *
 * The library makes a framebuffer object with a texture of colours and one of depths. The callback draws there. Where a
 * rank draws into one tile, the pixels stay in these textures until they are packed for other ranks. The textures have
 * the size of the largest tile, or that of icetPhysicalRenderSize.
 */
#ifndef ICET_PIXMPI_GL3_H
#define ICET_PIXMPI_GL3_H

#include "icet_pixmpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ICET_GL3_INITIALIZED 0x0101u
#define ICET_GL3_DRAW_FUNCTION 0x0120u

/** Once for each context of IceT's, before the other calls. */
ICET_EXPORT void icetGL3Initialize(void);
ICET_EXPORT IceTBoolean icetGL3IsInitialized(void);

/**
 * Draws this rank's part of the scene.
 *
 *   projection_matrix, modelview_matrix  Column by column, of this frame and this part of the display.
 *   readback_viewport                    x, y, width and height of the pixels that count.
 *   framebuffer_id                       The framebuffer object, which is bound. Its attachments are
 *                                        GL_COLOR_ATTACHMENT0 and GL_DEPTH_ATTACHMENT. The viewport is all of it, and
 *                                        the clear colour is the background. The callback clears it.
 */
typedef void (*IceTGL3DrawCallbackTextureType)(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix,
                                               const IceTInt *readback_viewport, IceTUInt framebuffer_id);
ICET_EXPORT void icetGL3DrawCallbackTexture(IceTGL3DrawCallbackTextureType callback);

/** A frame, with OpenGL's clear colour as its background. The OpenGL context is the same in all frames of a context of
 *  IceT's, and is current when that ends. Nothing is shown: the program does that with the image. */
ICET_EXPORT IceTImage icetGL3DrawFrame(const IceTDouble *projection_matrix, const IceTDouble *modelview_matrix);

#ifdef __cplusplus
}
#endif

#endif
