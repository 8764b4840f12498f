/*
 * Messages from inside a running compute shader of OpenGL. <pixmpi_device.h> has the words, and what endpoints of all
 * APIs share; "pixmpi_device.glsl" is what shaders include; docs/reference/device.md is the guide.
 *
 *     pixMPI_Surface field;
 *     glMPI_Window_create(bytes, &field, &memory);
 *     pixMPI_Endpoint_info info = {.slots = 2};
 *     glMPI_Endpoint_create(MPI_COMM_WORLD, &info, 1, &field, &endpoint);             // by all ranks
 *     const char *texts[] = {"#version 440\nlayout(local_size_x = 64) in;\n", glMPI_Device_glsl(), own_text};
 *     glShaderSource(shader, 3, texts, NULL);                  // the endpoint has the storage buffers 0, 1 and 2
 *     ... make the program ...
 *     glMPI_Kernel kernel = GLMPI_KERNEL_INIT;
 *     kernel.program = program, kernel.buffer_count = 1, kernel.buffers = &field.name, kernel.groups = 2;
 *     glMPI_Endpoint_run(endpoint, &kernel);
 *     pixMPI_Endpoint_free(&endpoint);                         // by all ranks
 *
 * It needs OpenGL 4.4; or 4.3 with GL_ARB_buffer_storage, for memory that shader and CPU see, where shaders ask for
 * GL_ARB_enhanced_layouts behind #version 430.
 *
 * Contexts and threads are those of <glmpi.h>: an endpoint and its windows belong to the context that was current when
 * they were made, and runs make progress in calls of the thread where that context is current. Commands before a run
 * are over for its shader; commands after a run has completed see what its shader has written. The context has to live
 * as long as its endpoints.
 */
#ifndef GLMPI_DEVICE_H
#define GLMPI_DEVICE_H

#include <glmpi.h>
#include <pixmpi_device.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The text of "pixmpi_device.glsl", for glShaderSource: behind the lines with #version, the workgroup's size and the
 *  definitions of PM_..., before the program's own lines. It lives as long as the process. */
PIXMPI_API const char *glMPI_Device_glsl(void);

/**
 * Memory for a window: a storage buffer that shaders and the CPU see. It is filled with zeros.
 *
 * bytes: its size, 1 to 2^31 - 1. window: receives the buffer as a surface of `bytes` pixels of PIXMPI_R8, which has
 * the buffer's name for the program's bindings. memory: receives the address at which the CPU sees it; may be null.
 *
 * Returns PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_CONTEXT (none is current, or it lacks persistent mappings),
 * PIXMPI_ERR_MEMORY. The window lives until glMPI_Window_free.
 */
PIXMPI_API int glMPI_Window_create(size_t bytes, pixMPI_Surface *window, void **memory);

/** Frees a window, and sets it to zero. PIXMPI_ERR_SURFACE: glMPI_Window_create has not made it in this context, or
 *  it has been freed; PIXMPI_ERR_REQUEST: an endpoint has it. */
PIXMPI_API int glMPI_Window_free(pixMPI_Surface *window);

/**
 * Makes an endpoint in the current context. Collective over `comm`, which is attached; ranks without shaders of their
 * own take part with an endpoint that they do not run. The endpoints of other ranks may be of other APIs.
 *
 * info: null, or what the endpoint is like. windows: what messages of its shaders are about, by their numbers:
 * memory of glMPI_Window_create (any bytes may travel); your buffers (whole pixels of the surface's format may
 * travel, from any pixel on); textures, renderbuffers and framebuffers (they travel as a whole, from offset 0). They
 * have to live as long as the endpoint. For puts and gets, both processes need a window with the same number; sizes
 * may differ.
 *
 * Returns PIXMPI_ERR_ARGUMENT (a null handle, an option out of range: the text names it), PIXMPI_ERR_COMM,
 * PIXMPI_ERR_CONTEXT (none is current, or it has no compute shaders or no persistent mappings), PIXMPI_ERR_SURFACE and
 * others of the windows, PIXMPI_ERR_MEMORY. Where one rank fails, all do; the others get PIXMPI_ERR_PEER.
 *
 * Source: as vkMPI_Endpoint_create.
 */
PIXMPI_API int glMPI_Endpoint_create(MPI_Comm comm, const pixMPI_Endpoint_info *info, int window_count,
                                     const pixMPI_Surface windows[], pixMPI_Endpoint *endpoint);

enum { GLMPI_MAX_BUFFERS = 13 };

/** A shader, and the storage buffers that it is bound to. All of it has to live until the run has completed, and as
 *  long as a persistent request; the array is read during the call. What else the shader uses (textures, images,
 *  uniform blocks) is what is bound when the run dispatches it, in this call or in later ones that make progress. */
typedef struct glMPI_Kernel {
    size_t struct_size; /* set by GLMPI_KERNEL_INIT */
    glMPI_uint program; /* linked, of one compute shader; its uniforms are the program's own */
    int binding;        /* the first of the endpoint's three storage buffers: as PM_BINDING in the shader */
    int buffer_count;   /* of your own storage buffers, which follow at binding + 3; at most
                           GLMPI_MAX_BUFFERS */
    const glMPI_uint *buffers;
    int groups; /* workgroups: pm_workgroup() is 0 to groups - 1 */
} glMPI_Kernel;
#define GLMPI_KERNEL_INIT {sizeof(glMPI_Kernel), 0, 0, 0, 0, 0}

/**
 * Runs a shader until all its workgroups have come to PM_END and all messages that they have begun are over.
 *
 * An error of a call in the shader ends the run: no workgroup is dispatched any more, what is under way is given up,
 * and the error says which slot, workgroup and step it was. So does the time-out of the endpoint's info
 * (PIXMPI_ERR_TIMEOUT), which also says what is waited for. What other slots have in their windows is not touched.
 *
 * Returns PIXMPI_ERR_ARGUMENT (a null argument, program, buffers, bindings, groups), PIXMPI_ERR_REQUEST (another run of
 * the endpoint is under way), PIXMPI_ERR_CONTEXT (the endpoint's is not current; transform feedback or conditional
 * rendering is on), PIXMPI_ERR_DEVICE, and the errors of the shader's calls: PIXMPI_ERR_RANK, _TAG, _REGION, _FORMAT,
 * _TRUNCATE, _ARGUMENT, _MEMORY (info.state_words is too small), _PEER, _TIMEOUT.
 */
PIXMPI_API int glMPI_Endpoint_run(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel);
/** The same as a request, for Wait, Test and so on. pixMPI_Cancel ends it with PIXMPI_ERR_REQUEST. */
PIXMPI_API int glMPI_Endpoint_irun(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel, pixMPI_Request *request);
/** The same as a persistent request, which pixMPI_Start starts. */
PIXMPI_API int glMPI_Endpoint_run_init(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel, pixMPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
