/*
 * OpenGL contexts without a window or a display server, made by one call. For programs that have no context of their
 * own; all other calls of <glmpi.h> accept any context.
 *
 *     glMPI_Context context;
 *     glMPI_Context_create(NULL, &context);          // on the GPU of this rank; current in this thread now
 *     ... draw into framebuffer objects, send textures ...
 *     glMPI_Context_free(&context);
 *
 * Which GPU. The ranks of a host share its GPUs: the rank within the host, modulo the number of GPUs. MPI's launcher
 * says the rank within the host (MPI_LOCALRANKID, OMPI_COMM_WORLD_LOCAL_RANK, MV2_COMM_WORLD_LOCAL_RANK,
 * SLURM_LOCALID); without one of these variables it is 0. A GPU that gives no context is passed over. If there is no
 * GPU, the driver that draws with the CPU serves. info.device chooses otherwise, and PIXMPI_GL_DEVICE in the
 * environment has the last word.
 *
 * Source: EGL 1.5, EGL_EXT_platform_device, EGL_MESA_platform_surfaceless, EGL_KHR_surfaceless_context.
 */
#ifndef GLMPI_CONTEXT_H
#define GLMPI_CONTEXT_H

#include <glmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context that the library has made. */
typedef struct glMPI_Context_tag *glMPI_Context;
#define GLMPI_CONTEXT_NULL ((glMPI_Context)0)

/** Properties of a context; a field of 0 gets the value in brackets. */
typedef struct glMPI_Context_info {
    size_t struct_size; /* set by GLMPI_CONTEXT_INFO_INIT */
    const char *device; /* a GPU's number, from 0, in the order of EGL's list; or a part of its driver's name or device
                           file; or "software": what draws with the CPU. No other device is tried then [by the rank] */
    int major, minor;   /* of OpenGL, at least [0: the newest, from 4.6 down to 3.3] */
    int compatibility;  /* 1: the compatibility profile [0: the core profile] */
    int width, height;  /* pixels of a default framebuffer: RGBA8, 24 bits of depth, 8 of stencil [0: none] */
    int debug;          /* 1: a debug context, for glDebugMessageCallback [0] */
    glMPI_Context share; /* shares its textures and buffers; of the same device then [GLMPI_CONTEXT_NULL] */
} glMPI_Context_info;
#define GLMPI_CONTEXT_INFO_INIT {sizeof(glMPI_Context_info), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Makes a context and makes it current in the calling thread.
 *
 * info: may be null, for the defaults. context: receives the handle.
 *
 * May be called before MPI_Init and pixMPI_Comm_attach, in any thread. Returns PIXMPI_ERR_ARGUMENT (a null handle, a
 * negative size, a foreign context to share with), PIXMPI_ERR_DEVICE (no EGL, no such device, or no device with what is
 * asked for: the text lists what was tried).
 */
PIXMPI_API int glMPI_Context_create(const glMPI_Context_info *info, glMPI_Context *context);

/** Makes a context current in the calling thread. GLMPI_CONTEXT_NULL: no context of EGL's is current afterwards. A
 *  context must not be current in two threads. PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_DEVICE. */
PIXMPI_API int glMPI_Context_bind(glMPI_Context context);

/** The name of a context and of its device: "EGL device 0, core profile 4.5, llvmpipe (...)". Valid as long as the
 *  context. PIXMPI_ERR_ARGUMENT. */
PIXMPI_API int glMPI_Context_text(glMPI_Context context, const char **text);

/** The address of a function of OpenGL, for loaders (GLEW, glad, epoxy); null if EGL does not have it. */
PIXMPI_API void *glMPI_Context_function(const char *name);

/** Does what glMPI_Context_release does, frees a context and sets the handle to GLMPI_CONTEXT_NULL. The context must
 *  not be current in another thread. Another context that is current in this thread stays current.
 *  PIXMPI_ERR_ARGUMENT; PIXMPI_ERR_REQUEST while requests of this context have not completed: the context stays. */
PIXMPI_API int glMPI_Context_free(glMPI_Context *context);

#ifdef __cplusplus
}
#endif

#endif
