/*
 * glmpi: MPI messages between OpenGL textures, framebuffers and buffers.
 *
 *     MPI_Init(&argc, &argv);
 *     pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);              // once, by all ranks
 *     ... make a context current, GLX or EGL, OpenGL 3.3 or later ...
 *     if (rank == 0) glMPI_Send(glMPI_Texture2D(texture), PIXMPI_WHOLE, 1, tag, MPI_COMM_WORLD);
 *     else           glMPI_Recv(glMPI_Texture2D(texture), PIXMPI_WHOLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
 *
 * Formats, regions, requests, waiting, options and errors are those of <pixmpi.h>, shared with other APIs; both ends of
 * a message may be of different APIs. Here are the surfaces of OpenGL.
 *
 * Context rules. A context has to be current on the calling thread: OpenGL 3.3 or later, core or compatibility, from
 * GLX or EGL, with or without a window. The library makes what it keeps for a context on first use. A request belongs
 * to the context that was current when the request was made: completion calls work on the request in the thread where
 * that context is current. Calls leave the GL state as they found it, and do not remove errors from glGetError that
 * were there before. A call that succeeds sends no error message to the program's debug callback (KHR_debug).
 *
 * Order. A send reads what GL commands before the call have drawn; after a receive has completed, GL commands see the
 * new pixels. That needs no glFinish and no barrier, with one exception: if your shaders wrote the pixels by image or
 * buffer stores, call glMemoryBarrier, as for any other use of those pixels.
 *
 * How pixels move: drivers that draw with the CPU read and write stage memory by pointer. With other drivers pixels go
 * through pixel buffers, and a few pixels by pointer. PIXMPI_GL_PATH in the environment chooses for both, when the
 * library meets a context: direct (all by pointer), card (as with drivers that do not draw with the CPU) or pbo (all
 * through pixel buffers).
 *
 * Bits arrive unchanged, in the surface's own format (pixMPI_Surface_get_format), unless glMPI_As names another one.
 */
#ifndef GLMPI_H
#define GLMPI_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The types of OpenGL, so that any loader's header may come before or after this one. */
typedef unsigned int glMPI_uint;
typedef unsigned int glMPI_enum;

/*
 * The surfaces. Each function returns a plain value that all verbs accept: pixMPI_Send, pixMPI_Bcast and so on. It asks
 * OpenGL nothing: the call that takes the surface does. The GL object has to live, and keep its size and format, until
 * the message has completed.
 */

/** Any level and layer of any texture: 1D (one row), 2D, rectangle, 1D array, 2D array, 3D, cube, cube array.
 *
 *  target: the texture's, or 0 when the library may ask (OpenGL 4.5). level: mipmap level. layer: layer of an array,
 *  slice of a 3D texture, face of a cube (0: +X), 6*layer+face of a cube array. */
PIXMPI_API pixMPI_Surface glMPI_Texture(glMPI_enum target, glMPI_uint texture, int level, int layer);

/** Level 0 of a GL_TEXTURE_2D. */
PIXMPI_API pixMPI_Surface glMPI_Texture2D(glMPI_uint texture);

PIXMPI_API pixMPI_Surface glMPI_Renderbuffer(glMPI_uint renderbuffer);

/** One attachment of a framebuffer object, or one buffer of the default framebuffer (0). An attachment that has several
 *  layers or views of a texture is PIXMPI_ERR_SURFACE: glMPI_Texture names one of them. Receiving into framebuffer 0
 *  draws there, with all of the program's state out of the way (no scissor, no blending). Drivers may then round depths
 *  by the last bit. While conditional rendering is on, nothing can be received there: PIXMPI_ERR_CONTEXT.
 *
 *  attachment: GL_COLOR_ATTACHMENT0.., GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT, GL_DEPTH_STENCIL_ATTACHMENT; for
 *  framebuffer 0 GL_BACK, GL_FRONT, GL_BACK_LEFT, ..., GL_DEPTH, GL_STENCIL. */
PIXMPI_API pixMPI_Surface glMPI_Framebuffer(glMPI_uint framebuffer, glMPI_enum attachment);

/** Pixels in a buffer object, rows without gaps; offset and row_bytes of the result may be changed. */
PIXMPI_API pixMPI_Surface glMPI_Buffer(glMPI_uint buffer, pixMPI_Format format, int width, int height);

/** The same surface; OpenGL converts its pixels as they leave or enter: float to 8 bits, say.
 *  PIXMPI_FORMAT_NONE: bits unchanged. */
PIXMPI_API pixMPI_Surface glMPI_As(pixMPI_Surface surface, pixMPI_Format format);

/** The same surface, of the context that is current in this thread now: pixMPI_Copy and the calls of <pixmpi_file.h>
 *  accept it in any thread. The surface's size and format are asked for now; a call that finds others later is
 *  PIXMPI_ERR_SURFACE. Other verbs accept it where the context is current. `surface` and `*result` may be one.
 *  PIXMPI_ERR_SURFACE, _FORMAT, _CONTEXT, _ARGUMENT. */
PIXMPI_API int glMPI_With_context(pixMPI_Surface surface, pixMPI_Surface *result);

/*
 * The verbs of one message under this library's prefix. They are pixMPI_Send and so on of <pixmpi.h>, which has all
 * other verbs, and the waiting.
 *
 * With surfaces of OpenGL all verbs have further return codes: PIXMPI_ERR_CONTEXT (no context is current, or it is too
 * old), PIXMPI_ERR_SURFACE (no such object, level, layer or attachment; incomplete; layered; multisampled: resolve it
 * first), PIXMPI_ERR_FORMAT (a format that pixmpi.h does not have, or a conversion that OpenGL does not do),
 * PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE (OpenGL reported an error).
 */
PIXMPI_API int glMPI_Send(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm);
PIXMPI_API int glMPI_Recv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                          MPI_Status *status);
PIXMPI_API int glMPI_Isend(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                           pixMPI_Request *request);
PIXMPI_API int glMPI_Irecv(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                           pixMPI_Request *request);
PIXMPI_API int glMPI_Sendrecv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                              pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag,
                              MPI_Comm comm, MPI_Status *status);
PIXMPI_API int glMPI_Sendrecv_replace(pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                                      int recvtag, MPI_Comm comm, MPI_Status *status);
PIXMPI_API int glMPI_Send_init(pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                               pixMPI_Request *request);
PIXMPI_API int glMPI_Recv_init(pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                               pixMPI_Request *request);

/** The current context's name, and how fast that context moves pixels of a format: bytes per second from a texture to
 *  memory (`pack`) and back (`unpack`), measured on first use of the format. Pointers may be null.
 *  `name` stays valid as long as the context. PIXMPI_ERR_CONTEXT, PIXMPI_ERR_FORMAT (not a texture format of this
 *  context). */
PIXMPI_API int glMPI_Context_name(const char **name);
PIXMPI_API int glMPI_Context_rates(pixMPI_Format format, double *pack, double *unpack);

/** Frees what the library keeps for the current context. A program that may make another context afterwards calls it
 *  before it destroys this one. PIXMPI_ERR_REQUEST while requests of this context have not completed. */
PIXMPI_API int glMPI_Context_release(void);

#ifdef __cplusplus
}
#endif

#endif
